// The general form of a rotation: a cosine and a sine for every channel, given by the caller. Two known models are no
// pure rotations and need it: HunYuan-VL, whose channels of one pair can follow different axes, and V-JEPA 2, whose
// tables are tiled as halves while its pairs are interleaved. In plain code, not in kernels. Specs with their layouts
// (Layout::full_width_half, Layout::interleaved_pairs_with_halves_tiling_per_axis) come this way in posenc/rotate.h.
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
  ConstView cos;                   // [N, R], or [B, N, R] with tokens of batch rows apart; f32 or f64
  ConstView sin;                   // likewise
  Layout layout = Layout::half;    // which channels are partners; half_per_axis cuts the window in `parts`
  std::int64_t first_channel = 0;  // the first channel of the window, from the start of the head
  std::int64_t parts = 1;          // with half_per_axis only
};

// x and out are [N, H, D] or [B, N, H, D], as in rotate.h, identical or apart. f64 data are computed in double, others
// in float32 and rounded once.
POSENC_API void rotate_channels(const ConstView& x, const ChannelTables& tables, const View& out);

// The gradient by x: the transpose, which is no inverse.
POSENC_API void rotate_channels_backward(const ConstView& grad_out, const ChannelTables& tables, const View& grad_in);

}  // namespace posenc
