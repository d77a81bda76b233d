#include "posenc/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "posenc/schedule.h"
#include "support/mpfr_oracle.h"

namespace posenc::reference_test {
namespace {

std::vector<double> row(const Sinusoidal& spec, double position) {
  std::vector<double> result(static_cast<std::size_t>(spec.width), -9.0);
  reference::sinusoidal_row(spec, position, result.data());
  return result;
}

std::vector<double> derivative(const Sinusoidal& spec, double position) {
  std::vector<double> result(static_cast<std::size_t>(spec.width), -9.0);
  reference::sinusoidal_derivative_row(spec, position, result.data());
  return result;
}

void expect_row(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "column " << i;
}

TEST(Reference, GivesTheNumbersOfTheLecture) {
  expect_row(row({.width = 4}, 0), {0, 1, 0, 1}, 0.0);
  expect_row(row({.width = 4}, 1), {0.84147, 0.54030, 0.01000, 0.99995}, 5e-6);
  expect_row(row({.width = 4}, 3), {0.14112, -0.98999, 0.03000, 0.99955}, 5e-6);
  expect_row(row({.width = 8}, 3), {0.14112, -0.98999, 0.29552, 0.95534, 0.03000, 0.99955, 0.00300, 1.00000}, 5e-6);
}

std::vector<Sinusoidal> every_kind() {
  std::vector<Sinusoidal> specs;
  for (const std::int64_t width : {1, 2, 3, 7, 8, 33}) {
    for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
      for (const OddWidth odd : {OddWidth::drop, OddWidth::zero}) {
        specs.push_back({.width = width, .order = order, .odd = odd});
        specs.push_back({.width = width,
                         .base = 500.0,
                         .spacing = Spacing::half,
                         .first = 2,
                         .order = order,
                         .odd = odd,
                         .multiplier = -0.5,
                         .zero_position = 5});
        specs.push_back({.width = width,
                         .spacing = Spacing::even_width,
                         .exponent_factor = 0.7,
                         .frequency_scale = 2.5,
                         .first = -4,
                         .order = order,
                         .odd = odd});
      }
    }
  }
  return specs;
}

// Its own bound: the angle is formed in double, and pow is off by a few ulp.
double bound(const Sinusoidal& spec, double position, double inv_freq) {
  const double counted = std::fabs(position + static_cast<double>(spec.first));
  return std::fabs(spec.multiplier) * (4e-16 + 40 * 0x1p-53 * counted * std::fabs(inv_freq));
}

TEST(Reference, RowsAreWithinTheirBoundOfMpfr) {
  for (const Sinusoidal& spec : every_kind()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    for (const double position : {0.0, 1.0, 2.0, 3.0, 9.0, -7.0, 2.5, 499.0, 8191.0, 131071.0}) {
      const std::vector<double> values = row(spec, position);
      for (std::int64_t column = 0; column < spec.width; ++column) {
        const double error =
            oracle::distance(values[static_cast<std::size_t>(column)], oracle::entry(schedule, position, column));
        ASSERT_LE(error, bound(spec, position, oracle::column_inv_freq(schedule, column)))
            << to_text(Spec(spec)) << " position " << position << " column " << column;
      }
    }
  }
}

TEST(Reference, DerivativesAreWithinTheirBoundOfMpfr) {
  for (const Sinusoidal& spec : every_kind()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    for (const double position : {0.0, 1.0, 3.0, 9.0, -7.0, 2.5, 499.0}) {
      const std::vector<double> values = derivative(spec, position);
      for (std::int64_t column = 0; column < spec.width; ++column) {
        const double inv_freq = oracle::column_inv_freq(schedule, column);
        const double error = oracle::distance(values[static_cast<std::size_t>(column)],
                                              oracle::derivative_entry(schedule, position, column));
        ASSERT_LE(error, std::fabs(inv_freq) * (bound(spec, position, inv_freq) + 5e-15)) << to_text(Spec(spec));
      }
    }
  }
}

TEST(Reference, TheShiftMatrixMovesRows) {
  for (const Sinusoidal& spec : every_kind()) {
    if (spec.zero_position || (spec.width % 2 != 0 && spec.odd == OddWidth::drop)) continue;
    const auto width = static_cast<std::size_t>(spec.width);
    std::vector<double> matrix(width * width);
    for (const double k : {0.0, 5.0, -3.0, 0.5}) {
      reference::sinusoidal_shift_matrix(spec, k, matrix.data());
      const std::vector<double> from = row(spec, 5);
      const std::vector<double> to = row(spec, 5 + k);
      for (std::size_t i = 0; i < width; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < width; ++j) sum += matrix[i * width + j] * from[j];
        ASSERT_NEAR(sum, to[i], 1e-14) << to_text(Spec(spec)) << " k " << k;
      }
    }
  }
}

TEST(Reference, FrequenciesAreTheFormula) {
  for (const Sinusoidal& spec : every_kind()) {
    const std::vector<double> inv_freq = make_schedule(spec).inv_freq;
    for (std::size_t j = 0; j < inv_freq.size(); ++j) {
      EXPECT_NEAR(reference::sinusoidal_inv_freq(spec, static_cast<std::int64_t>(j)), inv_freq[j],
                  4e-15 * std::fabs(inv_freq[j]));
    }
  }
}

}  // namespace
}  // namespace posenc::reference_test
