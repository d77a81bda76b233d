#include "posenc/rerotate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/every_target.h"
#include "support/expect_error.h"
#include "support/head_block.h"
#include "support/typed_block.h"

namespace posenc::rerotate_test {
namespace {

double unit_of(DType dtype) {
  if (dtype == DType::f64) return 0x1p-53;
  if (dtype == DType::f32) return 0x1p-24;
  return dtype == DType::f16 ? 0x1p-11 : 0x1p-8;
}

// Keys of random numbers: rotated at `from` and moved to `to`, against rotated at `to` from scratch.
void expect_moved(const Rotary& before, const PositionView& from, const Rotary& after, const PositionView& to,
                  DType dtype, HeadLayout layout = {}) {
  SCOPED_TRACE(to_text(Spec(before)) + " to " + to_text(Spec(after)) + " " + std::string(to_text(dtype)));
  const RotaryAngles old_angles(before), new_angles(after);
  const std::int64_t batch = std::max({from.batch, to.batch, std::int64_t{1}});
  HeadBlock x(dtype, batch, from.count, 2, before.head_dim), keys(dtype, batch, from.count, 2, before.head_dim, layout),
      out(dtype, batch, from.count, 2, before.head_dim), wanted(dtype, batch, from.count, 2, before.head_dim);
  x.set_values(random_numbers(x.view().size(), 1));
  rotate(x.view(), from, old_angles, keys.view());
  rotate(x.view(), to, new_angles, wanted.view());
  rerotate(keys.view(), {old_angles, from}, {new_angles, to}, out.view());
  const double new_factor = new_angles.schedule().attention_factor;
  const double size = 6.0 * std::max({1.0, new_factor, new_factor / old_angles.schedule().attention_factor});
  const std::vector<double> expected = wanted.values(), got = out.values();
  // f64 angles are good to 2 pi 2^-64 of the position.
  const double far = dtype == DType::f64 ? 4e-9 * 0.5 : 0.0;
  double farthest = 0.0;
  for (const PositionView& positions : {from, to})
    for (std::int64_t b = 0; b < positions.batch; ++b)
      for (std::int64_t n = 0; n < positions.count; ++n)
        for (std::int64_t a = 0; a < positions.axes; ++a)
          farthest = std::max(farthest, std::fabs(positions.real(b, n, a)));
  const double tolerance = size * (4.0 * unit_of(dtype) + far * farthest / 2147483647.0);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance) << "number " << i;
  EXPECT_TRUE(out.gaps_are_whole());
  rerotate(keys.view(), {old_angles, from}, {new_angles, to});
  EXPECT_EQ(keys.values(), got);
  EXPECT_TRUE(keys.gaps_are_whole());
}

const Layout kLayouts[] = {Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative,
                           Layout::half_per_axis};

TEST(Rerotate, MovesToOtherPositions) {
  const std::int64_t from[] = {5, 100, 1048575, 7, kMaxPosition};
  const std::int64_t to[] = {0, 99, 2, -kMaxPosition, kMaxPosition - 1};
  on_every_target([&] {
    for (const Layout layout : kLayouts) {
      for (const DType dtype : float_types()) {
        const Rotary spec{.head_dim = 42, .layout = layout, .rotary_dim = 36, .first_channel = 3};
        expect_moved(spec, PositionView::of(from, 5), spec, PositionView::of(to, 5), dtype);
        expect_moved(spec, PositionView::range(1000000, 5), spec, PositionView::range(4, 5), dtype, {.head_gap = 3});
        expect_moved(spec, PositionView::range(7, 5), spec, PositionView::range(7, 5), dtype, {.heads_first = true});
      }
    }
  });
}

TEST(Rerotate, MovesToAnotherEncoding) {
  for (const DType dtype : float_types()) {
    const PositionView positions = PositionView::range(0, 6, 777);
    Rotary before{.head_dim = 20, .rotary_dim = 16, .attention_factor = 1.3};
    Rotary after{.head_dim = 20, .base = 500000.0, .rotary_dim = 16, .attention_factor = 0.8};
    expect_moved(before, positions, after, positions, dtype);
    expect_moved(before, positions, after, PositionView::range(-3, 6), dtype);
    after.inv_freq.assign(8, 0.25);
    after.base = 10000.0;
    expect_moved(before, positions, after, positions, dtype);
    // A pair keeps its channels, not its direction.
    after.layout = Layout::half_negative;
    expect_moved(before, positions, after, positions, dtype);
    expect_moved(after, positions, before, positions, dtype);
  }
}

// interleaved_to_half writes half: keys written so can be moved as half, by either spec.
TEST(Rerotate, KnowsWhereChannelsWereWritten) {
  const Rotary from{.head_dim = 12, .layout = Layout::interleaved_to_half}, to{.head_dim = 12, .base = 300.0};
  const RotaryAngles before(from), after(to);
  HeadBlock x(DType::f32, 1, 3, 2, 12), keys(DType::f32, 1, 3, 2, 12), wanted(DType::f32, 1, 3, 2, 12);
  x.set_values(random_numbers(x.view().size(), 1));
  const PositionView here = PositionView::range(5, 3), there = PositionView::range(1, 3);
  rotate(x.view(), here, before, keys.view());
  rerotate(keys.view(), {before, here}, {after, there});
  Rotary same = from;  // the same frequencies as `to`, read interleaved
  same.base = 300.0;
  rotate(x.view(), there, RotaryAngles(same), wanted.view());
  const std::vector<double> expected = wanted.values(), got = keys.values();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-6);
}

