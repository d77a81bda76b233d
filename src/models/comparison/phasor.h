// Points that rotate with the position, and the first position at which two of them differ.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace posenc::comparison {

// How many positions are compared, and how closely.
struct Limits {
  double tolerance = 1e-6;
  std::int64_t positions = 4096;
};

// At a position: magnitude * (cos, sin)(offset + sum over axes of position * inv_freq).
struct Phasor {
  std::vector<double> inv_freq;  // one per axis
  double offset = 0.0;
  double magnitude = 1.0;
};

// Within 4 units in the last place, the error between two ways to compute a number.
bool nearly_same(double a, double b) noexcept;
// The same for factors: relative to the larger.
bool same_factor(double a, double b, double tolerance) noexcept;

// Where two points first differ.
struct Gap {
  std::int64_t position = 0;  // the first one, along one axis with 0 on the others
  std::size_t axis = 0;
};
// The first gap on any axis; none if the points stay within the tolerance at every integer position up to 2^31 - 1.
// Both must have the same number of axes.
std::optional<Gap> first_gap(const Phasor& a, const Phasor& b, double tolerance);

// The largest distance between the two points at positions below `positions`, along any axis.
double largest_gap(const Phasor& a, const Phasor& b, std::int64_t positions);

// Whether two points are the same at all compared positions.
bool same_turn(const Phasor& a, const Phasor& b, const Limits& limits);

}  // namespace posenc::comparison
