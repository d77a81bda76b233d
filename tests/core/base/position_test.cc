#include "posenc/position.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/expect_error.h"

namespace posenc::position_test {
namespace {

std::vector<double> listed(const PositionView& positions, std::int64_t b = 0) {
  std::vector<double> numbers;
  for (std::int64_t n = 0; n < positions.count; ++n) {
    for (std::int64_t a = 0; a < positions.axes; ++a) numbers.push_back(positions.real(b, n, a));
  }
  return numbers;
}

using Numbers = std::vector<double>;

TEST(PositionView, CountsARange) {
  const PositionView range = PositionView::range(-3, 4, 5);
  EXPECT_TRUE(range.integral());
  EXPECT_EQ(listed(range), (Numbers{-3, 2, 7, 12}));
  EXPECT_EQ(range.integer(0, 3), 12);
  EXPECT_EQ(listed(PositionView::range(2, 3, -2)), (Numbers{2, 0, -2}));
  EXPECT_EQ(PositionView::range(7, 0).count, 0);
}

TEST(PositionView, ReadsTheCallersIds) {
  const std::int32_t small[] = {5, -1, 2147483647};
  const std::int64_t large[] = {5, -1, 2147483647};
  const double real[] = {0.5, -1, 1e9};
  EXPECT_EQ(listed(PositionView::of(small, 3)), (Numbers{5, -1, 2147483647}));
  EXPECT_EQ(listed(PositionView::of(large, 3)), (Numbers{5, -1, 2147483647}));
  EXPECT_EQ(listed(PositionView::of(real, 3)), (Numbers{0.5, -1, 1e9}));
  EXPECT_TRUE(PositionView::of(small, 3).integral());
  EXPECT_FALSE(PositionView::of(real, 3).integral());
}

TEST(PositionView, FollowsItsStrides) {
  // Three axes of two batch rows of two tokens, stored as Hugging Face does: [A, B, N].
  const std::int64_t ids[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  PositionView view = PositionView::of(ids, 2);
  view.batch = 2;
  view.axes = 3;
  view.batch_stride = 2;
  view.token_stride = 1;
  view.axis_stride = 4;
  EXPECT_EQ(listed(view, 0), (Numbers{0, 10, 20, 1, 11, 21}));
  EXPECT_EQ(listed(view, 1), (Numbers{2, 12, 22, 3, 13, 23}));
  view.batch_stride = 0;  // one row for all
  EXPECT_EQ(listed(view, 1), listed(view, 0));
}

// Counting on from a null pointer is undefined, even where nothing is read; sanitizers see it.
TEST(PositionView, HasAxesWithoutPositions) {
  PositionView none = PositionView::of(static_cast<const std::int64_t*>(nullptr), 0);
  none.axes = 2;
  none.axis_stride = 1;
  EXPECT_EQ(none.axis(1).data, nullptr);
  EXPECT_EQ(none.axis(1).axes, 1);
}

TEST(PositionView, SlicesTokens) {
  EXPECT_EQ(listed(PositionView::range(10, 100, 3).slice(2, 3)), (Numbers{16, 19, 22}));
  const std::int32_t small[] = {0, 1, 2, 3, 4, 5, 6, 7};
  PositionView pairs = PositionView::of(small, 4);
  pairs.axes = 2;
  pairs.token_stride = 2;
  EXPECT_EQ(listed(pairs.slice(1, 2)), (Numbers{2, 3, 4, 5}));
  const std::int64_t large[] = {0, 1, 2, 3, 4, 5};
  PositionView rows = PositionView::of(large, 3);
  rows.batch = 2;
  rows.batch_stride = 3;
  EXPECT_EQ(listed(rows.slice(1, 2), 1), (Numbers{4, 5}));
  const double real[] = {0.5, 1.5, 2.5};
  EXPECT_EQ(listed(PositionView::of(real, 3).slice(2, 1)), (Numbers{2.5}));
  EXPECT_EQ(PositionView::of(real, 3).slice(3, 0).count, 0);
}

TEST(CheckPositions, TakesTheWholeRange) {
  check_positions(PositionView::range(-kMaxPosition, 2 * kMaxPosition + 1), "here");
  check_positions(PositionView::range(kMaxPosition, 1), "here");
  check_positions(PositionView::range(std::numeric_limits<std::int64_t>::max(), 0), "here");
  const double ends[] = {-2147483647.0, 2147483647.0, 0.5};
  check_positions(PositionView::of(ends, 3), "here");
  check_positions(PositionView::of(static_cast<const double*>(nullptr), 0), "here");
}

void expect_refused(const PositionView& positions, ErrorKind kind, const std::string& part) {
  expect_error(kind, "[here] positions " + part, [&] { check_positions(positions, "here"); });
}

TEST(CheckPositions, RefusesRangesThatLeaveIt) {
  const std::string part = "must be from -2147483647 to 2147483647 but got ";
  expect_refused(PositionView::range(kMaxPosition + 1, 1), ErrorKind::bad_input, part + "2147483648");
  expect_refused(PositionView::range(0, kMaxPosition + 2), ErrorKind::bad_input, part + "2147483648");
  expect_refused(PositionView::range(0, 3, -kMaxPosition), ErrorKind::bad_input, part + "-4294967294");
  expect_refused(PositionView::range(0, 5, std::int64_t{1} << 62), ErrorKind::bad_input,
                 part + "5 positions in steps of 4611686018427387904");
}

TEST(CheckPositions, RefusesEveryBadNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::pair<double, std::string> cases[] = {
      {nan, "nan"}, {inf, "inf"}, {-inf, "-inf"}, {2147483647.5, "2147483647.5"}};
  for (const auto& [number, text] : cases) {
    const double ids[] = {0.0, 1.0, number};
    expect_refused(PositionView::of(ids, 3), ErrorKind::bad_input,
                   "must be from -2147483647 to 2147483647 but got " + text);
    check_positions(PositionView::of(ids, 2), "here");
  }
  const std::int64_t large[] = {0, -2147483648};
  expect_refused(PositionView::of(large, 2), ErrorKind::bad_input,
                 "must be from -2147483647 to 2147483647 but got "
                 "-2147483648");
  const std::int32_t lowest[] = {std::numeric_limits<std::int32_t>::min()};
  expect_refused(PositionView::of(lowest, 1), ErrorKind::bad_input,
                 "must be from -2147483647 to 2147483647 but got "
                 "-2147483648");
}

TEST(CheckPositions, LooksAtEveryBatchRowAndAxis) {
  const double ids[] = {0, 0, 0, 0, 0, 0, 0, 3e9};
  PositionView view = PositionView::of(ids, 2);
  view.batch = 2;
  view.axes = 2;
  view.batch_stride = 4;
  view.token_stride = 2;
  expect_refused(view, ErrorKind::bad_input, "must be from -2147483647 to 2147483647 but got 3");
  view.axes = 1;
  check_positions(view, "here");
}

TEST(CheckPositions, RefusesViewsThatAreNone) {
  expect_refused(PositionView::of(static_cast<const std::int32_t*>(nullptr), 3), ErrorKind::usage,
                 "must not be null but there are 3");
  expect_refused(PositionView::range(0, -1), ErrorKind::usage, "must have a count of at least 0");
  PositionView view = PositionView::range(0, 3);
  view.axes = 0;
  expect_refused(view, ErrorKind::usage, "must have a count of at least 0");
}

TEST(Positions, OwnsItsNumbers) {
  Positions copy;
  Positions moved;
  {
    const Positions integers = Positions::integers({1, 2, 3, 4}, 2);
    Positions reals = Positions::reals({0.5, 1.5});
    copy = integers;
    EXPECT_NE(copy.view().data, integers.view().data);
    moved = std::move(reals);
  }
  EXPECT_EQ(listed(copy), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(copy.count(), 2);
  EXPECT_EQ(copy.axes(), 2);
  EXPECT_EQ(listed(moved), (Numbers{0.5, 1.5}));
  const Positions same = copy;  // NOLINT: the copy is what is tested
  copy = Positions::range(0, 3);
  EXPECT_EQ(listed(same), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(listed(copy), (Numbers{0, 1, 2}));
}

TEST(Positions, StartsEmptyAndKeepsARangeARange) {
  EXPECT_EQ(Positions().count(), 0);
  const Positions range = Positions::range(5, 2147483640);
  EXPECT_EQ(range.view().source, PositionView::Source::range);
  EXPECT_EQ(range.count(), 2147483640);
}

TEST(Positions, RefusesNumbersThatDoNotFillTheAxes) {
  expect_error(ErrorKind::usage, "[Positions] the number of values must be a multiple of 2 axes but is 3", [] {
    Positions::integers({1, 2, 3}, 2);
  });
  expect_error(ErrorKind::usage, "[Positions] the number of values must be a multiple of 0 axes but is 1",
               [] { Positions::reals({1.0}, 0); });
}

}  // namespace
}  // namespace posenc::position_test
