// Random specs, shapes, layouts and splits: the laws of rotation, and always the same bits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "posenc/reference.h"
#include "posenc/rotate.h"
#include "support/head_block.h"
#include "support/parts.h"
#include "support/typed_block.h"

namespace posenc::rotate_property_test {
namespace {

std::int64_t in_range(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); }

Layout any_layout() {
  return *rc::gen::element(Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative,
                           Layout::half_per_axis);
}

Rotary any_spec(double factor = 1.0) {
  const std::int64_t width = 2 * in_range(1, 24), spare = in_range(0, 6);
  return {.head_dim = width + spare,
          .base = *rc::gen::element(10000.0, 500000.0, 7.0),
          .layout = any_layout(),
          .rotary_dim = width,
          .first_channel = in_range(0, spare),
          .attention_factor = factor};
}

HeadLayout any_memory() { return {in_range(0, 3), in_range(0, 5), in_range(0, 1) == 1, in_range(0, 1) == 1}; }

// One token with one head of doubles.
std::vector<double> turned(const Rotary& spec, double position, std::vector<double> x, bool inverse = false) {
  const View view = make_view(x.data(), {1, 1, spec.head_dim});
  const RotaryAngles angles(spec);
  const PositionView at = PositionView::of(&position, 1);
  inverse ? rotate_inverse(view, at, angles) : rotate(view, at, angles);
  return x;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void assert_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(std::fabs(a[i] - b[i]) <= tolerance);
}

// At positions of a million an angle in double is off by 1e-10: the plain definition no more is exact.
RC_GTEST_PROP(RotateProperty, IsThePlainDefinition, ()) {
  const Rotary spec = any_spec(*rc::gen::element(1.0, 1.5));
  const double position[1] = {static_cast<double>(in_range(-1000000, 1000000))};
  const std::vector<double> x = random_numbers(spec.head_dim, static_cast<unsigned>(in_range(0, 1000)));
  std::vector<double> wanted(x.size());
  reference::rotate_head(spec, position, x.data(), wanted.data());
  assert_near(turned(spec, position[0], x), wanted, 3e-9);
}

RC_GTEST_PROP(RotateProperty, KeepsTheNorm, ()) {
  const Rotary spec = any_spec();
  const std::vector<double> x = random_numbers(spec.head_dim, static_cast<unsigned>(in_range(0, 1000)));
  const std::vector<double> y = turned(spec, static_cast<double>(in_range(-kMaxPosition, kMaxPosition)), x);
  RC_ASSERT(std::fabs(dot(x, x) - dot(y, y)) <= 1e-13 * dot(x, x));
}

RC_GTEST_PROP(RotateProperty, TheInverseUndoes, ()) {
  const Rotary spec = any_spec(*rc::gen::element(1.0, 1.5, 0.1));
  const std::vector<double> x = random_numbers(spec.head_dim, static_cast<unsigned>(in_range(0, 1000)));
  const auto position = static_cast<double>(in_range(-kMaxPosition, kMaxPosition));
  assert_near(turned(spec, position, turned(spec, position, x), true), x, 1e-14);
}

// <R(m) q, R(n) k> is a function of m - n. The phases of integers add up exactly, so no matter how far out.
RC_GTEST_PROP(RotateProperty, ScoresDependOnTheDistanceOnly, ()) {
  const Rotary spec = any_spec();
  const std::vector<double> q = random_numbers(spec.head_dim, 1), k = random_numbers(spec.head_dim, 2);
  const auto at = [](std::int64_t p) { return static_cast<double>(p); };
  const std::int64_t m = in_range(-1000000, 1000000), n = in_range(-1000000, 1000000),
                     shift = in_range(-1000000000, 1000000000);
  const double here = dot(turned(spec, at(m), q), turned(spec, at(n), k));
  const double there = dot(turned(spec, at(m + shift), q), turned(spec, at(n + shift), k));
  RC_ASSERT(std::fabs(here - there) <= 1e-13 * static_cast<double>(spec.head_dim));
}

// R(a) R(b) = R(a + b). interleaved_to_half moves channels, so rotating its output needs half.
RC_GTEST_PROP(RotateProperty, AddsAngles, ()) {
  Rotary spec = any_spec();
  Rotary again = spec;
  if (again.layout == Layout::interleaved_to_half) again.layout = Layout::half;
  const std::vector<double> x = random_numbers(spec.head_dim, 1);
  const auto a = static_cast<double>(in_range(-1000000000, 1000000000)),
             b = static_cast<double>(in_range(-1000000000, 1000000000));
  assert_near(turned(again, b, turned(spec, a, x)), turned(spec, a + b, x), 1e-14);
}

// The place of a channel of `half` in another layout: permuted before and after, all layouts are one.
RC_GTEST_PROP(RotateProperty, LayoutsAreOneUpToTheirPermutation, ()) {
  Rotary spec = any_spec();
  Rotary half = spec;
  half.layout = Layout::half;
  const auto position = static_cast<double>(in_range(-1000000, 1000000));
  const std::vector<double> x = random_numbers(spec.head_dim, 1);
  std::vector<double> permuted = x;
  const std::int64_t pairs = spec.rotary_dim / 2;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const reference::RotaryPair from = reference::rotary_pair(half, i), to = reference::rotary_pair(spec, i);
    permuted[static_cast<std::size_t>(to.read_first)] = x[static_cast<std::size_t>(from.read_first)];
    permuted[static_cast<std::size_t>(to.read_second)] = x[static_cast<std::size_t>(from.read_second)];
  }
  const double sign = spec.layout == Layout::half_negative ? -1.0 : 1.0;
  const std::vector<double> wanted = turned(half, sign * position, x), got = turned(spec, position, permuted);
  for (std::int64_t i = 0; i < pairs; ++i) {
    const reference::RotaryPair from = reference::rotary_pair(half, i), to = reference::rotary_pair(spec, i);
    // The sine of the negative angle may differ in the last bit.
    const double tolerance = sign < 0.0 ? 2e-15 : 0.0;
    const auto same = [&](std::int64_t there, std::int64_t here) {
      RC_ASSERT(std::fabs(got[static_cast<std::size_t>(there)] - wanted[static_cast<std::size_t>(here)]) <= tolerance);
    };
    same(to.write_first, from.write_first);
    same(to.write_second, from.write_second);
  }
}

