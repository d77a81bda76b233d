#include "posenc/resize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "posenc/half.h"
#include "posenc/reference.h"
#include "support/expect_error.h"

namespace posenc::resize_test {
namespace {

using Lengths = std::vector<std::int64_t>;

constexpr std::int64_t kWidth = 3;

std::int64_t product(const Lengths& lengths) {
  std::int64_t result = 1;
  for (const std::int64_t length : lengths) result *= length;
  return result;
}

// Numbers without a pattern that an interpolation could reproduce by chance.
std::vector<double> some_table(std::int64_t rows, std::int64_t width = kWidth) {
  std::vector<double> table(static_cast<std::size_t>(rows * width));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = std::sin(1.0 + 12.9898 * static_cast<double>(i * i % 8191));
  return table;
}

std::vector<double> resized(const std::vector<double>& table, const Resize& rule, std::int64_t width = kWidth) {
  const std::int64_t rows = rule.kept + product(rule.to);
  std::vector<double> out(static_cast<std::size_t>(rows * width), -99.0);
  const auto from = static_cast<std::int64_t>(table.size()) / width;
  resize_table(make_view(table.data(), {from, width}), rule, make_view(out.data(), {rows, width}));
  return out;
}

// Every combination of options that goes together.
std::vector<Resize> all_rules() {
  std::vector<Resize> rules;
  for (const Interpolation method : {Interpolation::nearest, Interpolation::area}) rules.push_back({.method = method});
  for (const Interpolation method : {Interpolation::linear, Interpolation::cubic}) {
    rules.push_back({.method = method});
    rules.push_back({.method = method, .align = Align::corners});
    rules.push_back({.method = method, .antialias = true});
    rules.push_back({.method = method, .extra_size = 0.1});
    rules.push_back({.method = method, .antialias = true, .extra_size = 0.9});
  }
  for (const double a : {-1.0, -0.6, 0.0}) {
    rules.push_back({.cubic_a = a});
    rules.push_back({.antialias = true, .cubic_a = a});
  }
  return rules;
}

std::string text_of(const Resize& rule) {
  return "method " + std::to_string(static_cast<int>(rule.method)) + " align " +
         std::to_string(static_cast<int>(rule.align)) + " antialias " + std::to_string(rule.antialias) + " a " +
         std::to_string(rule.cubic_a.value_or(99)) + " extra " + std::to_string(rule.extra_size);
}

// The reference's printed polynomials cancel where ours are in factors.
constexpr double kTolerance = 1e-13;

void expect_reference(const Resize& rule) {
  const std::vector<double> table = some_table(rule.kept + product(rule.from));
  const std::vector<double> out = resized(table, rule);
  double expected[kWidth];
  for (std::int64_t row = 0; row < rule.kept + product(rule.to); ++row) {
    reference::resize_row(rule, table.data(), kWidth, row, expected);
    for (std::int64_t c = 0; c < kWidth; ++c) {
      ASSERT_NEAR(out[static_cast<std::size_t>(row * kWidth + c)], expected[c], kTolerance)
          << "row " << row << " of " << c;
    }
  }
}

TEST(ResizeTable, IsTheReferenceOnOneAxis) {
  for (Resize rule : all_rules()) {
    for (std::int64_t from = 1; from <= 17; ++from) {
      for (std::int64_t to = 1; to <= 17; ++to) {
        rule.from = {from};
        rule.to = {to};
        rule.kept = (from + to) % 3;
        SCOPED_TRACE(text_of(rule) + " from " + std::to_string(from) + " to " + std::to_string(to));
        ASSERT_NO_FATAL_FAILURE(expect_reference(rule));
      }
    }
  }
}

TEST(ResizeTable, IsTheReferenceOnGrids) {
  for (Resize rule : all_rules()) {
    for (std::int64_t n = 0; n < 9 * 9 * 9 * 9; n += 7) {  // 7 and 9 have no common factor: every pair of lengths
      rule.from = {1 + n % 9, 1 + n / 9 % 9};
      rule.to = {1 + n / 81 % 9, 1 + n / 729};
      rule.kept = n % 2;
      SCOPED_TRACE(text_of(rule) + " case " + std::to_string(n));
      ASSERT_NO_FATAL_FAILURE(expect_reference(rule));
    }
  }
}

// Numbers that can be checked by hand.
TEST(ResizeTable, GivesTheTextbooksNumbers) {
  const std::vector<double> table = {0, 4, 8, 16};
  const auto line = [&](Resize rule, std::int64_t to) {
    rule.from = {4};
    rule.to = {to};
    return resized(table, rule, 1);
  };
  using D = std::vector<double>;
  EXPECT_EQ(line({.method = Interpolation::nearest}, 8), (D{0, 0, 4, 4, 8, 8, 16, 16}));
  EXPECT_EQ(line({.method = Interpolation::nearest}, 3), (D{0, 4, 8}));
  EXPECT_EQ(line({.method = Interpolation::linear}, 8), (D{0, 1, 3, 5, 7, 10, 14, 16}));
  EXPECT_EQ(line({.method = Interpolation::linear}, 2), (D{2, 12}));
  EXPECT_EQ(line({.method = Interpolation::linear, .align = Align::corners}, 7), (D{0, 2, 4, 6, 8, 12, 16}));
  EXPECT_EQ(line({.method = Interpolation::linear, .align = Align::corners}, 1), (D{0}));
  EXPECT_EQ(line({.method = Interpolation::area}, 2), (D{2, 12}));
  EXPECT_EQ(line({.method = Interpolation::area}, 3), (D{2, 6, 12}));
  EXPECT_EQ(line({.method = Interpolation::area}, 8), (D{0, 0, 4, 4, 8, 8, 16, 16}));
  // Halfway between two rows the four weights are a/8, 1/2 - a/8, 1/2 - a/8, a/8.
  EXPECT_EQ(line({}, 2), (D{(-3.0 * 0 + 19 * 0 + 19 * 4 - 3 * 8) / 32, (-3.0 * 4 + 19 * 8 + 19 * 16 - 3 * 16) / 32}));
  EXPECT_EQ(line({.cubic_a = -0.5}, 2)[0], (-2.0 * 0 + 18 * 0 + 18 * 4 - 2 * 8) / 32);
  // A triangle twice as wide: 1/8, 3/8, 3/8, 1/8 inside; weights outside are redistributed.
  EXPECT_EQ(line({.method = Interpolation::linear, .antialias = true}, 2)[1], (1.0 * 4 + 3 * 8 + 3 * 16) / 7);
}

TEST(ResizeTable, ReadsGridsLineByLine) {
  // Heights are 0 and 100, widths 0, 1, 2: a swapped grid could not distinguish them.
  const std::vector<double> table = {0, 1, 2, 100, 101, 102};
  const Resize rule{.from = {2, 3}, .to = {3, 5}, .method = Interpolation::linear, .align = Align::corners};
  const std::vector<double> out = resized(table, rule, 1);
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      EXPECT_EQ(out[y * 5 + x], 50.0 * static_cast<double>(y) + 0.5 * static_cast<double>(x));
    }
  }
}

