// M_k, with row(p + k) = M_k row(p).
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "posenc/table.h"
#include "support/expect_error.h"

namespace posenc::shift_matrix_test {
namespace {

std::vector<double> row(const SinusoidalSchedule& schedule, double position) {
  std::vector<double> result(static_cast<std::size_t>(schedule.width));
  fill_table(schedule, PositionView::of(&position, 1), make_view(result.data(), {1, schedule.width}));
  return result;
}

std::vector<double> matrix(const SinusoidalSchedule& schedule, double k) {
  std::vector<double> result(static_cast<std::size_t>(schedule.width * schedule.width), -9.0);
  fill_shift_matrix(schedule, k, make_view(result.data(), {schedule.width, schedule.width}));
  return result;
}

// a * b, where b is [width, columns].
std::vector<double> multiply(const std::vector<double>& a, const std::vector<double>& b, std::size_t width) {
  const std::size_t columns = b.size() / width;
  std::vector<double> result(b.size(), 0.0);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      for (std::size_t c = 0; c < columns; ++c) result[i * columns + c] += a[i * width + j] * b[j * columns + c];
    }
  }
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

std::vector<Sinusoidal> kinds_with_a_matrix() {
  std::vector<Sinusoidal> specs;
  for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
    specs.push_back({.width = 64, .order = order});
    specs.push_back({.width = 9, .spacing = Spacing::half, .first = 2, .order = order, .odd = OddWidth::zero});
    specs.push_back({.width = 2, .inv_freq = {-0.7}, .order = order});
  }
  return specs;
}

TEST(ShiftMatrix, MovesRows) {
  for (const Sinusoidal& spec : kinds_with_a_matrix()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    for (const double k : {0.0, 1.0, 5.0, -3.0, 0.25, 100000.0}) {
      const std::vector<double> moves = matrix(schedule, k);
      for (const double p : {0.0, 1.0, 5.0, -17.0, 499.0, 8191.0}) {
        const std::vector<double> moved = multiply(moves, row(schedule, p), static_cast<std::size_t>(spec.width));
        EXPECT_LE(largest_difference(moved, row(schedule, p + k)), 2e-15)
            << to_text(Spec(spec)) << " p " << p << " k " << k;
      }
    }
  }
}

TEST(ShiftMatrix, FiveFromFiveIsTen) {
  const SinusoidalSchedule schedule = make_schedule({.width = 64});
  EXPECT_LE(largest_difference(multiply(matrix(schedule, 5), row(schedule, 5), 64), row(schedule, 10)), 1e-15);
}

TEST(ShiftMatrix, ShiftsAdd) {
  for (const Sinusoidal& spec : kinds_with_a_matrix()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    for (const auto& [a, b] : {std::pair{3.0, 5.0}, {-4.0, 4.0}, {0.5, 2.25}, {1000.0, -1.0}}) {
      const std::vector<double> both =
          multiply(matrix(schedule, a), matrix(schedule, b), static_cast<std::size_t>(spec.width));
      EXPECT_LE(largest_difference(both, matrix(schedule, a + b)), 2e-15) << a << " + " << b;
    }
  }
}

TEST(ShiftMatrix, IsMadeOfRotations) {
  const std::vector<double> moves = matrix(make_schedule({.width = 5, .odd = OddWidth::zero}), 2.0);
  const double c0 = std::cos(2.0), s0 = std::sin(2.0), c1 = std::cos(2.0 * std::pow(1e4, -0.4)),
               s1 = std::sin(2.0 * std::pow(1e4, -0.4));
  const std::vector<double> expected = {c0, s0, 0, 0, 0,   -s0, c0, 0, 0, 0, 0, 0, c1,
                                        s1, 0,  0, 0, -s1, c1,  0,  0, 0, 0, 0, 1};
  EXPECT_LE(largest_difference(moves, expected), 1e-15);
}

TEST(ShiftMatrix, FillsFloatsAndStridedRows) {
  const SinusoidalSchedule schedule = make_schedule({.width = 4});
  const std::vector<double> exact = matrix(schedule, 3.0);
  std::vector<float> values(4 * 6, 7.0f);
  View out = make_view(values.data(), {4, 4});
  out.strides[0] = 6;
  fill_shift_matrix(schedule, 3.0, out);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(values[i], i % 6 < 4 ? static_cast<float>(exact[i / 6 * 4 + i % 6]) : 7.0f);
  }
}

TEST(ShiftMatrix, RefusesWhatHasNone) {
  std::vector<double> out(25, -9.0);
  const auto fill = [&](const Sinusoidal& spec, double k, const View& view) {
    fill_shift_matrix(make_schedule(spec), k, view);
  };
  const View five = make_view(out.data(), {5, 5});
  const View four = make_view(out.data(), {4, 4});
  const auto refused = [&](ErrorKind kind, const std::string& part, auto action) {
    expect_error(kind, "[fill_shift_matrix] " + part, action);
    EXPECT_EQ(out, std::vector<double>(25, -9.0)) << "nothing may be written";
  };
  refused(ErrorKind::usage, "width must be even but got 5: the last sine has no partner",
          [&] { fill({.width = 5}, 1.0, five); });
  refused(ErrorKind::usage, "width must be even but got 5: the last cosine has no partner",
          [&] { fill({.width = 5, .order = Order::cos_halves}, 1.0, five); });
  refused(ErrorKind::usage, "out must be [4, 4] but is [5, 5]", [&] { fill({.width = 4}, 1.0, five); });
  refused(ErrorKind::usage, "out must not be null", [&] {
    fill({.width = 4}, 1.0, make_view<double>(nullptr, {4, 4}));
  });
  refused(ErrorKind::usage, "out must be f32 or f64 but is bf16", [&] {
    fill({.width = 4}, 1.0, make_view(out.data(), DType::bf16, {4, 4}));
  });
  refused(ErrorKind::bad_input, "positions must be from -2147483647 to 2147483647 but got nan",
          [&] { fill({.width = 4}, std::nan(""), four); });
  refused(ErrorKind::bad_input, "positions must be from -2147483647 to 2147483647 but got 2147483648",
          [&] { fill({.width = 4}, 2147483648.0, four); });
}

}  // namespace
}  // namespace posenc::shift_matrix_test
