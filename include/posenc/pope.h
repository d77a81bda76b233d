// PoPE (Gopalakrishnan et al., 2025, arXiv 2509.10534): queries and keys as magnitudes at angles of the position alone.
//
//     posenc::PopeAngles pope(posenc::Pope{.head_dim = 64});
//     posenc::pope_queries(q, positions, pope, q_out);                         // [N, H, 64] -> [N, H, 128]
//     posenc::pope_keys(k, positions, pope, k_out, {.delta = delta});          // delta [H, 64], learned
//     posenc::attend(q_out, k_out, v, out, {.softmax_scale = 0.125});                  // 1 / sqrt(64): D, not 2 D
//
// Channel c of the first R becomes the pair m(x_c) (cos a, sin a): a = p inv_freq_c for queries, and
// p inv_freq_c + delta_c for keys. The product of a query and a key is then
//
//     sum over c of m(q_c) m(k_c) cos((s - t) inv_freq_c + delta_c)  +  the product of the channels after R
//
// Views in are [N, H, D] or [B, N, H, D] of f32, f64, f16 or bf16 with any strides but for the channels; views out are
// the same with D + R channels: R pairs in the spec's order, then the other channels as they were. They have the dtype
// of x, or f32 where x is 16-bit, and lie apart from it. Arithmetic is float32 (double for f64), angles are exact as
// posenc/rotary_table.h has them. Everything is checked before anything is written; results do not depend on workers.
// attend does all of this by itself: posenc/attend.h.
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

// The angles of the R channels as those of a rotary encoding with R pairs: head_dim and rotary_dim are 2 R.
POSENC_API RotarySchedule make_schedule(const Pope& spec);

// A spec with its angles at any position. Immutable, may be shared between threads.
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
  // The learned angles, [H, R] with the heads of the view: any float type and strides, finite. Left out: 0. They are
  // the keys'. Where query heads share keys and each has its own, give them to the queries instead: they are then
  // taken off the angle, and scores come out as the formula says.
  ConstView delta = {};
  const Workers* workers = nullptr;  // null: the calling thread alone
};

POSENC_API void pope_queries(const ConstView& x, const PositionView& positions, const PopeAngles& angles,
                             const View& out, const PopeOptions& options = {});
POSENC_API void pope_keys(const ConstView& x, const PositionView& positions, const PopeAngles& angles, const View& out,
                          const PopeOptions& options = {});

// What went in, and the gradient of what came out, [.., D + R].
struct PopeInputs {
  ConstView x;
  ConstView grad_out;
};

// What gradients are wanted; what is left out is not computed. That of x is written, in its shape; that of delta,
// [H, R] of f32 or f64, is added to, summed in double in a fixed order. Delta need not have been given: then it is the
// gradient at 0.
struct PopeGradients {
  View x = {};
  View delta = {};
};

// Options must be those of the forward call.
POSENC_API void pope_queries_backward(const PopeInputs& inputs, const PositionView& positions, const PopeAngles& angles,
                                      const PopeGradients& gradients, const PopeOptions& options = {});
POSENC_API void pope_keys_backward(const PopeInputs& inputs, const PositionView& positions, const PopeAngles& angles,
                                   const PopeGradients& gradients, const PopeOptions& options = {});

// Puts learned angles back into [-2 pi, 0], each to the nearest number there: for after a step of an optimiser. Unlike
// DeltaClamp::forward this leaves no angle without a gradient. f32, f64, f16 or bf16, one to four axes, any strides.
POSENC_API void project_delta(const View& delta);

}  // namespace posenc
