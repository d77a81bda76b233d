#include "core/numbers/double_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/mpfr_oracle.h"

namespace posenc::numbers::double_double_test {
namespace {

using oracle::Big;

// The relative distance of a double pair from `exact`, as a power of two.
double relative_error(DoubleDouble value, const Big& exact) {
  Big difference(exact);
  mpfr_sub_d(difference.get(), difference.get(), value.high, MPFR_RNDN);
  mpfr_sub_d(difference.get(), difference.get(), value.low, MPFR_RNDN);
  if (mpfr_zero_p(difference.get())) return 0.0;
  mpfr_div(difference.get(), difference.get(), exact.get(), MPFR_RNDN);
  return std::fabs(difference.rounded());
}

Big sum(DoubleDouble value) {
  Big result(value.high);
  mpfr_add_d(result.get(), result.get(), value.low, MPFR_RNDN);
  return result;
}

DoubleDouble random_pair(std::mt19937_64& random) {
  std::uniform_real_distribution<double> mantissa(0.5, 1.0);
  std::uniform_int_distribution<int> exponent(-30, 30);
  const double high = std::ldexp(mantissa(random), exponent(random)) * (random() % 2 == 0 ? 1.0 : -1.0);
  return {high, high * 0x1p-54 * mantissa(random)};
}

TEST(DoubleDouble, ArithmeticKeepsAHundredBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    const DoubleDouble a = random_pair(random);
    const DoubleDouble b = random_pair(random);
    Big added(sum(a)), multiplied(sum(a)), divided(sum(a));
    mpfr_add(added.get(), added.get(), sum(b).get(), MPFR_RNDN);
    mpfr_mul(multiplied.get(), multiplied.get(), sum(b).get(), MPFR_RNDN);
    mpfr_div(divided.get(), divided.get(), sum(b).get(), MPFR_RNDN);
    EXPECT_LE(relative_error(a + b, added), 0x1p-100);
    EXPECT_LE(relative_error(a * b, multiplied), 0x1p-100);
    EXPECT_LE(relative_error(a / b, divided), 0x1p-100);
    EXPECT_EQ(relative_error(-a, sum({-a.high, -a.low})), 0.0);
  }
}

TEST(DoubleDouble, SumsCancelWithoutLoss) {
  const DoubleDouble a{1.0, 0x1p-60};
  const DoubleDouble b{-1.0, 0x1p-70};
  EXPECT_EQ((a + b).high, 0x1p-60 + 0x1p-70);
}

TEST(DoubleDouble, ExactProductIsExact) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const double a = random_pair(random).high;
    const double b = random_pair(random).high;
    EXPECT_EQ(relative_error(exact_product(a, b), oracle::product(a, b)), 0.0);
  }
}

TEST(DoubleDouble, HighIsTheRoundedValue) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const DoubleDouble a = random_pair(random);
    const DoubleDouble b = random_pair(random);
    for (const DoubleDouble value : {a + b, a * b, a / b, exp({std::fmod(a.high, 300.0), 0.0})}) {
      EXPECT_EQ(value.high + value.low, value.high);
    }
  }
}

TEST(DoubleDouble, LogIsGoodTo90Bits) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> exponent(-300.0, 300.0);
  for (int i = 0; i < 3000; ++i) {
    const double value = i < 1000 ? 1.0 + i : std::pow(10.0, exponent(random));
    Big exact(value);
    mpfr_log(exact.get(), exact.get(), MPFR_RNDN);
    if (mpfr_zero_p(exact.get())) {
      EXPECT_LE(std::fabs(log(value).high), 0x1p-90) << value;
    } else {
      EXPECT_LE(relative_error(log(value), exact), 0x1p-90) << value;
    }
  }
}

TEST(DoubleDouble, ExpIsGoodTo90Bits) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-600.0, 600.0);
  for (int i = 0; i < 3000; ++i) {
    const double high = i < 1000 ? any(random) / 600.0 : any(random);
    const DoubleDouble value{high, high * 0x1p-55};
    Big exact(sum(value));
    mpfr_exp(exact.get(), exact.get(), MPFR_RNDN);
    EXPECT_LE(relative_error(exp(value), exact), 0x1p-90) << high;
  }
  EXPECT_EQ(exp({0.0, 0.0}).high, 1.0);
  EXPECT_EQ(exp({0.0, 0.0}).low, 0.0);
}

TEST(DoubleDouble, ExpEndsInZeroAndInfinity) {
  EXPECT_EQ(exp({-800.0, 0.0}).high, 0.0);
  EXPECT_EQ(exp({800.0, 0.0}).high, HUGE_VAL);
  EXPECT_EQ(exp({-1e300, 0.0}).high, 0.0);
  EXPECT_EQ(exp({1e300, 0.0}).high, HUGE_VAL);
}

}  // namespace
}  // namespace posenc::numbers::double_double_test
