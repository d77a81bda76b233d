// Rotation in its general form: the caller gives a cosine and a sine for every channel. Two published models are not
// pure rotations and need this: in HunYuan-VL the channels of a pair can follow different axes, and in V-JEPA 2 the
// tables are tiled as halves while the pairs are interleaved. This is plain code without kernels. posenc/rotate.h uses
// it for specs with those layouts (Layout::full_width_half, Layout::interleaved_pairs_with_halves_tiling_per_axis).
//
//     out[c] = x[c] * cos[c] + sign * x[partner of c] * sin[c]     // sign is -1 for the first of a pair, else 1
//
//     posenc::rotate_channels(q, {.cos = cos, .sin = sin, .layout = posenc::Layout::interleaved}, q);
#pragma once

#include <cstdint>

#include "posenc/export.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

struct ChannelTables {
  ConstView cos;                   // [N, R], or [B, N, R] with a table per batch row; f32 or f64
  ConstView sin;                   // likewise
  Layout layout = Layout::half;    // which channels are partners; half_per_axis splits the window into `parts`
  std::int64_t first_channel = 0;  // the first channel of the window, from the start of the head
  std::int64_t parts = 1;          // with half_per_axis only
};

// x and out are [N, H, D] or [B, N, H, D], as in rotate.h; out must be x or not overlap it. f64 data are computed in
// double, others in float32 and rounded once.
POSENC_API void rotate_channels(const ConstView& x, const ChannelTables& tables, const View& out);

// The gradient with respect to x: the transpose, which in general is not the inverse.
POSENC_API void rotate_channels_backward(const ConstView& grad_out, const ChannelTables& tables, const View& grad_in);

}  // namespace posenc
