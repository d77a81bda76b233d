// The place of each row: ranges, ids, batches, strides, streams, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "posenc/half.h"
#include "posenc/table.h"
#include "support/expect_error.h"

namespace posenc::table_rows_test {
namespace {

template <class T>
std::vector<T> filled(const Sinusoidal& spec, const PositionView& positions) {
  std::vector<T> out(static_cast<std::size_t>(positions.count * spec.width));
  fill_table(make_schedule(spec), positions, make_view(out.data(), {positions.count, spec.width}));
  return out;
}

template <class T>
bool same_bits(const T* a, const T* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

std::vector<Sinusoidal> some_kinds() {
  return {{.width = 64},
          {.width = 7},
          {.width = 9,
           .spacing = Spacing::half,
           .first = 2,
           .order = Order::halves,
           .odd = OddWidth::zero,
           .multiplier = 0.3,
           .zero_position = 40},
          {.width = 10, .first = -5, .order = Order::cos_interleaved}};
}

template <class T>
class TableRows : public testing::Test {};
using Types = testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(TableRows, Types);

// A position has one row, whoever asks for it: ranges of any start and step, ids of any type, streams, tables.
TYPED_TEST(TableRows, APositionHasTheSameBitsEverywhere) {
  for (const Sinusoidal& spec : some_kinds()) {
    const auto width = static_cast<std::size_t>(spec.width);
    const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::range(-100, 300));
    for (const std::int64_t start : {-100, -33, -32, 0, 1, 31, 32, 77}) {
      const std::vector<TypeParam> part = filled<TypeParam>(spec, PositionView::range(start, 100));
      ASSERT_TRUE(same_bits(part.data(), all.data() + static_cast<std::size_t>(start + 100) * width, part.size()));
    }
    std::vector<std::int64_t> ids64;
    for (std::int64_t i = 0; i < 300; ++i) ids64.push_back((i * 173) % 300 - 100);
    const std::vector<std::int32_t> ids32(ids64.begin(), ids64.end());
    const std::vector<double> reals(ids64.begin(), ids64.end());
    for (const PositionView& ids : {PositionView::of(ids64.data(), 300), PositionView::of(ids32.data(), 300),
                                    PositionView::of(reals.data(), 300)}) {
      const std::vector<TypeParam> rows = filled<TypeParam>(spec, ids);
      for (std::size_t n = 0; n < 300; ++n) {
        ASSERT_TRUE(
            same_bits(rows.data() + n * width, all.data() + static_cast<std::size_t>(ids64[n] + 100) * width, width))
            << to_text(Spec(spec)) << " position " << ids64[n];
      }
    }
    const Table table(spec, PositionView::range(-100, 300), dtype_of<TypeParam>());
    ASSERT_TRUE(same_bits(table.view().template as<TypeParam>(), all.data(), all.size()));
    const std::vector<TypeParam> back = filled<TypeParam>(spec, PositionView::range(199, 300, -1));
    ASSERT_TRUE(same_bits(back.data(), all.data() + 299 * width, width));
    ASSERT_TRUE(same_bits(back.data() + 299 * width, all.data(), width));
  }
}

// More pairs than are made at a time, in every order, with and without a partner for the last.
TYPED_TEST(TableRows, WideRowsHaveTheSameBitsInARangeAndAlone) {
  for (const std::int64_t width : {1040, 1043}) {
    for (const Order order : {Order::interleaved, Order::halves, Order::cos_interleaved, Order::cos_halves}) {
      for (const OddWidth odd : {OddWidth::drop, OddWidth::zero}) {
        const Sinusoidal spec{.width = width, .order = order, .odd = odd};
        const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::range(90, 150));
        for (const std::int64_t position : {90, 95, 96, 127, 128, 200, 239}) {
          const std::vector<TypeParam> row = filled<TypeParam>(spec, PositionView::of(&position, 1));
          const auto at = static_cast<std::size_t>((position - 90) * width);
          ASSERT_TRUE(same_bits(row.data(), all.data() + at, row.size())) << to_text(Spec(spec)) << " " << position;
        }
      }
    }
  }
}

// Large enough to be written past the caches, aligned for it or not.
TYPED_TEST(TableRows, LargeTablesHaveTheSameBits) {
  const std::int64_t width = 2048;
  const auto rows = static_cast<std::int64_t>((33 << 20) / (static_cast<std::size_t>(width) * sizeof(TypeParam))) + 7;
  for (const Order order : {Order::interleaved, Order::cos_halves}) {
    const Sinusoidal spec{.width = width, .order = order};
    std::vector<TypeParam> memory(static_cast<std::size_t>(rows * width) + 64);
    auto* aligned = reinterpret_cast<TypeParam*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
    for (TypeParam* out : {aligned, aligned + 1}) {
      std::memset(memory.data(), 0x55, memory.size() * sizeof(TypeParam));
      fill_table(make_schedule(spec), PositionView::range(5, rows), make_view(out, {rows, width}));
      for (std::int64_t n = 0; n < rows; n += 101) {
        const std::int64_t position = 5 + n;
        const std::vector<TypeParam> row = filled<TypeParam>(spec, PositionView::of(&position, 1));
        ASSERT_TRUE(same_bits(row.data(), out + n * width, row.size())) << position;
      }
    }
  }
}

TYPED_TEST(TableRows, StreamsGiveTheTableInBlocksOfAnySize) {
  for (const Sinusoidal& spec : some_kinds()) {
    const auto width = static_cast<std::size_t>(spec.width);
    const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::range(-7, 100));
    for (const std::int64_t size : {1, 3, 7, 32, 33, 99, 100, 101, 1000}) {
      RowStream stream(make_schedule(spec), PositionView::range(-7, 100));
      std::vector<TypeParam> block(static_cast<std::size_t>(size) * width);
      std::int64_t done = 0;
      while (const std::int64_t rows = stream.next(make_view(block.data(), {size, spec.width}))) {
        ASSERT_EQ(rows, std::min(size, 100 - done));
        ASSERT_TRUE(same_bits(block.data(), all.data() + static_cast<std::size_t>(done) * width,
                              static_cast<std::size_t>(rows) * width));
        done += rows;
      }
      EXPECT_EQ(done, 100);
      EXPECT_EQ(stream.next(make_view(block.data(), {size, spec.width})), 0) << "and stays at the end";
    }
  }
}

