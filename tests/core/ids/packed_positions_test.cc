// Packed documents: bounds, segments, and the documents found again.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "posenc/position_ids.h"
#include "support/expect_error.h"

namespace posenc::packed_positions_test {
namespace {

using Ids = std::vector<std::int64_t>;

ConstView view_of(const Ids& ids) { return make_view(ids.data(), {static_cast<std::int64_t>(ids.size())}); }
View view_of(Ids& ids) { return make_view(ids.data(), {static_cast<std::int64_t>(ids.size())}); }

Ids from_bounds(const Ids& bounds, std::int64_t first) {
  Ids ids(static_cast<std::size_t>(bounds.back()), -9);
  positions_from_bounds(view_of(bounds), first, view_of(ids));
  return ids;
}

Ids segments_of(const Ids& ids, PackedBy rule) {
  Ids segments(ids.size(), -9);
  segments_from_positions(view_of(ids), rule, view_of(segments));
  return segments;
}

TEST(Bounds, AreSumsOfLengths) {
  EXPECT_EQ(bounds_of(Ids{3, 1, 5}), (Ids{0, 3, 4, 9}));
  EXPECT_EQ(bounds_of(Ids{0, 2, 0}), (Ids{0, 0, 2, 2}));
  EXPECT_EQ(bounds_of(Ids{}), Ids{0});
  EXPECT_EQ(bounds_of(Ids{kMaxPosition}), (Ids{0, kMaxPosition}));
}

TEST(Bounds, OfBadLengthsAreRefused) {
  expect_error(ErrorKind::bad_input, "[bounds_of] lengths must not be negative but length 1 is -2", [] {
    bounds_of(Ids{3, -2});
  });
  expect_error(ErrorKind::bad_input, "[bounds_of] the sum of all lengths must be at most 2147483647", [] {
    bounds_of(Ids{kMaxPosition, 1});
  });
  expect_error(ErrorKind::bad_input, "[bounds_of] the sum", [] {
    bounds_of(Ids{1, std::numeric_limits<std::int64_t>::max()});
  });
}

TEST(PackedPositions, CountEveryDocumentAgain) {
  EXPECT_EQ(from_bounds({0, 3, 4, 9}, 0), (Ids{0, 1, 2, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(from_bounds({0, 3, 4, 9}, 2), (Ids{2, 3, 4, 2, 2, 3, 4, 5, 6}));
  EXPECT_EQ(from_bounds({0, 0, 2, 2}, 0), (Ids{0, 1}));
  EXPECT_EQ(from_bounds({0}, 0), Ids{});
}

TEST(PackedPositions, FromSegmentsRestartWhereTheNumberChanges) {
  const std::uint8_t segments[] = {7, 7, 7, 2, 7, 7, 1, 1, 0, 0, 0, 1};
  std::vector<std::int32_t> ids(12, -9);
  positions_from_segments(make_view(segments, {2, 6}), 1, make_view(ids.data(), {2, 6}));
  EXPECT_EQ(ids, (std::vector<std::int32_t>{1, 2, 3, 1, 1, 2, 1, 2, 1, 2, 3, 1}));
  positions_from_segments(make_view(segments, {12}), 0, make_view(ids.data(), {12}));
  EXPECT_EQ(ids, (std::vector<std::int32_t>{0, 1, 2, 0, 0, 1, 0, 1, 0, 1, 2, 0}));
}

TEST(Segments, FromBoundsNumberTheDocuments) {
  Ids segments(9, -9);
  const Ids bounds = {0, 3, 4, 9};
  segments_from_bounds(view_of(bounds), view_of(segments));
  EXPECT_EQ(segments, (Ids{0, 0, 0, 1, 2, 2, 2, 2, 2}));
  const Ids with_empty = {0, 3, 3, 9};
  segments_from_bounds(view_of(with_empty), view_of(segments));
  EXPECT_EQ(segments, (Ids{0, 0, 0, 2, 2, 2, 2, 2, 2})) << "an empty document keeps its number";
}

TEST(Documents, BothRulesAgreeOnPlainPacking) {
  const Ids ids = {0, 1, 2, 0, 1, 0, 1, 2, 3};
  for (const PackedBy rule : {PackedBy::step, PackedBy::minimum}) {
    EXPECT_EQ(bounds_from_positions(view_of(ids), rule), (Ids{0, 3, 5, 9}));
    EXPECT_EQ(segments_of(ids, rule), (Ids{0, 0, 0, 1, 1, 2, 2, 2, 2}));
  }
}

TEST(Documents, TheRulesDisagreeOnJumpsAndRepeats) {
  const Ids jump = {0, 1, 2, 5, 6, 0, 1}, repeat = {0, 0, 0, 1, 2, 0, 1, 1, 2};
  EXPECT_EQ(bounds_from_positions(view_of(jump), PackedBy::step), (Ids{0, 3, 5, 7}));
  EXPECT_EQ(bounds_from_positions(view_of(jump), PackedBy::minimum), (Ids{0, 5, 7}));
  EXPECT_EQ(bounds_from_positions(view_of(repeat), PackedBy::step), (Ids{0, 1, 2, 5, 7, 9}));
  EXPECT_EQ(bounds_from_positions(view_of(repeat), PackedBy::minimum), (Ids{0, 1, 2, 5, 9}));
  EXPECT_EQ(segments_of(repeat, PackedBy::minimum), (Ids{0, 1, 2, 2, 2, 3, 3, 3, 3}));
}

TEST(Documents, TheFirstTokenStartsOneWhateverItsId) {
  const Ids ids = {4, 5, 1, 2};
  EXPECT_EQ(bounds_from_positions(view_of(ids), PackedBy::minimum), (Ids{0, 2, 4}));
  EXPECT_EQ(segments_of(ids, PackedBy::minimum), (Ids{0, 0, 1, 1}));
  EXPECT_EQ(bounds_from_positions(view_of(Ids{4, 5, 6}), PackedBy::step), (Ids{0, 3}));
  EXPECT_EQ(bounds_from_positions(view_of(Ids{}), PackedBy::step), Ids{0});
  EXPECT_EQ(bounds_from_positions(view_of(Ids{}), PackedBy::minimum), Ids{0});
}

TEST(Documents, EveryRowStandsForItself) {
  const std::int32_t ids[] = {0, 1, 0, 1, 4, 5, 4, 5};
  for (const PackedBy rule : {PackedBy::step, PackedBy::minimum}) {
    Ids segments(8, -9);
    segments_from_positions(make_view(ids, {2, 4}), rule, make_view(segments.data(), {2, 4}));
    EXPECT_EQ(segments, (Ids{0, 0, 1, 1, 0, 0, 1, 1}));
  }
}

// Every refusal leaves the output as it was.
class PackedRefusals : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(out_, Ids(4, -9)) << "something was written"; }
  void refuse_bounds(const std::string& part, const Ids& bounds) {
    expect_error(ErrorKind::bad_input, "[positions_from_bounds] bounds " + part,
                 [&] { positions_from_bounds(view_of(bounds), 0, view_of(out_)); });
    expect_error(ErrorKind::bad_input, "[segments_from_bounds] bounds " + part,
                 [&] { segments_from_bounds(view_of(bounds), view_of(out_)); });
  }
  Ids out_ = Ids(4, -9);
};

TEST_F(PackedRefusals, Bounds) {
  refuse_bounds("must start at 0 but is empty", {});
  refuse_bounds("must start at 0 but starts at 1", {1, 4});
  refuse_bounds("must not decrease but bound 2 is 1 after 3", {0, 3, 1, 4});
  refuse_bounds("must not decrease but bound 1 is -1 after 0", {0, -1, 4});
  refuse_bounds("must end at 4, the number of tokens, but ends at 3", {0, 3});
  refuse_bounds("must end at 4, the number of tokens, but ends at 5", {0, 2, 5});
  refuse_bounds("must end at 4, the number of tokens, but ends at 0", {0});
}

TEST_F(PackedRefusals, BoundsOfWrongShapeTypeAndPlace) {
  const float floats[] = {0, 4};
  expect_error(ErrorKind::usage, "[positions_from_bounds] bounds must be i32 or i64 but is f32",
               [&] { positions_from_bounds(make_view(floats, {2}), 0, view_of(out_)); });
  const Ids bounds = {0, 4};
  expect_error(ErrorKind::usage, "[positions_from_bounds] bounds must be [K] but is [1, 2]", [&] {
    positions_from_bounds(make_view(bounds.data(), {1, 2}), 0, view_of(out_));
  });
  expect_error(ErrorKind::usage, "[positions_from_bounds] ids must be [N] but is [1, 4]", [&] {
    positions_from_bounds(view_of(bounds), 0, make_view(out_.data(), {1, 4}));
  });
  Ids memory = {0, 2, 2};
  expect_error(ErrorKind::usage, "[segments_from_bounds] segments must not overlap bounds",
               [&] { segments_from_bounds(view_of(memory), make_view(memory.data() + 1, {2})); });
  EXPECT_EQ(memory, (Ids{0, 2, 2}));
}

TEST_F(PackedRefusals, FirstIdsBeyondTheRange) {
  const Ids bounds = {0, 1, 4}, segments = {0, 1, 1, 1};
  const auto refuse_first = [&](const std::string& part, std::int64_t first) {
    expect_error(ErrorKind::bad_input, "[positions_from_bounds] " + part,
                 [&] { positions_from_bounds(view_of(bounds), first, view_of(out_)); });
    expect_error(ErrorKind::bad_input, "[positions_from_segments] " + part,
                 [&] { positions_from_segments(view_of(segments), first, view_of(out_)); });
  };
  refuse_first("first must be from -2147483647 to 2147483647 but got -2147483648", -kMaxPosition - 1);
  refuse_first(
      "ids must be from -2147483647 to 2147483647 but a document of 3 tokens from 2147483646 exceeds this "
      "range",
      kMaxPosition - 1);
  EXPECT_EQ(from_bounds(bounds, kMaxPosition - 2).back(), kMaxPosition);
}

TEST_F(PackedRefusals, Segments) {
  const Ids segments(5, 0);
  expect_error(ErrorKind::usage, "[positions_from_segments] ids must be [5], the shape of segments, but is [4]",
               [&] { positions_from_segments(view_of(segments), 0, view_of(out_)); });
  expect_error(ErrorKind::usage, "[positions_from_segments] ids must be [1, 4], the shape of segments, but is [4]",
               [&] {
                 positions_from_segments(make_view(segments.data(), {1, 4}), 0, view_of(out_));
               });
  expect_error(ErrorKind::usage, "[positions_from_segments] ids must not overlap segments",
               [&] { positions_from_segments(view_of(std::as_const(out_)), 0, view_of(out_)); });
}

TEST_F(PackedRefusals, IdsOfDocuments) {
  const Ids ids = {0, 1, kMaxPosition + 1, 3};
  expect_error(ErrorKind::bad_input,
               "[segments_from_positions] ids must be from -2147483647 to 2147483647 but got "
               "2147483648",
               [&] { segments_from_positions(view_of(ids), PackedBy::step, view_of(out_)); });
  expect_error(ErrorKind::bad_input, "[bounds_from_positions] ids must be from",
               [&] { bounds_from_positions(view_of(ids), PackedBy::minimum); });
  const Ids short_ids = {0, 1, 2};
  expect_error(ErrorKind::usage, "[segments_from_positions] segments must be [3], the shape of ids, but is [4]",
               [&] { segments_from_positions(view_of(short_ids), PackedBy::step, view_of(out_)); });
  expect_error(ErrorKind::usage, "[bounds_from_positions] ids must be [N] but is [1, 3]", [&] {
    bounds_from_positions(make_view(short_ids.data(), {1, 3}), PackedBy::step);
  });
  expect_error(ErrorKind::usage, "[bounds_from_positions] rule must be step or minimum but is number 9",
               [&] { bounds_from_positions(view_of(short_ids), static_cast<PackedBy>(9)); });
  expect_error(ErrorKind::usage, "[segments_from_positions] segments must not overlap ids", [&] {
    Ids memory = {0, 1};
    segments_from_positions(view_of(std::as_const(memory)), PackedBy::step, view_of(memory));
  });
}

}  // namespace
}  // namespace posenc::packed_positions_test
