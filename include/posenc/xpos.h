// xPos (Sun et al., 2022, arXiv 2212.10554): a rotation whose scores also decay with the distance.
//
//     posenc::XposAngles xpos(posenc::Xpos{.head_dim = 64, .center = 512});
//     posenc::xpos_queries(q, positions, xpos, q);        // in place, or into another view
//     posenc::xpos_keys(k, positions, xpos, k);
//
// Pair i of a query at p is rotated as in posenc/rotate.h and multiplied by zeta_i^((p - center) / scale_base), that of
// a key divided by it, with zeta_i = (2i / R + gamma) / (1 + gamma). For a query at t and a key at s, each pair of the
// score gets the factor zeta_i^((t - s) / scale_base), whatever the center. It decays for keys before the query and
// grows for keys after it, so xPos is for causal attention.
//
// Views, positions (one axis) and arithmetic are as in posenc/rotate.h. Far from the center the factors exceed the
// range of float32 (of f16, for f16 data): such positions are errors.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// An xPos encoding in numbers.
struct POSENC_API XposSchedule {
  RotarySchedule rotation;
  std::vector<double> zeta;  // one per pair, above 0 and below 1
  double scale_base = 512.0;
  double center = 0.0;

  // Returns the factor on pair `pair` of a query at a position; a key is divided by it.
  double factor(std::int64_t pair, double position) const;
};

// Throws what validate(spec) throws.
POSENC_API XposSchedule make_schedule(const Xpos& spec);

// The centers that published code uses for `tokens` tokens. torchscale, with `offset` tokens before them, has the
// exponent floor(-(tokens + offset) / 2) at position 0; rotary-embedding-torch and x-transformers have -(tokens / 2),
// rounded towards 0. They differ by one if the number is odd.
POSENC_API std::int64_t torchscale_center(std::int64_t tokens, std::int64_t offset = 0);
POSENC_API std::int64_t lucidrains_center(std::int64_t tokens);

// A schedule with its angles at any position. Immutable; cheap to copy, except for zeta; may be shared between threads.
class POSENC_API XposAngles {
 public:
  explicit XposAngles(const Xpos& spec);
  explicit XposAngles(const XposSchedule& schedule);

  const XposSchedule& schedule() const noexcept POSENC_LIFETIMEBOUND { return schedule_; }
  const RotaryAngles& angles() const noexcept POSENC_LIFETIMEBOUND { return angles_; }

 private:
  XposSchedule schedule_;
  RotaryAngles angles_;
};

struct XposOptions {
  double output_scale = 1.0;         // multiplies every channel of the output, those outside the window too
  const Workers* workers = nullptr;  // null: the calling thread alone
};

// Rotate and scale queries and keys.
POSENC_API void xpos_queries(const ConstView& x, const PositionView& positions, const XposAngles& angles,
                             const View& out, const XposOptions& options = {});
POSENC_API void xpos_keys(const ConstView& x, const PositionView& positions, const XposAngles& angles, const View& out,
                          const XposOptions& options = {});

// The gradients with respect to the input: rotated back and multiplied by the same factor. Because the factors of
// queries and keys are inverse, xpos_keys_backward undoes xpos_queries and vice versa.
POSENC_API void xpos_queries_backward(const ConstView& grad_out, const PositionView& positions,
                                      const XposAngles& angles, const View& grad_in, const XposOptions& options = {});
POSENC_API void xpos_keys_backward(const ConstView& grad_out, const PositionView& positions, const XposAngles& angles,
                                   const View& grad_in, const XposOptions& options = {});

}  // namespace posenc
