// A transformer layer with positional encoding: encoding, attention, residual, LayerNorm, feed-forward.
//
//     posenc::TransformerLayer layer{.attention = weights, .norm1 = {.weight = w, .bias = b}};
//     posenc::apply_layer(x, layer, out, {.rows = posenc::StreamedRows{&schedule},
//                                         .attention = {.average_weights = map}});
//
//     h = drop(scale * x + row(position))          without rows: h = x
//     post:  y = norm1(r + drop(attention(h)))                out = norm2(y + drop(feed_forward(y)))
//     pre:   y = r + drop(attention(norm1(h)))                out = y + drop(feed_forward(norm2(y)))
//     feed_forward(y) = drop(activation(y W1^T + b1)) W2^T + b2;   r = h, or x (Residual::input)
//
// This is PyTorch's nn.TransformerEncoderLayer, and it takes PyTorch's weights. x and out are [N, M] or [B, N, M], f32
// or f64, of one dtype; rows may be strided, and out may be x. Weights may have any float dtype and strides. All
// arguments are checked before anything is written. Workers are taken from attention.attend and do not change a result.
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
  gelu,  // x Phi(x), computed with erf, not the tanh approximation
};

// What the result of attention is added to.
enum class Residual : int {
  encoded,  // h: the encoding stays in the residual stream
  input,    // x: the encoding reaches the output through attention alone
};

struct FeedForward {
  ConstView linear1_weight = {};  // [F, M]; omitted: the layer has no feed-forward part and no norm2
  ConstView linear1_bias = {};    // [F]; may be omitted
  ConstView linear2_weight = {};  // [M, F]
  ConstView linear2_bias = {};    // [M]; may be omitted
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

// The dropout probability of each place, as in Dropout (posenc/embed.h). Each place has its own seed: the first two
// numbers of philox4x32({place, 0, 0, 0}, seed), where places are numbered in the order of these fields.
struct LayerDropout {
  double input = 0.0;         // on h; only with rows
  double weights = 0.0;       // on the attention weights
  double attention = 0.0;     // on the output of attention
  double activation = 0.0;    // inside the feed-forward part
  double feed_forward = 0.0;  // on the output of the feed-forward part
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::int64_t first_row = 0;
  std::int64_t first_token = 0;
};

struct LayerOptions {
  std::optional<InputRows> rows = {};  // the encoding that is added at the input, if any
  KeptPositions positions = {};        // of the tokens, for rows: [N] or [B, N]; omitted (count 0): 0, 1, 2, ...
  double scale = 1.0;                  // multiplies x; only with rows
  // Positions inside attention, masks, context, weights. Leave its dropout unset: use `dropout` below.
  MultiHeadOptions attention = {};
  LayerDropout dropout = {};
};

// Applies the layer: x -> out.
POSENC_API void apply_layer(const ConstView& x, const TransformerLayer& layer, const View& out,
                            const LayerOptions& options = {});

struct LayerInputs {
  ConstView x;
  ConstView grad_out;  // shape and dtype of x
};

// Where to write the gradients; those omitted are not computed. The gradients of x and attention.context are
// overwritten, and may be x or grad_out itself; the others are accumulated. Leave attention.x, norm1.x and norm2.x
// unset.
struct LayerGradients {
  View x = {};
  MultiHeadGradients attention = {};
  LayerNormGradients norm1 = {};
  View linear1_weight = {};
  View linear1_bias = {};
  View linear2_weight = {};
  View linear2_bias = {};
  LayerNormGradients norm2 = {};
  View learned = {};  // this and inv_freq: of the rows, as in EmbedGradients
  std::span<double> inv_freq = {};
};

// Computes the gradients. Pass the options of the forward call, which is computed again; its outputs are not written.
POSENC_API void apply_layer_backward(const LayerInputs& inputs, const TransformerLayer& layer,
                                     const LayerGradients& gradients, const LayerOptions& options = {});

}  // namespace posenc
