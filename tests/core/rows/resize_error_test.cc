// What resize_table and its backward refuse, before anything is written.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "posenc/half.h"
#include "posenc/resize.h"
#include "support/expect_error.h"

namespace posenc::resize_error_test {
namespace {

struct Rows {
  std::vector<float> table = std::vector<float>(13 * 3, 1.0F);
  std::vector<float> out = std::vector<float>(21 * 3, -99.0F);
  Resize rule{.from = {3, 4}, .to = {4, 5}, .kept = 1};

  ConstView source() const { return make_view(table.data(), {13, 3}); }
  View target() { return make_view(out.data(), {21, 3}); }
  void run() { resize_table(source(), rule, target()); }
  bool untouched() const { return out == std::vector<float>(21 * 3, -99.0F); }
};

void expect_refused(const std::string& part, const Resize& rule) {
  Rows rows;
  rows.rule = rule;
  expect_error(ErrorKind::usage, "[resize_table] " + part, [&] { rows.run(); });
  EXPECT_TRUE(rows.untouched());
  expect_error(ErrorKind::usage, "[resize_taps] " + part, [&] { resize_taps(rule, 0); });
  expect_error(ErrorKind::usage, "[resize_table_backward] " + part,
               [&] { resize_table_backward(rows.source(), rule, rows.target()); });
  EXPECT_TRUE(rows.untouched());
}

TEST(ResizeError, LengthsThatAreNone) {
  expect_refused("from must be {rows} or {height, width} but has 0 numbers", {});
  expect_refused("from must be {rows} or {height, width} but has 3 numbers", {.from = {2, 2, 2}, .to = {2, 2, 2}});
  expect_refused("to must have as many numbers as from, 2, but has 1", {.from = {3, 4}, .to = {12}});
  expect_refused("to must have lengths from 1 to 1073741824 but got 0", {.from = {12}, .to = {0}});
  expect_refused("to must have lengths from 1 to 1073741824 but got -3", {.from = {3, 4}, .to = {4, -3}});
  expect_refused("from must have lengths from 1 to 1073741824 but got 0", {.from = {0, 4}, .to = {4, 3}});
  expect_refused("to must have lengths from 1 to 1073741824 but got 1073741825", {.from = {12}, .to = {1073741825}});
  expect_refused("kept must not be negative but got -1", {.from = {14}, .to = {22}, .kept = -1});
  expect_refused("from must have fewer than 2^63 rows",
                 {.from = {14}, .to = {22}, .kept = std::numeric_limits<std::int64_t>::max()});
}

TEST(ResizeError, OptionsThatDoNotGoTogether) {
  const std::vector<std::int64_t> from = {3, 4}, to = {4, 5};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Interpolation method : {Interpolation::nearest, Interpolation::area}) {
    expect_refused("align=corners needs the method linear or cubic",
                   {.from = from, .to = to, .method = method, .align = Align::corners});
    expect_refused("antialias needs the method linear or cubic",
                   {.from = from, .to = to, .method = method, .antialias = true});
    expect_refused("cubic_a needs the method cubic", {.from = from, .to = to, .method = method, .cubic_a = -0.5});
    expect_refused("extra_size needs the method linear or cubic",
                   {.from = from, .to = to, .method = method, .extra_size = 0.1});
  }
  expect_refused("cubic_a needs the method cubic",
                 {.from = from, .to = to, .method = Interpolation::linear, .cubic_a = -0.75});
  expect_refused("antialias needs align=centers", {.from = from, .to = to, .align = Align::corners, .antialias = true});
  expect_refused("extra_size needs align=centers",
                 {.from = from, .to = to, .align = Align::corners, .extra_size = 0.1});
  expect_refused("extra_size must be from 0 to below 1 but got 1", {.from = from, .to = to, .extra_size = 1.0});
  expect_refused("extra_size must be from 0 to below 1 but got -0.1", {.from = from, .to = to, .extra_size = -0.1});
  expect_refused("extra_size must be from 0 to below 1 but got nan", {.from = from, .to = to, .extra_size = nan});
  expect_refused("cubic_a must be from -1 to 0 but got 0.5", {.from = from, .to = to, .cubic_a = 0.5});
  expect_refused("cubic_a must be from -1 to 0 but got -1.5", {.from = from, .to = to, .cubic_a = -1.5});
  expect_refused("cubic_a must be from -1 to 0 but got nan", {.from = from, .to = to, .cubic_a = nan});
  expect_refused("method must be one of Interpolation but got 4",
                 {.from = from, .to = to, .method = static_cast<Interpolation>(4)});
  expect_refused("method must be one of Interpolation but got -1",
                 {.from = from, .to = to, .method = static_cast<Interpolation>(-1)});
  expect_refused(
      "align must be centers or corners but got "
      "2",
      {.from = from, .to = to, .align = static_cast<Align>(2)});
}

TEST(ResizeError, RowsThatTheGridDoesNotHave) {
  Rows rows;
  rows.rule.kept = 0;
  expect_error(ErrorKind::usage, "[resize_table] table must be [12, M], 0 kept + 3 x 4, but is [13, 3]",
               [&] { rows.run(); });
  rows.rule = {.from = {12}, .to = {19}, .kept = 1};
  expect_error(ErrorKind::usage, "[resize_table] out must be [20, 3], 1 kept + 19, but is [21, 3]",
               [&] { rows.run(); });
  rows.rule.to = {20};
  expect_error(ErrorKind::usage, "[resize_table] table must be [13, M], 1 kept + 12, but is [1, 13, 3]", [&] {
    resize_table(make_view(static_cast<const float*>(rows.table.data()), {1, 13, 3}), rows.rule, rows.target());
  });
  expect_error(ErrorKind::usage, "[resize_table] out must be [21, 3], 1 kept + 20, but is [63]",
               [&] { resize_table(rows.source(), rows.rule, make_view(rows.out.data(), {63})); });
  expect_error(ErrorKind::usage, "[resize_table] out must be [21, 3], 1 kept + 20, but is [21, 2]", [&] {
    resize_table(rows.source(), rows.rule, make_view(rows.out.data(), {21, 2}));
  });
  ConstView negative = rows.source();
  negative.shape[1] = -3;
  expect_error(ErrorKind::usage, "[resize_table] table must not have a negative length but has shape [13, -3]",
               [&] { resize_table(negative, rows.rule, rows.target()); });
  EXPECT_TRUE(rows.untouched());
}

TEST(ResizeError, MemoryThatCannotServe) {
  Rows rows;
  ConstView source = rows.source();
  source.data = nullptr;
  expect_error(ErrorKind::usage, "[resize_table] table must not be null but has shape [13, 3]",
               [&] { resize_table(source, rows.rule, rows.target()); });
  source = rows.source();
  source.strides[1] = 2;
  expect_error(ErrorKind::usage,
               "[resize_table] table must have contiguous channels but the stride of its last axis is 2",
               [&] { resize_table(source, rows.rule, rows.target()); });
  View target = rows.target();
  target.strides[1] = 2;
  expect_error(ErrorKind::usage, "[resize_table] out must have contiguous channels",
               [&] { resize_table(rows.source(), rows.rule, target); });
  target = rows.target();
  target.strides[0] = 2;
  expect_error(ErrorKind::usage, "[resize_table] out must not overlap itself",
               [&] { resize_table(rows.source(), rows.rule, target); });
  EXPECT_TRUE(rows.untouched());
}

TEST(ResizeError, ViewsThatShareBytes) {
  std::vector<float> memory((13 + 21) * 3, 1.0F);
  const Resize rule{.from = {3, 4}, .to = {4, 5}, .kept = 1};
  const ConstView table = make_view(static_cast<const float*>(memory.data()), {13, 3});
  expect_error(ErrorKind::usage, "[resize_table] out must not overlap table", [&] {
    resize_table(table, rule, make_view(memory.data() + 12 * 3 + 2, {21, 3}));
  });
  resize_table(table, rule, make_view(memory.data() + 13 * 3, {21, 3}));  // side by side
  // Backwards from the last row: the view's data pointer alone would not show it.
  View reversed = make_view(memory.data() + 33 * 3, {21, 3});
  reversed.strides[0] = -3;
  resize_table(table, rule, reversed);
  reversed.data = memory.data() + 32 * 3;
  expect_error(ErrorKind::usage, "[resize_table] out must not overlap table",
               [&] { resize_table(table, rule, reversed); });
}

TEST(ResizeError, TypesThatAreNoFloats) {
  std::vector<std::int32_t> integers(21 * 3);
  Rows rows;
  expect_error(ErrorKind::usage, "[resize_table] table must be f32, f64, f16 or bf16 but is i32", [&] {
    resize_table(make_view(integers.data(), {13, 3}), rows.rule, rows.target());
  });
  expect_error(ErrorKind::usage, "[resize_table] out must be f32, f64, f16 or bf16 but is i32", [&] {
    resize_table(rows.source(), rows.rule, make_view(integers.data(), {21, 3}));
  });
  std::vector<bf16> halves(21 * 3);
  expect_error(ErrorKind::usage, "[resize_table_backward] grad_out must be f32 or f64 but is bf16", [&] {
    resize_table_backward(make_view(halves.data(), {21, 3}), rows.rule, make_view(rows.table.data(), {13, 3}));
  });
  expect_error(ErrorKind::usage, "[resize_table_backward] grad_table must be f32 or f64 but is bf16", [&] {
    resize_table_backward(rows.target(), rows.rule, make_view(halves.data(), {13, 3}));
  });
}

TEST(ResizeError, NumbersThatAreNone) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {std::size_t{2}, std::size_t{23}, std::size_t{38}}) {  // kept, inside, last
      Rows rows;
      rows.table[at] = bad;
      const std::string place = "row " + std::to_string(at / 3) + ", column " + std::to_string(at % 3);
      expect_error(ErrorKind::bad_input,
                   "[resize_table] table must be finite but " + place + " is " + (std::isnan(bad) ? "nan" : "-inf"),
                   [&] { rows.run(); });
      EXPECT_TRUE(rows.untouched());
    }
  }
}

TEST(ResizeError, GradientsOfTheWrongShape) {
  Rows rows;
  const View grad_table = make_view(rows.table.data(), {13, 3});
  expect_error(ErrorKind::usage, "[resize_table_backward] grad_out must be [21, M], 1 kept + 4 x 5, but is [13, 3]",
               [&] { resize_table_backward(rows.source(), rows.rule, grad_table); });
  expect_error(ErrorKind::usage, "[resize_table_backward] grad_table must be [13, 3], 1 kept + 3 x 4, but is [21, 3]",
               [&] { resize_table_backward(rows.target(), rows.rule, rows.target()); });
  View narrow = grad_table;
  narrow.strides[0] = 1;
  expect_error(ErrorKind::usage, "[resize_table_backward] grad_table must not overlap itself",
               [&] { resize_table_backward(rows.target(), rows.rule, narrow); });
  expect_error(ErrorKind::usage, "[resize_table_backward] grad_table must not overlap grad_out", [&] {
    resize_table_backward(rows.target(), rows.rule, make_view(rows.out.data(), {13, 3}));
  });
}

}  // namespace
}  // namespace posenc::resize_error_test
