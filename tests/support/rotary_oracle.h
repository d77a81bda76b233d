// Rotations with exact angles, from MPFR: what rotate and its relatives are measured against.
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

// A head turned by a position in double with exact angles, and what the sizes of its pairs are: for every channel the
// sum of the absolute values of the two that it is made of (of itself, where it passes).
struct TurnedHead {
  std::vector<double> values;
  std::vector<double> sizes;
};
TurnedHead turn_head(const posenc::Rotary& spec, std::span<const double> position, std::span<const double> x,
                     double scale = 1.0);

// How far a rotated channel of a dtype may be from the exact one: the rounding of cos and sin, of two products and a
// sum in float32 (double for f64), of the scale, and of the result. `angle_error` is what posenc/table.h allows the
// angle: only f64 sees it.
double turn_tolerance(posenc::DType dtype, double value, double size, double angle_error = 0.0);

// 2 pi 2^-64 of the position for integers, and 2^-53 of the angle for real numbers.
double angle_error(const posenc::RotarySchedule& schedule, std::span<const double> position);

}  // namespace oracle