TEST(ResizeTable, CopiesBitForBitWhereNothingChanges) {
  for (Resize rule : all_rules()) {
    if (rule.extra_size != 0.0) continue;
    for (const Lengths& lengths : {Lengths{1}, Lengths{7}, Lengths{4, 5}, Lengths{1, 6}}) {
      rule.from = rule.to = lengths;
      rule.kept = 2;
      std::vector<double> table = some_table(2 + product(lengths));
      table[6] = -0.0;  // not in a kept row
      table.back() = std::numeric_limits<double>::denorm_min();
      table[7] = std::numeric_limits<double>::max();
      const std::vector<double> out = resized(table, rule);
      for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(out[i]), std::bit_cast<std::uint64_t>(table[i])) << text_of(rule);
      }
    }
  }
}

TEST(ResizeTable, RepeatsASingleRowBitForBit) {
  for (Resize rule : all_rules()) {
    rule.from = {1, 1};
    rule.to = {5, 7};
    const std::vector<double> out = resized({0.1, 1.0 / 3.0, 0x1.fffffffffffffp0}, rule);
    for (std::size_t i = 0; i < out.size(); i += 3) {
      EXPECT_EQ(out[i], 0.1) << text_of(rule);
      EXPECT_EQ(out[i + 1], 1.0 / 3.0) << text_of(rule);
      EXPECT_EQ(out[i + 2], 0x1.fffffffffffffp0) << text_of(rule);
    }
  }
}

