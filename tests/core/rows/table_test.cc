// The accuracy that posenc/table.h promises, measured against MPFR.
#include "posenc/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "posenc/half.h"
#include "support/mpfr_oracle.h"

namespace posenc::table_test {
namespace {

constexpr double kF32Bound = 0x1p-25 + std::numbers::pi * 0x1p-33;

// A multiplier moves the values to another binade, and half an ulp of float32 with them.
double f32_bound(double multiplier) {
  const double binade = std::exp2(std::ceil(std::log2(std::fabs(multiplier))));
  return 0x1p-25 * binade + std::numbers::pi * 0x1p-33 * std::fabs(multiplier);
}

double f64_bound(double counted) { return 2.0 * std::numbers::pi * 0x1p-64 * std::fabs(counted) + 4e-16; }

std::vector<std::int64_t> long_positions() {
  std::vector<std::int64_t> positions = {
      0,          1,  2,   31,  32,  33,   499,      8191,       131071, 1048575, (1 << 24) + 1,
      2147483647, -1, -31, -32, -33, -499, -1048575, -2147483647};
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> any(-kMaxPosition, kMaxPosition);
  for (int i = 0; i < 40; ++i) positions.push_back(any(random));
  return positions;
}

std::vector<Sinusoidal> every_kind() {
  std::vector<Sinusoidal> specs = {
      {.width = 512},
      {.width = 64},
      {.width = 2},
      {.width = 1},
      {.width = 1, .odd = OddWidth::zero},
      {.width = 6, .inv_freq = {6.5, -0.3, 1e3}},
      {.width = 6, .inv_freq = {1e10, 1e-12, 0.0}},
      {.width = 8, .spacing = Spacing::half, .frequency_scale = 1000.0, .order = Order::cos_halves},
  };
  for (const std::int64_t width : {4, 7, 33}) {
    for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
      for (const OddWidth odd : {OddWidth::drop, OddWidth::zero}) {
        specs.push_back({.width = width, .order = order, .odd = odd});
        specs.push_back({.width = width, .spacing = Spacing::half, .order = order, .odd = odd, .multiplier = -3.7});
      }
    }
  }
  return specs;
}

// Calls check(value, exact, counted position, inv_freq of the column) for every entry of a table.
template <class T, class Check>
void for_each_entry(const Sinusoidal& spec, const std::vector<std::int64_t>& positions, const Check& check) {
  const SinusoidalSchedule schedule = make_schedule(spec);
  const auto count = static_cast<std::int64_t>(positions.size());
  std::vector<T> values(static_cast<std::size_t>(count * spec.width));
  fill_table(schedule, PositionView::of(positions.data(), count), make_view(values.data(), {count, spec.width}));
  const std::string text = to_text(Spec(spec));
  for (std::int64_t n = 0; n < count; ++n) {
    const auto position = static_cast<double>(positions[static_cast<std::size_t>(n)]);
    for (std::int64_t column = 0; column < spec.width; ++column) {
      SCOPED_TRACE(text + " position " + std::to_string(position) + " column " + std::to_string(column));
      check(values[static_cast<std::size_t>(n * spec.width + column)], oracle::entry(schedule, position, column),
            position + static_cast<double>(spec.first), oracle::column_inv_freq(schedule, column));
    }
  }
}

TEST(TableAccuracy, F32) {
  double worst = 0.0;
  for (const Sinusoidal& spec : every_kind()) {
    for_each_entry<float>(spec, long_positions(), [&](float value, const oracle::Big& exact, double, double) {
      const double error = oracle::distance(static_cast<double>(value), exact);
      if (spec.multiplier == 1.0) worst = std::max(worst, error);
      EXPECT_LE(error, spec.multiplier == 1.0 ? kF32Bound : f32_bound(spec.multiplier));
    });
  }
  EXPECT_GT(worst, 0x1p-25 * 0.99) << "half an ulp of a number near 1 must have been met";
}

TEST(TableAccuracy, F64) {
  for (const Sinusoidal& spec : every_kind()) {
    for_each_entry<double>(spec, long_positions(), [&](double value, const oracle::Big& exact, double counted, double) {
      const double error = oracle::distance(value, exact) / std::fabs(spec.multiplier);
      EXPECT_LE(error, f64_bound(counted));
    });
  }
}

TEST(TableAccuracy, TheLastPositions) {
  std::vector<std::int64_t> last;
  for (std::int64_t p = 2147483640; p <= kMaxPosition; ++p) last.push_back(p);
  for_each_entry<float>({.width = 512}, last, [](float value, const oracle::Big& exact, double, double) {
    EXPECT_LE(oracle::distance(static_cast<double>(value), exact), kF32Bound);
  });
}

// Every value of a large table, where a bad corner of the kernel would show.
TEST(TableAccuracy, F64OfEveryOffset) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> positions;
  for (int block = 0; block < 20; ++block) {
    const auto start = static_cast<std::int64_t>(random() % 100000);
    for (std::int64_t i = 0; i < 32; ++i) positions.push_back(start + i);
  }
  for_each_entry<double>({.width = 96}, positions, [](double value, const oracle::Big& exact, double counted, double) {
    EXPECT_LE(oracle::distance(value, exact), f64_bound(counted));
  });
}

