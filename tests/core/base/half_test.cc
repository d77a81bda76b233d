#include "posenc/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "support/mpfr_oracle.h"

namespace posenc::half_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A 16-bit format with its conversions, so that every test runs for both.
struct F16 {
  using Type = f16;
  static constexpr oracle::Narrow format = oracle::kF16;
  static constexpr std::uint16_t infinity = 0x7c00;
  static constexpr double largest = 65504.0;
  static f16 narrow(double value) { return to_f16(value); }
};
struct Bf16 {
  using Type = bf16;
  static constexpr oracle::Narrow format = oracle::kBf16;
  static constexpr std::uint16_t infinity = 0x7f80;
  static constexpr double largest = 0x1.fep127;
  static bf16 narrow(double value) { return to_bf16(value); }
};

template <class Format>
class Half : public testing::Test {};
using Formats = testing::Types<F16, Bf16>;
TYPED_TEST_SUITE(Half, Formats);

template <class Format>
double widen(int bits) {
  return to_double(typename Format::Type{static_cast<std::uint16_t>(bits)});
}

TYPED_TEST(Half, EveryValueComesBack) {
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = widen<TypeParam>(bits);
    const std::uint16_t back = TypeParam::narrow(value).bits;
    if ((bits & 0x7fff) > TypeParam::infinity) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_GT(back & 0x7fff, TypeParam::infinity) << bits;
      ASSERT_EQ(back >> 15, bits >> 15) << bits;
    } else {
      ASSERT_EQ(back, bits);
      ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    }
  }
}

TYPED_TEST(Half, ValuesAreWhatTheirBitsSay) {
  const int mantissa_bits = TypeParam::format.bits - 1;
  for (int bits = 0; bits < TypeParam::infinity; ++bits) {
    const int exponent = bits >> mantissa_bits;
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const double expected =
        exponent == 0 ? std::ldexp(mantissa, TypeParam::format.smallest)
                      : std::ldexp(mantissa + (1 << mantissa_bits), TypeParam::format.smallest + exponent - 1);
    ASSERT_EQ(widen<TypeParam>(bits), expected) << bits;
  }
  EXPECT_EQ(widen<TypeParam>(TypeParam::infinity), kInfinity);
  EXPECT_EQ(widen<TypeParam>(TypeParam::infinity | 0x8000), -kInfinity);
}

// Between every two neighbours: the middle goes to the even one, and the doubles beside it to their own side.
TYPED_TEST(Half, MiddlesGoToEven) {
  for (int lower = 0; lower + 1 < TypeParam::infinity; ++lower) {
    const double middle = 0.5 * (widen<TypeParam>(lower) + widen<TypeParam>(lower + 1));
    const int even = lower % 2 == 0 ? lower : lower + 1;
    ASSERT_EQ(TypeParam::narrow(middle).bits, even) << lower;
    ASSERT_EQ(TypeParam::narrow(-middle).bits, even | 0x8000) << lower;
    ASSERT_EQ(TypeParam::narrow(std::nextafter(middle, 0.0)).bits, lower);
    ASSERT_EQ(TypeParam::narrow(std::nextafter(middle, kInfinity)).bits, lower + 1);
  }
}

TYPED_TEST(Half, OverflowsToInfinityFromHalfAStepAboveTheLargest) {
  EXPECT_EQ(widen<TypeParam>(TypeParam::infinity - 1), TypeParam::largest);
  const double step = TypeParam::largest - widen<TypeParam>(TypeParam::infinity - 2);
  const double limit = TypeParam::largest + 0.5 * step;
  EXPECT_EQ(TypeParam::narrow(std::nextafter(limit, 0.0)).bits, TypeParam::infinity - 1);
  for (const double value : {limit, 2.0 * limit, 1e300, std::numeric_limits<double>::max(), kInfinity}) {
    EXPECT_EQ(TypeParam::narrow(value).bits, TypeParam::infinity) << value;
    EXPECT_EQ(TypeParam::narrow(-value).bits, TypeParam::infinity | 0x8000) << value;
  }
}

TYPED_TEST(Half, UnderflowsToZeroFromHalfTheSmallest) {
  const double smallest = widen<TypeParam>(1);
  EXPECT_EQ(TypeParam::narrow(0.5 * smallest).bits, 0) << "a tie, and 0 is even";
  EXPECT_EQ(TypeParam::narrow(std::nextafter(0.5 * smallest, 1.0)).bits, 1);
  EXPECT_EQ(TypeParam::narrow(1.5 * smallest).bits, 2);
  for (const double value : {0.25 * smallest, 1e-300, 5e-324, 0.0}) {
    EXPECT_EQ(TypeParam::narrow(value).bits, 0) << value;
    EXPECT_EQ(TypeParam::narrow(-value).bits, 0x8000) << value;
  }
}

TYPED_TEST(Half, RandomDoublesAreTheNearest) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(TypeParam::format.smallest - 3.0, std::log2(TypeParam::largest));
  for (int i = 0; i < 50000; ++i) {
    const double value = std::exp2(exponent(random)) * (i % 2 == 0 ? 1.0 : -1.0);
    ASSERT_EQ(to_double(TypeParam::narrow(value)), oracle::round_to(oracle::Big(value), TypeParam::format)) << value;
  }
}

TYPED_TEST(Half, NanStaysNan) {
  for (const std::uint64_t bits : {0x7ff0000000000001u, 0x7ff8000000000000u, 0xffffffffffffffffu}) {
    EXPECT_TRUE(std::isnan(to_double(TypeParam::narrow(std::bit_cast<double>(bits)))));
  }
}

// A double just above a middle rounds to float32 at the middle, and from there to the wrong side.
TYPED_TEST(Half, RoundsOnceWhereFloat32WouldRoundTwice) {
  int different = 0;
  for (int lower = 0; lower + 1 < TypeParam::infinity; ++lower) {
    const double middle = 0.5 * (widen<TypeParam>(lower) + widen<TypeParam>(lower + 1));
    const double above = middle * (1.0 + 0x1p-40);
    const double twice = static_cast<double>(static_cast<float>(above));
    ASSERT_EQ(TypeParam::narrow(above).bits, lower + 1);
    different += TypeParam::narrow(twice).bits != TypeParam::narrow(above).bits ? 1 : 0;
  }
  EXPECT_GT(different, 10000);
}

}  // namespace
}  // namespace posenc::half_test
