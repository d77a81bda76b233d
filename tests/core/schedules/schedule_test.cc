#include "posenc/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/expect_error.h"
#include "support/mpfr_oracle.h"

namespace posenc::schedule_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> many_widths() {
  std::vector<std::int64_t> widths;
  for (std::int64_t width = 1; width <= 200; ++width) widths.push_back(width);
  widths.insert(widths.end(), {512, 1024, 4096});
  return widths;
}

double worst_ulps(const Sinusoidal& spec) {
  double worst = 0.0;
  const SinusoidalSchedule schedule = make_schedule(spec);
  for (std::size_t j = 0; j < schedule.inv_freq.size(); ++j) {
    const oracle::Big exact = oracle::inv_freq(spec, static_cast<std::int64_t>(j));
    worst = std::max(worst, oracle::ulps(schedule.inv_freq[j], exact));
  }
  return worst;
}

// The promise is 1 ulp; twice the precision inside gives all but a correctly rounded result.
constexpr double kUlps = 0.51;

TEST(InvFreq, IsTheFormulaForManyWidthsAndBases) {
  for (const std::int64_t width : many_widths()) {
    for (const double base : {2.0, 100.0, 500.0, 10000.0, 500000.0, 1e6, 0.5}) {
      ASSERT_LE(worst_ulps({.width = width, .base = base}), kUlps) << width << " " << base;
    }
  }
}

TEST(InvFreq, IsTheFormulaForEverySpacing) {
  for (const std::int64_t width : many_widths()) {
    for (const OddWidth odd : {OddWidth::drop, OddWidth::zero}) {
      ASSERT_LE(worst_ulps({.width = width, .spacing = Spacing::even_width, .odd = odd}), kUlps) << width;
      for (const double shift : {0.0, 0.5, 1.0, -2.0}) {
        const Sinusoidal spec{.width = width, .spacing = Spacing::half, .shift = shift, .odd = odd};
        ASSERT_LE(worst_ulps(spec), kUlps) << width << " " << shift;
      }
    }
  }
}

TEST(InvFreq, IsTheFormulaForFactorsAndScales) {
  for (const std::int64_t width : {3, 8, 65, 512}) {
    for (const double factor : {0.0, 0.1, 0.5, 1.0, 2.0, -1.0, 3.7, 50.0}) {
      for (const double scale : {1.0, 0.5, 1.0 / 3.0, -2.0, 1000.0, 1e-30}) {
        const Sinusoidal spec{.width = width, .exponent_factor = factor, .frequency_scale = scale};
        ASSERT_LE(worst_ulps(spec), kUlps) << width << " " << factor << " " << scale;
      }
    }
  }
}

TEST(InvFreq, IsTheFormulaForOddBases) {
  for (const double base : {1.0, 1.0 + 1e-15, 1.0 - 1e-15, 1e-300, 1e300, 7.3, 0x1p-1000}) {
    ASSERT_LE(worst_ulps({.width = 66, .base = base, .exponent_factor = 0.9}), kUlps) << base;
  }
}

TEST(InvFreq, UnderflowsToZero) {
  const SinusoidalSchedule schedule = make_schedule({.width = 4, .exponent_factor = 1000.0});
  EXPECT_EQ(schedule.inv_freq, (std::vector{1.0, 0.0}));
  const SinusoidalSchedule extreme = make_schedule({.width = 4, .exponent_factor = 1e300});
  EXPECT_EQ(extreme.inv_freq, (std::vector{1.0, 0.0}));
}

TEST(InvFreq, AListReplacesTheRuleAndIsScaled) {
  const SinusoidalSchedule schedule =
      make_schedule({.width = 5, .frequency_scale = 0.5, .inv_freq = {4.0, -0.25, 0.0}});
  EXPECT_EQ(schedule.inv_freq, (std::vector{2.0, -0.125, 0.0}));
}