TEST(Rerotate, FactorsElsewhereStayThere) {
  const Rotary table{.head_dim = 4, .attention_factor = 2.0};
  const Rotary query{.head_dim = 4, .attention_factor = 3.0, .attention_factor_in = FactorIn::query};
  const RotaryAngles before(table), after(query);
  std::vector<float> x = {1.0f, 2.0f, 3.0f, 4.0f};
  rerotate(make_view(x.data(), {1, 1, 4}), {before, PositionView::range(5, 1)}, {after, PositionView::range(5, 1)});
  const std::vector<float> wanted = {0.5f, 1.0f, 1.5f, 2.0f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], wanted[i], 1e-6f);
}

TEST(Rerotate, TakesBatchesOfIds) {
  std::int64_t from[] = {4, 5, 6, 100, 200, 300}, to[] = {0, 1, 2, 3, -4, 50000};
  PositionView old_ids = PositionView::of(from, 3), new_ids = PositionView::of(to, 3);
  for (PositionView* view : {&old_ids, &new_ids}) {
    view->batch = 2;
    view->batch_stride = 3;
  }
  const Rotary spec{.head_dim = 10};
  expect_moved(spec, old_ids, spec, new_ids, DType::f32);
  expect_moved(spec, old_ids, spec, PositionView::range(9, 3), DType::f32);
  expect_moved(spec, PositionView::range(9, 3), spec, new_ids, DType::f32);
}

TEST(Rerotate, TakesSeveralAxesAndRealPositions) {
  const std::int64_t from[] = {4, 5, 6, 100}, to[] = {-1, 2, 7, 8};
  PositionView old_ids = PositionView::of(from, 2), new_ids = PositionView::of(to, 2);
  for (PositionView* view : {&old_ids, &new_ids}) {
    view->axes = 2;
    view->token_stride = 2;
  }
  const Rotary mapped{.head_dim = 8, .axes = 2, .axis_of_pair = {0, 1, 1, 0}};
  expect_moved(mapped, old_ids, mapped, new_ids, DType::f32);
  const Rotary both{.head_dim = 8, .inv_freq = {1.0, 0.5, 0.25, 0.1, 0.3, 0.2, 0.0, 0.9}, .axes = 2};
  expect_moved(both, old_ids, both, new_ids, DType::f32);
  expect_moved(mapped, old_ids, both, new_ids, DType::f32);
  const double reals[] = {0.5, 1000.25};
  const Rotary plain{.head_dim = 8};
  expect_moved(plain, PositionView::of(reals, 2), plain, PositionView::range(3, 2), DType::f32);
  expect_moved(mapped, old_ids, plain, PositionView::range(3, 2), DType::f32);
}

// Many moves there and back leave nothing but the rounding of each.
TEST(Rerotate, DoesNotDrift) {
  const RotaryAngles angles(Rotary{.head_dim = 16});
  HeadBlock x(DType::f32, 1, 4, 1, 16);
  x.set_values(random_numbers(x.view().size(), 1));
  const std::vector<double> before = x.values();
  for (int i = 0; i < 50; ++i) {
    const PositionView here = PositionView::range(i * 100003, 4), there = PositionView::range((i + 1) * 100003, 4);
    rerotate(x.view(), {angles, here}, {angles, there});
  }
  rerotate(x.view(), {angles, PositionView::range(50 * 100003, 4)}, {angles, PositionView::range(0, 4)});
  const std::vector<double> after = x.values();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i], before[i], 51 * 4.0 * 0x1p-24);
}

