// The numbers of a rotary spec: its window, its frequencies against MPFR, and what goes where on several axes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "posenc/reference.h"
#include "posenc/schedule.h"
#include "support/expect_error.h"
#include "support/mpfr_oracle.h"

namespace posenc::rotary_schedule_test {
namespace {

// base^(-2i / dim) to 200 bits.
oracle::Big exact_frequency(double base, std::int64_t i, std::int64_t dim) {
  oracle::Big exponent(static_cast<double>(-2 * i));
  mpfr_div_si(exponent.get(), exponent.get(), static_cast<long>(dim), MPFR_RNDN);
  oracle::Big result(base);
  mpfr_pow(result.get(), result.get(), exponent.get(), MPFR_RNDN);
  return result;
}

// The promise is 1 ulp; twice the precision inside gives all but a correctly rounded result.
constexpr double kUlps = 0.51;

TEST(RotaryFrequencies, AreTheFormula) {
  for (const std::int64_t head_dim : {2, 4, 6, 14, 64, 80, 96, 128, 256, 512, 8192}) {
    for (const double base : {10000.0, 500000.0, 1e6, 1e7, 150000.0, 100.0, 2.0, 1.0, 0.5, 1e-300, 1e300}) {
      const RotarySchedule schedule = make_schedule(Rotary{.head_dim = head_dim, .base = base});
      ASSERT_EQ(schedule.pairs(), head_dim / 2);
      for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
        const double got = schedule.inv_freq[static_cast<std::size_t>(i)];
        ASSERT_LE(oracle::ulps(got, exact_frequency(base, i, head_dim)), kUlps) << head_dim << " " << base << " " << i;
      }
    }
  }
}

TEST(RotaryFrequencies, AreDividedByTheExponentDim) {
  for (const std::int64_t dim : {1, 3, 24, 25, 26, 128, 1000}) {
    const RotarySchedule schedule = make_schedule(Rotary{.head_dim = 64, .rotary_dim = 26, .exponent_dim = dim});
    EXPECT_EQ(schedule.exponent_dim, dim);
    for (std::int64_t i = 0; i < 13; ++i) {
      ASSERT_LE(oracle::ulps(schedule.inv_freq[static_cast<std::size_t>(i)], exact_frequency(10000.0, i, dim)), kUlps);
    }
  }
}

// float32 at every step, which MPFR can do with 24 bits; the power of torch is off by more than a rounding, so one
// unit of the last place is left to it.
TEST(RotaryFrequencies, AreRoundedToFloatsForReferencePrecision) {
  std::int64_t equal = 0, count = 0;
  for (const double base : {10000.0, 500000.0, 1e6, 8e6, 12345.678}) {
    for (const std::int64_t head_dim : {8, 64, 80, 128, 256}) {
      const RotarySchedule schedule =
          make_schedule(Rotary{.head_dim = head_dim, .base = base, .precision = Precision::reference});
      for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
        oracle::Big value(static_cast<double>(static_cast<float>(base)), 24);
        oracle::Big exponent(static_cast<double>(2 * i), 24);
        mpfr_div_ui(exponent.get(), exponent.get(), static_cast<unsigned long>(head_dim), MPFR_RNDN);
        mpfr_pow(value.get(), value.get(), exponent.get(), MPFR_RNDN);
        mpfr_ui_div(value.get(), 1, value.get(), MPFR_RNDN);
        const double got = schedule.inv_freq[static_cast<std::size_t>(i)];
        ASSERT_EQ(got, value.rounded()) << head_dim << " " << base << " " << i;
        equal += got == exact_frequency(base, i, head_dim).rounded() ? 1 : 0;
        ++count;
      }
    }
  }
  EXPECT_LT(equal, count / 2) << "the rounding does nothing";
}

TEST(RotaryFrequencies, MustNotOverflow) {
  const auto refused = [](const Rotary& spec, const std::string& part) {
    expect_error(ErrorKind::bad_input, "[rotary] every frequency must be finite but that of " + part,
                 [&] { make_schedule(spec); });
  };
  refused({.head_dim = 8, .base = 1e-300, .exponent_dim = 2}, "pair 2 is beyond the largest double");
  refused({.head_dim = 8, .base = 1e-30, .exponent_dim = 2, .precision = Precision::reference},
          "pair 2 is beyond the largest float32");
  refused({.head_dim = 4, .inv_freq = {1.0, 1e39}, .precision = Precision::reference},
          "pair 1 is beyond the largest float32");
  EXPECT_EQ(make_schedule(Rotary{.head_dim = 4, .inv_freq = {1.0, 1e39}}).inv_freq, (std::vector{1.0, 1e39}));
}

