// Position ids of the tokens of a batch, computed from masks, token ids, packed documents, caches or grids.
//
//     posenc::positions_from_mask(mask, {.pads = posenc::Pads::id(0)}, ids);          // [B, N] 0/1 -> [B, N] ids
//     posenc::positions_from_tokens(tokens, 1, {.pads = posenc::Pads::id(1), .first = 2}, ids);   // RoBERTa: pad = 1
//     posenc::fill_table(schedule, posenc::position_view(ids), rows);                 // rows: [B, N, M]
//
// The one-liner `cumsum(mask) * mask - 1` gives pads the id -1, which reads the last row of a table in Python and
// memory before the table in C++. Here the caller chooses the id of pads, and every lookup refuses negative ids. Masks
// and token ids are [N] or [B, N] of u8, i32 or i64; ids are written to i32 or i64 of the same shape; strides are free.
// All arguments are checked before anything is written. Pure functions.
//
// Apply an offset only once: ids with `first` = 2 are table rows and go with a Learned spec whose `first` is 0; ids
// that count from 0 go with `first` = 2 in the spec. Doing both reads two rows too far.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc {

// The id of padded tokens. There is no default, because each choice is right for some models and wrong for others.
class POSENC_API Pads {
 public:
  // The same id for every pad: 0 in recent generate(), 1 in older versions, padding_idx in RoBERTa and fairseq. A
  // negative id marks pads; lookups refuse it.
  static Pads id(std::int64_t id) noexcept;
  // The id of the nearest real token before the pad, or `first` (+ past) if there is none: max(cumsum(mask) - 1, 0).
  static Pads previous() noexcept;
  // Pads are counted like real tokens, as arange does; mask values are only validated. BERT, GPT-2 without ids.
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
  std::int64_t past = 0;   // tokens that a cache already holds; added to the ids of real tokens
};

// Counts real tokens (mask 1) from first + past in each row and skips pads (mask 0), which may be on the left, on the
// right, on both sides or inside. Other mask values are errors. If `ids` has fewer columns than the mask, it receives
// the last ones; a decoding step needs this when the mask also covers the cache.
POSENC_API void positions_from_mask(const ConstView& mask, const IdRule& rule, const View& ids);

// The same, where tokens equal to `pad_token` are pads.
POSENC_API void positions_from_tokens(const ConstView& tokens, std::int64_t pad_token, const IdRule& rule,
                                      const View& ids);

// Token n of row b gets lengths[b] + n: the next tokens of caches that hold lengths[b] tokens. lengths is [B] of i32 or
// i64 and must not be negative; ids is [B, N].
POSENC_API void positions_after(const ConstView& lengths, const View& ids);

// Packed documents, one after the other in one row: each starts again at `first`. `bounds` are cumulative lengths as
// attention kernels take them: 0, ..., N, never decreasing, i32 or i64. ids is [N].
POSENC_API void positions_from_bounds(const ConstView& bounds, std::int64_t first, const View& ids);
// The same from segment ids, [N] or [B, N] of u8, i32 or i64: a new document starts where the number changes.
POSENC_API void positions_from_segments(const ConstView& segments, std::int64_t first, const View& ids);
// Converts lengths to bounds: 3, 1, 5 -> 0, 3, 4, 9. Negative lengths and sums above 2^31 - 1 are errors.
POSENC_API std::vector<std::int64_t> bounds_of(std::span<const std::int64_t> lengths);

// How to recover documents from position ids alone. The two rules of Hugging Face differ where ids jump or repeat.
enum class PackedBy : int {
  step,     // a document starts where an id is not the previous id plus 1: the mask path
  minimum,  // a document starts where an id equals the smallest id of its row: the flash-attention path, which treats
            // a whole batch as one row
};
// Returns the bounds of the documents in ids [N]: 0, ..., N. The first token always starts a document, even if its id
// is not the smallest. For no tokens: 0.
POSENC_API std::vector<std::int64_t> bounds_from_positions(const ConstView& ids, PackedBy rule);
// Writes each token's document number, which starts at 0 in every row. ids is [N] or [B, N]; segments has the same
// shape and is i32 or i64.
POSENC_API void segments_from_positions(const ConstView& ids, PackedBy rule, const View& segments);
// The same from bounds: 0, 0, 0, 1, 2, 2, ... An empty document uses up a number that no token gets.
POSENC_API void segments_from_bounds(const ConstView& bounds, const View& segments);

// Converts a flat id to coordinates in a row-major grid: id 7 in {3, 4} is (1, 3). ids is [N]; places is [N, A], i32 or
// i64. Use the result with axial tables (Reformer). An id outside the grid is an error.
POSENC_API void places_in_grid(const ConstView& ids, std::span<const std::int64_t> grid, const View& places);

// How row i of an image with `length` rows is mapped to a table of `side` rows. All rules mean
// floor(i * side / length); they differ only if that division is exact, at the border between two rows. Except for
// `exact`, borders are computed in float32 too, as by torch.arange.
enum class Fraction : int {
  exact,     // in integers: the same everywhere, and what was intended
  product,   // i * (1 / length), at most 1 - 1e-6: Idefics2, Idefics3, SmolVLM, Phi-4 multimodal in transformers 5
  quotient,  // i / length: MiniCPM-V in transformers 5
  shrunk,  // i / length * (1 - 1e-6): Idefics2, Idefics3, SmolVLM in transformers 4.5x; a border maps to the row before
};
// Writes the table row of each patch of a height x width image, for a square table of side x side: out is
// [height * width], row-major, or [height, width].
POSENC_API void rows_by_fraction(std::int64_t height, std::int64_t width, std::int64_t side, const View& out,
                                 Fraction fraction = Fraction::product);

// Build ids of mixed text and images piece by piece, on A axes. Each call appends to `ids` ([.., A], axis last) and
// returns the first unused id, where the next piece may start.
//   append_text: `count` tokens with the same id on every axis, counting up from `start`.
//   append_grid: one token per place of `shape` (row-major, one length per axis), each axis counting up from `start`;
//                returns the largest id + 1.
POSENC_API std::int64_t append_text(std::vector<std::int64_t>& ids, std::int64_t axes, std::int64_t start,
                                    std::int64_t count);
POSENC_API std::int64_t append_grid(std::vector<std::int64_t>& ids, std::span<const std::int64_t> shape,
                                    std::int64_t start);

// Returns ids, [N] or [B, N] of i32, i64 or f64 (real positions) with any strides, as positions on one axis.
POSENC_API PositionView position_view(const ConstView& ids);

}  // namespace posenc
