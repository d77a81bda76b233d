// Masks: which keys a query may see. A mask is a range of keys per query, not a bias, so blocks of hidden keys are
// never computed.
//
//     posenc::Mask causal{.causal = posenc::Causal::end};                  // for decoding with a cache
//     posenc::Mask sliding{.causal = posenc::Causal::end, .left = 4095};   // 4096 keys, including the query's own
//     posenc::Mask streaming{.causal = posenc::Causal::end, .left = 1019, .sink_keys = 4};
//
// A mask counts indices, not positions: query n is aligned with key n + offset, and every rule below counts from that
// key. A key is hidden if any rule hides it, but left and chunk never hide sink keys. A hidden key whose value is NaN
// or infinite still affects the queries of its block, as 0 * NaN does in a plain softmax; values in padding do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

// Whether queries see later keys, and how N queries are aligned with S keys.
enum class Causal : int {
  none,   // queries see later keys; aligned as `end`
  end,    // causal; the last query is aligned with the last key: offset = S - N
  start,  // causal; the first query is aligned with the first key: offset = 0, torch's is_causal
};

struct Mask {
  Causal causal = Causal::none;
  std::optional<std::int64_t> query_offset = {};  // the key aligned with query 0, instead of the rule of `causal`
  std::optional<std::int64_t> left = {};          // keys down to n - left; a causal window of w keys has left = w - 1
  std::optional<std::int64_t> right = {};         // keys up to n + right
  std::int64_t sink_keys = 0;                     // the first keys of the row or document, which left and chunk
                                                  // do not hide
  std::int64_t chunk = 0;                         // only keys of the query's own chunk of this size; 0: no chunks

  // The tokens of batch row b are keys starts[b] .. ends[b] - 1; i32 or i64, [B]. Chunks and sink keys count from
  // starts[b]. Values in padding do not matter, not even NaN. Both may be outside the keys: if a cache has evicted the
  // first keys of a row, the row starts below 0, and its sink keys are the first keys that remain.
  ConstView starts = {};
  ConstView ends = {};
  // Packed documents: an id per key, i32 or i64, [S] or [B, S]. A query sees the run of equal ids that contains the key
  // it is aligned with.
  ConstView documents = {};
  // 1 for keys that may be seen, u8, [S] or [B, S]: padding anywhere in the row; its values do not matter either.
  ConstView keys = {};
  // 1 for pairs that may be seen, u8, [N, S] or [B, N, S].
  ConstView pairs = {};
};

// The sizes B, N and S of an attention call.
struct MaskGrid {
  std::int64_t batch = 1;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// Returns the key aligned with query 0, by query_offset or the alignment; it may be outside the keys.
POSENC_API std::int64_t first_beside(const Mask& mask, const MaskGrid& grid) noexcept;

// Keys first .. sinks - 1 and resume .. last - 1. If no keys are hidden after the sink keys, sinks equals resume; if
// the query sees no keys, all four are equal.
struct KeyRange {
  std::int64_t first = 0;
  std::int64_t sinks = 0;
  std::int64_t resume = 0;
  std::int64_t last = 0;
};

// Returns the keys that query n of batch row b may see, ignoring Mask::keys and Mask::pairs, which hide single keys.
POSENC_API KeyRange key_range(const Mask& mask, const MaskGrid& grid, std::int64_t b, std::int64_t n);
// Whether query n of batch row b sees key s.
POSENC_API bool sees(const Mask& mask, const MaskGrid& grid, std::int64_t b, std::int64_t n, std::int64_t s);

// Throws if the mask does not fit the grid: a negative window, views of another shape. Messages begin with [where].
POSENC_API void check_mask(const Mask& mask, const MaskGrid& grid, std::string_view where);

}  // namespace posenc