TEST(Rerotate, ScalesAllChannels) {
  const RotaryAngles angles(Rotary{.head_dim = 6, .rotary_dim = 4});
  std::vector<float> x = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
  const PositionView here = PositionView::range(3, 1);
  rerotate(make_view(x.data(), {1, 1, 6}), {angles, here}, {angles, here}, {.output_scale = 0.5});
  const std::vector<float> wanted = {0.5f, 1.0f, 1.5f, 2.0f, 2.5f, 3.0f};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(x[i], wanted[i], 1e-6f);
  EXPECT_EQ(x[4], 2.5f);
}

TEST(Rerotate, RefusesWhatDoesNotFit) {
  const Rotary spec{.head_dim = 8};
  const RotaryAngles angles(spec);
  HeadBlock x(DType::f32, 1, 3, 1, 8), other(DType::f32, 1, 3, 1, 8);
  x.set_values(random_numbers(x.view().size(), 1));
  const std::vector<std::byte> before = x.bytes();
  const PositionView three = PositionView::range(0, 3);
  const auto refused = [&](const Rotary& to, const PositionView& from_positions, const PositionView& to_positions,
                           ErrorKind kind = ErrorKind::usage) {
    SCOPED_TRACE(to_text(Spec(to)));
    const RotaryAngles after(to);
    expect_error(kind, "[rerotate] ", [&] { rerotate(x.view(), {angles, from_positions}, {after, to_positions}); });
    EXPECT_EQ(x.bytes(), before);
  };
  refused({.head_dim = 6}, three, three);
  refused({.head_dim = 8, .rotary_dim = 6}, three, three);
  refused({.head_dim = 8, .layout = Layout::interleaved}, three, three);
  refused({.head_dim = 8, .layout = Layout::half_per_axis, .axes = 2}, three, three);
  refused(spec, three, PositionView::range(0, 2));
  refused(spec, PositionView::range(0, 4), three);
  refused(spec, PositionView::range(kMaxPosition, 3), three, ErrorKind::bad_input);
  refused(spec, three, PositionView::range(kMaxPosition, 3), ErrorKind::bad_input);
  const double reals[3] = {0.0, NAN, 1.0};
  refused(spec, three, PositionView::of(reals, 3), ErrorKind::bad_input);
  const std::int64_t ids[6] = {};
  PositionView two_axes = PositionView::of(ids, 3);
  two_axes.axes = 2;
  two_axes.token_stride = 2;
  refused(spec, three, two_axes);
  const RotaryAngles moved_window(Rotary{.head_dim = 8, .rotary_dim = 4, .first_channel = 2}),
      window(Rotary{.head_dim = 8, .rotary_dim = 4});
  expect_error(ErrorKind::usage, "[rerotate] ", [&] { rerotate(x.view(), {window, three}, {moved_window, three}); });
  expect_error(ErrorKind::usage, "scale must be finite", [&] {
    rerotate(x.view(), {angles, three}, {angles, three}, {.output_scale = NAN});
  });
  View shifted = x.view();
  shifted.data = shifted.as<float>() + 1;
  shifted.shape[1] = 2;
  View first = x.view();
  first.shape[1] = 2;
  expect_error(ErrorKind::usage, "overlap", [&] {
    rerotate(first, {angles, PositionView::range(0, 2)}, {angles, PositionView::range(1, 2)}, shifted);
  });
  EXPECT_EQ(x.bytes(), before);
}

TEST(Rerotate, WorkersChangeNoBit) {
  const RotaryAngles angles(Rotary{.head_dim = 64}), after(Rotary{.head_dim = 64, .base = 1e6});
  HeadBlock x(DType::f32, 2, 300, 3, 64), wanted(DType::f32, 2, 300, 3, 64);
  x.set_values(random_numbers(x.view().size(), 1));
  const PositionView here = PositionView::range(50, 300), there = PositionView::range(0, 300, 2);
  rerotate(x.view(), {angles, here}, {after, there}, wanted.view());
  for (const int count : {1, 2, 3, 5}) {
    const Workers workers(count);
    HeadBlock out(DType::f32, 2, 300, 3, 64);
    rerotate(x.view(), {angles, here}, {after, there}, out.view(), {.workers = &workers});
    EXPECT_EQ(out.bytes(), wanted.bytes());
  }
}

}  // namespace
}  // namespace posenc::rerotate_test
