// sin and cos of a phase, in a header so that loops over pairs can inline it. posenc/phase.h has the contract.
#pragma once

#include <bit>
#include <cstdint>

#include "posenc/phase.h"

namespace posenc::detail {

// 2 pi = kTwoPiHigh + kTwoPiLow. The first has 21 bits, so that its product with 31 bits of phase is exact.
constexpr double kTwoPiHigh = 0x1.921fbp+2;
constexpr double kTwoPiLow = 0x1.5110b4611a626p-20;
constexpr double kTwoPi = 0x1.921fb54442d18p+2;

// sin and cos of x + tail for |x| <= pi/4 by their Taylor series; the next terms are below 1e-19 and 2e-18.
inline SinCos sin_cos_near_zero(double x, double tail) noexcept {
  const double z = x * x;
  double sine = 1.0 / 355687428096000.0;  // 1/17!
  sine = -1.0 / 1307674368000.0 + z * sine;
  sine = 1.0 / 6227020800.0 + z * sine;
  sine = -1.0 / 39916800.0 + z * sine;
  sine = 1.0 / 362880.0 + z * sine;
  sine = -1.0 / 5040.0 + z * sine;
  sine = 1.0 / 120.0 + z * sine;
  sine = -1.0 / 6.0 + z * sine;
  double cosine = 1.0 / 20922789888000.0;  // 1/16!
  cosine = -1.0 / 87178291200.0 + z * cosine;
  cosine = 1.0 / 479001600.0 + z * cosine;
  cosine = -1.0 / 3628800.0 + z * cosine;
  cosine = 1.0 / 40320.0 + z * cosine;
  cosine = -1.0 / 720.0 + z * cosine;
  cosine = 1.0 / 24.0 + z * cosine;
  // The large terms last, so that the sum is rounded about once.
  const double half = 0.5 * z;
  const double near_one = 1.0 - half;
  return {x + (z * x * sine + tail * near_one), near_one + (((1.0 - near_one) - half) + (z * z * cosine - x * tail))};
}

inline SinCos sin_cos_of(std::uint64_t phase) noexcept {
  const std::uint64_t quadrant = (phase + (std::uint64_t{1} << 61)) >> 62;
  const auto rest = static_cast<std::int64_t>(phase - (quadrant << 62));  // within +-1/8 turn
  const auto upper = static_cast<double>(rest >> 31) * 0x1p-33;           // 31 bits, in turns
  const auto lower = static_cast<double>(rest & 0x7fffffff) * 0x1p-64;
  const double large = upper * kTwoPiHigh;  // exact
  const double small = upper * kTwoPiLow + lower * kTwoPi;
  const double angle = large + small;
  const SinCos near = sin_cos_near_zero(angle, small - (angle - large));
  // Quadrants are as good as random, so no branch: odd ones swap, and two bits give the signs.
  const bool swapped = (quadrant & 1) != 0;
  const std::uint64_t sine_sign = (quadrant & 2) << 62;
  const std::uint64_t cosine_sign = ((quadrant + 1) & 2) << 62;
  const auto sine = std::bit_cast<std::uint64_t>(swapped ? near.cos : near.sin);
  const auto cosine = std::bit_cast<std::uint64_t>(swapped ? near.sin : near.cos);
  return {std::bit_cast<double>(sine ^ sine_sign), std::bit_cast<double>(cosine ^ cosine_sign)};
}

}  // namespace posenc::detail
