// What holds for every resize, tried on random ones; the gradient above all.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "posenc/resize.h"

namespace posenc::resize_property_test {
namespace {

using Numbers = std::vector<double>;

std::int64_t any_length() { return *rc::gen::inRange<std::int64_t>(1, 14); }

Resize any_rule() {
  Resize rule;
  const bool grid = *rc::gen::inRange(0, 3) > 0;
  rule.from = grid ? std::vector{any_length(), any_length()} : std::vector{any_length()};
  rule.to = grid ? std::vector{any_length(), any_length()} : std::vector{any_length()};
  rule.kept = *rc::gen::inRange<std::int64_t>(0, 3);
  rule.method = static_cast<Interpolation>(*rc::gen::inRange(0, 4));
  const bool smooth = rule.method == Interpolation::linear || rule.method == Interpolation::cubic;
  if (smooth && *rc::gen::inRange(0, 3) == 0) {
    rule.align = Align::corners;
    return rule;
  }
  rule.antialias = smooth && *rc::gen::inRange(0, 2) == 0;
  if (rule.method == Interpolation::cubic && *rc::gen::inRange(0, 2) == 0) rule.cubic_a = -0.6;
  if (smooth && *rc::gen::inRange(0, 3) == 0) rule.extra_size = 0.1;
  return rule;
}

std::int64_t rows_of(std::int64_t kept, const std::vector<std::int64_t>& lengths) {
  std::int64_t rows = 1;
  for (const std::int64_t length : lengths) rows *= length;
  return kept + rows;
}

Numbers any_rows(std::int64_t rows, std::int64_t width) {
  Numbers numbers(static_cast<std::size_t>(rows * width));
  for (double& number : numbers) number = static_cast<double>(*rc::gen::inRange(-640, 641)) / 64.0;
  return numbers;
}

Numbers resized(const Numbers& table, const Resize& rule, std::int64_t width) {
  const std::int64_t rows = rows_of(rule.kept, rule.to);
  Numbers out(static_cast<std::size_t>(rows * width));
  resize_table(make_view(table.data(), {rows_of(rule.kept, rule.from), width}), rule,
               make_view(out.data(), {rows, width}));
  return out;
}

void add_backward(const Numbers& grad_out, const Resize& rule, std::int64_t width, Numbers& grad_table) {
  resize_table_backward(make_view(grad_out.data(), {rows_of(rule.kept, rule.to), width}), rule,
                        make_view(grad_table.data(), {rows_of(rule.kept, rule.from), width}));
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

RC_GTEST_PROP(ResizeProperty, ConstantsStay, ()) {
  const Resize rule = any_rule();
  const double value = static_cast<double>(*rc::gen::inRange(-1000, 1000)) / 7.0;
  const Numbers table(static_cast<std::size_t>(rows_of(rule.kept, rule.from) * 2), value);
  for (const double number : resized(table, rule, 2)) RC_ASSERT(std::fabs(number - value) <= 1e-14 * std::fabs(value));
}

RC_GTEST_PROP(ResizeProperty, StraightLinesStayStraightInTheMiddle, ()) {
  // Linear and cubic give a line back where they do not reach over the edge.
  const std::int64_t from = *rc::gen::inRange<std::int64_t>(8, 30), to = *rc::gen::inRange<std::int64_t>(2, 60);
  Resize rule{.from = {from}, .to = {to}, .align = *rc::gen::element(Align::centers, Align::corners)};
  rule.method = *rc::gen::element(Interpolation::linear, Interpolation::cubic);
  if (rule.method == Interpolation::cubic) rule.cubic_a = -0.5;  // the only a that keeps them
  Numbers table;
  for (std::int64_t i = 0; i < from; ++i) table.push_back(static_cast<double>(i));
  const Numbers out = resized(table, rule, 1);
  for (std::int64_t i = 0; i < to; ++i) {
    const auto index = static_cast<double>(i);
    const double x = rule.align == Align::centers
                         ? (index + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5
                         : index * static_cast<double>(from - 1) / static_cast<double>(to - 1);
    if (x < 1.0 || x > static_cast<double>(from - 2)) continue;
    RC_ASSERT(std::fabs(out[static_cast<std::size_t>(i)] - x) <= 1e-13 * static_cast<double>(from));
  }
}

RC_GTEST_PROP(ResizeProperty, BackwardIsTheTranspose, ()) {
  const Resize rule = any_rule();
  const std::int64_t width = *rc::gen::inRange<std::int64_t>(1, 5);
  const Numbers table = any_rows(rows_of(rule.kept, rule.from), width);
  const Numbers grad_out = any_rows(rows_of(rule.kept, rule.to), width);
  Numbers grad_table(table.size(), 0.0);
  add_backward(grad_out, rule, width, grad_table);
  const double forward = dot(resized(table, rule, width), grad_out);
  RC_ASSERT(std::fabs(forward - dot(table, grad_table)) <= 1e-9);
}

RC_GTEST_PROP(ResizeProperty, BackwardIsTheSlopeOfEveryEntryAndAdds, ()) {
  const Resize rule = any_rule();
  const std::int64_t width = 2;
  Numbers table = any_rows(rows_of(rule.kept, rule.from), width);
  const Numbers grad_out = any_rows(rows_of(rule.kept, rule.to), width);
  Numbers grad_table(table.size(), 1000.0);
  add_backward(grad_out, rule, width, grad_table);
  const auto at = *rc::gen::inRange<std::size_t>(0, table.size());
  // The loss is linear in every entry: a step of 1 has no error but rounding.
  const double before = dot(resized(table, rule, width), grad_out);
  table[at] += 1.0;
  const double slope = dot(resized(table, rule, width), grad_out) - before;
  RC_ASSERT(std::fabs(1000.0 + slope - grad_table[at]) <= 1e-9);
}

RC_GTEST_PROP(ResizeProperty, AxesExchange, ()) {
  // Transposing the grid before or after is the same.
  Resize rule = any_rule();
  rule.kept = 0;
  if (rule.from.size() == 1) return;
  const Numbers table = any_rows(rows_of(0, rule.from), 1);
  const auto transposed = [](const Numbers& grid, std::int64_t height, std::int64_t width) {
    Numbers result;
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t y = 0; y < height; ++y) result.push_back(grid[static_cast<std::size_t>(y * width + x)]);
    }
    return result;
  };
  const Numbers expected = transposed(resized(table, rule, 1), rule.to[0], rule.to[1]);
  const Numbers turned = transposed(table, rule.from[0], rule.from[1]);
  std::swap(rule.from[0], rule.from[1]);
  std::swap(rule.to[0], rule.to[1]);
  const Numbers out = resized(turned, rule, 1);
  for (std::size_t i = 0; i < out.size(); ++i) RC_ASSERT(std::fabs(out[i] - expected[i]) <= 1e-12);
}

TEST(ResizeBackward, AddsInFloat32RoundedOnce) {
  // 1 + 2^-24 + 2^-24 is 1 + 2^-23 in one rounding, and 1 in two.
  const Resize rule{.from = {1}, .to = {2}, .method = Interpolation::nearest};
  const float grad_out[2] = {0x1p-24F, 0x1p-24F};
  float grad_table[1] = {1.0F};
  resize_table_backward(make_view(grad_out, {2, 1}), rule, make_view(grad_table, {1, 1}));
  EXPECT_EQ(grad_table[0], 1.0F + 0x1p-23F);
}

TEST(ResizeBackward, PassesWhatIsNotFiniteThrough) {
  const Resize rule{.from = {2}, .to = {2}, .kept = 1, .method = Interpolation::linear};
  const double grad_out[3] = {INFINITY, NAN, 2.0};
  double grad_table[3] = {1.0, 1.0, 1.0};
  resize_table_backward(make_view(grad_out, {3, 1}), rule, make_view(grad_table, {3, 1}));
  EXPECT_EQ(grad_table[0], INFINITY);
  EXPECT_TRUE(std::isnan(grad_table[1]));
  EXPECT_EQ(grad_table[2], 3.0);
}

}  // namespace
}  // namespace posenc::resize_property_test