TYPED_TEST(TableRows, StreamsFillBlocksOfDifferentSizesInTurn) {
  const Sinusoidal spec{.width = 6};
  const std::vector<double> reals = {0.5, 1.0, 33.0, -2.25, 7.0, 8.0, 1e6, 2.0, 3.5, 4.0, 5.0};
  const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::of(reals.data(), 11));
  RowStream stream(make_schedule(spec), PositionView::of(reals.data(), 11));
  std::vector<TypeParam> block(6 * 5);
  std::size_t done = 0;
  for (const std::int64_t size : {2, 5, 1, 4}) {
    const std::int64_t rows = stream.next(make_view(block.data(), {size, 6}));
    ASSERT_TRUE(same_bits(block.data(), all.data() + 6 * done, static_cast<std::size_t>(6 * rows)));
    done += static_cast<std::size_t>(rows);
  }
  EXPECT_EQ(done, 11u);
}

TYPED_TEST(TableRows, BatchesAndStrides) {
  const Sinusoidal spec{.width = 6};
  const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::range(0, 50));
  const std::vector<std::int64_t> ids = {4, 0, 9, 49, 12, 33, 7, 8};  // [B=2, N=3] with a gap after each row of 3
  PositionView positions = PositionView::of(ids.data(), 3);
  positions.batch = 2;
  positions.batch_stride = 4;
  // [B, N, M] inside [2, 5, 8]: rows and batches with gaps.
  std::vector<TypeParam> memory(2 * 5 * 8);
  std::memset(memory.data(), 0x55, memory.size() * sizeof(TypeParam));
  const std::vector<TypeParam> before = memory;
  View out = make_view(memory.data(), {2, 3, 6});
  out.strides = {40, 8, 1, 0};
  fill_table(make_schedule(spec), positions, out);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t n = 0; n < 5; ++n) {
      const TypeParam* row = memory.data() + b * 40 + n * 8;
      if (n < 3) {
        EXPECT_TRUE(same_bits(row, all.data() + 6 * static_cast<std::size_t>(ids[b * 4 + n]), 6)) << b << " " << n;
      }
      const std::size_t gap = n < 3 ? 6 : 0;
      EXPECT_TRUE(same_bits(row + gap, before.data() + gap, 8 - gap)) << "a gap was written to";
    }
  }
}