TEST(InvFreq, WidthTwoWithHalvesHasExponentZero) {
  for (const OddWidth odd : {OddWidth::drop, OddWidth::zero}) {
    const Sinusoidal spec{.width = 2, .spacing = Spacing::half, .frequency_scale = 3.0, .odd = odd};
    EXPECT_EQ(make_schedule(spec).inv_freq, std::vector{3.0});
  }
  const Sinusoidal three{.width = 3, .spacing = Spacing::half, .odd = OddWidth::zero};
  EXPECT_EQ(make_schedule(three).inv_freq, std::vector{1.0});
}

TEST(Wavelengths, AreThoseOfTheTutorial) {
  const std::vector<double> lengths = wavelengths(make_schedule({.width = 64}).inv_freq);
  ASSERT_EQ(lengths.size(), 32u);
  EXPECT_NEAR(lengths[0], 6.28, 0.005);
  EXPECT_NEAR(lengths[5], 26.50, 0.005);
  EXPECT_NEAR(lengths[15], 471.17, 0.005);
  EXPECT_NEAR(lengths[31], 4.71e4, 0.005e4);
}

TEST(Wavelengths, AreInfiniteForZeroAndPositiveForNegative) {
  const std::vector<double> lengths = wavelengths({0.0, -1.0});
  EXPECT_EQ(lengths[0], kInfinity);
  EXPECT_EQ(lengths[1], 2.0 * std::numbers::pi);
  EXPECT_TRUE(wavelengths({}).empty());
}

