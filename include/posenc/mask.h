// Masks: which keys a query may see. Not a bias: a range of keys per query, so that blocks of keys that are hidden are
// never computed.
//
//     posenc::Mask causal{.causal = posenc::Causal::end};                  // as a cache needs it
//     posenc::Mask sliding{.causal = posenc::Causal::end, .left = 4095};   // 4096 keys, the query's own among them
//     posenc::Mask streaming{.causal = posenc::Causal::end, .left = 1019, .sink_keys = 4};
//
// A mask counts in indices, not in positions: query n stands beside key n + offset, and every rule below measures from
// there. What several rules hide is hidden; sink keys are shown whatever left and chunk say. A value of a hidden key
// that is NaN or infinite still reaches the queries of its block, as 0 * NaN does in a plain softmax; padding does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

// Whether queries see what lies ahead, and beside which key the first of N queries stands where there are S keys.
enum class Causal : int {
  none,   // they do; aligned to the end
  end,    // they do not; the last query stands beside the last key: offset = S - N
  start,  // they do not; the first query stands beside the first key: offset = 0, torch's is_causal
};

struct Mask {
  Causal causal = Causal::none;
  std::optional<std::int64_t> query_offset = {};  // instead of the alignment: the key that query 0 stands beside
  std::optional<std::int64_t> left = {};          // keys down to n - left; a causal window of w keys has left = w - 1
  std::optional<std::int64_t> right = {};         // keys up to n + right
  std::int64_t sink_keys = 0;                     // the first keys of the row, or of the document: left and chunk
                                                  // do not hide them
  std::int64_t chunk = 0;                         // keys of the query's own chunk of this many; 0: none

  // Where batch row b has its tokens: keys starts[b] .. ends[b] - 1, i32 or i64 [B]. Chunks and sink keys count from
  // starts[b]. What padding holds does not matter, be it NaN. Both may lie beyond the keys: a row whose first keys left
  // a cache starts below 0, and the first keys that it still has are its sink keys.
  ConstView starts = {};
  ConstView ends = {};
  // Packed documents: an id per key, i32 or i64 [S] or [B, S]. A query sees the run of equal ids around the key that it
  // stands beside.
  ConstView documents = {};
  // 1 for keys that may be seen, u8 [S] or [B, S]: padding of any form, as above.
  ConstView keys = {};
  // 1 for pairs that may be seen, u8 [N, S] or [B, N, S].
  ConstView pairs = {};
};

// B, N and S of an attention.
struct MaskGrid {
  std::int64_t batch = 1;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// The key that query 0 stands beside, by query_offset or the alignment; it may lie outside the keys.
POSENC_API std::int64_t first_beside(const Mask& mask, const MaskGrid& grid) noexcept;

// Keys first .. sinks - 1 and resume .. last - 1. Without a gap behind sink keys, sinks is resume; where nothing is
// seen, all four are the same.
struct KeyRange {
  std::int64_t first = 0;
  std::int64_t sinks = 0;
  std::int64_t resume = 0;
  std::int64_t last = 0;
};

// What query n of batch row b may see of keys, without Mask::keys and Mask::pairs, which hide single ones.
POSENC_API KeyRange key_range(const Mask& mask, const MaskGrid& grid, std::int64_t b, std::int64_t n);
// Whether query n of batch row b sees key s.
POSENC_API bool sees(const Mask& mask, const MaskGrid& grid, std::int64_t b, std::int64_t n, std::int64_t s);

// Throws where a mask fits no such attention: a negative window, views of another shape. `where` opens the message.
POSENC_API void check_mask(const Mask& mask, const MaskGrid& grid, std::string_view where);

}  // namespace posenc
