#include "models/comparison/phasor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "posenc/position.h"

namespace posenc::comparison {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
// Within this many positions the largest distance is reached to six digits, except for contrived frequencies.
constexpr std::int64_t kScanned = 65536;

// Two points along one axis, by their magnitudes and the angle between them.
struct Chord {
  double a, b;         // magnitudes
  double start, step;  // the angle at position 0, and the angle per position

  double at(std::int64_t position) const {
    const double half = std::sin(0.5 * std::remainder(start + static_cast<double>(position) * step, kTurn));
    return std::sqrt((a - b) * (a - b) + 4.0 * a * b * half * half);
  }
};

Chord chord_of(const Phasor& a, const Phasor& b, std::size_t axis) {
  const double fa = a.inv_freq[axis], fb = b.inv_freq[axis];
  // Whole turns between integer positions make no difference.
  const double step = nearly_same(fa, fb) ? 0.0 : std::remainder(fa - fb, kTurn);
  const double start = nearly_same(a.offset, b.offset) ? 0.0 : a.offset - b.offset;
  return {a.magnitude, b.magnitude, start, step};
}

// The first position at which the chord exceeds the tolerance, from the angle at which it does. A step is at most half
// a turn.
std::optional<std::int64_t> first_beyond(const Chord& chord, double tolerance) {
  if (chord.at(0) > tolerance) return 0;
  const double apart = chord.a - chord.b, product = chord.a * chord.b;
  if (chord.step == 0.0 || product <= 0.0) return std::nullopt;
  const double sine = std::sqrt((tolerance * tolerance - apart * apart) / (4.0 * product));
  if (sine >= 1.0) return std::nullopt;
  const double start = std::remainder(chord.start, kTurn) * (chord.step < 0.0 ? -1.0 : 1.0);
  const double steps = (2.0 * std::asin(sine) - start) / std::fabs(chord.step);
  if (!(steps < static_cast<double>(kMaxPosition))) return std::nullopt;
  // Large steps may skip the angles beyond the tolerance, even forever if they return to the same angles.
  const std::int64_t begin = std::max<std::int64_t>(static_cast<std::int64_t>(steps) - 1, 0);
  for (std::int64_t position = begin; position < begin + kScanned; ++position) {
    if (chord.at(position) > tolerance) return position;
  }
  return std::nullopt;
}

double largest(const Chord& chord, std::int64_t positions) {
  const double end = std::fabs(chord.start + static_cast<double>(positions - 1) * chord.step);
  if (chord.start == 0.0 && end <= std::numbers::pi) return chord.at(positions - 1);
  double result = 0.0;
  for (std::int64_t p = 0; p < std::min(positions, kScanned); ++p) result = std::max(result, chord.at(p));
  // A slow pair is half a turn away, where the distance is largest, only after the scanned positions.
  const double opposite = chord.step == 0.0 ? 0.0 : std::numbers::pi / std::fabs(chord.step);
  if (opposite < static_cast<double>(positions - 1)) {
    result = std::max(result, chord.at(static_cast<std::int64_t>(opposite + 0.5)));
  }
  return std::max(result, chord.at(positions - 1));
}

}  // namespace

bool nearly_same(double a, double b) noexcept {
  return std::fabs(a - b) <= 4.0 * std::numeric_limits<double>::epsilon() * std::min(std::fabs(a), std::fabs(b));
}

bool same_factor(double a, double b, double tolerance) noexcept {
  return a == b || std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b));
}

std::optional<Gap> first_gap(const Phasor& a, const Phasor& b, double tolerance) {
  std::optional<Gap> first;
  for (std::size_t axis = 0; axis < a.inv_freq.size(); ++axis) {
    const auto position = first_beyond(chord_of(a, b, axis), tolerance);
    if (position && (!first || *position < first->position)) first = Gap{*position, axis};
  }
  return first;
}

double largest_gap(const Phasor& a, const Phasor& b, std::int64_t positions) {
  double result = 0.0;
  for (std::size_t axis = 0; axis < a.inv_freq.size(); ++axis) {
    result = std::max(result, largest(chord_of(a, b, axis), positions));
  }
  return result;
}

bool same_turn(const Phasor& a, const Phasor& b, const Limits& limits) {
  const std::optional<Gap> gap = first_gap(a, b, limits.tolerance);
  return !gap || gap->position >= limits.positions;
}

}  // namespace posenc::comparison