TYPED_TEST(TableRows, OneRowOfPositionsServesEveryBatch) {
  const Sinusoidal spec{.width = 4};
  const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::range(3, 5));
  std::vector<TypeParam> out(3 * 5 * 4);
  fill_table(make_schedule(spec), PositionView::range(3, 5), make_view(out.data(), {3, 5, 4}));
  for (std::size_t b = 0; b < 3; ++b) EXPECT_TRUE(same_bits(out.data() + b * 20, all.data(), 20));
}

TYPED_TEST(TableRows, RowsMayRunBackwards) {
  const Sinusoidal spec{.width = 4};
  const std::vector<TypeParam> all = filled<TypeParam>(spec, PositionView::range(0, 5));
  std::vector<TypeParam> out(20);
  View view = make_view(out.data() + 16, {5, 4});
  view.strides[0] = -4;
  fill_table(make_schedule(spec), PositionView::range(0, 5), view);
  for (std::size_t n = 0; n < 5; ++n) EXPECT_TRUE(same_bits(out.data() + 4 * (4 - n), all.data() + 4 * n, 4));
}

TEST(Rows, FirstAddsToThePosition) {
  const std::vector<double> plain = filled<double>({.width = 8}, PositionView::range(2, 10));
  EXPECT_EQ(filled<double>({.width = 8, .first = 2}, PositionView::range(0, 10)), plain);
  EXPECT_EQ(filled<double>({.width = 8, .first = -5}, PositionView::range(7, 10)), plain);
}

TEST(Rows, TheZeroPositionIsARowOfZeros) {
  const Sinusoidal spec{.width = 4, .first = 2, .zero_position = 1};
  const std::vector<double> rows = filled<double>(spec, PositionView::range(-2, 4));
  const std::vector<double> plain = filled<double>({.width = 4}, PositionView::range(0, 4));
  for (std::size_t n = 0; n < 4; ++n) {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rows[4 * n + i], n == 1 ? 0.0 : plain[4 * n + i]) << n;
  }
  std::vector<double> slope(16, 9.0);
  fill_derivative(make_schedule(spec), PositionView::range(-2, 4), make_view(slope.data(), {4, 4}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(slope[4 + i], 0.0);
  EXPECT_NE(slope[0], 0.0);
}

TEST(Rows, NoPositionsWriteNothing) {
  std::vector<float> canary(8, 7.0f);
  fill_table(make_schedule({.width = 4}), PositionView::range(0, 0), make_view(canary.data(), {0, 4}));
  fill_table(make_schedule({.width = 4}), PositionView::range(0, 0), make_view<float>(nullptr, {0, 4}));
  fill_derivative(make_schedule({.width = 4}), PositionView::range(0, 0), make_view(canary.data(), {0, 4}));
  EXPECT_EQ(canary, std::vector<float>(8, 7.0f));
  EXPECT_EQ(Table({.width = 4}, PositionView::range(0, 0)).rows(), 0);
  RowStream stream(make_schedule({.width = 4}), PositionView::range(5, 0));
  EXPECT_EQ(stream.next(make_view(canary.data(), {2, 4})), 0);
}

TEST(Tables, AreAlignedContiguousAndShared) {
  for (const std::int64_t width : {1, 7, 64}) {
    const Table table({.width = width}, PositionView::range(0, 9), DType::bf16);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.view().data) % 64, 0u);
    EXPECT_EQ(table.rows(), 9);
    EXPECT_EQ(table.width(), width);
    EXPECT_EQ(table.view().strides[0], width);
    const Table copy = table;
    EXPECT_EQ(copy.view().data, table.view().data);
  }
}

// Tries to fill [2, 4] floats and checks that nothing was written.
void expect_untouched(ErrorKind kind, const std::string& part, const Sinusoidal& spec, const PositionView& positions) {
  for (const bool derivative : {false, true}) {
    std::vector<float> canary(8, 7.0f);
    const std::string where = derivative ? "[fill_derivative] " : "[fill_table] ";
    expect_error(kind, where + part, [&] {
      (derivative ? fill_derivative : fill_table)(make_schedule(spec), positions, make_view(canary.data(), {2, 4}));
    });
    EXPECT_EQ(canary, std::vector<float>(8, 7.0f)) << "something was written";
  }
}

