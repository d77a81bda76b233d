#include "posenc/input_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "posenc/reference.h"
#include "posenc/table.h"
#include "support/expect_error.h"
#include "support/row_cases.h"

namespace posenc::input_rows_test {
namespace {

constexpr std::int64_t kWidth = 10;

// The row of any source by its plain definition.
std::vector<double> reference_row(const RowCases& cases, const InputRows& rows, double position) {
  std::vector<double> row(kWidth, 0.0), part(kWidth);
  const auto add = [&] {
    for (std::size_t m = 0; m < row.size(); ++m) row[m] += part[m];
  };
  const auto* hybrid = std::get_if<HybridRows>(&rows);
  const auto* learned = hybrid ? &hybrid->learned : std::get_if<LearnedRows>(&rows);
  const bool fixed = hybrid ? hybrid->fixed.index() == 0 : rows.index() == 0;
  const bool streamed = hybrid ? hybrid->fixed.index() == 1 : rows.index() == 1;
  for (std::int64_t m = 0; fixed && m < kWidth; ++m) {
    row[static_cast<std::size_t>(m)] += cases.fixed_table().at(0, static_cast<std::int64_t>(position), m);
  }
  if (streamed) reference::sinusoidal_row(cases.sinusoidal(), position, part.data()), add();
  if (learned) {
    reference::learned_row(learned->spec, cases.table().values(), kWidth, position, part.data());
    add();
  }
  return row;
}

// One rounding to the dtype, and the errors of both double computations.
double tolerance(DType dtype, double value) {
  const double half_ulp = dtype == DType::f64   ? 0.0
                          : dtype == DType::f32 ? 0x1p-24
                          : dtype == DType::f16 ? 0x1p-11
                                                : 0x1p-8;
  return std::fabs(value) * half_ulp * 1.0001 + (dtype == DType::f16 ? 0x1p-25 : 0.0) + 4e-14;
}

TEST(FillRows, EverySourceInEveryTypeIsItsDefinition) {
  const std::vector<std::int64_t> ids = {3, 0, 9, 9, 6, 1};
  for (const DType table : float_types()) {
    const RowCases cases(kWidth, table);
    for (const auto& row_case : cases.all()) {
      const auto& name = row_case.first;
      const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
      EXPECT_EQ(width_of(rows), kWidth);
      for (const DType dtype : float_types()) {
        SCOPED_TRACE(name + " of " + std::string(to_text(table)) + " as " + std::string(to_text(dtype)));
        TypedBlock out(dtype, 1, 6, kWidth, {.gap = 2});
        fill_rows(rows, PositionView::of(ids.data(), 6), out.flat());
        ASSERT_TRUE(out.gaps_are_whole());
        for (std::int64_t n = 0; n < 6; ++n) {
          const auto expected = reference_row(cases, rows, static_cast<double>(ids[static_cast<std::size_t>(n)]));
          for (std::int64_t m = 0; m < kWidth; ++m) {
            const double value = expected[static_cast<std::size_t>(m)];
            ASSERT_NEAR(out.at(0, n, m), value, tolerance(dtype, value)) << n << ", " << m;
          }
        }
      }
    }
  }
}

// Two tokens with one id, and ids of every type, in a batch: always the same bits.
TEST(FillRows, TypesAndStridesOfIdsChangeNothing) {
  const std::int64_t plain[] = {3, 0, 9, 9, 6, 1};
  std::int32_t narrow[] = {3, 0, 9, 9, 6, 1};
  double real[] = {3, 0, 9, 9, 6, 1};
  std::int64_t strided[] = {3, -1, 9, -1, 6, -1, 0, -1, 9, -1, 1, -1};  // tokens before batches
  const RowCases cases(kWidth);
  for (const auto& row_case : cases.all()) {
    const auto& name = row_case.first;
    const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
    SCOPED_TRACE(name);
    TypedBlock flat(DType::f32, 1, 6, kWidth);
    fill_rows(rows, PositionView::of(plain, 6), flat.flat());
    const auto as_batch = [&](const PositionView& ids) {
      TypedBlock out(DType::f32, 3, 2, kWidth, {.gap = 1, .tokens_first = true});
      fill_rows(rows, ids, out.view());
      EXPECT_TRUE(out.gaps_are_whole());
      return out.values();
    };
    PositionView i32 = PositionView::of(narrow, 2), f64 = PositionView::of(real, 2), i64 = PositionView::of(strided, 2);
    i32.batch = f64.batch = i64.batch = 3;
    i32.batch_stride = f64.batch_stride = 2;
    i64.batch_stride = 2;
    i64.token_stride = 6;
    EXPECT_EQ(as_batch(i32), flat.values());
    EXPECT_EQ(as_batch(f64), flat.values());
    EXPECT_EQ(as_batch(i64), flat.values());
  }
}

TEST(FillRows, OneRowOfPositionsServesABatch) {
  const RowCases cases(kWidth);
  for (const auto& row_case : cases.all()) {
    const auto& name = row_case.first;
    const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
    SCOPED_TRACE(name);
    TypedBlock one(DType::f64, 1, 4, kWidth), batch(DType::f64, 3, 4, kWidth);
    fill_rows(rows, PositionView::range(2, 4), one.flat());
    fill_rows(rows, PositionView::range(2, 4), batch.view());
    for (std::int64_t b = 0; b < 3; ++b)
      for (std::int64_t n = 0; n < 4; ++n)
        for (std::int64_t m = 0; m < kWidth; ++m) ASSERT_EQ(batch.at(b, n, m), one.at(0, n, m));
  }
}

TEST(FillRows, TableAndStreamAreTheSameBits) {
  for (const Sinusoidal& spec : {Sinusoidal{.width = 64}, Sinusoidal{.width = 7, .first = 2, .zero_position = 5},
                                 Sinusoidal{.width = 9, .order = Order::cos_halves, .odd = OddWidth::zero}}) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    for (const DType dtype : float_types()) {
      SCOPED_TRACE(to_text(Spec(spec)) + " " + std::string(to_text(dtype)));
      TypedBlock table(dtype, 1, 300, spec.width, {.gap = 5}), read(dtype, 1, 100, spec.width),
          streamed(dtype, 1, 100, spec.width);
      fill_table(schedule, PositionView::range(1000, 300), table.flat());
      const PositionView positions = PositionView::range(1299, 100, -3);
      fill_rows(FixedRows{table.flat(), 1000}, positions, read.flat());
      fill_rows(StreamedRows{&schedule}, positions, streamed.flat());
      EXPECT_EQ(read.bytes(), streamed.bytes());
    }
  }
}

// A row of one dtype is copied bit by bit: NaN payloads, signed zeros and subnormals too.
TEST(FillRows, CopiesBits) {
  const std::uint16_t bits[] = {0x7e01, 0x8000, 0x0001, 0xfc00};
  const ConstView table = make_view(static_cast<const void*>(bits), DType::f16, {1, 4});
  std::uint16_t out[4] = {};
  fill_rows(LearnedRows{{.past_end = PastEnd::error}, table}, PositionView::range(0, 1),
            make_view(static_cast<void*>(out), DType::f16, {1, 4}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], bits[i]);
  std::fill(out, out + 4, std::uint16_t{0});
  fill_rows(FixedRows{table, 5}, PositionView::range(5, 1), make_view(static_cast<void*>(out), DType::f16, {1, 4}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], bits[i]);
}

TEST(FillRows, TakesNoPositions) {
  const RowCases cases(kWidth);
  for (const auto& row_case : cases.all()) {
    const auto& rows = row_case.second;
    fill_rows(rows, PositionView::range(0, 0), make_view<float>(nullptr, {0, kWidth}));
  }
}

TEST(FillRows, InterpolatesAtRealPositions) {
  const RowCases cases(kWidth);
  const Learned spec{.past_end = PastEnd::interpolate, .length = 20};
  const double ids[] = {4.25, 18.5};
  TypedBlock out(DType::f64, 1, 2, kWidth);
  fill_rows(HybridRows{StreamedRows{&cases.schedule()}, cases.learned(spec)}, PositionView::of(ids, 2), out.flat());
  for (std::int64_t n = 0; n < 2; ++n) {
    const auto expected =
        reference_row(cases, HybridRows{StreamedRows{&cases.schedule()}, cases.learned(spec)}, ids[n]);
    for (std::int64_t m = 0; m < kWidth; ++m)
      EXPECT_NEAR(out.at(0, n, m), expected[static_cast<std::size_t>(m)], 4e-14);
  }
}

class RowErrors : public ::testing::Test {
 protected:
  RowCases cases_{kWidth};
  TypedBlock out_{DType::f32, 1, 3, kWidth};