TEST(RotaryFrequencies, AListReplacesTheRule) {
  const RotarySchedule exact = make_schedule(Rotary{.head_dim = 4, .inv_freq = {0.1, -2.0}});
  EXPECT_EQ(exact.inv_freq, (std::vector{0.1, -2.0}));
  EXPECT_EQ(exact.exponent_dim, 0);
  const RotarySchedule rounded =
      make_schedule(Rotary{.head_dim = 4, .inv_freq = {0.1, -2.0}, .precision = Precision::reference});
  EXPECT_EQ(rounded.inv_freq, (std::vector{static_cast<double>(0.1f), -2.0}));
}

TEST(RotaryWindow, IsWhatTheSpecSays) {
  struct Case {
    Rotary spec;
    std::int64_t rotary_dim, first_channel, exponent_dim;
  };
  const Case cases[] = {
      {{.head_dim = 128}, 128, 0, 128},
      {{.head_dim = 80, .rotary_dim = 32}, 32, 0, 32},
      {{.head_dim = 80, .partial_rotary_factor = 0.4}, 32, 0, 32},
      {{.head_dim = 192, .partial_rotary_factor = 0.334}, 64, 0, 64},  // 64.128 truncated
      {{.head_dim = 64, .partial_rotary_factor = 0.4}, 26, 0, 25},     // 25.6: odd, so one channel more
      {{.head_dim = 65, .partial_rotary_factor = 0.4}, 26, 0, 26},
      {{.head_dim = 3, .partial_rotary_factor = 0.34}, 2, 0, 1},
      {{.head_dim = 64, .partial_rotary_factor = 0.4, .exponent_dim = 26}, 26, 0, 26},
      {{.head_dim = 512, .rotary_dim = 64, .first_channel = -64}, 64, 448, 64},
      {{.head_dim = 512, .rotary_dim = 64, .first_channel = 448}, 64, 448, 64},
      {{.head_dim = 512, .rotary_dim = 64, .first_channel = -65}, 64, 447, 64},
      {{.head_dim = 512, .rotary_dim = 64, .first_channel = 100}, 64, 100, 64},
      {{.head_dim = 64, .layout = Layout::half_per_axis, .axes = 2}, 64, 0, 32},
      {{.head_dim = 64, .layout = Layout::half_per_axis, .rotary_dim = 48, .axes = 3}, 48, 0, 16},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_text(Spec(c.spec)));
    const RotarySchedule schedule = make_schedule(c.spec);
    EXPECT_EQ(schedule.head_dim, c.spec.head_dim);
    EXPECT_EQ(schedule.rotary_dim, c.rotary_dim);
    EXPECT_EQ(schedule.first_channel, c.first_channel);
    EXPECT_EQ(schedule.exponent_dim, c.exponent_dim);
    EXPECT_EQ(schedule.pairs(), c.rotary_dim / 2);
  }
}

TEST(RotaryAxes, HaveTheirFrequencies) {
  const RotarySchedule mapped =
      make_schedule(Rotary{.head_dim = 8, .base = 16.0, .axes = 3, .axis_of_pair = {2, 0, 2, 1}});
  EXPECT_EQ(mapped.axes, 3);
  EXPECT_EQ(mapped.inv_freq, (std::vector{0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.125, 1.0, 0.0, 0.25, 0.0}));
  const RotarySchedule listed =
      make_schedule(Rotary{.head_dim = 4, .inv_freq = {3.0, 4.0}, .axes = 2, .axis_of_pair = {1, 0}});
  EXPECT_EQ(listed.inv_freq, (std::vector{0.0, 4.0, 3.0, 0.0}));
  const RotarySchedule both = make_schedule(Rotary{.head_dim = 4, .inv_freq = {1.0, 2.0, 3.0, 4.0}, .axes = 2});
  EXPECT_EQ(both.inv_freq, (std::vector{1.0, 2.0, 3.0, 4.0}));
  // Parts of two pairs each: frequencies begin anew, exponents are divided by the part.
  const RotarySchedule parts =
      make_schedule(Rotary{.head_dim = 8, .base = 16.0, .layout = Layout::half_per_axis, .axes = 2});
  EXPECT_EQ(parts.inv_freq, (std::vector{1.0, 0.25, 0.0, 0.0, 0.0, 0.0, 1.0, 0.25}));
  const RotarySchedule swapped = make_schedule(
      Rotary{.head_dim = 8, .base = 16.0, .layout = Layout::half_per_axis, .axes = 2, .axis_of_pair = {1, 1, 0, 0}});
  EXPECT_EQ(swapped.inv_freq, (std::vector{0.0, 0.0, 1.0, 0.25, 1.0, 0.25, 0.0, 0.0}));
}

TEST(RotaryFactor, ActsInOnePlace) {
  const auto factors = [](FactorIn place) {
    const RotarySchedule s =
        make_schedule(Rotary{.head_dim = 4, .attention_factor = 1.5, .attention_factor_in = place});
    return std::vector{s.table_factor(), s.query_factor(), s.softmax_factor()};
  };
  EXPECT_EQ(factors(FactorIn::table), (std::vector{1.5, 1.0, 1.0}));
  EXPECT_EQ(factors(FactorIn::query), (std::vector{1.0, 1.5, 1.0}));
  EXPECT_EQ(factors(FactorIn::softmax), (std::vector{1.0, 1.0, 1.5}));
}

