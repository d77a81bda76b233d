// Multi-head attention as a layer: projections, attention with positions, and the projection back, with gradients.
//
//     posenc::MultiHeadAttention weights{.heads = 8, .in_proj_weight = w, .in_proj_bias = b, .out_proj_weight = ow};
//     posenc::multi_head_attend(x, weights, out, {.attend = {.bias = &alibi}, .average_weights = average});
//     posenc::multi_head_attend_backward({x, grad_out}, weights, {.x = grad_x, .in_proj_weight = grad_w});
//
// [q | k | v] = x W_in^T + b_in, out = attend(q, k, v) W_out^T + b_out: PyTorch's nn.MultiheadAttention and its
// packing. x and out are [N, M] or [B, N, M], f32 or f64, of one dtype; rows may be strided, and out may be x. Weights
// are of any float type and any strides. Everything is checked before anything is computed or written, and no result
// depends on the workers. Whatever attention does, positions, masks, sinks, dropout of its weights, threads, is said in
// MultiHeadOptions::attend.
#pragma once

#include <cstdint>

#include "posenc/attend.h"
#include "posenc/export.h"
#include "posenc/parameters.h"
#include "posenc/view.h"

namespace posenc {

// D is what out_proj_weight has per head. With as many key heads as heads, and M = H D, the rows of in_proj_weight are
// PyTorch's [3 M, M].
struct MultiHeadAttention {
  std::int64_t heads = 0;          // H; must be given
  std::int64_t key_heads = 0;      // G, a divisor of H; 0: H
  ConstView in_proj_weight = {};   // [(H + 2 G) D, M]: rows of queries, of keys, of values, head by head
  ConstView in_proj_bias = {};     // [(H + 2 G) D], or left out
  ConstView out_proj_weight = {};  // [M, H D]
  ConstView out_proj_bias = {};    // [M], or left out
};

struct MultiHeadOptions {
  // attend.weights are those of every head, [B, H, N, S]; attend.workers serve the projections too.
  AttendOptions attend = {};
  // What keys and values are made of, as x: [S, M] or [B, S, M]. Left out: x itself.
  ConstView context = {};
  // Where given, written: the weights averaged over the heads, [N, S] or [B, N, S], of the dtype of x.
  View average_weights = {};
};

POSENC_API void multi_head_attend(const ConstView& x, const MultiHeadAttention& weights, const View& out,
                                  const MultiHeadOptions& options = {});

struct MultiHeadInputs {
  ConstView x;
  ConstView grad_out;  // as out
};

// What gradients are wanted; what is left out is not computed. Those of x and context are written, of the dtype of x or
// f64, and may be x, context or grad_out itself; the others are added to, f32 or f64. They are apart from each other.
struct MultiHeadGradients {
  View x = {};
  View context = {};
  View in_proj_weight = {};
  View in_proj_bias = {};
  View out_proj_weight = {};
  View out_proj_bias = {};
  View sinks = {};  // as AttendGradients have them, and so below
  Gradients bias = {};
  Gradients term = {};
  View pope_delta = {};
};

// The gradients. Options must be those of the forward call, which is computed again; its outputs are not written.
POSENC_API void multi_head_attend_backward(const MultiHeadInputs& inputs, const MultiHeadAttention& weights,
                                           const MultiHeadGradients& gradients, const MultiHeadOptions& options = {});

}  // namespace posenc
