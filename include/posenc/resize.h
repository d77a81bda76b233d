// Resizing a learned table to a new length or a new grid, as vision transformers do at a new resolution.
//
//     // ViT, DINOv2: 14 x 14 patches and a class token, to 16 x 20
//     posenc::Resize rule{.from = {14, 14}, .to = {16, 20}, .kept = 1, .method = posenc::Interpolation::cubic};
//     posenc::resize_table(table, rule, out);    // [1 + 196, M] -> [1 + 320, M]
//
// Each axis is interpolated by itself, in double, and the result is rounded once. On two axes `linear` is what others
// call bilinear, `cubic` bicubic. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

enum class Interpolation : int {
  nearest,  // row floor(i * from / to), with the float32 product that torch has
  linear,
  cubic,  // four taps, cubic_a
  area,   // the mean over the cells that an output cell covers
};

// Where an output row stands among the input rows.
enum class Align : int {
  centers,  // (i + 0.5) * from / to - 0.5: half-pixel centres, align_corners=False
  corners,  // i * (from - 1) / (to - 1): the first and the last row stay, align_corners=True
};

struct Resize {
  std::vector<std::int64_t> from;  // {rows} or {height, width} of the table without its kept rows
  std::vector<std::int64_t> to;    // as many numbers as `from`, each at least 1
  std::int64_t kept = 0;           // rows in front that are copied: class and distillation tokens
  Interpolation method = Interpolation::cubic;
  Align align = Align::centers;  // for linear and cubic
  bool antialias = false;        // for linear and cubic with centers: taps widen when shrinking, weights are
                                 // renormalised at the border instead of repeating the edge (torch, PIL, timm)
  double cubic_a = -0.75;        // -0.75 in torch; -0.5 where torch antialiases, and in PIL
  double extra_size = 0.0;       // the ratio is from / (to + extra_size): 0.1 in DINO and DINOv2's own code
};

// table is [kept + product of from, M], out [kept + product of to, M], of f32, f64, f16 or bf16 each; rows may be
// strided; they must not overlap. A wrong shape, a length of zero, a NaN or infinity in the table and
// options that do not go together are errors before anything is written.
POSENC_API void resize_table(const ConstView& table, const Resize& rule, const View& out);

// The transpose: adds to grad_table what grad_out means for it. f32 or f64.
POSENC_API void resize_table_backward(const ConstView& grad_out, const Resize& rule, const View& grad_table);

// One output row of one axis: input rows first, first + 1, ... with these weights, whose sum is 1.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};
// The taps of every output row of one axis: `axis` counts into rule.from.
POSENC_API std::vector<Taps> resize_taps(const Resize& rule, std::size_t axis);

}  // namespace posenc
