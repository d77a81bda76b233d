// What rotations promise, measured on random vectors of length 1.
#pragma once

#include <cstdint>

#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::detail {

inline constexpr double kRotaryRoom = 1e-8;     // pi 2^-33 of angles at the last positions, several times
inline constexpr double kReferenceRoom = 1e-6;  // of cosines and sines that are float32 numbers

struct RotaryMeasure {
  double norm = 0.0;      // the largest | |R x| / |x| - 1 |
  double relative = 0.0;  // of q.k at the same distance, moved to other places
  double composed = 0.0;  // |R(a) R(b) x - R(a + b) x|, without factors
  double inverse = 0.0;   // |R^-1 R x - x|
};

// At positions of the list, evenly spread; they must have the axes of the schedule.
RotaryMeasure measure_rotary(const RotarySchedule& schedule, const PositionView& positions, std::uint64_t seed);

// Throws unless a table is [count, 2 pairs] of floats, and its numbers are finite.
void check_cos_sin(const ConstView& table, std::int64_t count, std::int64_t pairs);
void check_finite_cos_sin(double value, double position, std::int64_t column);

}  // namespace posenc::detail
