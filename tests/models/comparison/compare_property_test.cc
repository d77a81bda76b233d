// Random rotations: equal to themselves, symmetric, with permutations that hold, and with differences where a search of
// all positions finds them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "posenc/models/compare.h"
#include "support/numbers.h"
#include "support/turned_head.h"

namespace posenc::compare_property_test {
namespace {

std::int64_t in_range(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); }

Layout any_layout() {
  return *rc::gen::element(Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative);
}

Rotary any_spec() {
  const std::int64_t width = 2 * in_range(1, 12), spare = in_range(0, 6);
  return {.head_dim = width + spare,
          .base = *rc::gen::element(10000.0, 500000.0, 7.0),
          .layout = any_layout(),
          .rotary_dim = width,
          .first_channel = in_range(0, spare),
          .attention_factor = *rc::gen::element(1.0, 1.5)};
}

RC_GTEST_PROP(CompareProperty, EqualToItself, ()) {
  const Rotary spec = any_spec();
  RC_ASSERT(compare(spec, spec).verdict == Agreement::equal);
}

RC_GTEST_PROP(CompareProperty, TheSameFromBothSides, ()) {
  const Rotary a = any_spec();
  Rotary b = *rc::gen::element(0, 1) == 0 ? any_spec() : a;
  b.layout = any_layout();
  const Comparison there = compare(a, b), back = compare(b, a);
  RC_ASSERT(there.verdict == back.verdict);
  RC_ASSERT(there.first_position == back.first_position);
  RC_ASSERT(std::fabs(there.difference - back.difference) <= 1e-12);
  RC_ASSERT(there.permutation.size() == back.permutation.size());
}

void assert_near(const std::vector<double>& a, const std::vector<double>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(std::fabs(a[i] - b[i]) <= 1e-8);
}

RC_GTEST_PROP(CompareProperty, AnotherLayoutIsAPermutation, ()) {
  const Rotary a = any_spec();
  Rotary b = a;
  b.layout = any_layout();
  b.first_channel = in_range(0, a.head_dim - a.rotary_dim);
  const Comparison result = compare(a, b);
  RC_ASSERT(result.verdict != Agreement::different);
  const std::vector<double> x = random_numbers(a.head_dim, static_cast<unsigned>(in_range(0, 1000)));
  const auto position = static_cast<double>(in_range(0, 5000));
  const auto& out = result.output_permutation.empty() ? result.permutation : result.output_permutation;
  assert_near(turned_head(b, position, permuted(x, result.permutation)), permuted(turned_head(a, position, x), out));
}

RC_GTEST_PROP(CompareProperty, OnePairThatDiffers, ()) {
  Rotary a = any_spec();
  a.inv_freq = make_schedule(a).inv_freq;
  a.base = Rotary{}.base;  // given frequencies replace it
  Rotary b = a;
  b.layout = any_layout();
  const std::int64_t pair = in_range(0, a.rotary_dim / 2 - 1);
  double& frequency = b.inv_freq[static_cast<std::size_t>(pair)];
  frequency *= *rc::gen::element(1.00013, 0.47, 1.5, 1.000000013);
  const double one = a.inv_freq[static_cast<std::size_t>(pair)];
  const Comparison result = compare(a, b, {.positions = 20000});
  std::int64_t first = 0;
  for (; first < 20000; ++first) {
    const double p = static_cast<double>(first) * one, q = static_cast<double>(first) * frequency;
    if (std::hypot(std::cos(p) - std::cos(q), std::sin(p) - std::sin(q)) > 1e-6) break;
  }
  if (first == 20000) {
    RC_ASSERT(result.verdict != Agreement::different);
    return;
  }
  RC_ASSERT(result.verdict == Agreement::different);
  RC_ASSERT(result.differs->index == pair);
  RC_ASSERT(*result.first_position == first);
}

}  // namespace
}  // namespace posenc::compare_property_test