  // The last of three positions is wrong: nothing may have been written for the first two.
  void refused(const InputRows& rows, const PositionView& positions, const std::string& part,
               ErrorKind kind = ErrorKind::bad_input) {
    const std::vector<std::byte> before = out_.bytes();
    expect_error(kind, "[fill_rows] " + part, [&] { fill_rows(rows, positions, out_.flat()); });
    EXPECT_EQ(out_.bytes(), before) << "something was written";
  }
  void refused_at(const InputRows& rows, std::int64_t id, const std::string& part) {
    const std::int64_t ids[] = {1, 2, id};
    refused(rows, PositionView::of(ids, 3), part);
  }
};

TEST_F(RowErrors, NegativeIdsHaveNoRow) {
  const FixedRows fixed{cases_.fixed_table().flat()};
  refused_at(fixed, -1, "position -1 of token [2] is not in the table, which has positions 0 to 9");
  for (const Learned& spec : RowCases::learned_specs()) {
    const std::string part = "position -1 of token [2] must not be negative: the first row is for position 0";
    refused_at(cases_.learned(spec), -1, part);
    refused_at(HybridRows{StreamedRows{&cases_.schedule()}, cases_.learned(spec)}, -1, part);
  }
  refused(cases_.learned({.past_end = PastEnd::clamp, .first = 2}), PositionView::range(1, 3, -1),
          "position -1 of token [2] must not be negative");
  refused(cases_.learned({.past_end = PastEnd::clamp, .first = 2}), PositionView::range(-2, 3),
          "position -2 of token [0] must not be negative");
}

TEST_F(RowErrors, PositionsPastTheEnd) {
  refused_at(FixedRows{cases_.fixed_table().flat()}, 10, "position 10 of token [2] is not in the table");
  refused_at(FixedRows{cases_.fixed_table().flat(), 2}, 1,
             "position 1 of token [0] is not in the table, which has "
             "positions 2 to 11");
  refused_at(cases_.learned({.past_end = PastEnd::error}), 7, "position 7 of token [2] is past the end of the table");
  refused_at(cases_.learned({.past_end = PastEnd::interpolate, .length = 12}), 12, "position 12 of token [2] is past");
  refused_at(HybridRows{FixedRows{cases_.fixed_table().flat()}, cases_.learned({.past_end = PastEnd::clamp})}, 10,
             "position 10 of token [2] is not in the table");
  refused(cases_.learned({.past_end = PastEnd::error}), PositionView::range(5, 3), "position 7 of token [2] is past");
}

TEST_F(RowErrors, NameTheFirstPositionOfARangeThatFails) {
  const auto names = [](const InputRows& rows, const PositionView& positions, const std::string& part) {
    expect_error(ErrorKind::bad_input, "[rows] " + part, [&] { posenc::check_rows(rows, positions, "rows"); });
  };
  const FixedRows fixed{cases_.fixed_table().flat()};
  names(fixed, PositionView::range(8, 4), "position 10 of token [2] is not in the table");
  names(fixed, PositionView::range(-1, 30), "position -1 of token [0] is not in the table");
  names(fixed, PositionView::range(0, 1000000, 3), "position 12 of token [4] is not in the table");
  names(fixed, PositionView::range(3, 100, -1), "position -1 of token [4] is not in the table");
  names(cases_.learned({.past_end = PastEnd::error}), PositionView::range(0, 100), "position 7 of token [7] is past");
  const posenc::SinusoidalSchedule schedule = posenc::make_schedule(posenc::Sinusoidal{.width = 4, .first = 2});
  names(StreamedRows{&schedule}, PositionView::range(2147483640, 8), "position 2147483646 counts as 2147483648");
}

TEST_F(RowErrors, NameTheTokenOfABatch) {
  const std::int32_t ids[] = {0, 1, 2, 3, 4, 99};
  PositionView positions = PositionView::of(ids, 3);
  positions.batch = 2;
  positions.batch_stride = 3;
  TypedBlock out(DType::f32, 2, 3, kWidth);
  expect_error(ErrorKind::bad_input, "position 99 of token [1, 2] is past the end",
               [&] { fill_rows(cases_.learned({.past_end = PastEnd::error}), positions, out.view()); });
}

TEST_F(RowErrors, RealPositions) {
  const double ids[] = {1.0, 2.0, 2.5};
  refused(FixedRows{cases_.fixed_table().flat()}, PositionView::of(ids, 3),
          "position 2.5 of token [2] must be a whole");
  refused(cases_.learned({.past_end = PastEnd::clamp}), PositionView::of(ids, 3), "position 2.5 of token [2] must be");
}

TEST_F(RowErrors, TablesOfTheWrongForm) {
  const PositionView positions = PositionView::range(0, 3);
  const ConstView good = cases_.table().flat();
  const auto bad_table = [&](const ConstView& table, const std::string& part) {
    refused(FixedRows{table}, positions, "the table must " + part, ErrorKind::usage);
    const LearnedRows learned{{.past_end = PastEnd::clamp}, table};
    refused(learned, positions, "the learned table must " + part, ErrorKind::usage);
    refused(HybridRows{StreamedRows{&cases_.schedule()}, learned}, positions, "the learned table must " + part,
            ErrorKind::usage);
  };
  bad_table(good[0], "be [R, M] but is [10]");
  bad_table(cases_.table().view(), "be [R, M] but is [1, 7, 10]");
  ConstView changed = good;
  changed.dtype = DType::i32;
  bad_table(changed, "be f32, f64, f16 or bf16 but is i32");
  changed = good;
  changed.data = nullptr;
  bad_table(changed, "not be null but has shape [7, 10]");
  bad_table(good.swap(0, 1), "have contiguous channels but the stride of its last axis is 13");
  changed = good;
  changed.shape[1] = 0;
  bad_table(changed, "have at least 1 channel but is [7, 0]");
}

TEST_F(RowErrors, SpecsThatDoNotFitTheTable) {
  const PositionView positions = PositionView::range(0, 3);
  const auto bad = [&](const Learned& spec, const std::string& part, ErrorKind kind = ErrorKind::usage) {
    const std::vector<std::byte> before = out_.bytes();
    expect_error(kind, part, [&] { fill_rows(cases_.learned(spec), positions, out_.flat()); });
    EXPECT_EQ(out_.bytes(), before) << "something was written";
  };
  bad({.rows = 8, .past_end = PastEnd::clamp}, "the learned table must have 8 rows as in its spec but has 7");
  bad({.width = 9, .past_end = PastEnd::clamp}, "the learned table must have 9 channels as in its spec but has 10");
  bad({.past_end = PastEnd::clamp, .padding_row = 7}, "padding_row must be below the table's 7 rows but is 7");
  bad({}, "past_end must be", ErrorKind::bad_input);
  fill_rows(cases_.learned({.width = 10, .rows = 7, .past_end = PastEnd::clamp, .padding_row = 6}), positions,
            out_.flat());
}

TEST_F(RowErrors, SourcesOfTheWrongForm) {
  const PositionView positions = PositionView::range(0, 3);
  refused(StreamedRows{}, positions, "streamed rows need a schedule but it is null", ErrorKind::usage);
  const SinusoidalSchedule wide = make_schedule({.width = 12});
  refused(HybridRows{StreamedRows{&wide}, cases_.learned({.past_end = PastEnd::clamp})}, positions,
          "fixed and learned rows must have the same width but have 12 and 10", ErrorKind::usage);
  refused(FixedRows{cases_.fixed_table().flat(), std::int64_t{1} << 62}, positions,
          "the table's start must be from -2147483647 to 2147483647", ErrorKind::usage);
  PositionView tuples = positions;
  tuples.axes = 2;
  for (const auto& [name, rows] : cases_.all()) refused(rows, tuples, "", ErrorKind::usage);
  refused(StreamedRows{&wide}, positions, "out must be [3, 12] or [B, 3, 12] but is [3, 10]", ErrorKind::usage);
}

TEST_F(RowErrors, TheOutputIsApartFromWhatIsRead) {
  const PositionView positions = PositionView::range(0, 3);
  TypedBlock table(DType::f32, 1, 7, 2 * kWidth);
  table.set_values(random_numbers(7 * 2 * kWidth, 3));
  View left = table.flat(), right = table.flat();
  left.shape[1] = right.shape[1] = kWidth;
  right.data = right.as<float>() + kWidth;
  right.shape[0] = 3;
  // Beside the table in the same rows is apart from it.
  fill_rows(LearnedRows{{.past_end = PastEnd::clamp}, left}, positions, right);
  for (std::int64_t m = 0; m < kWidth; ++m) EXPECT_EQ(table.at(0, 1, kWidth + m), table.at(0, 1, m));
  View over = right;
  over.data = over.as<float>() - 1;
  expect_error(ErrorKind::usage, "[fill_rows] out must not overlap the learned table", [&] {
    fill_rows(LearnedRows{{.past_end = PastEnd::clamp}, left}, positions, over);
  });
  expect_error(ErrorKind::usage, "[fill_rows] out must not overlap the table",
               [&] { fill_rows(FixedRows{left}, positions, over); });
  expect_error(ErrorKind::usage, "[fill_rows] out must not overlap the table", [&] {
    fill_rows(HybridRows{FixedRows{left}, cases_.learned({.past_end = PastEnd::clamp})}, positions, over);
  });
  std::vector<double> memory(64, 0.0);
  expect_error(ErrorKind::usage, "out must not overlap the positions", [&] {
    fill_rows(FixedRows{left}, PositionView::of(memory.data() + 29, 3), make_view(memory.data(), {3, kWidth}));
  });
}

}  // namespace
}  // namespace posenc::input_rows_test
