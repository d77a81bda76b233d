// Layer normalisation (Ba et al., 2016): out = (x - mean) / sqrt(variance + eps) * weight + bias, row by row.
//
//     posenc::layer_norm(x, {.weight = w, .bias = b}, out);
//     posenc::layer_norm_backward({x, grad_out}, {.weight = w, .bias = b}, {.x = grad_x, .weight = grad_w});
//
// x and out are [N, M] or [B, N, M], f32 or f64, of one dtype; rows may be strided, and out may be x. A row is computed
// in double and rounded once. The variance is that of all M numbers, without Bessel's correction. Everything is checked
// before anything is written, and no result depends on the workers.
#pragma once

#include "posenc/export.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

struct LayerNorm {
  ConstView weight = {};  // [M] of any float type; left out: ones
  ConstView bias = {};    // [M]; left out: zeros
  double eps = 1e-5;      // > 0
};

POSENC_API void layer_norm(const ConstView& x, const LayerNorm& norm, const View& out,
                           const Workers* workers = nullptr);

struct LayerNormInputs {
  ConstView x;
  ConstView grad_out;  // as x
};

// What gradients are wanted; what is left out is not computed. That of x is written, of the dtype of x, and may be x or
// grad_out itself; the others are added to, f32 or f64, each number summed in double in the order of the rows.
struct LayerNormGradients {
  View x = {};
  View weight = {};
  View bias = {};
};

POSENC_API void layer_norm_backward(const LayerNormInputs& inputs, const LayerNorm& norm,
                                    const LayerNormGradients& gradients, const Workers* workers = nullptr);

}  // namespace posenc
