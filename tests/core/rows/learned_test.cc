#include "posenc/learned.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "posenc/reference.h"
#include "support/expect_error.h"

namespace posenc::learned_test {
namespace {

void expect_read(const Learned& spec, std::int64_t rows, double position, const RowRead& wanted) {
  SCOPED_TRACE(to_text(Spec(spec)) + " at " + std::to_string(position));
  const RowRead read = row_read(spec, rows, position);
  EXPECT_EQ(read.row, wanted.row);
  EXPECT_EQ(read.next, wanted.next);
  EXPECT_EQ(read.share, wanted.share);
}

void expect_refused(const Learned& spec, std::int64_t rows, double position, const std::string& part) {
  SCOPED_TRACE(to_text(Spec(spec)));
  expect_error(ErrorKind::bad_input, part, [&] { row_read(spec, rows, position); });
}

TEST(RowRead, IsTheRowAfterFirst) {
  expect_read({.past_end = PastEnd::error}, 8, 0, {0, 0, 0.0});
  expect_read({.past_end = PastEnd::error}, 8, 7, {7, 7, 0.0});
  expect_read({.past_end = PastEnd::error, .first = 2}, 2050, 7, {9, 9, 0.0});
  expect_read({.past_end = PastEnd::error, .first = 2}, 2050, 2047, {2049, 2049, 0.0});
  expect_read({.past_end = PastEnd::error, .first = 7}, 8, 0, {7, 7, 0.0});
}

TEST(RowRead, RefusesPastTheEnd) {
  const Learned plain{.past_end = PastEnd::error};
  expect_refused(plain, 8, 8, "[row_read] position 8 is past the end of the table, which has 8 positions; past_end");
  expect_refused({.past_end = PastEnd::error, .first = 2}, 8, 6,
                 "position 6 is past the end of the table, which has 6 positions (8 rows, first=2)");
  expect_refused(plain, 8, 1e300, "is past the end");
  expect_refused(plain, 8, std::numeric_limits<double>::infinity(), "is past the end");
  expect_refused(plain, 0, 0, "position 0 has no row: the table has 0 rows and first is 0");
  expect_refused({.past_end = PastEnd::clamp, .first = 8}, 8, 0, "has no row: the table has 8 rows and first is 8");
  expect_refused({.past_end = PastEnd::interpolate, .first = 9, .length = 4}, 8, 0, "has no row");
}

TEST(RowRead, RefusesNegativeAndRealPositionsUnderEveryRule) {
  for (const Learned& spec : {Learned{.past_end = PastEnd::error}, Learned{.past_end = PastEnd::clamp, .first = 2},
                              Learned{.past_end = PastEnd::interpolate, .first = 2, .length = 20}}) {
    expect_refused(spec, 8, -1, "[row_read] position -1 must not be negative: the first row is for position 0");
    expect_refused(spec, 8, -0.25, "must not be negative");
    expect_refused(spec, 8, std::numeric_limits<double>::quiet_NaN(), "must not be negative");
  }
  for (const Learned& spec : {Learned{.past_end = PastEnd::error}, Learned{.past_end = PastEnd::clamp},
                              Learned{.past_end = PastEnd::interpolate, .length = 8}}) {
    expect_refused(spec, 8, 2.5, "position 2.5 must be a whole number because it selects a row of the table");
  }
}

TEST(RowRead, ClampsToTheLastRow) {
  const Learned spec{.past_end = PastEnd::clamp, .first = 2};
  expect_read(spec, 8, 5, {7, 7, 0.0});
  expect_read(spec, 8, 6, {7, 7, 0.0});
  expect_read(spec, 8, 2147483647, {7, 7, 0.0});
  expect_read(spec, 8, 1e300, {7, 7, 0.0});
  expect_read(spec, 8, std::numeric_limits<double>::infinity(), {7, 7, 0.0});
}

// In whole numbers: (2 p + 1) count - length, over 2 length, is where position p of `length` reads.
TEST(RowRead, InterpolatesAsLinearResizingDoes) {
  for (const std::int64_t first : {0, 3}) {
    for (std::int64_t count = 1; count <= 9; ++count) {
      for (std::int64_t length = count + 1; length <= 40; ++length) {
        for (std::int64_t p = 0; p < length; ++p) {
          const std::int64_t numerator = std::max<std::int64_t>((2 * p + 1) * count - length, 0);
          std::int64_t row = numerator / (2 * length);
          double share = static_cast<double>(numerator % (2 * length)) / static_cast<double>(2 * length);
          if (row >= count - 1) row = count - 1, share = 0.0;
          const RowRead read = row_read({.past_end = PastEnd::interpolate, .first = first, .length = length},
                                        first + count, static_cast<double>(p));
          const double place = static_cast<double>(read.row - first) + read.share;
          ASSERT_NEAR(place, static_cast<double>(row) + share, 1e-13) << p << " of " << length << " from " << count;
          ASSERT_EQ(read.next, read.share > 0.0 ? read.row + 1 : read.row);
          ASSERT_LT(read.next, first + count);
          ASSERT_GE(read.row, first);
          ASSERT_LT(read.share, 1.0);
        }
      }
    }
  }
}

TEST(RowRead, InterpolatesRealPositionsUpToTheLength) {
  const Learned spec{.past_end = PastEnd::interpolate, .first = 1, .length = 8};
  expect_read(spec, 5, 2.5, {2, 2, 0.0});
  expect_read(spec, 5, 3.0, {2, 3, 0.25});
  expect_read(spec, 5, 0.0, {1, 1, 0.0});
  expect_read(spec, 5, 7.0, {4, 4, 0.0});
  expect_refused(spec, 5, 7.25, "position 7.25 is past the end of the stretched table, which has 8 positions");
  expect_refused(spec, 5, 8, "position 8 is past the end of the stretched table");
}

TEST(RowRead, StretchesOnlyTablesThatAreTooShort) {
  const Learned spec{.past_end = PastEnd::interpolate, .first = 1, .length = 4};
  expect_read(spec, 5, 3, {4, 4, 0.0});
  expect_read(spec, 9, 7, {8, 8, 0.0});
  expect_refused(spec, 9, 8, "is past the end");
}

TEST(RowRead, MustHaveARuleForTheEnd) {
  expect_error(ErrorKind::bad_input, "past_end must be", [] { row_read({}, 8, 0); });
  expect_error(ErrorKind::bad_input, "needs length", [] { row_read({.past_end = PastEnd::interpolate}, 8, 0); });
}

TEST(PositionsOf, IsRowsWithoutThoseBeforeFirst) {
  EXPECT_EQ(positions_of({.first = 2}, 2050), 2048);
  EXPECT_EQ(positions_of({}, 512), 512);
  EXPECT_EQ(positions_of({.first = 9}, 8), 0);
}

// The definition agrees with numbers worked out by hand.
TEST(ReferenceLearned, ByHand) {
  const std::vector<double> table = {9, 9, 3, 4, 6, 8, 0, 0};
  double row[2];
  reference::learned_row({.past_end = PastEnd::error, .first = 1, .multiplier = 2.0}, table, 2, 1.0, row);
  EXPECT_EQ(row[0], 12.0);
  EXPECT_EQ(row[1], 16.0);
  reference::learned_row({.past_end = PastEnd::clamp, .normalize = Normalize::l2}, table, 2, 1.0, row);
  EXPECT_DOUBLE_EQ(row[0], 0.6);
  EXPECT_DOUBLE_EQ(row[1], 0.8);
  reference::learned_row({.past_end = PastEnd::clamp, .normalize = Normalize::l2}, table, 2, 99.0, row);
  EXPECT_EQ(row[0], 0.0);
  // Three rows stretched to six: position 1 reads at 0.25.
  reference::learned_row({.past_end = PastEnd::interpolate, .first = 1, .length = 6}, table, 2, 1.0, row);
  EXPECT_DOUBLE_EQ(row[0], 3.75);
  EXPECT_DOUBLE_EQ(row[1], 5.0);
}

TEST(ReferenceEmbed, ByHand) {
  const double x[] = {1.0, 2.0}, row[] = {10.0, 20.0};
  const std::uint8_t keep[] = {1, 0, 0, 1};
  double out[4];
  reference::add_row(x, row, 3.0, {}, out);
  EXPECT_EQ(out[0], 13.0);
  EXPECT_EQ(out[1], 26.0);
  reference::add_row(x, row, 3.0, {{keep, 2}, 0.5}, out);
  EXPECT_EQ(out[0], 26.0);
  EXPECT_EQ(out[1], 0.0);
  reference::concat_row(x, row, 3.0, {keep, 0.75}, out);
  EXPECT_EQ(std::vector<double>(out, out + 4), (std::vector<double>{12.0, 0.0, 0.0, 80.0}));
}

}  // namespace
}  // namespace posenc::learned_test
