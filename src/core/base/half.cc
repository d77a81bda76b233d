#include "posenc/half.h"

#include <bit>
#include <cstdint>

namespace posenc {
namespace {

// A binary floating-point format of 16 bits.
struct Format {
  int mantissa_bits;
  int min_exponent;  // of the smallest normal number
  int max_exponent;  // of the largest
};
constexpr Format kF16{10, -14, 15};
constexpr Format kBf16{7, -126, 127};

constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;

// Rounds once, from the double's own bits. The exponent field and the mantissa are adjacent, so that a carry out of
// the mantissa moves to the next exponent by itself, up to infinity.
std::uint16_t narrow(double value, const Format& format) noexcept {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << 15);
  const std::uint64_t fraction = bits & (kHidden - 1);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  const auto infinity = static_cast<std::uint16_t>((2 * format.max_exponent + 1) << format.mantissa_bits);
  if (biased == 0x7ff) {
    const auto quiet = static_cast<std::uint16_t>(1 << (format.mantissa_bits - 1));
    return static_cast<std::uint16_t>(sign | infinity | (fraction != 0 ? quiet : 0));
  }
  const int exponent = biased - 1023;
  if (biased == 0 || exponent < format.min_exponent - format.mantissa_bits - 1) return sign;
  if (exponent > format.max_exponent) return static_cast<std::uint16_t>(sign | infinity);
  // Subnormals keep fewer bits: the further below the smallest normal number, the more are dropped.
  const int below = exponent < format.min_exponent ? format.min_exponent - exponent : 0;
  const int dropped = 52 - format.mantissa_bits + below;
  const std::uint64_t mantissa = fraction | kHidden;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = mantissa & (2 * half - 1);
  std::uint64_t kept = mantissa >> dropped;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // A normal number's `kept` includes the hidden bit, which counts as one exponent step.
  const int field = below > 0 ? 0 : exponent - format.min_exponent;
  const auto result = static_cast<std::uint64_t>(field) * (std::uint64_t{1} << format.mantissa_bits) + kept;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(result));
}

// Exact: every 16-bit number is a double.
double widen(std::uint16_t bits, const Format& format) noexcept {
  const int field = (bits & 0x7fff) >> format.mantissa_bits;
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 15) << 63;
  if (field == 2 * format.max_exponent + 1) {
    const std::uint64_t fraction = static_cast<std::uint64_t>(mantissa) << (52 - format.mantissa_bits);
    return std::bit_cast<double>(sign | (std::uint64_t{0x7ff} << 52) | fraction);
  }
  const int exponent = field == 0 ? format.min_exponent : format.min_exponent + field - 1;
  const int significand = field == 0 ? mantissa : mantissa | (1 << format.mantissa_bits);
  const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(exponent - format.mantissa_bits + 1023) << 52);
  const double magnitude = static_cast<double>(significand) * unit;
  return std::bit_cast<double>(sign | std::bit_cast<std::uint64_t>(magnitude));
}

}  // namespace

f16 to_f16(double value) noexcept { return {narrow(value, kF16)}; }
bf16 to_bf16(double value) noexcept { return {narrow(value, kBf16)}; }
double to_double(f16 value) noexcept { return widen(value.bits, kF16); }
double to_double(bf16 value) noexcept { return widen(value.bits, kBf16); }

}  // namespace posenc
