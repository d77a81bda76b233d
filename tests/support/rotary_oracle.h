// Rotations with exact angles from MPFR, with which rotate and related functions are compared.
#pragma once

#include <span>
#include <vector>

#include "posenc/spec.h"
#include "posenc/view.h"
#include "support/mpfr_oracle.h"

namespace oracle {

// The angle of pair i at a position, exactly: the sum over axes of position * inv_freq. inv_freq is [axes][pairs].
Big rotary_angle(std::span<const double> inv_freq, std::int64_t pairs, std::span<const double> position,
                 std::int64_t i);

// A head rotated by a position in double with exact angles, and the size of each pair: for every channel the sum of the
// absolute values of the two channels it is computed from (of itself, if it is not rotated).
struct TurnedHead {
  std::vector<double> values;
  std::vector<double> sizes;
};
TurnedHead turn_head(const posenc::Rotary& spec, std::span<const double> position, std::span<const double> x,
                     double scale = 1.0);

// The largest allowed difference of a rotated channel from the exact one: the rounding of cos and sin, of two products
// and a sum in float32 (double for f64), of the scale, and of the result. `angle_error` is the error of the angle that
// posenc/table.h allows; only f64 is accurate enough for it to matter.
double turn_tolerance(posenc::DType dtype, double value, double size, double angle_error = 0.0);

// 2 pi 2^-64 of the position for integers, and 2^-53 of the angle for real numbers.
double angle_error(const posenc::RotarySchedule& schedule, std::span<const double> position);

}  // namespace oracle