TEST(ResizeTable, TakesWideRowsInBlocks) {
  // So many cells and channels that one block does not hold them.
  const Resize rule{.from = {64, 50}, .to = {61, 70}, .kept = 1};
  const std::int64_t width = 41;
  const std::vector<double> table = some_table(1 + 64 * 50, width);
  const std::vector<double> out = resized(table, rule, width);
  std::vector<double> expected(static_cast<std::size_t>(width));
  for (std::int64_t row = 0; row < 1 + 61 * 70; row += 13) {
    reference::resize_row(rule, table.data(), width, row, expected.data());
    for (std::int64_t c = 0; c < width; ++c) {
      ASSERT_NEAR(out[static_cast<std::size_t>(row * width + c)], expected[static_cast<std::size_t>(c)], kTolerance);
    }
  }
}

TEST(ResizeTable, TakesStridedRowsOfEitherSign) {
  const Resize rule{.from = {5}, .to = {8}, .kept = 1};
  const std::vector<double> table = some_table(6);
  const std::vector<double> expected = resized(table, rule);
  std::vector<double> wide(6 * 10, std::numeric_limits<double>::quiet_NaN()), out(9 * 7, -99.0);
  for (std::size_t r = 0; r < 6; ++r) std::copy_n(&table[r * 3], 3, &wide[(5 - r) * 10 + 2]);
  ConstView source = make_view(static_cast<const double*>(wide.data()) + 52, {6, 3});
  source.strides[0] = -10;  // from the last row up
  View target = make_view(out.data() + 1, {9, 3});
  target.strides[0] = 7;
  resize_table(source, rule, target);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool written = i % 7 >= 1 && i % 7 < 4;
    EXPECT_EQ(out[i], written ? expected[i / 7 * 3 + i % 7 - 1] : -99.0) << i;
  }
}

template <class T>
T narrowed(double value) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(value);
  if constexpr (std::is_same_v<T, bf16>) return to_bf16(value);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
}

template <class T>
double widened(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return to_double(value);
  }
}

template <class From, class To>
void expect_rounded_once() {
  const Resize rule{.from = {3, 4}, .to = {5, 2}, .kept = 1};
  std::vector<double> exact = some_table(13);
  std::vector<From> table;
  for (double& number : exact) {
    table.push_back(narrowed<From>(number));
    number = widened(table.back());
  }
  std::vector<To> out(11 * 3);
  resize_table(make_view(table.data(), {13, 3}), rule, make_view(out.data(), {11, 3}));
  const std::vector<double> expected = resized(exact, rule);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(widened(out[i]), widened(narrowed<To>(expected[i])));
}

TEST(ResizeTable, RoundsOnceToEveryType) {
  const auto to_all = []<class From>(From) {
    expect_rounded_once<From, float>();
    expect_rounded_once<From, double>();
    expect_rounded_once<From, f16>();
    expect_rounded_once<From, bf16>();
  };
  to_all(float{});
  to_all(double{});
  to_all(f16{});
  to_all(bf16{});
}

TEST(ResizeTable, RoundsToF16WithoutAStopAtFloat32) {
  // float32 would drop the last bit, and what is left is a tie that goes down.
  const double table[2] = {1.0 + 0x1p-11 + 0x1p-40, 0.0};
  f16 out[2];
  resize_table(make_view(table, {2, 1}), {.from = {1}, .to = {1}, .kept = 1}, make_view(out, {2, 1}));
  EXPECT_EQ(to_double(out[0]), 1.0 + 0x1p-10);
}

TEST(ResizeTable, TakesTablesWithoutChannels) {
  resize_table(make_view(static_cast<const float*>(nullptr), {4, 0}), {.from = {4}, .to = {2}},
               make_view(static_cast<float*>(nullptr), {2, 0}));
  resize_table_backward(make_view(static_cast<const float*>(nullptr), {3, 0}), {.from = {4}, .to = {2}, .kept = 1},
                        make_view(static_cast<float*>(nullptr), {5, 0}));
}