TEST(TableRowErrors, PositionsOutOfRangeWriteNothing) {
  const std::vector<std::int64_t> large = {0, 2147483648};
  const std::vector<double> reals = {0.0, -2147483648.0};
  const std::vector<double> nan = {0.0, std::numeric_limits<double>::quiet_NaN()};
  const auto bad = ErrorKind::bad_input;
  expect_untouched(bad, "positions must be from -2147483647 to 2147483647 but got 2147483648", {.width = 4},
                   PositionView::of(large.data(), 2));
  expect_untouched(bad, "positions must be from -2147483647 to 2147483647 but got -2147483648", {.width = 4},
                   PositionView::of(reals.data(), 2));
  expect_untouched(bad, "positions must be from -2147483647 to 2147483647 but got nan", {.width = 4},
                   PositionView::of(nan.data(), 2));
  expect_untouched(bad, "positions must be from -2147483647 to 2147483647 but got 2147483648", {.width = 4},
                   PositionView::range(2147483647, 2));
  expect_untouched(bad,
                   "positions must be from -2147483647 to 2147483647 but got 2 positions in steps of "
                   "9223372036854775807",
                   {.width = 4}, PositionView::range(5, 2, INT64_MAX));
  expect_untouched(bad,
                   "position 2147483646 counts as 2147483648 (first=2), which must be from -2147483647 to "
                   "2147483647",
                   {.width = 4, .first = 2}, PositionView::range(2147483645, 2));
}

TEST(TableRowErrors, PositionsOfTheWrongForm) {
  std::vector<std::int64_t> ids(8);
  PositionView pairs = PositionView::of(ids.data(), 2);
  pairs.axes = 2;
  expect_untouched(ErrorKind::usage,
                   "an encoding at the input takes positions on one axis but they have "
                   "2",
                   {.width = 4}, pairs);
  expect_untouched(ErrorKind::usage, "positions must not be null but there are 2", {.width = 4},
                   PositionView::of(static_cast<const double*>(nullptr), 2));
  expect_untouched(ErrorKind::usage,
                   "positions must have a count of at least "
                   "0",
                   {.width = 4}, PositionView::range(0, -1));
  expect_untouched(ErrorKind::usage, "out must be [3, 4] or [B, 3, 4] but is [2, 4]", {.width = 4},
                   PositionView::range(0, 3));
}

TEST(TableRowErrors, OutputsOfTheWrongForm) {
  std::vector<float> memory(64, 7.0f);
  const auto refused = [&](const std::string& part, const View& out) {
    expect_error(ErrorKind::usage, "[fill_table] out must " + part,
                 [&] { fill_table(make_schedule({.width = 4}), PositionView::range(0, 2), out); });
    EXPECT_EQ(memory, std::vector<float>(64, 7.0f)) << "something was written";
  };
  refused("be f32, f64, f16 or bf16 but is i32", make_view(memory.data(), DType::i32, {2, 4}));
  refused("be [2, 4] or [B, 2, 4] but is [2, 5]", make_view(memory.data(), {2, 5}));
  refused("be [2, 4] or [B, 2, 4] but is [8]", make_view(memory.data(), {8}));
  refused("be [2, 4] or [B, 2, 4] but is [1, 1, 2, 4]", make_view(memory.data(), {1, 1, 2, 4}));
  refused("not be null but has shape [2, 4]", make_view<float>(nullptr, {2, 4}));
  refused("have contiguous channels but the stride of its last axis is 2", make_view(memory.data(), {4, 2}).swap(0, 1));
  View overlapping = make_view(memory.data(), {2, 4});
  overlapping.strides[0] = 3;
  refused("not overlap itself but two indices of [2, 4] share an address", overlapping);
  View repeated = make_view(memory.data(), {3, 2, 4});
  repeated.strides[0] = 0;
  refused("not overlap itself", repeated);
}

TEST(TableRowErrors, StreamsAndTables) {
  std::vector<float> memory(64);
  RowStream stream(make_schedule({.width = 4}), PositionView::range(0, 2));
  expect_error(ErrorKind::usage, "[RowStream::next] block must be [R, 4] but is [2, 5]", [&] {
    stream.next(make_view(memory.data(), {2, 5}));
  });
  expect_error(ErrorKind::usage, "[RowStream::next] block must have at least 1 row but is [0, 4]", [&] {
    stream.next(make_view(memory.data(), {0, 4}));
  });
  expect_error(ErrorKind::usage, "[RowStream::next] block must be f32, f64, f16 or bf16 but is i64", [&] {
    stream.next(make_view(memory.data(), DType::i64, {2, 4}));
  });
  PositionView batch = PositionView::range(0, 2);
  batch.batch = 3;
  expect_error(ErrorKind::usage, "[RowStream] positions must be [N] but have a batch of 3",
               [&] { RowStream(make_schedule({.width = 4}), batch); });
  expect_error(ErrorKind::usage, "[Table] positions must be [N] but have a batch of 3",
               [&] { Table({.width = 4}, batch); });
  expect_error(ErrorKind::usage, "[Table] dtype must be f32, f64, f16 or bf16 but got i64",
               [&] { Table({.width = 4}, PositionView::range(0, 2), DType::i64); });
  expect_error(ErrorKind::bad_input, "[Table] positions must be from",
               [&] { Table({.width = 4}, PositionView::range(2147483647, 2)); });
  expect_error(ErrorKind::bad_input, "[RowStream] positions must be from",
               [&] { RowStream(make_schedule({.width = 4}), PositionView::range(2147483647, 2)); });
}

