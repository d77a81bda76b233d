// Points that turn with the position, and from where on two of them are apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace posenc::comparison {

// How far numbers are looked at.
struct Limits {
  double tolerance = 1e-6;
  std::int64_t positions = 4096;
};

// At a position, magnitude * (cos, sin)(offset + sum over axes of position * inv_freq).
struct Phasor {
  std::vector<double> inv_freq;  // one per axis
  double offset = 0.0;
  double magnitude = 1.0;
};

// Within 4 units in the last place: what two ways to compute a number may leave.
bool nearly_same(double a, double b) noexcept;
// The same for who multiplies by it: relative to the larger.
bool same_factor(double a, double b, double tolerance) noexcept;

// Where and by how much two are apart.
struct Gap {
  std::int64_t position = 0;  // the first, along one axis with 0 on the others
  std::size_t axis = 0;
};
// The first of all axes; none where the points stay within the tolerance at every integer position to 2^31 - 1.
// Both have as many axes.
std::optional<Gap> first_gap(const Phasor& a, const Phasor& b, double tolerance);

// The largest distance of the two points at positions below `positions`, along any axis.
double largest_gap(const Phasor& a, const Phasor& b, std::int64_t positions);

// Whether they are the same at all compared positions.
bool same_turn(const Phasor& a, const Phasor& b, const Limits& limits);

}  // namespace posenc::comparison
