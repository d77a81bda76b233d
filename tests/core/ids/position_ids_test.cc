#include "posenc/position_ids.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "posenc/table.h"
#include "support/expect_error.h"

namespace posenc::position_ids_test {
namespace {

using Ids = std::vector<std::int64_t>;

// Full, left, right, both sides, inside, nothing at all.
const std::vector<std::uint8_t> kMask = {1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0,
                                         0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0};

Ids from_mask(const IdRule& rule, std::int64_t last = 5) {
  Ids ids(static_cast<std::size_t>(6 * last), -9);
  positions_from_mask(make_view(kMask.data(), {6, 5}), rule, make_view(ids.data(), {6, last}));
  return ids;
}

TEST(PositionsFromMask, PadsGetTheIdThatIsAskedFor) {
  EXPECT_EQ(from_mask({.pads = Pads::id(0)}),
            (Ids{0, 1, 2, 3, 4, 0, 0, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(
      from_mask({.pads = Pads::id(-7), .first = 2}),
      (Ids{2, 3, 4, 5, 6, -7, -7, 2, 3, 4, 2, 3, 4, -7, -7, -7, 2, 3, 4, -7, 2, -7, 3, -7, 4, -7, -7, -7, -7, -7}));
}

TEST(PositionsFromMask, PadsRepeatTheIdBeforeThem) {
  EXPECT_EQ(from_mask({.pads = Pads::previous()}),
            (Ids{0, 1, 2, 3, 4, 0, 0, 0, 1, 2, 0, 1, 2, 2, 2, 0, 0, 1, 2, 2, 0, 0, 1, 1, 2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(from_mask({.pads = Pads::previous(), .first = 1, .past = 2}),
            (Ids{3, 4, 5, 6, 7, 3, 3, 3, 4, 5, 3, 4, 5, 5, 5, 3, 3, 4, 5, 5, 3, 3, 4, 4, 5, 3, 3, 3, 3, 3}));
}

TEST(PositionsFromMask, PadsAreCounted) {
  const Ids ids = from_mask({.pads = Pads::counted(), .first = 2, .past = 3});
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], static_cast<std::int64_t>(5 + i % 5)) << i;
}

TEST(PositionsFromMask, ThePastMovesRealTokensOnly) {
  EXPECT_EQ(from_mask({.pads = Pads::id(1), .first = 2, .past = 4}),
            (Ids{6, 7, 8, 9, 10, 1, 1, 6, 7, 8, 6, 7, 8, 1, 1, 1, 6, 7, 8, 1, 6, 1, 7, 1, 8, 1, 1, 1, 1, 1}));
}

TEST(PositionsFromMask, FewerColumnsAreTheLastOnes) {
  EXPECT_EQ(from_mask({.pads = Pads::id(1)}, 2), (Ids{3, 4, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1}));
  EXPECT_EQ(from_mask({.pads = Pads::previous()}, 1), (Ids{4, 2, 2, 2, 2, 0}));
  EXPECT_EQ(from_mask({.pads = Pads::counted()}, 1), (Ids{4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(from_mask({.pads = Pads::id(1)}, 0), Ids{});
}

TEST(PositionsFromMask, TakesOneRowAndNothing) {
  std::int32_t ids[] = {-9, -9, -9};
  const std::int64_t mask[] = {0, 1, 1};
  positions_from_mask(make_view(mask, {3}), {.pads = Pads::id(5)}, make_view(ids, {3}));
  EXPECT_EQ(std::vector<std::int32_t>(ids, ids + 3), (std::vector<std::int32_t>{5, 0, 1}));
  const IdRule rule{.pads = Pads::id(0)};
  positions_from_mask(make_view(static_cast<const std::uint8_t*>(nullptr), {0}), rule,
                      make_view(static_cast<std::int64_t*>(nullptr), {0}));
  positions_from_mask(make_view(static_cast<const std::uint8_t*>(nullptr), {0, 4}), rule,
                      make_view(static_cast<std::int64_t*>(nullptr), {0, 4}));
  positions_from_mask(make_view(static_cast<const std::uint8_t*>(nullptr), {3, 0}), rule,
                      make_view(static_cast<std::int64_t*>(nullptr), {3, 0}));
}

TEST(PositionsFromTokens, RobertaCountsFromItsPaddingIndex) {
  const std::int32_t tokens[] = {0, 9, 8, 7, 2, 1, 1, 1, 1, 0, 9, 8, 7, 2};
  Ids ids(14, -9);
  positions_from_tokens(make_view(tokens, {2, 7}), 1, {.pads = Pads::id(1), .first = 2}, make_view(ids.data(), {2, 7}));
  EXPECT_EQ(ids, (Ids{2, 3, 4, 5, 6, 1, 1, 1, 1, 2, 3, 4, 5, 6}));
}

TEST(PositionsFromTokens, APadTokenThatNoTokenCanBeChangesNothing) {
  const std::uint8_t tokens[] = {0, 255, 7};
  Ids ids(3, -9);
  positions_from_tokens(make_view(tokens, {3}), 263, {.pads = Pads::id(0)}, make_view(ids.data(), {3}));
  EXPECT_EQ(ids, (Ids{0, 1, 2}));
}

TEST(PositionsAfter, ContinuesEveryCache) {
  const std::int32_t lengths[] = {3, 0, 12};
  Ids ids(6, -9);
  positions_after(make_view(lengths, {3}), make_view(ids.data(), {3, 2}));
  EXPECT_EQ(ids, (Ids{3, 4, 0, 1, 12, 13}));
  const std::int64_t last[] = {kMaxPosition - 1};
  positions_after(make_view(last, {1}), make_view(ids.data(), {1, 2}));
  EXPECT_EQ(ids[1], kMaxPosition);
  positions_after(make_view(lengths, {3}), make_view(ids.data(), {3, 0}));
  EXPECT_EQ(ids[0], kMaxPosition - 1);
}

TEST(PositionViewOfIds, KeepsShapeAndStrides) {
  std::vector<std::int32_t> memory(24);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  View ids = make_view(memory.data(), {4, 6}).swap(0, 1);
  ids.shape[0] = 5;
  const PositionView view = position_view(ids);
  EXPECT_EQ(view.batch, 5);
  EXPECT_EQ(view.count, 4);
  EXPECT_EQ(view.axes, 1);
  EXPECT_EQ(view.integer(3, 2), 2 * 6 + 3);
  const PositionView row = position_view(make_view(memory.data(), {24}));
  EXPECT_EQ(row.batch, 1);
  EXPECT_EQ(row.count, 24);
  EXPECT_EQ(row.integer(0, 23), 23);
  const std::int64_t wide[] = {1LL << 40};
  const double real[] = {0.5, 2.25, -1.0, 7.0};
  const PositionView reals = position_view(make_view(real, {2, 2}));
  EXPECT_FALSE(reals.integral());
  EXPECT_EQ(reals.real(1, 0), -1.0);
  EXPECT_EQ(reals.real(0, 1), 2.25);
  EXPECT_EQ(position_view(make_view(wide, {1})).integer(0, 0), 1LL << 40);
}

TEST(PositionViewOfIds, GivesARowToEveryToken) {
  const std::int64_t ids[] = {3, 1, 4, 1};
  std::vector<double> rows(16), plain(4);
  const SinusoidalSchedule schedule = make_schedule(Sinusoidal{.width = 4});
  fill_table(schedule, position_view(make_view(ids, {2, 2})), make_view(rows.data(), {2, 2, 4}));
  fill_table(schedule, PositionView::range(4, 1), make_view(plain.data(), {1, 4}));
  EXPECT_EQ(std::vector<double>(rows.begin() + 8, rows.begin() + 12), plain);
}

// Every refusal leaves the output as it was.
class Refusals : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(ids_, Ids(10, -9)) << "something was written"; }
  View ids() { return make_view(ids_.data(), {2, 5}); }
  ConstView mask() const { return make_view(kMask.data(), {2, 5}); }
  void refuse(ErrorKind kind, const std::string& part, const ConstView& mask, const IdRule& rule, const View& out) {
    expect_error(kind, "[positions_from_mask] " + part, [&] { positions_from_mask(mask, rule, out); });
  }
  const IdRule zero_{.pads = Pads::id(0)};
  Ids ids_ = Ids(10, -9);
};

TEST_F(Refusals, OtherValuesInAMask) {
  std::vector<std::int64_t> mask(10, 1);
  mask[8] = 2;
  refuse(ErrorKind::bad_input, "mask must be 0 or 1 but row 1, column 3 is 2", make_view(mask.data(), {2, 5}), zero_,
         ids());
  mask[8] = -1;
  refuse(ErrorKind::bad_input, "mask must be 0 or 1 but column 8 is -1", make_view(mask.data(), {10}), zero_,
         make_view(ids_.data(), {10}));
  refuse(ErrorKind::bad_input, "mask must be 0 or 1 but column 8 is -1", make_view(mask.data(), {10}),
         {.pads = Pads::counted()}, make_view(ids_.data(), {1}));
}

TEST_F(Refusals, WrongShapes) {
  refuse(ErrorKind::usage, "ids must be [6, N], the shape of mask or fewer columns, but is [2, 5]",
         make_view(kMask.data(), {6, 5}), zero_, ids());
  refuse(ErrorKind::usage, "ids must be [2, 4], the shape of mask or fewer columns, but is [2, 5]",
         make_view(kMask.data(), {2, 4}), zero_, ids());
  refuse(ErrorKind::usage, "ids must be [N], the shape of mask or fewer columns, but is [2, 5]",
         make_view(kMask.data(), {10}), zero_, ids());
  refuse(ErrorKind::usage, "mask must be [N] or [B, N] but is [1, 2, 5]", make_view(kMask.data(), {1, 2, 5}), zero_,
         ids());
  refuse(ErrorKind::usage, "ids must be [2, N], the shape of mask or fewer columns, but is []", mask(), zero_,
         make_view(ids_.data(), {}));
  ConstView negative = mask();
  negative.shape[0] = -2;
  refuse(ErrorKind::usage, "mask must not have a negative length but has shape [-2, 5]", negative, zero_, ids());
}

TEST_F(Refusals, WrongTypesAndNull) {
  const float floats[10] = {};
  refuse(ErrorKind::usage, "mask must be u8, i32 or i64 but is f32", make_view(floats, {2, 5}), zero_, ids());
  std::uint8_t bytes[10] = {};
  refuse(ErrorKind::usage, "ids must be i32 or i64 but is u8", mask(), zero_, make_view(bytes, {2, 5}));
  refuse(ErrorKind::usage, "mask must not be null", make_view(static_cast<const std::uint8_t*>(nullptr), {2, 5}), zero_,
         ids());
  refuse(ErrorKind::usage, "ids must not be null", mask(), zero_,
         make_view(static_cast<std::int32_t*>(nullptr), {2, 5}));
  expect_error(ErrorKind::usage, "[position_view] ids must be f64, i32 or i64 but is u8",
               [&] { position_view(make_view(bytes, {10})); });
}

TEST_F(Refusals, Overlap) {
  View broadcast = ids();
  broadcast.strides[0] = 0;
  refuse(ErrorKind::usage, "ids must not overlap itself", mask(), zero_, broadcast);
  std::vector<std::int64_t> memory(20, 1);
  const std::vector<std::int64_t> before = memory;
  refuse(ErrorKind::usage, "ids must not overlap mask", make_view(memory.data(), {2, 5}), zero_,
         make_view(memory.data(), {2, 5}));
  View backwards = make_view(memory.data() + 19, {2, 5});
  backwards.strides = {-5, -1};
  refuse(ErrorKind::usage, "ids must not overlap mask", make_view(memory.data() + 9, {2, 5}), zero_, backwards);
  EXPECT_EQ(memory, before);
  positions_from_mask(make_view(memory.data(), {2, 5}), zero_, make_view(memory.data() + 10, {2, 5}));
  EXPECT_EQ(memory[14], 4);
}

// Rows with gaps: every second number is a mask's, and some of them an id's too.
TEST_F(Refusals, OverlapOfRowsWithGaps) {
  std::vector<std::int64_t> memory(240, 1);
  const auto every_second = [&](std::int64_t offset) {
    View view = make_view(memory.data() + offset, {2, 10});
    view.strides = {100, 2};
    return view;
  };
  refuse(ErrorKind::usage, "ids must not overlap mask", every_second(0), zero_, every_second(12));
  EXPECT_EQ(memory, std::vector<std::int64_t>(240, 1));
}

TEST_F(Refusals, RowsSideBySideAreApart) {
  std::vector<std::int64_t> memory(20, 1);
  View mask = make_view(memory.data(), {2, 5}), out = make_view(memory.data() + 5, {2, 5});
  mask.strides[0] = out.strides[0] = 10;
  positions_from_mask(mask, zero_, out);
  EXPECT_EQ(memory, (Ids{1, 1, 1, 1, 1, 0, 1, 2, 3, 4, 1, 1, 1, 1, 1, 0, 1, 2, 3, 4}));
}

TEST_F(Refusals, IdsBeyondTheRange) {
  refuse(ErrorKind::bad_input, "first must be from -2147483647 to 2147483647 but got 2147483648", mask(),
         {.pads = Pads::id(0), .first = kMaxPosition + 1}, ids());
  refuse(ErrorKind::bad_input, "past must be from", mask(),
         {.pads = Pads::id(0), .past = std::numeric_limits<std::int64_t>::max()}, ids());
  refuse(ErrorKind::usage, "past must not be negative but got -1", mask(), {.pads = Pads::id(0), .past = -1}, ids());
  refuse(ErrorKind::bad_input, "the id of pads must be from -2147483647 to 2147483647 but got -2147483648", mask(),
         {.pads = Pads::id(-kMaxPosition - 1)}, ids());
  refuse(ErrorKind::bad_input,
         "ids must be from -2147483647 to 2147483647 but 5 tokens from first 2147483640 + past 4 reach "
         "2147483648",
         mask(), {.pads = Pads::id(0), .first = kMaxPosition - 7, .past = 4}, ids());
  refuse(ErrorKind::bad_input, "ids must be from", make_view(kMask.data() + 5, {5}),
         {.pads = Pads::counted(), .first = kMaxPosition - 3}, make_view(ids_.data(), {5}));
}

TEST_F(Refusals, TheLargestIdIsFine) {
  Ids ids(5);
  positions_from_mask(make_view(kMask.data(), {5}), {.pads = Pads::id(0), .first = kMaxPosition - 7, .past = 3},
                      make_view(ids.data(), {5}));
  EXPECT_EQ(ids[4], kMaxPosition);
  // Of the second row, three tokens are counted.
  positions_from_mask(make_view(kMask.data() + 5, {5}), {.pads = Pads::id(0), .first = kMaxPosition - 2},
                      make_view(ids.data(), {5}));
  EXPECT_EQ(ids[4], kMaxPosition);
}

TEST_F(Refusals, LengthsOfCaches) {
  const auto refuse_lengths = [&](ErrorKind kind, const std::string& part, const Ids& lengths, const View& out) {
    const auto view = make_view(lengths.data(), {static_cast<std::int64_t>(lengths.size())});
    expect_error(kind, "[positions_after] " + part, [&] { positions_after(view, out); });
  };
  refuse_lengths(ErrorKind::bad_input, "lengths must not be negative", {3, -1}, ids());
  refuse_lengths(
      ErrorKind::bad_input,
      "lengths must not be negative, and the 5 ids that follow must not exceed 2147483647, but row 1 is 2147483644",
      {3, kMaxPosition - 3}, ids());
  refuse_lengths(ErrorKind::bad_input,
                 "lengths must not be negative, and the 5 ids that follow must not exceed 2147483647, but row 0 is "
                 "9223372036854775807",
                 {std::numeric_limits<std::int64_t>::max(), 0}, ids());
  refuse_lengths(ErrorKind::usage, "ids must be [3, N], a row per length, but is [2, 5]", {1, 2, 3}, ids());
  refuse_lengths(ErrorKind::usage, "ids must be [1, N], a row per length, but is [10]", {1},
                 make_view(ids_.data(), {10}));
  Ids memory(12, 1);
  expect_error(ErrorKind::usage, "[positions_after] ids must not overlap lengths", [&] {
    positions_after(make_view(memory.data() + 9, {2}), make_view(memory.data(), {2, 5}));
  });
  const std::uint8_t bytes[2] = {};
  expect_error(ErrorKind::usage, "[positions_after] lengths must be i32 or i64 but is u8",
               [&] { positions_after(make_view(bytes, {2}), ids()); });
}

}  // namespace
}  // namespace posenc::position_ids_test
