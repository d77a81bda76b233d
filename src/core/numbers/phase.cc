#include "posenc/phase.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "core/base/refuse.h"
#include "core/numbers/double_double.h"
#include "core/numbers/real_phase.h"
#include "core/numbers/sin_cos.h"

namespace posenc {
namespace {

// The fraction of 1 / (2 pi) in binary. 1280 bits are enough for every finite double: round_step reads 192 bits from
// the double's exponent on, which is at most 971.
constexpr std::array<std::uint64_t, 20> kTurnsPerRadian = {
    0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158, 0x6dc91b8e909374b8,
    0x01924bba82746487, 0x3f877ac72c4a69cf, 0xba208d7d4baed121, 0x3a671c09ad17df90, 0x4e64758e60d4ce7d,
    0x272117e2ef7e4a0e, 0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
    0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742, 0x1580cc11bf1edaea, 0xfc33ef0826bd0d87};
constexpr numbers::DoubleDouble kTurnsPerRadianDouble{0x1.45f306dc9c883p-3, -0x1.6b01ec5417056p-57};

// 64 bits of 1 / (2 pi), from bit `first` after the binary point on. Bits before the point and after the table are 0.
std::uint64_t turn_bits(int first) noexcept {
  const auto word = [](int index) noexcept {
    return index < 0 || index >= static_cast<int>(kTurnsPerRadian.size())
               ? std::uint64_t{0}
               : kTurnsPerRadian[static_cast<std::size_t>(index)];
  };
  const int index = first >= 0 ? first / 64 : -((63 - first) / 64);
  const int offset = first - index * 64;
  return offset == 0 ? word(index) : (word(index) << offset) | (word(index + 1) >> (64 - offset));
}

// round(magnitude / 2pi * 2^64) modulo 2^64. With magnitude = mantissa * 2^exponent, only the bits of 1/2pi from
// `exponent` on matter: the bits before them contribute whole turns.
std::uint64_t round_step(double magnitude) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  const std::uint64_t whole = turn_bits(exponent);
  const std::uint64_t middle = turn_bits(exponent + 64);
  const std::uint64_t low = turn_bits(exponent + 128);
  const std::uint64_t rest = mantissa * middle;
  const std::uint64_t sum = rest + base::high_product(mantissa, low);
  const std::uint64_t carry = sum < rest ? 1 : 0;
  return mantissa * whole + base::high_product(mantissa, middle) + carry + (sum >> 63);
}

}  // namespace

PhaseStep make_phase_step(double inv_freq) {
  base::require(std::isfinite(inv_freq), "make_phase_step", "inv_freq must be finite but got ", inv_freq);
  const std::uint64_t step = round_step(std::fabs(inv_freq));
  const numbers::DoubleDouble turns = kTurnsPerRadianDouble * numbers::DoubleDouble{inv_freq, 0.0};
  return {inv_freq < 0.0 ? std::uint64_t{0} - step : step, turns.high, turns.low};
}

std::uint64_t phase_at(const PhaseStep& step, double position) noexcept {
  return numbers::phase_at(step, numbers::split_position(position));
}

SinCos sin_cos(std::uint64_t phase) noexcept { return numbers::sin_cos_of(phase); }

}  // namespace posenc