// The plain definition agrees about windows and frequencies.
TEST(RotaryReference, HasTheFrequenciesOfTheSchedule) {
  const Rotary specs[] = {
      {.head_dim = 64},
      {.head_dim = 64, .base = 500000.0, .partial_rotary_factor = 0.4},
      {.head_dim = 12, .layout = Layout::half_per_axis, .axes = 3},
      {.head_dim = 8, .axes = 3, .axis_of_pair = {2, 0, 2, 1}},
      {.head_dim = 4, .inv_freq = {1.0, 2.0, 3.0, 4.0}, .axes = 2},
      {.head_dim = 8, .rotary_dim = 4, .inv_freq = {3.0, 4.0}, .axes = 2, .axis_of_pair = {1, 0}},
  };
  for (const Rotary& spec : specs) {
    const RotarySchedule schedule = make_schedule(spec);
    for (std::int64_t axis = 0; axis < schedule.axes; ++axis) {
      for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
        const double wanted = schedule.inv_freq[static_cast<std::size_t>(axis * schedule.pairs() + i)];
        EXPECT_NEAR(reference::rotary_inv_freq(spec, axis, i), wanted, 4e-15 * std::fabs(wanted));
      }
    }
  }
}

TEST(RotaryReference, PairsChannelsAsTheLayoutSays) {
  const auto pairs = [](Rotary spec) {
    std::string text;
    for (std::int64_t i = 0; i < make_schedule(spec).pairs(); ++i) {
      const reference::RotaryPair p = reference::rotary_pair(spec, i);
      text += std::to_string(p.read_first) + "," + std::to_string(p.read_second) + ">" + std::to_string(p.write_first) +
              "," + std::to_string(p.write_second) + " ";
    }
    return text;
  };
  EXPECT_EQ(pairs({.head_dim = 6}), "0,3>0,3 1,4>1,4 2,5>2,5 ");
  EXPECT_EQ(pairs({.head_dim = 6, .layout = Layout::interleaved}), "0,1>0,1 2,3>2,3 4,5>4,5 ");
  EXPECT_EQ(pairs({.head_dim = 6, .layout = Layout::interleaved_to_half}), "0,1>0,3 2,3>1,4 4,5>2,5 ");
  EXPECT_EQ(pairs({.head_dim = 6, .layout = Layout::half_negative}), "0,3>0,3 1,4>1,4 2,5>2,5 ");
  EXPECT_EQ(pairs({.head_dim = 8, .layout = Layout::half_per_axis, .axes = 2}), "0,2>0,2 1,3>1,3 4,6>4,6 5,7>5,7 ");
  EXPECT_EQ(pairs({.head_dim = 9, .rotary_dim = 4, .first_channel = -4}), "5,7>5,7 6,8>6,8 ");
  EXPECT_EQ(pairs({.head_dim = 9, .layout = Layout::interleaved_to_half, .rotary_dim = 4, .first_channel = 1}),
            "1,2>1,3 3,4>2,4 ");
}

TEST(RotaryReference, TurnsAHead) {
  const double x[5] = {1.0, 2.0, 3.0, 4.0, 5.0};
  double out[5];
  const double p[1] = {2.0};
  reference::rotate_head({.head_dim = 5, .rotary_dim = 4, .inv_freq = {0.25, 0.5}, .attention_factor = 2.0}, p, x, out);
  EXPECT_DOUBLE_EQ(out[0], 2.0 * (std::cos(0.5) - 3.0 * std::sin(0.5)));
  EXPECT_DOUBLE_EQ(out[1], 2.0 * (2.0 * std::cos(1.0) - 4.0 * std::sin(1.0)));
  EXPECT_DOUBLE_EQ(out[2], 2.0 * (3.0 * std::cos(0.5) + std::sin(0.5)));
  EXPECT_DOUBLE_EQ(out[3], 2.0 * (4.0 * std::cos(1.0) + 2.0 * std::sin(1.0)));
  EXPECT_EQ(out[4], 5.0);
  reference::rotate_head({.head_dim = 2, .layout = Layout::half_negative, .attention_factor_in = FactorIn::query}, p, x,
                         out);
  EXPECT_DOUBLE_EQ(out[0], std::cos(2.0) + 2.0 * std::sin(2.0));
  EXPECT_DOUBLE_EQ(out[1], 2.0 * std::cos(2.0) - std::sin(2.0));
  const double two[2] = {2.0, 3.0};  // a pair rotated by both axes
  reference::rotate_head({.head_dim = 2, .inv_freq = {0.5, 0.25}, .axes = 2}, two, x, out);
  EXPECT_DOUBLE_EQ(out[0], std::cos(1.75) - 2.0 * std::sin(1.75));
}

}  // namespace
}  // namespace posenc::rotary_schedule_test
