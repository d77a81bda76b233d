// Attention with positions: softmax(softmax_scale * q.k + bias) v, with rotation, biases, score terms and masks, and
// gradients.
//
//     posenc::attend(q, k, v, out);                                                   // no positions
//     posenc::attend(q, k, v, out, {.bias = &alibi, .mask = {.causal = posenc::Causal::end}});
//     posenc::attend(q, k, v, out, {.rotary = table, .weights = weights});          // and what was attended to
//
//     q [N, H, D], k [S, G, D], v [S, G, Dv] -> out [N, H, Dv]        or all with a batch in front, [B, ...]
//
// H is a multiple of G: query head h reads key head h / (H / G). Views are f32, f64, f16 or bf16 of one dtype with any
// strides but for the channels; arithmetic is float32 (double for f64), and 16-bit results are rounded once. Scores are
// formed block by block: memory does not grow with N * S unless the weights are asked for. A query that sees no key
// gets zeros. The score of a pair, step by step:
//
//     score = softmax_scale * (q.k + term)   q and k first rotated, or by PoPE or xPos; q times its temperature
//     score = softcap * tanh(score / softcap)
//     score = score + bias                   or, for Added::before_scale, + softmax_scale * bias
//
// Everything is checked before anything is written. The result does not depend on workers.
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
  std::optional<RotarySource> rotary = {};  // a table or angles: turns q and k, else they are taken as they are
  bool keys_rotated = false;                // keys were turned before, as a cache has them: turn q alone
  // PoPE or xPos instead of a rotation, one of the three. Of PoPE the score has the D + R channels of posenc/pope.h,
  // softmax_scale is 1 / sqrt(D) all the same, and delta is [G, R], on keys, or [H, R] where H is not G. Keys that were
  // expanded before, as a cache has them: expand q too, leave `pope` out and give softmax_scale.
  const PopeAngles* pope = nullptr;
  ConstView pope_delta = {};
  const XposAngles* xpos = nullptr;
  const QueryTemperature* temperature = nullptr;  // beside any of them, or alone
  const Bias* bias = nullptr;
  const ScoreTerm* term = nullptr;
  std::shared_ptr<const void> kept = {};  // what these point into, if nobody else keeps it: add_encoding sets it
  Mask mask = {};
  // Positions for rotary, bias and term: [N] and [S], or [B, N] and [B, S]. Left out (count 0): keys count from 0, and
  // queries stand where the keys stand that the mask puts them beside.
  KeptPositions query_positions = {};
  KeptPositions key_positions = {};
  std::optional<double> softmax_scale =
      {};                // 1 / sqrt(D) unless given, times the rotary's factor in the softmax; 1 in T5
  double softcap = 0.0;  // 0: none
  // A learned score per head that takes its share of the softmax and gives nothing: [H], f32 or f64.
  ConstView sinks = {};
  // On the weights, after the softmax: key s of query n of head h of row b is number s % 4 of philox4x32({s / 4, n,
  // b * H + h, step}, seed), with first_row added to b and first_token to n.
  Dropout dropout = {};
  // Also written where given: softmax weights, before dropout, [H, N, S] or [B, H, N, S]; log of the sum of exp of the
  // scores, [H, N] or [B, H, N], -inf where nothing is seen. f32, or f64 for f64 data.
  View weights = {};
  View log_sum_exp = {};
  const Workers* workers = nullptr;
};

POSENC_API void attend(const ConstView& q, const ConstView& k, const ConstView& v, const View& out,
                       const AttendOptions& options = {});

// What was attended, and the gradient of out.
struct AttendInputs {
  ConstView q, k, v;
  ConstView grad_out;
};

// What gradients are wanted; what is left out is not computed. q, k and v are written: shapes and dtype of
// the inputs, or f32 for 16-bit inputs. Those of parameters are added to, each summed in double in a fixed order.
struct AttendGradients {
  View q = {};
  View k = {};
  View v = {};
  View sinks = {};
  View pope_delta = {};  // [G, R] or [H, R], f32 or f64
  Gradients bias = {};
  Gradients term = {};
};

// The gradients. Options must be those of the forward call; its outputs (weights, log_sum_exp) are not written. Scores
// are formed again.
POSENC_API void attend_backward(const AttendInputs& inputs, const AttendGradients& gradients,
                                const AttendOptions& options = {});

}  // namespace posenc
