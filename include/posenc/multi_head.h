// Multi-head attention as a layer: projections, attention with positions, and the output projection, with gradients.
//
//     posenc::MultiHeadAttention weights{.heads = 8, .in_proj_weight = w, .in_proj_bias = b, .out_proj_weight = ow};
//     posenc::multi_head_attend(x, weights, out, {.attend = {.bias = &alibi}, .average_weights = average});
//     posenc::multi_head_attend_backward({x, grad_out}, weights, {.x = grad_x, .in_proj_weight = grad_w});
//
// [q | k | v] = x W_in^T + b_in, out = attend(q, k, v) W_out^T + b_out: PyTorch's nn.MultiheadAttention with its
// packing. x and out are [N, M] or [B, N, M], f32 or f64, of one dtype; rows may be strided, and out may be x. Weights
// may have any float dtype and strides. All arguments are checked before anything is computed or written, and workers
// do not change a result. MultiHeadOptions::attend sets positions, masks, sinks, dropout of the weights, and workers.
#pragma once

#include <cstdint>

#include "posenc/attend.h"
#include "posenc/export.h"
#include "posenc/parameters.h"
#include "posenc/view.h"

namespace posenc {

// D is the width of out_proj_weight divided by H. If G = H and M = H D, in_proj_weight is PyTorch's [3 M, M].
struct MultiHeadAttention {
  std::int64_t heads = 0;          // H; must be given
  std::int64_t key_heads = 0;      // G, a divisor of H; 0: H
  ConstView in_proj_weight = {};   // [(H + 2 G) D, M]: rows of queries, of keys, of values, head by head
  ConstView in_proj_bias = {};     // [(H + 2 G) D]; may be omitted
  ConstView out_proj_weight = {};  // [M, H D]
  ConstView out_proj_bias = {};    // [M]; may be omitted
};

struct MultiHeadOptions {
  // attend.weights has the weights of every head, [B, H, N, S]; attend.workers also run the projections.
  AttendOptions attend = {};
  // The input of keys and values (cross-attention): [S, M] or [B, S, M]. Omitted: x itself.
  ConstView context = {};
  // Optional output: the weights averaged over the heads, [N, S] or [B, N, S], in the dtype of x.
  View average_weights = {};
};

// Applies the layer: x -> out.
POSENC_API void multi_head_attend(const ConstView& x, const MultiHeadAttention& weights, const View& out,
                                  const MultiHeadOptions& options = {});

struct MultiHeadInputs {
  ConstView x;
  ConstView grad_out;  // shape and dtype of out
};

// Where to write the gradients; those omitted are not computed. The gradients of x and context are overwritten, have
// the dtype of x or f64, and may be x, context or grad_out itself. The others are accumulated, f32 or f64. Gradients
// must not overlap each other.
struct MultiHeadGradients {
  View x = {};
  View context = {};
  View in_proj_weight = {};
  View in_proj_bias = {};
  View out_proj_weight = {};
  View out_proj_bias = {};
  View sinks = {};  // this and the following: as in AttendGradients
  Gradients bias = {};
  Gradients term = {};
  View pope_delta = {};
};

// Computes the gradients. Pass the options of the forward call, which is computed again; its outputs are not written.
POSENC_API void multi_head_attend_backward(const MultiHeadInputs& inputs, const MultiHeadAttention& weights,
                                           const MultiHeadGradients& gradients, const MultiHeadOptions& options = {});

}  // namespace posenc
