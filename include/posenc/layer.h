// A transformer layer that knows where its tokens stand: encoding, attention, residual, LayerNorm, feed-forward.
//
//     posenc::TransformerLayer layer{.attention = weights, .norm1 = {.weight = w, .bias = b}};
//     posenc::apply_layer(x, layer, out, {.rows = posenc::StreamedRows{&schedule},
//                                         .attention = {.average_weights = map}});
//
//     h = drop(scale * x + row(position))          without rows: x itself
//     post:  y = norm1(r + drop(attention(h)))                out = norm2(y + drop(feed_forward(y)))
//     pre:   y = r + drop(attention(norm1(h)))                out = y + drop(feed_forward(norm2(y)))
//     feed_forward(y) = drop(activation(y W1^T + b1)) W2^T + b2;   r = h, or x (Residual::input)
//
// PyTorch's nn.TransformerEncoderLayer and its weights. x and out are [N, M] or [B, N, M], f32 or f64, of one dtype;
// rows may be strided, and out may be x. Weights are of any float type and any strides. Everything is checked before
// anything is written, and no result depends on the workers, which are those of attention.attend.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "posenc/export.h"
#include "posenc/input_rows.h"
#include "posenc/layer_norm.h"
#include "posenc/multi_head.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc {

enum class NormPlace : int { post, pre };
enum class Activation : int {
  relu,
  gelu,  // x Phi(x), by erf: not the approximation by tanh
};

// What the result of attention is added to.
enum class Residual : int {
  encoded,  // h: the encoding stays in the stream
  input,    // x as it came: the encoding reaches the output through attention alone
};

struct FeedForward {
  ConstView linear1_weight = {};  // [F, M]; left out: the layer has no feed-forward part, and no norm2
  ConstView linear1_bias = {};    // [F], or left out
  ConstView linear2_weight = {};  // [M, F]
  ConstView linear2_bias = {};    // [M], or left out
};

struct TransformerLayer {
  MultiHeadAttention attention;
  LayerNorm norm1 = {};
  FeedForward feed_forward = {};
  LayerNorm norm2 = {};
  NormPlace norm = NormPlace::post;
  Activation activation = Activation::relu;
  Residual residual = Residual::encoded;
};

// Probabilities of every place that drops, as posenc/embed.h's Dropout has them. Each place has a seed of its own, made
// of `seed`: the first two numbers of philox4x32({place, 0, 0, 0}, seed), places counted as they stand here.
struct LayerDropout {
  double input = 0.0;         // of h; only with rows
  double weights = 0.0;       // of the attention weights
  double attention = 0.0;     // of what attention gives
  double activation = 0.0;    // inside the feed-forward part
  double feed_forward = 0.0;  // of what it gives
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::int64_t first_row = 0;
  std::int64_t first_token = 0;
};

struct LayerOptions {
  std::optional<InputRows> rows = {};  // what is added at the input; none: nothing
  KeptPositions positions = {};        // of the tokens, for rows: [N] or [B, N]; left out (count 0): 0, 1, 2, ...
  double scale = 1.0;                  // of x; only with rows
  // Positions inside attention, masks, a context, the weights. Its own dropout must be left out.
  MultiHeadOptions attention = {};
  LayerDropout dropout = {};
};

POSENC_API void apply_layer(const ConstView& x, const TransformerLayer& layer, const View& out,
                            const LayerOptions& options = {});

struct LayerInputs {
  ConstView x;
  ConstView grad_out;  // as x
};

// What gradients are wanted; what is left out is not computed. Those of x and of attention.context are written, and may
// be x or grad_out itself; the others are added to. attention.x, norm1.x and norm2.x are left out.
struct LayerGradients {
  View x = {};
  MultiHeadGradients attention = {};
  LayerNormGradients norm1 = {};
  View linear1_weight = {};
  View linear1_bias = {};
  View linear2_weight = {};
  View linear2_bias = {};
  LayerNormGradients norm2 = {};
  View learned = {};  // of the rows, as EmbedGradients have them
  std::span<double> inv_freq = {};
};

// The gradients. Options must be those of the forward call, which is computed again; its outputs are not written.
POSENC_API void apply_layer_backward(const LayerInputs& inputs, const TransformerLayer& layer,
                                     const LayerGradients& gradients, const LayerOptions& options = {});

}  // namespace posenc
