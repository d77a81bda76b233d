// The properties of rotations, measured on random vectors of norm 1.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/insight/check.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::properties {

inline constexpr double kRotaryRoom = 1e-8;     // pi 2^-33 of angles at the last positions, several times
inline constexpr double kReferenceRoom = 1e-6;  // of cosines and sines that are float32 numbers

struct RotaryMeasure {
  double norm = 0.0;      // the largest | |R x| / |x| - 1 |
  double relative = 0.0;  // change of q.k if both positions move by the same amount
  double composed = 0.0;  // |R(a) R(b) x - R(a + b) x|
  double inverse = 0.0;   // |R^-1 R x - x|
};

// Measures at some of the positions, evenly spread; they must have the axes of the schedule.
RotaryMeasure measure_rotary(const RotarySchedule& schedule, const PositionView& positions, std::uint64_t seed);

// The relations of observed rows of cosines and sines [N, 2 pairs], divided by the factor in the table; positions on
// one axis with even steps.
struct ObservedTurns {
  double composed = 0.0;       // |R(step) row[n] - row[n + 1]|
  double relative = 0.0;       // how much rotations by the same number of steps differ
  std::vector<double> kernel;  // as score_kernel (posenc/insight/analysis.h), from the first row and the rows after it
  std::vector<double> promised;  // the same by the formula
};
ObservedTurns measure_observed(const RotarySchedule& schedule, const CheckOptions& options);

// The frequencies of all pairs; with several axes, those of every axis that rotates a pair.
std::vector<double> turning_frequencies(const RotarySchedule& schedule);

// Throws unless positions have the axes of the schedule.
void check_axes(const RotarySchedule& schedule, const PositionView& positions);

}  // namespace posenc::properties
