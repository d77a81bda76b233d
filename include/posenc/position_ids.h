// Position ids: which position each token of a batch gets, from masks, token ids, packed documents, caches and grids.
//
//     posenc::positions_from_mask(mask, {.pads = posenc::Pads::id(0)}, ids);          // [B, N] 0/1 -> [B, N] ids
//     posenc::positions_from_tokens(tokens, 1, {.pads = posenc::Pads::id(1), .first = 2}, ids);   // RoBERTa: pad is 1
//     posenc::fill_table(schedule, posenc::position_view(ids), rows);                 // rows: [B, N, M]
//
// The one-liner `cumsum(mask) * mask - 1` gives pads the id -1, which reads the last row of a table in Python and
// memory before it in C++. Here what a pad gets is the caller's choice, and every lookup refuses negative ids.
// Masks and token ids are [N] or [B, N] of u8, i32 or i64; ids are written to i32 or i64 of the same shape, strided as
// the caller likes. Everything is checked before anything is written. Pure functions.
//
// An offset counts once: ids with `first` = 2 are rows and go with a Learned spec whose own `first` is 0; ids that
// count from 0 go with the spec's `first` = 2. Both together read two rows too far.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc {

// What a padded token gets. There is no default: each choice is some model's convention, and a surprise in another.
class POSENC_API Pads {
 public:
  // This id for every pad: 0 in recent generate(), 1 in older, padding_idx in RoBERTa and fairseq. It may be negative
  // to mark pads; lookups then refuse it.
  static Pads id(std::int64_t id) noexcept;
  // The id of the nearest real token before it, `first` (+ past) where there is none: cumsum(mask) - 1, not below 0.
  static Pads previous() noexcept;
  // Pads count like real tokens: arange, the mask is ignored but for its values. BERT, GPT-2 without ids.
  static Pads counted() noexcept;

  enum class Rule { id, previous, counted };
  Rule rule() const noexcept { return rule_; }
  std::int64_t id() const noexcept { return id_; }

 private:
  Pads(Rule rule, std::int64_t id) noexcept : rule_(rule), id_(id) {}
  Rule rule_;
  std::int64_t id_;
};

struct IdRule {
  Pads pads;
  std::int64_t first = 0;  // the id of the first real token: 2 in OPT, padding_idx + 1 in RoBERTa and fairseq
  std::int64_t past = 0;   // tokens that a cache already holds, added to the ids of real tokens
};

// Real tokens (mask 1) are counted from first + past, row by row; pads (mask 0) are skipped, wherever they stand: left,
// right, both sides or inside. Other mask values are errors. If `ids` has fewer columns than the mask, it gets the last
// ones: what a decoding step needs when the mask covers the cache too.
POSENC_API void positions_from_mask(const ConstView& mask, const IdRule& rule, const View& ids);

// The same where a token is a pad if it equals `pad_token`.
POSENC_API void positions_from_tokens(const ConstView& tokens, std::int64_t pad_token, const IdRule& rule,
                                      const View& ids);

// Token n of row b gets lengths[b] + n: the next tokens of caches that hold lengths[b] tokens. lengths is [B] of i32 or
// i64, none negative; ids is [B, N].
POSENC_API void positions_after(const ConstView& lengths, const View& ids);

// Packed documents, one after the other in one row: each counts from `first` again. `bounds` are cumulative lengths as
// attention kernels take them: 0, ..., N, never decreasing, of i32 or i64; ids is [N].
POSENC_API void positions_from_bounds(const ConstView& bounds, std::int64_t first, const View& ids);
// The same from segment ids, [N] or [B, N] of u8, i32 or i64: a document ends where the number changes.
POSENC_API void positions_from_segments(const ConstView& segments, std::int64_t first, const View& ids);
// Lengths 3, 1, 5 -> bounds 0, 3, 4, 9. Negative lengths and sums beyond 2^31 - 1 are errors.
POSENC_API std::vector<std::int64_t> bounds_of(std::span<const std::int64_t> lengths);

// How to find the documents again in ids alone. The two rules of Hugging Face disagree where ids jump or repeat.
enum class PackedBy : int {
  step,     // a document starts wherever an id is not the one before it plus 1: the mask path
  minimum,  // a document starts wherever an id equals the smallest of its row: the flash-attention path, which takes a
            // whole batch as one row
};
// Bounds of the documents of ids [N]: 0, ..., N. The first token always starts one, also where its id is not the
// smallest. Of no tokens: 0.
POSENC_API std::vector<std::int64_t> bounds_from_positions(const ConstView& ids, PackedBy rule);
// The number of the document of each token, from 0 in every row: ids is [N] or [B, N], segments has its shape, i32 or
// i64.
POSENC_API void segments_from_positions(const ConstView& ids, PackedBy rule, const View& segments);
// The same from bounds: 0, 0, 0, 1, 2, 2, ... An empty document keeps its number: no token has it.
POSENC_API void segments_from_bounds(const ConstView& bounds, const View& segments);

// A flat id as a place in a row-major grid: id 7 in {3, 4} is (1, 3). ids is [N]; places is [N, A], i32 or i64. What
// axial tables are read with (Reformer). An id outside the grid is an error.
POSENC_API void places_in_grid(const ConstView& ids, std::span<const std::int64_t> grid, const View& places);

// How row i of an image of `length` rows finds its row in a table of `side` rows: all mean floor(i * side / length),
// and differ where that division has no remainder, a border between two rows. Borders are float32 too, as torch.arange
// makes them; exact has none.
enum class Fraction : int {
  exact,     // in integers: the same everywhere, and what was meant
  product,   // i * (1 / length), at most 1 - 1e-6: Idefics2, Idefics3, SmolVLM, Phi-4 multimodal in transformers 5
  quotient,  // i / length: MiniCPM-V in transformers 5
  shrunk,  // i / length * (1 - 1e-6): Idefics2, Idefics3, SmolVLM in transformers 4.5x; a border goes to the row before
};
// The rows of a square table of side x side that a height x width image reads: out is [height * width], row-major, or
// [height, width].
POSENC_API void rows_by_fraction(std::int64_t height, std::int64_t width, std::int64_t side, const View& out,
                                 Fraction fraction = Fraction::product);

// Mixtures of text and images, piece by piece, on A axes: each appends to `ids` ([.., A], axis last) and returns the
// first id after it: what the next piece may start at.
//   text: `count` tokens, each with the same id on every axis, counting up from `start`.
//   grid: one token per place of `shape` (row-major, one length per axis), each axis counting up from `start`; returns
//         the largest id + 1.
POSENC_API std::int64_t append_text(std::vector<std::int64_t>& ids, std::int64_t axes, std::int64_t start,
                                    std::int64_t count);
POSENC_API std::int64_t append_grid(std::vector<std::int64_t>& ids, std::span<const std::int64_t> shape,
                                    std::int64_t start);

// Ids in a view, [N] or [B, N] of i32, i64 or f64 (real positions), any strides, as positions on one axis.
POSENC_API PositionView position_view(const ConstView& ids);

}  // namespace posenc