using Operation = void (*)(const View&, const PositionView&, const RotaryView&, const RotateOptions&);
using CopyingOperation = void (*)(const ConstView&, const PositionView&, const RotaryView&, const View&,
                                  const RotateOptions&);

// Out of place, whole, contiguous, by angles and one thread; against in place, cut in four, in other memory, by a
// table and several workers.
RC_GTEST_PROP(RotateProperty, NothingButTheNumbersMatters, ()) {
  const Rotary spec = any_spec(*rc::gen::element(1.0, 1.5));
  const std::int64_t batch = in_range(1, 3), count = in_range(1, 40), heads = in_range(1, 5);
  const DType dtype = *rc::gen::elementOf(float_types());
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < batch * count; ++i) ids.push_back(static_cast<std::int32_t>(in_range(-20, 3000)));
  PositionView positions = PositionView::of(ids.data(), count);
  if (in_range(0, 2) > 0) {
    positions.batch = batch;
    positions.batch_stride = batch == 1 ? 0 : count;
  }
  const auto kind = static_cast<std::size_t>(in_range(0, 2));
  const Operation in_place[] = {rotate, rotate_inverse, rotate_backward};
  const CopyingOperation copying[] = {rotate, rotate_inverse, rotate_backward};
  RotateOptions options{.output_scale = *rc::gen::element(1.0, -0.3)};

  const RotaryAngles angles(spec);
  HeadBlock x(dtype, batch, count, heads, spec.head_dim), whole(dtype, batch, count, heads, spec.head_dim);
  x.set_values(random_numbers(x.view().size(), 1));
  copying[kind](x.view(), positions, angles, whole.view(), options);

  const RotaryTable table(angles, PositionView::range(-20, 3021), dtype == DType::f64 ? DType::f64 : DType::f32);
  const RotarySource source = in_range(0, 1) == 0 ? RotarySource(table) : RotarySource(angles);
  HeadBlock out(dtype, batch, count, heads, spec.head_dim, any_memory());
  out.set_values(x.values());
  const Workers workers(static_cast<int>(in_range(1, 5)));
  options.workers = &workers;
  const std::int64_t rows_cut = in_range(0, batch), tokens_cut = in_range(0, count);
  for (const auto& [b, rows] : {std::pair{std::int64_t{0}, rows_cut}, std::pair{rows_cut, batch - rows_cut}}) {
    for (const auto& [n, tokens] :
         {std::pair{std::int64_t{0}, tokens_cut}, std::pair{tokens_cut, count - tokens_cut}}) {
      if (rows * tokens == 0) continue;
      in_place[kind](part(out.view(), b, rows, n, tokens), part(positions, b, rows, n, tokens), source, options);
    }
  }
  RC_ASSERT(out.values() == whole.values());
  RC_ASSERT(out.gaps_are_whole());
}

// A window cut out of the heads is rotated as it is inside them.
RC_GTEST_PROP(RotateProperty, AWindowIsAHeadOfItsOwn, ()) {
  const Rotary spec = any_spec(*rc::gen::element(1.0, 1.5));
  Rotary alone = spec;
  alone.head_dim = spec.rotary_dim;
  alone.first_channel = 0;
  const DType dtype = *rc::gen::elementOf(float_types());
  HeadBlock x(dtype, 1, 3, 2, spec.head_dim);
  x.set_values(random_numbers(x.view().size(), 1));
  HeadBlock whole(dtype, 1, 3, 2, spec.head_dim);
  const PositionView positions = PositionView::range(in_range(-1000, 1000), 3);
  rotate(x.view(), positions, RotaryAngles(spec), whole.view());
  View window = x.view();
  window.data = window.as<std::byte>() + spec.first_channel * size_of(dtype);
  window.shape[3] = spec.rotary_dim;
  rotate(window, positions, RotaryAngles(alone));
  RC_ASSERT(x.values() == whole.values());
}

}  // namespace
}  // namespace posenc::rotate_property_test
