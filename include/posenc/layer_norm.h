// Layer normalisation (Ba et al., 2016): out = (x - mean) / sqrt(variance + eps) * weight + bias, row by row.
//
//     posenc::layer_norm(x, {.weight = w, .bias = b}, out);
//     posenc::layer_norm_backward({x, grad_out}, {.weight = w, .bias = b}, {.x = grad_x, .weight = grad_w});
//
// x and out are [N, M] or [B, N, M], f32 or f64, of one dtype; rows may be strided, and out may be x. Each row is
// computed in double and rounded once. The variance divides by M, without Bessel's correction. All arguments are
// checked before anything is written, and workers do not change the result.
#pragma once

#include "posenc/export.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

struct LayerNorm {
  ConstView weight = {};  // [M] of any float dtype; omitted: ones
  ConstView bias = {};    // [M]; omitted: zeros
  double eps = 1e-5;      // > 0
};

POSENC_API void layer_norm(const ConstView& x, const LayerNorm& norm, const View& out,
                           const Workers* workers = nullptr);

struct LayerNormInputs {
  ConstView x;
  ConstView grad_out;  // shape and dtype of x
};

// Where to write the gradients; those omitted are not computed. The gradient of x is overwritten, has the dtype of x,
// and may be x or grad_out itself. The others are accumulated, f32 or f64; each number is summed in double in row
// order.
struct LayerNormGradients {
  View x = {};
  View weight = {};
  View bias = {};
};

POSENC_API void layer_norm_backward(const LayerNormInputs& inputs, const LayerNorm& norm,
                                    const LayerNormGradients& gradients, const Workers* workers = nullptr);

}  // namespace posenc
