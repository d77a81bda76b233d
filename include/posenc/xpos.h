// xPos (Sun et al., 2022, arXiv 2212.10554): a rotation whose scores also decay with the distance.
//
//     posenc::XposAngles xpos(posenc::Xpos{.head_dim = 64, .center = 512});
//     posenc::xpos_queries(q, positions, xpos, q);        // in place, or into another view
//     posenc::xpos_keys(k, positions, xpos, k);
//
// Pair i of a query at p is turned as by posenc/rotate.h and multiplied by zeta_i^((p - center) / scale_base), that of
// a key divided by it, zeta_i = (2i / R + gamma) / (1 + gamma): a score has zeta_i^((t - s) / scale_base) of each pair,
// whatever the center. It decays where keys lie behind queries and grows where they lie ahead: for causal attention.
//
// Views, positions (one axis) and arithmetic are those of posenc/rotate.h. Far from the center the factors leave the
// range of float32 (of f16, for f16 data): such positions are refused.
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

  // What pair `pair` of a query at a position is multiplied by, and that of a key divided by.
  double factor(std::int64_t pair, double position) const;
};

// Throws what validate(spec) throws.
POSENC_API XposSchedule make_schedule(const Xpos& spec);

// Centers of published code, for `tokens` tokens. torchscale, with `offset` tokens before them, has the exponent
// floor(-(tokens + offset) / 2) at position 0; rotary-embedding-torch and x-transformers have -(tokens / 2), rounded
// towards 0. Where the number is odd they differ by one.
POSENC_API std::int64_t torchscale_center(std::int64_t tokens, std::int64_t offset = 0);
POSENC_API std::int64_t lucidrains_center(std::int64_t tokens);

// A schedule with its angles at any position. Immutable, cheap to copy but for zeta, may be shared between threads.
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

POSENC_API void xpos_queries(const ConstView& x, const PositionView& positions, const XposAngles& angles,
                             const View& out, const XposOptions& options = {});
POSENC_API void xpos_keys(const ConstView& x, const PositionView& positions, const XposAngles& angles, const View& out,
                          const XposOptions& options = {});

// The gradients by the input: turned back and multiplied by the same factor. What undoes xpos_queries is
// xpos_keys_backward, and the other way round: their factors are inverse.
POSENC_API void xpos_queries_backward(const ConstView& grad_out, const PositionView& positions,
                                      const XposAngles& angles, const View& grad_in, const XposOptions& options = {});
POSENC_API void xpos_keys_backward(const ConstView& grad_out, const PositionView& positions, const XposAngles& angles,
                                   const View& grad_in, const XposOptions& options = {});

}  // namespace posenc