// What each column of a row holds: s0 c0 s1 ..., 0 for a zero.
std::string columns_text(const Sinusoidal& spec) {
  const SinusoidalSchedule schedule = make_schedule(spec);
  std::vector<std::string> names(static_cast<std::size_t>(schedule.width), "0");
  const auto put = [&](const Columns& columns, const char* letter) {
    for (std::int64_t j = 0; j < columns.count; ++j) {
      std::string& name = names.at(static_cast<std::size_t>(columns.start + j * columns.stride));
      EXPECT_EQ(name, "0") << "two pairs in one column";
      name = letter + std::to_string(j);
    }
  };
  put(schedule.sine, "s");
  put(schedule.cosine, "c");
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

TEST(ScheduleColumns, FollowTheOrder) {
  EXPECT_EQ(columns_text({.width = 6}), "s0 c0 s1 c1 s2 c2");
  EXPECT_EQ(columns_text({.width = 6, .order = Order::cos_interleaved}), "c0 s0 c1 s1 c2 s2");
  EXPECT_EQ(columns_text({.width = 6, .order = Order::halves}), "s0 s1 s2 c0 c1 c2");
  EXPECT_EQ(columns_text({.width = 6, .order = Order::cos_halves}), "c0 c1 c2 s0 s1 s2");
}

TEST(ScheduleColumns, OddWidthsDropThePartner) {
  EXPECT_EQ(columns_text({.width = 5}), "s0 c0 s1 c1 s2");
  EXPECT_EQ(columns_text({.width = 5, .order = Order::cos_interleaved}), "c0 s0 c1 s1 c2");
  EXPECT_EQ(columns_text({.width = 5, .order = Order::halves}), "s0 s1 s2 c0 c1");
  EXPECT_EQ(columns_text({.width = 5, .order = Order::cos_halves}), "c0 c1 c2 s0 s1");
  EXPECT_EQ(columns_text({.width = 1}), "s0");
  EXPECT_EQ(columns_text({.width = 1, .order = Order::cos_halves}), "c0");
}

TEST(ScheduleColumns, OddWidthsEndInAZero) {
  EXPECT_EQ(columns_text({.width = 5, .odd = OddWidth::zero}), "s0 c0 s1 c1 0");
  EXPECT_EQ(columns_text({.width = 5, .order = Order::cos_interleaved, .odd = OddWidth::zero}), "c0 s0 c1 s1 0");
  EXPECT_EQ(columns_text({.width = 5, .order = Order::halves, .odd = OddWidth::zero}), "s0 s1 c0 c1 0");
  EXPECT_EQ(columns_text({.width = 5, .order = Order::cos_halves, .odd = OddWidth::zero}), "c0 c1 s0 s1 0");
  EXPECT_EQ(columns_text({.width = 1, .odd = OddWidth::zero}), "0");
  EXPECT_EQ(columns_text({.width = 4, .odd = OddWidth::zero}), "s0 c0 s1 c1");
}

TEST(Schedule, CarriesTheRestOfTheSpec) {
  const SinusoidalSchedule schedule = make_schedule({.width = 4, .first = 2, .multiplier = 0.5, .zero_position = 1});
  EXPECT_EQ(schedule.width, 4);
  EXPECT_EQ(schedule.first, 2);
  EXPECT_EQ(schedule.multiplier, 0.5);
  EXPECT_EQ(schedule.zero_position, 1);
}

void expect_refused(const Sinusoidal& spec, const std::string& part) {
  SCOPED_TRACE(part);
  expect_error(ErrorKind::bad_input, "[sinusoidal] " + part, [&] { make_schedule(spec); });
}

TEST(ScheduleErrors, NameTheFieldAndTheValue) {
  expect_refused({}, "width must be at least 1 but got 0");
  expect_refused({.width = -3}, "width must be at least 1 but got -3");
  expect_refused({.width = 1048577}, "width must be at most 1048576 but got 1048577");
  expect_refused({.width = 4, .base = 0.0}, "base must be above 0 but got 0");
  expect_refused({.width = 4, .base = -2.0}, "base must be above 0 but got -2");
  expect_refused({.width = 4, .base = std::nan("")}, "base must be finite but got nan");
  expect_refused({.width = 4, .base = kInfinity}, "base must be finite but got inf");
  expect_refused({.width = 4, .frequency_scale = -kInfinity}, "frequency_scale (scale) must be finite but got -inf");
  expect_refused({.width = 4, .exponent_factor = kInfinity}, "exponent_factor must be finite but got inf");
  expect_refused({.width = 4, .multiplier = std::nan("")}, "multiplier must be finite but got nan");
  expect_refused({.width = 4, .first = 2147483648}, "first must be at most 2147483647 but got 2147483648");
  expect_refused({.width = 4, .zero_position = -2147483648}, "zero_position must be at least -2147483647 but got");
  expect_refused({.width = 4, .inv_freq = {1.0, kInfinity}}, "inv_freq must be finite but got inf");
}

TEST(ScheduleErrors, FieldsMustFitTogether) {
  expect_refused({.width = 5, .odd = OddWidth::error}, "width must be even (odd=error) but got 5");
  expect_refused({.width = 4, .shift = 0.5}, "shift is for spacing=half but got 0.5");
  expect_refused({.width = 8, .spacing = Spacing::half, .shift = 4.0},
                 "shift must be below the number of pairs, 4, but got 4");
  expect_refused({.width = 5, .inv_freq = {1.0, 0.5}}, "inv_freq must have one number per pair, 3, but has 2");
  expect_refused({.width = 4, .base = 100.0, .inv_freq = {1.0, 0.5}}, "inv_freq replaces base, spacing and");
  expect_refused({.width = 4, .exponent_factor = 2.0, .inv_freq = {1.0, 0.5}}, "inv_freq replaces base, spacing and");
}

TEST(ScheduleErrors, FrequenciesMustNotOverflow) {
  expect_refused({.width = 4, .exponent_factor = -200.0},
                 "every frequency must be finite but that of pair 1 is beyond the largest double");
  expect_refused({.width = 2, .frequency_scale = 1e200, .inv_freq = {1e200}},
                 "every frequency must be finite but that of pair 0 is beyond the largest double");
}

}  // namespace
}  // namespace posenc::schedule_test
