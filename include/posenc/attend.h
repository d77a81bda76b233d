// Attention with positions: softmax(softmax_scale * q.k + bias) v, with rotation, biases, score terms, masks and
// gradients.
//
//     posenc::attend(q, k, v, out);                                                   // no positions
//     posenc::attend(q, k, v, out, {.bias = &alibi, .mask = {.causal = posenc::Causal::end}});
//     posenc::attend(q, k, v, out, {.rotary = table, .weights = weights});          // also write the softmax weights
//
//     q [N, H, D], k [S, G, D], v [S, G, Dv] -> out [N, H, Dv]        or all with a leading batch axis, [B, ...]
//
// H is a multiple of G: query head h reads key head h / (H / G). All views have the same dtype (f32, f64, f16 or bf16);
// channels must be contiguous, other strides are free. Arithmetic is float32 (double for f64), and 16-bit results are
// rounded once. Scores are computed in blocks, so memory does not grow with N * S unless the weights are requested. A
// query that sees no key gets zeros. The score of a pair is computed in these steps:
//
//     score = softmax_scale * (q.k + term)   q and k rotated first (or PoPE, xPos); q multiplied by its temperature
//     score = softcap * tanh(score / softcap)
//     score = score + bias                   for Added::before_scale: + softmax_scale * bias
//
// All arguments are checked before anything is written. The number of workers does not change the result.
#pragma once

#include <cstdint>
#include <optional>

#include "posenc/bias.h"
#include "posenc/embed.h"
#include "posenc/export.h"
#include "posenc/mask.h"
#include "posenc/parameters.h"
#include "posenc/pope.h"
#include "posenc/position.h"
#include "posenc/query_temperature.h"
#include "posenc/rotate.h"
#include "posenc/score_term.h"
#include "posenc/view.h"
#include "posenc/workers.h"
#include "posenc/xpos.h"

namespace posenc {

struct AttendOptions {
  std::optional<RotarySource> rotary = {};  // a table or angles that rotate q and k; without it they are used unchanged
  bool keys_rotated = false;                // the keys are already rotated, as in a cache: rotate only q
  // PoPE or xPos instead of rotary; at most one of the three may be given. With PoPE, scores use the D + R channels of
  // posenc/pope.h, but softmax_scale is still 1 / sqrt(D). delta is [G, R] and applies to keys, or [H, R] if H differs
  // from G. If the keys are already expanded, as in a cache, expand q too, omit `pope` and pass softmax_scale.
  const PopeAngles* pope = nullptr;
  ConstView pope_delta = {};
  const XposAngles* xpos = nullptr;
  const QueryTemperature* temperature = nullptr;  // may be combined with any of them
  const Bias* bias = nullptr;
  const ScoreTerm* term = nullptr;
  std::shared_ptr<const void> kept = {};  // keeps alive what the pointers above refer to; add_encoding sets it
  Mask mask = {};
  // Positions for rotary, bias and term: [N] and [S], or [B, N] and [B, S]. If omitted (count 0), key n has position n,
  // and each query has the position of the key that the mask aligns it with.
  KeptPositions query_positions = {};
  KeptPositions key_positions = {};
  std::optional<double> softmax_scale = {};  // default: 1 / sqrt(D), times the rotary's softmax factor; T5 uses 1
  double softcap = 0.0;                      // 0: no softcap
  // Attention sinks: a learned score per head that is part of the softmax but contributes no value. [H], f32 or f64.
  ConstView sinks = {};
  // Applied to the weights after the softmax. The random number for batch row b, head h, query n and key s is number
  // s % 4 of philox4x32({s / 4, n, b * H + h, step}, seed), after first_row is added to b and first_token to n.
  Dropout dropout = {};
  // Optional outputs, written if given. weights: the softmax weights before dropout, [H, N, S] or [B, H, N, S].
  // log_sum_exp: log of the sum of exp(score), [H, N] or [B, H, N]; -inf for a query that sees no key. f32, or f64 for
  // f64 data.
  View weights = {};
  View log_sum_exp = {};
  const Workers* workers = nullptr;
};

// Computes attention into `out`. Throws Error if shapes, dtypes or options do not fit together.
POSENC_API void attend(const ConstView& q, const ConstView& k, const ConstView& v, const View& out,
                       const AttendOptions& options = {});

// The inputs of the forward call, and the gradient of its output.
struct AttendInputs {
  ConstView q, k, v;
  ConstView grad_out;
};

// Where to write the gradients; those omitted are not computed. q, k and v are overwritten; they have the shape and
// dtype of the inputs, or f32 for 16-bit inputs. Parameter gradients are accumulated (added to what is there), each
// summed in double in a fixed order.
struct AttendGradients {
  View q = {};
  View k = {};
  View v = {};
  View sinks = {};
  View pope_delta = {};  // [G, R] or [H, R], f32 or f64
  Gradients bias = {};
  Gradients term = {};
};

// Computes the gradients. Pass the options of the forward call; its outputs (weights, log_sum_exp) are not written. The
// scores are computed again.
POSENC_API void attend_backward(const AttendInputs& inputs, const AttendGradients& gradients,
                                const AttendOptions& options = {});

}  // namespace posenc
