// What rotations promise, measured on random vectors of length 1.
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
  double relative = 0.0;  // of q.k at the same distance, moved to other places
  double composed = 0.0;  // |R(a) R(b) x - R(a + b) x|
  double inverse = 0.0;   // |R^-1 R x - x|
};

// At positions of the list, evenly spread; they must have the axes of the schedule.
RotaryMeasure measure_rotary(const RotarySchedule& schedule, const PositionView& positions, std::uint64_t seed);

// What rows of cosines and sines [N, 2 pairs] say of each other, over the factor in the table; positions on one axis
// with even steps.
struct ObservedTurns {
  double composed = 0.0;         // |R(step) row[n] - row[n + 1]|
  double relative = 0.0;         // how far turns over the same steps differ from place to place
  std::vector<double> kernel;    // posenc/insight/analysis.h's score_kernel, of the first row and those after it
  std::vector<double> promised;  // the same by the formula
};
ObservedTurns measure_observed(const RotarySchedule& schedule, const CheckOptions& options);

// Of all pairs; with several axes, of every axis that a pair turns with.
std::vector<double> turning_frequencies(const RotarySchedule& schedule);

// Throws unless positions have the axes of the schedule.
void check_axes(const RotarySchedule& schedule, const PositionView& positions);
// Throws unless a table is [count, 2 pairs] of floats, and its numbers are finite.
void check_cos_sin(const ConstView& table, std::int64_t count, std::int64_t pairs);
void check_finite_cos_sin(double value, double position, std::int64_t column);

}  // namespace posenc::properties