TEST(ResizeTaps, StayInsideAndSumToOne) {
  for (Resize rule : all_rules()) {
    for (const auto& [from, to] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 5}, {2, 9}, {5, 1}, {7, 3}, {3, 7}, {100, 7}, {7, 100}, {1024, 1000}}) {
      rule.from = {from};
      rule.to = {to};
      const std::vector<Taps> all = resize_taps(rule, 0);
      ASSERT_EQ(static_cast<std::int64_t>(all.size()), to);
      for (const Taps& taps : all) {
        ASSERT_FALSE(taps.weights.empty());
        EXPECT_GE(taps.first, 0);
        EXPECT_LE(taps.first + static_cast<std::int64_t>(taps.weights.size()), from);
        double sum = 0.0;
        for (const double weight : taps.weights) sum += weight;
        EXPECT_NEAR(sum, 1.0, 1e-14) << text_of(rule);
        EXPECT_NE(taps.weights.front(), 0.0);
        EXPECT_NE(taps.weights.back(), 0.0);
      }
    }
  }
}

TEST(ResizeTaps, CountsAxesAsTheRuleDoes) {
  const Resize rule{.from = {2, 3}, .to = {4, 5}};
  EXPECT_EQ(resize_taps(rule, 0).size(), 4u);
  EXPECT_EQ(resize_taps(rule, 1).size(), 5u);
  expect_error(ErrorKind::usage, "[resize_taps] axis must be below 2 but got 2", [&] { resize_taps(rule, 2); });
}

TEST(ResizeTaps, NearestMultipliesInFloat32) {
  // 41 * (48 / 41 ...): the products that float32 rounds up to the next integer, and double does not, or the reverse.
  std::int64_t differences = 0;
  for (std::int64_t from = 1; from <= 60; ++from) {
    for (std::int64_t to = 1; to <= 60; ++to) {
      const std::vector<Taps> taps = resize_taps({.from = {from}, .to = {to}, .method = Interpolation::nearest}, 0);
      for (std::int64_t i = 0; i < to; ++i) {
        const float ratio = static_cast<float>(from) / static_cast<float>(to);
        const float product = static_cast<float>(i) * ratio;
        ASSERT_EQ(taps[static_cast<std::size_t>(i)].first, static_cast<std::int64_t>(product));
        differences += taps[static_cast<std::size_t>(i)].first != i * from / to;
      }
    }
  }
  EXPECT_GT(differences, 0) << "the test shows nothing if the exact floor is always the same";
}

TEST(ResizeTaps, CubicIsTorchsUnlessSaid) {
  const Resize plain{.from = {4}, .to = {7}};
  Resize said = plain;
  said.cubic_a = -0.75;
  EXPECT_EQ(resize_taps(plain, 0)[2].weights, resize_taps(said, 0)[2].weights);
  Resize smooth = plain, smooth_said = said;
  smooth.antialias = smooth_said.antialias = true;
  EXPECT_NE(resize_taps(smooth, 0)[2].weights, resize_taps(smooth_said, 0)[2].weights);
  smooth_said.cubic_a = -0.5;
  EXPECT_EQ(resize_taps(smooth, 0)[2].weights, resize_taps(smooth_said, 0)[2].weights);
}

TEST(SquareGrid, IsNeverAGuess) {
  EXPECT_EQ(square_grid(197, 1), (Lengths{14, 14}));
  EXPECT_EQ(square_grid(1, 0), (Lengths{1, 1}));
  EXPECT_EQ(square_grid(576 + 2, 2), (Lengths{24, 24}));
  const std::int64_t side = 3'037'000'499;  // the largest whose square can be counted
  EXPECT_EQ(square_grid(side * side, 0), (Lengths{side, side}));
  expect_error(ErrorKind::usage,
               "[square_grid] rows - kept must be a square number but got 197 - 0 = 197; 14 x 14 is 196",
               [] { square_grid(197, 0); });
  // In double one less than this square is the square.
  expect_error(ErrorKind::usage, "; 3037000498 x 3037000498 is 9223372024852248004",
               [&] { square_grid(side * side - 1, 0); });
  expect_error(ErrorKind::usage, "kept must not be negative but got -1", [] { square_grid(9, -1); });
  expect_error(ErrorKind::usage, "rows must be more than kept, 5, but got 5", [] { square_grid(5, 5); });
  expect_error(ErrorKind::usage, "rows must be more than kept, 0, but got -4", [] { square_grid(-4, 0); });
}

}  // namespace
}  // namespace posenc::resize_test
