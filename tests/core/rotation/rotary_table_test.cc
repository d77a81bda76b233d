#include "posenc/rotary_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "support/every_target.h"
#include "support/expect_error.h"
#include "support/rotary_oracle.h"
#include "support/typed_block.h"

namespace posenc::rotary_table_test {
namespace {

const std::vector<std::int64_t>& far_ids() {
  static const std::vector<std::int64_t> ids = {0,        1,          499,       8191,       131071,
                                                1048575,  16777217,   -1,        -499,       -131071,
                                                -1048575, 2147483646, -16777217, 2147483647, -2147483647};
  return ids;
}

std::vector<double> coordinates(const PositionView& positions, std::int64_t n) {
  std::vector<double> result;
  for (std::int64_t a = 0; a < positions.axes; ++a) result.push_back(positions.real(0, n, a));
  return result;
}

oracle::Big times(const oracle::Big& value, double factor) {
  oracle::Big result(value);
  mpfr_mul_d(result.get(), result.get(), factor, MPFR_RNDN);
  return result;
}

// A value of a table against the exact one, by what posenc/table.h promises.
void expect_close(DType dtype, double got, const oracle::Big& exact, double angle_error, double factor) {
  const double wanted = exact.rounded();
  if (dtype == DType::f32) {
    const double half_ulp = std::fabs(wanted) <= 1.0 ? 0x1p-25 : 0x1p-24;
    ASSERT_LE(oracle::distance(got, exact), half_ulp * 1.0001 + factor * (std::numbers::pi * 0x1p-33 + angle_error));
  } else if (dtype == DType::f64) {
    ASSERT_LE(oracle::distance(got, exact), factor * (4e-16 + angle_error));
  } else {
    const oracle::Narrow format = dtype == DType::f16 ? oracle::kF16 : oracle::kBf16;
    const double slack = factor * (std::numbers::pi * 0x1p-33 + angle_error);
    const double low = oracle::round_to(oracle::Big(wanted - slack), format);
    const double high = oracle::round_to(oracle::Big(wanted + slack), format);
    ASSERT_GE(got, low);
    ASSERT_LE(got, high);
  }
}

// Every value of a table of any tiling; `pair_of` says which pair a column shows.
template <class PairOf>
void expect_exact(const Rotary& spec, const PositionView& positions, const TypedBlock& cos, const TypedBlock& sin,
                  const PairOf& pair_of) {
  const RotarySchedule schedule = make_schedule(spec);
  const DType dtype = cos.view().dtype;
  const double factor = schedule.table_factor();
  for (std::int64_t n = 0; n < positions.count; ++n) {
    const std::vector<double> position = coordinates(positions, n);
    const double angle_error = oracle::angle_error(schedule, position);
    for (std::int64_t m = 0; m < cos.view().shape[2]; ++m) {
      const oracle::Big angle = oracle::rotary_angle(schedule.inv_freq, schedule.pairs(), position, pair_of(m));
      SCOPED_TRACE("position " + std::to_string(position[0]) + " column " + std::to_string(m));
      expect_close(dtype, cos.at(0, n, m), times(oracle::cos(angle), factor), angle_error, factor);
      expect_close(dtype, sin.at(0, n, m), times(oracle::sin(angle), factor), angle_error, factor);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_TRUE(cos.gaps_are_whole());
  EXPECT_TRUE(sin.gaps_are_whole());
}

TEST(FillCosSin, IsExactAtEveryPosition) {
  const std::vector<double> reals = {0.5, -0.25, 499.75, 1048575.3, -131071.0625, 2147483646.5};
  on_every_target([&] {
    for (const DType dtype : float_types()) {
      SCOPED_TRACE(to_text(dtype));
      for (const Rotary& spec :
           {Rotary{.head_dim = 46}, Rotary{.head_dim = 14, .base = 500000.0, .attention_factor = 1.19}}) {
        const std::int64_t pairs = spec.head_dim / 2;
        for (const PositionView& positions : {PositionView::of(far_ids().data(), std::ssize(far_ids())),
                                              PositionView::of(reals.data(), std::ssize(reals))}) {
          TypedBlock cos(dtype, 1, positions.count, pairs, {.gap = 3}),
              sin(dtype, 1, positions.count, pairs, {.gap = 1});
          fill_cos_sin(RotaryAngles(spec), positions, cos.flat(), sin.flat());
          expect_exact(spec, positions, cos, sin, [](std::int64_t m) { return m; });
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(FillCosSin, TilesAsAsked) {
  const std::int64_t ids[] = {1, 70000, -3};
  const PositionView positions = PositionView::of(ids, 3);
  on_every_target([&] {
    for (const DType dtype : float_types()) {
      for (const std::int64_t pairs : {1, 2, 3, 7, 8, 13, 16, 33}) {
        const Rotary spec{.head_dim = 2 * pairs, .base = 100.0};
        const RotaryAngles angles(spec);
        const auto filled = [&](Tiling tiling, const auto& pair_of) {
          TypedBlock cos(dtype, 1, 3, 2 * pairs, {.gap = 2}),
              sin(dtype, 1, 3, 2 * pairs, {.gap = 5, .backwards = true});
          fill_cos_sin(angles, positions, cos.flat(), sin.flat(), tiling);
          expect_exact(spec, positions, cos, sin, pair_of);
        };
        filled(Tiling::halves, [&](std::int64_t m) { return m % pairs; });
        filled(Tiling::pairs, [&](std::int64_t m) { return m / 2; });
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// Of half_per_axis halves are repeated part by part: with two parts of three pairs, 0 1 2 0 1 2 3 4 5 3 4 5.
TEST(FillCosSin, TilesPartByPart) {
  const Rotary spec{.head_dim = 12, .layout = Layout::half_per_axis, .axes = 2};
  const std::int64_t ids[] = {1, 2, 30, -7};
  PositionView positions = PositionView::of(ids, 2);
  positions.axes = 2;
  positions.token_stride = 2;
  const std::int64_t halves[12] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5};
  TypedBlock cos(DType::f32, 1, 2, 12), sin(DType::f32, 1, 2, 12);
  fill_cos_sin(RotaryAngles(spec), positions, cos.flat(), sin.flat(), Tiling::halves);
  expect_exact(spec, positions, cos, sin, [&](std::int64_t m) { return halves[m]; });
  fill_cos_sin(RotaryAngles(spec), positions, cos.flat(), sin.flat(), Tiling::pairs);
  expect_exact(spec, positions, cos, sin, [&](std::int64_t m) { return m / 2; });
}

TEST(FillCosSin, WritesBothInOneRow) {
  const PositionView positions = PositionView::of(far_ids().data(), std::ssize(far_ids()));
  on_every_target([&] {
    for (const DType dtype : float_types()) {
      for (const std::int64_t pairs : {1, 5, 24}) {
        const RotaryAngles angles(Rotary{.head_dim = 2 * pairs, .attention_factor = 0.7});
        TypedBlock cos(dtype, 1, positions.count, pairs), sin(dtype, 1, positions.count, pairs),
            both(dtype, 1, positions.count, 2 * pairs, {.gap = 3});
        fill_cos_sin(angles, positions, cos.flat(), sin.flat());
        fill_cos_sin(angles, positions, both.flat());
        for (std::int64_t n = 0; n < positions.count; ++n) {
          for (std::int64_t m = 0; m < pairs; ++m) {
            ASSERT_EQ(both.at(0, n, m), cos.at(0, n, m));
            ASSERT_EQ(both.at(0, n, pairs + m), sin.at(0, n, m));
          }
        }
        EXPECT_TRUE(both.gaps_are_whole());
      }
    }
  });
}

TEST(FillCosSin, TakesSeveralAxes) {
  const std::vector<double> frequencies = {1.0, 0.5, 0.25, 0.3, 0.2, 0.1};
  const Rotary specs[] = {{.head_dim = 6, .axes = 2, .axis_of_pair = {1, 0, 1}},
                          {.head_dim = 6, .inv_freq = frequencies, .axes = 2},
                          {.head_dim = 8, .rotary_dim = 4, .axes = 2, .axis_of_pair = {1, 0}}};
  const std::int64_t ids[] = {1, 2000000, -30, 7, 2147483647, -2147483647};
  const double reals[] = {0.5, 2000000.25, -30.0, 7.125, 0.0, -1.0};
  PositionView whole = PositionView::of(ids, 3), real = PositionView::of(reals, 3);
  for (PositionView* view : {&whole, &real}) {
    view->axes = 2;
    view->token_stride = 2;
  }
  on_every_target([&] {
    for (const Rotary& spec : specs) {
      for (const PositionView& positions : {whole, real}) {
        for (const DType dtype : {DType::f32, DType::f64}) {
          const std::int64_t pairs = make_schedule(spec).pairs();
          TypedBlock cos(dtype, 1, 3, pairs), sin(dtype, 1, 3, pairs);
          fill_cos_sin(RotaryAngles(spec), positions, cos.flat(), sin.flat());
          expect_exact(spec, positions, cos, sin, [](std::int64_t m) { return m; });
        }
      }
    }
  });
}

TEST(FillCosSin, TakesBatches) {
  const std::int64_t ids[] = {1, 2, 3, 40, 50, 60};
  PositionView positions = PositionView::of(ids, 3);
  positions.batch = 2;
  positions.batch_stride = 3;
  const RotaryAngles angles(Rotary{.head_dim = 6});
  TypedBlock cos(DType::f32, 2, 3, 6, {.tokens_first = true}), sin(DType::f32, 2, 3, 6), flat_cos(DType::f32, 1, 6, 6),
      flat_sin(DType::f32, 1, 6, 6);
  fill_cos_sin(angles, positions, cos.view(), sin.view(), Tiling::halves);
  fill_cos_sin(angles, PositionView::of(ids, 6), flat_cos.flat(), flat_sin.flat(), Tiling::halves);
  EXPECT_EQ(cos.values(), flat_cos.values());
  EXPECT_EQ(sin.values(), flat_sin.values());
  fill_cos_sin(angles, PositionView::range(1, 3), cos.view(), sin.view(), Tiling::halves);  // shared by the rows
  for (std::int64_t n = 0; n < 3; ++n)
    for (std::int64_t m = 0; m < 6; ++m) {
      EXPECT_EQ(cos.at(0, n, m), flat_cos.at(0, n, m));
      EXPECT_EQ(cos.at(1, n, m), flat_cos.at(0, n, m));
    }
}

// The angle is the float32 product of the float32 position and frequency; its cos and sin are correctly rounded.
TEST(FillCosSin, RoundsTheAngleForReferencePrecision) {
  const PositionView positions = PositionView::of(far_ids().data(), std::ssize(far_ids()));
  on_every_target([&] {
    for (const double base : {10000.0, 500000.0}) {
      const Rotary spec{.head_dim = 46, .base = base, .precision = Precision::reference};
      const RotarySchedule schedule = make_schedule(spec);
      TypedBlock cos(DType::f32, 1, positions.count, 23), sin(DType::f32, 1, positions.count, 23);
      fill_cos_sin(RotaryAngles(spec), positions, cos.flat(), sin.flat());
      int differ = 0;
      for (std::int64_t n = 0; n < positions.count; ++n) {
        for (std::int64_t i = 0; i < 23; ++i) {
          const auto position = static_cast<float>(positions.integer(0, n));
          const float angle = position * static_cast<float>(schedule.inv_freq[static_cast<std::size_t>(i)]);
          const oracle::Big exact(static_cast<double>(angle));
          const auto single = [](const oracle::Big& value) { return mpfr_get_flt(value.get(), MPFR_RNDN); };
          ASSERT_EQ(static_cast<float>(cos.at(0, n, i)), single(oracle::cos(exact))) << position << " pair " << i;
          ASSERT_EQ(static_cast<float>(sin.at(0, n, i)), single(oracle::sin(exact))) << position << " pair " << i;
          differ +=
              std::fabs(cos.at(0, n, i) - oracle::cos(oracle::product(static_cast<double>(position),
                                                                      schedule.inv_freq[static_cast<std::size_t>(i)]))
                                              .rounded()) > 1e-4
                  ? 1
                  : 0;
        }
      }
      EXPECT_GT(differ, 20) << "the rounding of the angle does nothing";
    }
  });
}

// A factor is a float32 too, and multiplies what is rounded already.
TEST(FillCosSin, RoundsTheFactorForReferencePrecision) {
  Rotary spec{.head_dim = 64, .precision = Precision::reference};
  const PositionView positions = PositionView::range(1, 40, 77);
  TypedBlock plain(DType::f32, 1, 40, 64), scaled(DType::f32, 1, 40, 64);
  fill_cos_sin(RotaryAngles(spec), positions, plain.flat());
  spec.attention_factor = 1.1902380714238083;
  fill_cos_sin(RotaryAngles(spec), positions, scaled.flat());
  for (std::int64_t n = 0; n < 40; ++n)
    for (std::int64_t m = 0; m < 64; ++m) {
      EXPECT_EQ(static_cast<float>(scaled.at(0, n, m)), static_cast<float>(plain.at(0, n, m)) * 1.1902380714238083f);
    }
}

// Angles far below one: the sine of a float32 angle is that angle, all but.
TEST(FillCosSin, RoundsSmallAnglesForReferencePrecision) {
  const std::vector<double> frequencies = {1e-3, 1e-6, 3e-8, 1e-9, 1e-12, 7e-15, 1e-20, 1e-30, 1e-38, 0.0};
  const Rotary spec{.head_dim = 20, .inv_freq = frequencies, .precision = Precision::reference};
  const std::int64_t ids[] = {1, -3, 1000};
  TypedBlock cos(DType::f32, 1, 3, 10), sin(DType::f32, 1, 3, 10);
  fill_cos_sin(RotaryAngles(spec), PositionView::of(ids, 3), cos.flat(), sin.flat());
  for (std::int64_t n = 0; n < 3; ++n) {
    for (std::int64_t i = 0; i < 10; ++i) {
      const auto frequency = static_cast<float>(frequencies[static_cast<std::size_t>(i)]);
      const oracle::Big angle(static_cast<double>(static_cast<float>(ids[n]) * frequency));
      const auto single = [](const oracle::Big& value) { return mpfr_get_flt(value.get(), MPFR_RNDN); };
      EXPECT_EQ(static_cast<float>(cos.at(0, n, i)), single(oracle::cos(angle))) << ids[n] << " " << frequency;
      EXPECT_EQ(static_cast<float>(sin.at(0, n, i)), single(oracle::sin(angle))) << ids[n] << " " << frequency;
    }
  }
}

TEST(RotaryTable, HasTheBitsOfItsAngles) {
  on_every_target([] {
    for (const Precision precision : {Precision::exact, Precision::reference}) {
      for (const DType dtype : {DType::f32, DType::f64}) {
        const Rotary spec{.head_dim = 38, .rotary_dim = 30, .attention_factor = 1.3, .precision = precision};
        const RotaryAngles angles(spec);
        for (const std::int64_t start : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1048570}, kMaxPosition - 69}) {
          const PositionView range = PositionView::range(start, 70);
          const RotaryTable table(angles, range, dtype);
          EXPECT_EQ(table.start(), start);
          EXPECT_EQ(table.count(), 70);
          ASSERT_EQ(shape_text(table.view()), "[70, 30]");
          TypedBlock both(dtype, 1, 70, 30);
          fill_cos_sin(angles, range, both.flat());
          for (std::int64_t n = 0; n < 70; ++n) {
            const ConstView row = table.view()[n];
            ASSERT_EQ(std::memcmp(row.data, both.flat()[n].data, static_cast<std::size_t>(30 * size_of(dtype))), 0)
                << n;
          }
        }
      }
    }
  });
}

TEST(RotaryTable, StandsInTheMemoryOfTheCaller) {
  const RotaryAngles angles(Rotary{.head_dim = 10});
  TypedBlock memory(DType::f32, 1, 5, 10, {.gap = 3});
  const RotaryTable table(angles, PositionView::range(7, 5), memory.flat());
  EXPECT_EQ(table.view().data, memory.flat().data);
  EXPECT_EQ(table.view().strides[0], 13);
  EXPECT_TRUE(memory.gaps_are_whole());
  const RotaryTable own(angles, PositionView::range(7, 5));
  for (std::int64_t n = 0; n < 5; ++n) {
    for (std::int64_t m = 0; m < 10; ++m) EXPECT_EQ(memory.flat()[n].as<float>()[m], own.view()[n].as<float>()[m]);
  }
}

TEST(RotaryTable, IsAlignedAndSharedByItsCopies) {
  const RotaryTable table(Rotary{.head_dim = 6}, 4);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.view().data) % 64, 0u);
  EXPECT_EQ(table.view().dtype, DType::f32);
  const RotaryTable copy = table;
  EXPECT_EQ(copy.view().data, table.view().data);
  EXPECT_EQ(&copy.schedule(), &table.schedule());
  EXPECT_EQ(table.schedule().head_dim, 6);
}

TEST(RotaryTable, Refuses) {
  const auto refused = [](ErrorKind kind, const std::string& part, const auto& action) {
    SCOPED_TRACE(part);
    expect_error(kind, part, action);
  };
  const Rotary spec{.head_dim = 4};
  const RotaryAngles angles(spec);
  refused(ErrorKind::bad_input, "head_dim must be at least 2 but got 0", [] { RotaryAngles(Rotary{}); });
  refused(ErrorKind::bad_input, "head_dim must be at least 2 but got 0", [] { RotaryTable(Rotary{}, 4); });
  refused(ErrorKind::usage, "[RotaryTable] positions must be at least 1 but got 0", [&] { RotaryTable(spec, 0); });
  refused(ErrorKind::usage, "positions must have a count of at least 0", [&] { RotaryTable(spec, -1); });
  refused(ErrorKind::usage, "[RotaryTable] dtype must be f32 or f64 but got f16",
          [&] { RotaryTable(spec, 4, DType::f16); });
  refused(ErrorKind::usage, "[RotaryTable] dtype must be f32 or f64 but got i32",
          [&] { RotaryTable(spec, 4, DType::i32); });
  refused(ErrorKind::bad_input, "2147483648", [&] { RotaryTable(angles, PositionView::range(kMaxPosition, 2)); });
  const std::string steps = "[RotaryTable] positions must be a range in steps of 1";
  refused(ErrorKind::usage, steps, [&] { RotaryTable(angles, PositionView::range(0, 4, 2)); });
  refused(ErrorKind::usage, "at least 1 but got 0", [&] { RotaryTable(angles, PositionView::range(0, 0)); });
  const std::int64_t ids[2] = {0, 1};
  refused(ErrorKind::usage, steps, [&] { RotaryTable(angles, PositionView::of(ids, 2)); });
  const double reals[2] = {0.0, 1.0};
  refused(ErrorKind::usage, steps, [&] { RotaryTable(angles, PositionView::of(reals, 2)); });
  TypedBlock wide(DType::f32, 1, 2, 5), narrow(DType::f16, 1, 2, 4);
  const PositionView two = PositionView::range(0, 2);
  refused(ErrorKind::usage, "memory must be [2, 4]", [&] { RotaryTable(angles, two, wide.flat()); });
  refused(ErrorKind::usage, "memory must be f32 or f64 but is f16", [&] { RotaryTable(angles, two, narrow.flat()); });
  TypedBlock few(DType::f32, 1, 2, 4);
  refused(ErrorKind::usage, "memory must be [3, 4]",
          [&] { RotaryTable(angles, PositionView::range(0, 3), few.flat()); });
  // A pair rotated by both axes has no row of its own.
  const RotaryAngles both(Rotary{.head_dim = 4, .inv_freq = {1.0, 0.5, 0.0, 0.25}, .axes = 2});
  refused(ErrorKind::unsupported,
          "a pair is rotated by two "
          "axes",
          [&] { RotaryTable(both, PositionView::range(0, 4)); });
  RotaryTable(RotaryAngles(Rotary{.head_dim = 4, .inv_freq = {1.0, 0.0, 0.0, 0.25}, .axes = 2}),
              PositionView::range(0, 4));
}

TEST(RotaryAngles, RefusesSchedulesThatDoNotFit) {
  const auto refused = [](const auto& change) {
    RotarySchedule schedule = make_schedule(Rotary{.head_dim = 8, .axes = 2, .axis_of_pair = {0, 1, 0, 1}});
    RotaryAngles{schedule};
    change(schedule);
    EXPECT_THROW(RotaryAngles{schedule}, Error);
  };
  refused([](RotarySchedule& s) { s.inv_freq.pop_back(); });
  refused([](RotarySchedule& s) { s.inv_freq[3] = NAN; });
  refused([](RotarySchedule& s) { s.inv_freq[3] = INFINITY; });
  refused([](RotarySchedule& s) { s.rotary_dim = 10; });
  refused([](RotarySchedule& s) { s.rotary_dim = 7; });
  refused([](RotarySchedule& s) { s.rotary_dim = -8; });
  refused([](RotarySchedule& s) { s.first_channel = 1; });
  refused([](RotarySchedule& s) { s.first_channel = -1; });
  refused([](RotarySchedule& s) { s.head_dim = 1000000; });
  refused([](RotarySchedule& s) { s.head_dim = 6; });
  refused([](RotarySchedule& s) { s.axes = 0; });
  refused([](RotarySchedule& s) { s.axes = 9; });
  refused([](RotarySchedule& s) { s.layout = static_cast<Layout>(9); });
  refused([](RotarySchedule& s) { s.attention_factor_in = static_cast<FactorIn>(9); });
  refused([](RotarySchedule& s) { s.precision = static_cast<Precision>(9); });
  refused([](RotarySchedule& s) { s.attention_factor = NAN; });
  refused([](RotarySchedule& s) { s.attention_factor = 0.0; });
}

TEST(FillCosSin, RefusesBeforeItWrites) {
  const RotaryAngles angles(Rotary{.head_dim = 6});
  TypedBlock cos(DType::f32, 1, 4, 3), sin(DType::f32, 1, 4, 3);
  const std::vector<std::byte> cos_before = cos.bytes(), sin_before = sin.bytes();
  const auto refused = [&](const PositionView& positions, const View& c, const View& s, Tiling tiling,
                           ErrorKind kind = ErrorKind::usage) {
    expect_error(kind, "[fill_cos_sin] ", [&] { fill_cos_sin(angles, positions, c, s, tiling); });
    EXPECT_EQ(cos.bytes(), cos_before);
    EXPECT_EQ(sin.bytes(), sin_before);
  };
  const PositionView four = PositionView::range(0, 4);
  refused(four, cos.flat(), sin.flat(), Tiling::halves);
  refused(PositionView::range(0, 3), cos.flat(), sin.flat(), Tiling::per_pair);
  refused(PositionView::range(kMaxPosition, 4), cos.flat(), sin.flat(), Tiling::per_pair, ErrorKind::bad_input);
  const double reals[4] = {0.0, 1.0, NAN, 2.0};
  refused(PositionView::of(reals, 4), cos.flat(), sin.flat(), Tiling::per_pair, ErrorKind::bad_input);
  refused(four, cos.flat(), cos.flat(), Tiling::per_pair);
  View wrong = sin.flat();
  wrong.data = nullptr;
  refused(four, cos.flat(), wrong, Tiling::per_pair);
  wrong = sin.flat();
  wrong.shape[0] = 3;
  refused(four, cos.flat(), wrong, Tiling::per_pair);
  wrong = sin.flat();
  wrong.dtype = DType::i32;
  refused(four, cos.flat(), wrong, Tiling::per_pair);
  wrong = sin.flat();
  wrong.strides[1] = 2;
  wrong.shape[0] = 1;
  refused(PositionView::range(0, 1), cos.flat(), wrong, Tiling::per_pair);
  PositionView axes = PositionView::of(reals, 4);
  axes.axes = 2;
  axes.token_stride = 0;
  refused(axes, cos.flat(), sin.flat(), Tiling::per_pair);
  expect_error(ErrorKind::usage, "[fill_cos_sin] ", [&] { fill_cos_sin(angles, four, cos.flat()); });
  TypedBlock wide_cos(DType::f32, 1, 4, 6), wide_sin(DType::f32, 1, 4, 6);
  refused(four, wide_cos.flat(), wide_sin.flat(), static_cast<Tiling>(7));
  EXPECT_EQ(cos.bytes(), cos_before);
}

}  // namespace
}  // namespace posenc::rotary_table_test