// A schedule is plain data: an order of one's own works, and columns outside the row are never written.
TEST(TableRows, FollowsAScheduleOfOnesOwn) {
  SinusoidalSchedule schedule = make_schedule({.width = 4});
  schedule.width = 7;
  schedule.sine = {6, 1, 1};
  schedule.cosine = {1, 2, 2};
  std::vector<float> row(7, 9.0f);
  fill_table(schedule, PositionView::range(1, 1), make_view(row.data(), {1, 7}));
  const std::vector<float> usual = filled<float>({.width = 4}, PositionView::range(1, 1));
  EXPECT_EQ(row, (std::vector<float>{0, usual[1], 0, usual[3], 0, 0, usual[0]}));
}

TEST(TableRows, RefusesColumnsOutsideTheRow) {
  std::vector<float> row(8, 9.0f);
  const SinusoidalSchedule good = make_schedule({.width = 4});
  for (const Columns& columns : {Columns{0, 2, 3}, Columns{1, 3, 2}, Columns{4, 1, 1}, Columns{4, 3, 1},
                                 Columns{-1, 1, 1}, Columns{0, 0, 2}, Columns{0, 1, -1}, Columns{0, INT64_MAX, 2}}) {
    SinusoidalSchedule bad = good;
    bad.sine = columns;
    expect_error(ErrorKind::usage, "[fill_table] the schedule's columns must be within its width, 4", [&] {
      fill_table(bad, PositionView::range(1, 1), make_view(row.data(), {1, 4}));
    });
    bad = good;
    bad.cosine = columns;
    expect_error(ErrorKind::usage, "[RowStream] the schedule's columns",
                 [&] { RowStream(bad, PositionView::range(1, 1)); });
  }
  EXPECT_EQ(row, std::vector<float>(8, 9.0f));
}

TEST(TableRowErrors, OutputsOverTheirPositions) {
  std::vector<double> memory(64, 1.0);
  const SinusoidalSchedule schedule = make_schedule({.width = 8});
  expect_error(ErrorKind::usage, "[fill_table] out must not overlap the positions", [&] {
    fill_table(schedule, PositionView::of(memory.data() + 20, 4), make_view(memory.data(), {4, 8}));
  });
  PositionView backwards = PositionView::of(memory.data() + 35, 4);
  backwards.token_stride = -2;
  expect_error(ErrorKind::usage, "[fill_table] out must not overlap the positions", [&] {
    fill_table(schedule, backwards, make_view(memory.data(), {4, 8}));
  });
  fill_table(schedule, PositionView::of(memory.data() + 32, 4), make_view(memory.data(), {4, 8}));
  EXPECT_EQ(memory[32], 1.0);
}

TEST(RowStream, GivesTheDerivativeToo) {
  const SinusoidalSchedule schedule = make_schedule({.width = 6, .multiplier = 2.0});
  std::vector<double> expected(70 * 6), got(70 * 6);
  fill_derivative(schedule, PositionView::range(-5, 70), make_view(expected.data(), {70, 6}));
  RowStream made(schedule, PositionView::range(-5, 70), Rows::derivative);
  RowStream stream = std::move(made);
  std::int64_t done = 0;
  std::vector<double> block(16 * 6);
  while (const std::int64_t rows = stream.next(make_view(block.data(), {16, 6}))) {
    std::copy_n(block.begin(), rows * 6, got.begin() + done * 6);
    done += rows;
  }
  EXPECT_EQ(done, 70);
  EXPECT_EQ(got, expected);
}

TEST(Table, SharesItsRowsWithCopies) {
  Table first({.width = 4}, PositionView::range(0, 3));
  const Table second = std::move(first);
  EXPECT_EQ(first.view().data, second.view().data);
}

}  // namespace
}  // namespace posenc::table_rows_test