TEST(TableAccuracy, RealPositions) {
  std::mt19937_64 random(2);
  for (const Sinusoidal& spec : every_kind()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    for (const double reach : {1.0, 1e3, 1e6, 2147483647.0}) {
      std::uniform_real_distribution<double> any(-reach, reach);
      const std::vector<double> positions = {any(random), any(random), any(random), std::floor(any(random))};
      std::vector<double> wide(positions.size() * static_cast<std::size_t>(spec.width));
      std::vector<float> single(wide.size());
      const PositionView view = PositionView::of(positions.data(), 4);
      fill_table(schedule, view, make_view(wide.data(), {4, spec.width}));
      fill_table(schedule, view, make_view(single.data(), {4, spec.width}));
      for (std::int64_t i = 0; i < 4 * spec.width; ++i) {
        const double x = positions[static_cast<std::size_t>(i / spec.width)];
        const oracle::Big exact = oracle::entry(schedule, x, i % spec.width);
        const double added = std::fabs(x * oracle::column_inv_freq(schedule, i % spec.width)) * 0x1p-53;
        const double size = std::fabs(spec.multiplier);
        const auto index = static_cast<std::size_t>(i);
        EXPECT_LE(oracle::distance(wide[index], exact), size * (f64_bound(x) + added)) << x;
        EXPECT_LE(oracle::distance(static_cast<double>(single[index]), exact), f32_bound(size) + size * added) << x;
      }
    }
  }
}

// `first` is exact however large it is: it must not round the fraction of the position.
TEST(TableAccuracy, RealPositionsWithALargeFirst) {
  const Sinusoidal spec{.width = 6, .first = 2000000000};
  const SinusoidalSchedule schedule = make_schedule(spec);
  const std::vector<double> positions = {0.1, 1e-9, 7.3, -0.7, 12345.678};
  std::vector<double> rows(positions.size() * 6);
  fill_table(schedule, PositionView::of(positions.data(), 5), make_view(rows.data(), {5, 6}));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = positions[i / 6];
    const oracle::Big exact = oracle::entry(schedule, x, static_cast<std::int64_t>(i % 6));
    EXPECT_LE(oracle::distance(rows[i], exact), f64_bound(2e9) + std::fabs(x) * 0x1p-53) << x;
  }
}

