// sin and cos of a phase in plain code. kernels/sin_cos-inl.h must give the same bits. See posenc/phase.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/sin_cos_terms.h"
#include "posenc/phase.h"

namespace posenc::numbers {

// sin and cos of x + tail for |x| <= pi/4.
inline SinCos sin_cos_near_zero(double x, double tail) noexcept {
  const double z = x * x;
  double sine = base::kSineTerms[0];
  for (std::size_t k = 1; k < base::kSineTerms.size(); ++k) sine = base::kSineTerms[k] + z * sine;
  double cosine = base::kCosineTerms[0];
  for (std::size_t k = 1; k < base::kCosineTerms.size(); ++k) cosine = base::kCosineTerms[k] + z * cosine;
  // The large terms are added last, so that the sum is rounded about once.
  const double half = 0.5 * z;
  const double near_one = 1.0 - half;
  return {x + (z * x * sine + tail * near_one), near_one + (((1.0 - near_one) - half) + (z * z * cosine - x * tail))};
}

inline SinCos sin_cos_of(std::uint64_t phase) noexcept {
  const std::uint64_t quadrant = (phase + (std::uint64_t{1} << 61)) >> 62;
  const auto rest = static_cast<std::int64_t>(phase - (quadrant << 62));  // within +-1/8 turn
  const auto upper = static_cast<double>(rest >> 31) * 0x1p-33;           // 31 bits, in turns
  const auto lower = static_cast<double>(rest & 0x7fffffff) * 0x1p-64;
  const double large = upper * base::kTwoPiHigh;  // exact
  const double small = upper * base::kTwoPiLow + lower * base::kTwoPi;
  const double angle = large + small;
  const SinCos near = sin_cos_near_zero(angle, small - (angle - large));
  // Quadrants are unpredictable, so branches are avoided: odd quadrants swap, and two bits give the signs.
  const bool swapped = (quadrant & 1) != 0;
  const std::uint64_t sine_sign = (quadrant & 2) << 62;
  const std::uint64_t cosine_sign = ((quadrant + 1) & 2) << 62;
  const auto sine = std::bit_cast<std::uint64_t>(swapped ? near.cos : near.sin);
  const auto cosine = std::bit_cast<std::uint64_t>(swapped ? near.sin : near.cos);
  return {std::bit_cast<double>(sine ^ sine_sign), std::bit_cast<double>(cosine ^ cosine_sign)};
}

}  // namespace posenc::numbers
