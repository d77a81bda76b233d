// Resizing a learned table to a new length or a new grid, as vision transformers do at a new resolution.
//
//     // ViT, DINOv2: 14 x 14 patches and a class token, to 16 x 20
//     posenc::Resize rule{.from = {14, 14}, .to = {16, 20}, .kept = 1, .method = posenc::Interpolation::cubic};
//     posenc::resize_table(table, rule, out);    // [1 + 196, M] -> [1 + 320, M]
//
// A grid is {height, width}, and its rows go through the table line by line. Each axis is interpolated by itself, in
// double, and the result is rounded once; every method gives what torch.nn.functional.interpolate gives. On two axes
// `linear` is what others call bilinear, `cubic` bicubic. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posenc/export.h"
#include "posenc/resize_rule.h"
#include "posenc/view.h"

namespace posenc {

// table is [kept + product of from, M], out [kept + product of to, M], of f32, f64, f16 or bf16 each; rows may be
// strided; they must not overlap. A wrong shape, a length of zero, a NaN or infinity in the table and
// options that do not go together are errors before anything is written. What is too large for out's type becomes
// infinity. To the same size, every method without extra_size copies bit for bit.
POSENC_API void resize_table(const ConstView& table, const Resize& rule, const View& out);

// The transpose: adds to grad_table [kept + product of from, M] what grad_out [kept + product of to, M] means for it.
// f32 or f64 each; they must not overlap. Infinite gradients and NaN pass through.
POSENC_API void resize_table_backward(const ConstView& grad_out, const Resize& rule, const View& grad_table);

// One output row of one axis: input rows first, first + 1, ... with these weights, whose sum is 1 to rounding. All lie
// in the table: what a method reads beyond the edge is added to the edge's weight.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};
// The taps of every output row of one axis: `axis` counts into rule.from.
POSENC_API std::vector<Taps> resize_taps(const Resize& rule, std::size_t axis);

// {side, side} where rows = kept + side * side, for a table whose grid is known to be square; any other number of rows
// is an error. Nothing in posenc assumes a square grid by itself: a table of 196 rows may well be 7 x 28.
POSENC_API std::vector<std::int64_t> square_grid(std::int64_t rows, std::int64_t kept);

}  // namespace posenc