// What README and docs say of the usual recipe: frequencies and angles in float32.
double error_of_float32_recipe(float position) {
  constexpr int kWidth = 512;
  double worst = 0.0;
  for (int i = 0; i < kWidth; i += 2) {
    const float frequency = std::exp(static_cast<float>(i) * (-std::log(10000.0f) / static_cast<float>(kWidth)));
    const float angle = position * frequency;
    const double exact = std::sin(static_cast<double>(position) * std::pow(10000.0, -i / 512.0));
    worst = std::max(worst, std::fabs(static_cast<double>(std::sin(angle)) - exact));
  }
  return worst;
}

TEST(TableAccuracy, TheFloat32RecipeIsAsFarOffAsTheDocsSay) {
  EXPECT_NEAR(error_of_float32_recipe(1e4f), 5e-4, 2.5e-4);
  EXPECT_NEAR(error_of_float32_recipe(1e6f), 0.05, 0.025);
}

template <class T>
void check_narrow(const oracle::Narrow& format) {
  std::int64_t ties = 0, compared = 0;
  for (const Sinusoidal& spec : every_kind()) {
    std::vector<std::int64_t> positions;
    std::mt19937_64 random(3);
    for (int i = 0; i < 60; ++i) positions.push_back(static_cast<std::int64_t>(random() % 2000) - 1000);
    for_each_entry<T>(spec, positions, [&](T value, const oracle::Big& exact, double, double inv_freq) {
      if (std::fabs(inv_freq) > 10.0) return;  // the phase's own error grows with the frequency
      ++compared;
      if (oracle::near_tie(exact, format)) {
        ++ties;
        return;
      }
      EXPECT_EQ(to_double(value), oracle::round_to(exact, format));
    });
  }
  EXPECT_GT(compared, 50000);
  EXPECT_LT(ties, compared / 1000);
}

TEST(TableAccuracy, F16IsRoundedOnce) { check_narrow<f16>(oracle::kF16); }
TEST(TableAccuracy, Bf16IsRoundedOnce) { check_narrow<bf16>(oracle::kBf16); }

TEST(Derivative, IsExact) {
  for (const Sinusoidal& spec : every_kind()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    const std::vector<double> positions = {0, 1, 17, -499, 8191, 131071, 2147483647, 2.5, -1000.25};
    const auto count = static_cast<std::int64_t>(positions.size());
    std::vector<double> values(positions.size() * static_cast<std::size_t>(spec.width));
    fill_derivative(schedule, PositionView::of(positions.data(), count), make_view(values.data(), {count, spec.width}));
    for (std::int64_t i = 0; i < count * spec.width; ++i) {
      const double x = positions[static_cast<std::size_t>(i / spec.width)];
      const double inv_freq = std::fabs(oracle::column_inv_freq(schedule, i % spec.width));
      const double bound =
          std::fabs(spec.multiplier) * inv_freq * (f64_bound(x) + 2e-16 + std::fabs(x) * inv_freq * 0x1p-53);
      EXPECT_LE(
          oracle::distance(values[static_cast<std::size_t>(i)], oracle::derivative_entry(schedule, x, i % spec.width)),
          bound)
          << to_text(Spec(spec)) << " position " << x << " column " << i % spec.width;
    }
  }
}

TEST(Derivative, IsTheSlopeOfTheTable) {
  const Sinusoidal spec{.width = 9, .first = 3, .order = Order::halves, .odd = OddWidth::zero, .multiplier = 2.0};
  const SinusoidalSchedule schedule = make_schedule(spec);
  const double h = 1e-4;
  for (const double x : {0.0, 1.0, 2.5, -7.0, 100.0}) {
    const std::vector<double> around = {x - h, x + h};
    std::vector<double> rows(18), slope(9);
    fill_table(schedule, PositionView::of(around.data(), 2), make_view(rows.data(), {2, 9}));
    fill_derivative(schedule, PositionView::of(&x, 1), make_view(slope.data(), {1, 9}));
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR((rows[9 + i] - rows[i]) / (2 * h), slope[i], 1e-8) << x;
  }
}

}  // namespace
}  // namespace posenc::table_test
