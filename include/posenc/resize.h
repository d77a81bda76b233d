// Resize a learned table to a new length or grid, as vision transformers do at a new resolution.
//
//     // ViT, DINOv2: 14 x 14 patches and a class token, resized to 16 x 20
//     posenc::Resize rule{.from = {14, 14}, .to = {16, 20}, .kept = 1, .method = posenc::Interpolation::cubic};
//     posenc::resize_table(table, rule, out);    // [1 + 196, M] -> [1 + 320, M]
//
// A grid is {height, width}; its rows are in the table in row-major order. Each axis is interpolated separately, in
// double, and the result is rounded once; every method matches torch.nn.functional.interpolate. On two axes, `linear`
// is bilinear and `cubic` is bicubic. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posenc/export.h"
#include "posenc/resize_rule.h"
#include "posenc/view.h"

namespace posenc {

// table is [kept + product of from, M] and out is [kept + product of to, M], each f32, f64, f16 or bf16; rows may be
// strided; they must not overlap. A wrong shape, a length of zero, NaN or infinity in the table, and options that
// contradict each other are errors before anything is written. Numbers too large for out's dtype become infinity.
// Resizing to the same size copies bit for bit, unless extra_size is set.
POSENC_API void resize_table(const ConstView& table, const Resize& rule, const View& out);

// The transpose: accumulates into grad_table [kept + product of from, M] the gradient that follows from
// grad_out [kept + product of to, M]. f32 or f64 each; they must not overlap. Infinity and NaN in gradients pass
// through.
POSENC_API void resize_table_backward(const ConstView& grad_out, const Resize& rule, const View& grad_table);

// How one output row of one axis is computed: input rows first, first + 1, ... with these weights, which sum to 1 up to
// rounding. All these rows are in the table: the weights of reads beyond the edge are added to the edge.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};
// Returns the taps of every output row of one axis; `axis` is an index into rule.from.
POSENC_API std::vector<Taps> resize_taps(const Resize& rule, std::size_t axis);

// Returns {side, side} if rows = kept + side * side; throws otherwise. Call it only if the grid is known to be square:
// posenc never assumes it, because a table of 196 rows may well be 7 x 28.
POSENC_API std::vector<std::int64_t> square_grid(std::int64_t rows, std::int64_t kept);

}  // namespace posenc
