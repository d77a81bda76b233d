// Grids: places, rows by fraction, mixtures of text and images.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "posenc/position_ids.h"
#include "support/expect_error.h"

namespace posenc::grid_positions_test {
namespace {

using Ids = std::vector<std::int64_t>;

ConstView view_of(const Ids& ids) { return make_view(ids.data(), {static_cast<std::int64_t>(ids.size())}); }

Ids places_of(const Ids& ids, const Ids& grid) {
  Ids places(ids.size() * grid.size(), -9);
  places_in_grid(
      view_of(ids), grid,
      make_view(places.data(), {static_cast<std::int64_t>(ids.size()), static_cast<std::int64_t>(grid.size())}));
  return places;
}

Ids rows_of(std::int64_t height, std::int64_t width, std::int64_t side, Fraction fraction) {
  Ids rows(static_cast<std::size_t>(height * width), -9);
  rows_by_fraction(height, width, side, make_view(rows.data(), {height * width}), fraction);
  return rows;
}

TEST(PlacesInGrid, AreRowMajor) {
  EXPECT_EQ(places_of({7, 0, 11, 4}, {3, 4}), (Ids{1, 3, 0, 0, 2, 3, 1, 0}));
  EXPECT_EQ(places_of({0, 5, 23}, {2, 3, 4}), (Ids{0, 0, 0, 0, 1, 1, 1, 2, 3}));
  EXPECT_EQ(places_of({6}, {7}), Ids{6});
  EXPECT_EQ(places_of({}, {7, 2}), Ids{});
  EXPECT_EQ(places_of({kMaxPosition}, {32768, 65536}), (Ids{32767, 65535}));
}

TEST(PlacesInGrid, GoWhereTheStridesSay) {
  const std::int32_t ids[] = {7, 4};
  std::vector<std::int32_t> memory(4);
  places_in_grid(make_view(ids, {2}), Ids{3, 4}, make_view(memory.data(), {2, 2}).swap(0, 1));
  EXPECT_EQ(memory, (std::vector<std::int32_t>{1, 1, 3, 0})) << "all of the first axis, then all of the second";
}

TEST(PlacesInGrid, RefusesWhatIsOutside) {
  expect_error(ErrorKind::bad_input, "[places_in_grid] ids must be 0 to 11 for the grid {3, 4}, but token 1 is 12", [] {
    places_of({0, 12}, {3, 4});
  });
  expect_error(ErrorKind::bad_input, "token 0 is -1", [] { places_of({-1}, {3, 4}); });
  expect_error(ErrorKind::usage, "[places_in_grid] grid must have lengths of at least 1 but is {3, 0}", [] {
    places_of({0}, {3, 0});
  });
  expect_error(ErrorKind::usage, "[places_in_grid] grid must have at most 2147483648 places but is {65536, 65536}", [] {
    places_of({0}, {65536, 65536});
  });
  expect_error(ErrorKind::usage, "[places_in_grid] grid must have at least one axis", [] { places_of({0}, {}); });
  Ids ids = {0, 1, 2};
  expect_error(ErrorKind::usage, "[places_in_grid] places must be [3, 2] but is [2, 2]", [&] {
    Ids places(4);
    places_in_grid(view_of(ids), Ids{3, 4}, make_view(places.data(), {2, 2}));
  });
  expect_error(ErrorKind::usage, "[places_in_grid] places must not overlap ids", [&] {
    places_in_grid(view_of(ids), Ids{3}, make_view(ids.data(), {3, 1}));
  });
  EXPECT_EQ(ids, (Ids{0, 1, 2}));
}

TEST(RowsByFraction, AreTheNearestRows) {
  for (const Fraction fraction : {Fraction::exact, Fraction::product, Fraction::quotient}) {
    EXPECT_EQ(rows_of(3, 5, 8, fraction), (Ids{0, 1, 3, 4, 6, 16, 17, 19, 20, 22, 40, 41, 43, 44, 46}));
    EXPECT_EQ(rows_of(2, 4, 2, fraction), (Ids{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(rows_of(1, 1, 1, fraction), Ids{0});
    EXPECT_EQ(rows_of(0, 5, 8, fraction), Ids{});
  }
}

// What transformers computes on a CPU: of 25 columns on a table of 25, some read their neighbour's row.
TEST(RowsByFraction, FollowFloat32AtBorders) {
  EXPECT_EQ(rows_of(1, 8, 8, Fraction::shrunk), (Ids{0, 0, 1, 2, 3, 4, 5, 6}));
  const Ids exact = rows_of(1, 25, 25, Fraction::exact), product = rows_of(1, 25, 25, Fraction::product);
  const Ids quotient = rows_of(1, 25, 25, Fraction::quotient);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_EQ(exact[i], static_cast<std::int64_t>(i));
  EXPECT_NE(product, exact);
  EXPECT_NE(quotient, exact);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_TRUE(product[i] == exact[i] || product[i] == exact[i] - 1) << i;
    EXPECT_TRUE(quotient[i] == exact[i] || quotient[i] == exact[i] - 1) << i;
  }
}

// Of so many columns the last fraction rounds to 1.
TEST(RowsByFraction, StayInTheTableForHugeImages) {
  std::vector<std::int32_t> rows(std::size_t{1} << 25);
  const auto width = static_cast<std::int64_t>(rows.size());
  rows_by_fraction(1, width, 3, make_view(rows.data(), {width}), Fraction::quotient);
  EXPECT_EQ(rows.back(), 2);
}

TEST(RowsByFraction, FillAnImageOfAnyStrides) {
  Ids memory(16, -1);
  View out = make_view(memory.data(), {2, 3});
  out.strides = {8, 1};
  rows_by_fraction(2, 3, 4, out);
  EXPECT_EQ(memory, (Ids{0, 1, 2, -1, -1, -1, -1, -1, 8, 9, 10, -1, -1, -1, -1, -1}));
}

TEST(RowsByFraction, RefusesWrongShapes) {
  Ids rows(6, -9);
  const auto refuse = [&](const std::string& part, std::int64_t height, std::int64_t side, const View& out) {
    expect_error(ErrorKind::usage, "[rows_by_fraction] " + part, [&] { rows_by_fraction(height, 3, side, out); });
  };
  refuse("out must be [2, 3] but is [3, 2]", 2, 4, make_view(rows.data(), {3, 2}));
  refuse("out must be [9] but is [6]", 3, 4, make_view(rows.data(), {6}));
  refuse("the image must have lengths of at least 0 but is {-1, 3}", -1, 4, make_view(rows.data(), {6}));
  refuse("the table must have lengths of at least 1 but is {0, 0}", 2, 0, make_view(rows.data(), {6}));
  refuse("the table must have at most 2147483648 places", 2, 65536, make_view(rows.data(), {6}));
  expect_error(ErrorKind::usage, "[rows_by_fraction] fraction must be exact, product, quotient or shrunk",
               [&] { rows_by_fraction(2, 3, 4, make_view(rows.data(), {6}), static_cast<Fraction>(7)); });
  EXPECT_EQ(rows, Ids(6, -9));
}

TEST(Mixtures, TextAndGridsFollowEachOther) {
  Ids ids;
  std::int64_t next = append_text(ids, 3, 0, 2);
  EXPECT_EQ(next, 2);
  next = append_grid(ids, Ids{1, 2, 3}, next);
  EXPECT_EQ(next, 5) << "the widest axis has three";
  next = append_text(ids, 3, next, 1);
  EXPECT_EQ(next, 6);
  EXPECT_EQ(ids, (Ids{0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 2, 2, 4, 2, 3, 2, 2, 3, 3, 2, 3, 4, 5, 5, 5}));
}

TEST(Mixtures, TheLargestIdDecidesWhateverItsAxis) {
  for (const Ids& shape : {Ids{4, 2, 3}, Ids{2, 4, 3}, Ids{3, 2, 4}}) {
    Ids ids;
    EXPECT_EQ(append_grid(ids, shape, 7), 11);
    EXPECT_EQ(ids.size(), 72u);
    EXPECT_EQ(*std::max_element(ids.begin(), ids.end()), 10);
  }
}

TEST(Mixtures, NothingMovesNothing) {
  Ids ids;
  EXPECT_EQ(append_text(ids, 2, 7, 0), 7);
  EXPECT_EQ(append_grid(ids, Ids{0, 3}, 7), 7);
  EXPECT_EQ(append_grid(ids, Ids{std::numeric_limits<std::int64_t>::max(), 0}, 7), 7);
  EXPECT_TRUE(ids.empty());
}

TEST(Mixtures, RefuseWhatCannotBe) {
  Ids ids = {1, 2, 3};
  expect_error(ErrorKind::usage, "[append_text] axes must be at least 1 and count at least 0 but got 0 and 1",
               [&] { append_text(ids, 0, 0, 1); });
  expect_error(ErrorKind::usage, "but got 3 and -1", [&] { append_text(ids, 3, 0, -1); });
  expect_error(ErrorKind::usage, "[append_text] ids must hold complete tuples of 2 numbers but has 3 numbers",
               [&] { append_text(ids, 2, 0, 1); });
  expect_error(ErrorKind::usage, "[append_grid] ids must hold complete tuples of 2 numbers but has 3 numbers", [&] {
    append_grid(ids, Ids{2, 2}, 0);
  });
  expect_error(ErrorKind::bad_input, "[append_text] start must be from -2147483647 to 2147483647 but got 2147483648",
               [&] { append_text(ids, 3, kMaxPosition + 1, 0); });
  expect_error(ErrorKind::bad_input,
               "[append_text] ids must be from -2147483647 to 2147483647 but 2 ids from 2147483646 exceed this range",
               [&] { append_text(ids, 3, kMaxPosition - 1, 2); });
  expect_error(ErrorKind::bad_input,
               "[append_grid] ids must be from -2147483647 to 2147483647 but 3 ids from "
               "2147483645",
               [&] {
                 append_grid(ids, Ids{1, 2, 3}, kMaxPosition - 2);
               });
  expect_error(ErrorKind::usage, "[append_grid] shape must have lengths of at least 0 but is {1, -1, 1}", [&] {
    append_grid(ids, Ids{1, -1, 1}, 0);
  });
  EXPECT_EQ(ids, (Ids{1, 2, 3}));
}

}  // namespace
}  // namespace posenc::grid_positions_test
