// PoPE (Gopalakrishnan et al., 2025, arXiv 2509.10534): content sets the magnitude of a channel, position its angle.
//
//     posenc::PopeAngles pope(posenc::Pope{.head_dim = 64});
//     posenc::pope_queries(q, positions, pope, q_out);                         // [N, H, 64] -> [N, H, 128]
//     posenc::pope_keys(k, positions, pope, k_out, {.delta = delta});          // delta [H, 64], learned
//     posenc::attend(q_out, k_out, v, out, {.softmax_scale = 0.125});          // 1 / sqrt(64): D, not 2 D
//
// Each of the first R channels, c, becomes the pair m(x_c) (cos a, sin a), where a = p inv_freq_c for queries and
// a = p inv_freq_c + delta_c for keys. The product of a query at t and a key at s is then
//
//     sum over c of m(q_c) m(k_c) cos((s - t) inv_freq_c + delta_c)  +  the product of the channels after R
//
// Inputs are [N, H, D] or [B, N, H, D] of f32, f64, f16 or bf16; channels must be contiguous, other strides are free.
// Outputs have D + R channels: R pairs in the spec's order, then the remaining channels unchanged. They have the dtype
// of x, or f32 if x is 16-bit, and must not overlap it. Arithmetic is float32 (double for f64); angles are as exact as
// in posenc/rotary_table.h. All arguments are checked before anything is written; workers do not change results. attend
// can do all of this itself: see posenc/attend.h.
#pragma once

#include <cstdint>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// Returns the angles of the R channels as a rotary schedule with R pairs: head_dim and rotary_dim are 2 R.
POSENC_API RotarySchedule make_schedule(const Pope& spec);

// A spec with its angles at any position. Immutable; may be shared between threads.
class POSENC_API PopeAngles {
 public:
  // Throws what validate(spec) throws.
  explicit PopeAngles(const Pope& spec);

  const Pope& spec() const noexcept POSENC_LIFETIMEBOUND { return spec_; }
  const RotaryAngles& angles() const noexcept POSENC_LIFETIMEBOUND { return angles_; }  // of make_schedule(spec)
  std::int64_t head_dim() const noexcept { return spec_.head_dim; }
  std::int64_t rotary_dim() const noexcept { return angles_.schedule().pairs(); }  // R
  std::int64_t out_dim() const noexcept { return spec_.head_dim + rotary_dim(); }  // D + R

 private:
  Pope spec_;
  RotaryAngles angles_;
};

struct PopeOptions {
  // The learned angles of the keys, [H, R] with the heads of the view: any float dtype and strides, finite. Omitted: 0.
  // If query heads share keys but have angles of their own, pass them to pope_queries instead, which subtracts them:
  // the scores are those of the formula.
  ConstView delta = {};
  const Workers* workers = nullptr;  // null: the calling thread alone
};

// Expand queries and keys: x [.., D] -> out [.., D + R].
POSENC_API void pope_queries(const ConstView& x, const PositionView& positions, const PopeAngles& angles,
                             const View& out, const PopeOptions& options = {});
POSENC_API void pope_keys(const ConstView& x, const PositionView& positions, const PopeAngles& angles, const View& out,
                          const PopeOptions& options = {});

// The input of the forward call, and the gradient of its output, [.., D + R].
struct PopeInputs {
  ConstView x;
  ConstView grad_out;
};

// Where to write the gradients; those omitted are not computed. The gradient of x is overwritten and has its shape. The
// gradient of delta, [H, R] of f32 or f64, is accumulated, summed in double in a fixed order. If no delta was given, it
// is the gradient at 0.
struct PopeGradients {
  View x = {};
  View delta = {};
};

// Compute the gradients. Pass the options of the forward call.
POSENC_API void pope_queries_backward(const PopeInputs& inputs, const PositionView& positions, const PopeAngles& angles,
                                      const PopeGradients& gradients, const PopeOptions& options = {});
POSENC_API void pope_keys_backward(const PopeInputs& inputs, const PositionView& positions, const PopeAngles& angles,
                                   const PopeGradients& gradients, const PopeOptions& options = {});

// Clamps learned angles to [-2 pi, 0]. Call it after an optimiser step: unlike DeltaClamp::forward, every angle keeps
// its gradient. f32, f64, f16 or bf16, one to four axes, any strides.
POSENC_API void project_delta(const View& delta);

}  // namespace posenc
