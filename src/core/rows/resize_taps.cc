#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/refuse.h"
#include "core/rows/resize_check.h"
#include "posenc/resize.h"

namespace posenc {
namespace {

// One axis of a rule.
struct Axis {
  std::int64_t from;
  std::int64_t to;
  double ratio;  // input rows per output row
};

// A coordinate among the input rows: base + fraction, with a fraction from 0 to below 1.
struct SourcePoint {
  std::int64_t base;
  double fraction;
};

SourcePoint quotient(std::int64_t numerator, std::int64_t denominator) {
  std::int64_t base = numerator / denominator;
  if (numerator % denominator < 0) --base;
  return {base, static_cast<double>(numerator - base * denominator) / static_cast<double>(denominator)};
}

// Without extra_size, the place is computed in integers, so that an output row that falls on an input row is an exact
// copy of it.
SourcePoint place_of(const Resize& rule, const Axis& axis, std::int64_t i) {
  if (rule.align == Align::corners) {
    if (axis.to == 1) return {0, 0.0};
    return quotient(i * (axis.from - 1), axis.to - 1);
  }
  if (rule.extra_size == 0.0) return quotient((2 * i + 1) * axis.from - axis.to, 2 * axis.to);
  const double place = axis.ratio * (static_cast<double>(i) + 0.5) - 0.5;
  const double base = std::floor(place);
  return {static_cast<std::int64_t>(base), place - base};
}

// torch rounds both the quotient and the product to float32.
Taps nearest_taps(const Axis& axis, std::int64_t i) {
  const float ratio = static_cast<float>(axis.from) / static_cast<float>(axis.to);
  const float place = std::floor(static_cast<float>(i) * ratio);
  return {std::min(static_cast<std::int64_t>(place), axis.from - 1), {1.0}};
}

Taps linear_taps(const Resize& rule, const Axis& axis, std::int64_t i) {
  // torch copies an axis whose length does not change, even if extra_size would shift it.
  if (axis.from == axis.to) return {i, {1.0}};
  const SourcePoint place = place_of(rule, axis, i);
  if (place.base < 0) return {0, {1.0}};
  if (place.base >= axis.from - 1) return {axis.from - 1, {1.0}};
  return {place.base, {1.0 - place.fraction, place.fraction}};
}

// The kernel of Keys (1981) at distance x from 0 to 1 and from 1 to 2. Written as products, so that it is exactly 1 at
// 0 and 0 at 1 and 2.
double near_weight(double x, double a) { return (1.0 - x) * (1.0 + x - (a + 2.0) * x * x); }
double far_weight(double x, double a) { return a * (x - 1.0) * (2.0 - x) * (2.0 - x); }

double kernel(Interpolation method, double distance, double a) {
  const double x = std::fabs(distance);
  if (method == Interpolation::linear) return std::max(0.0, 1.0 - x);
  if (x < 1.0) return near_weight(x, a);
  return x < 2.0 ? far_weight(x, a) : 0.0;
}

Taps cubic_taps(const Resize& rule, const Axis& axis, std::int64_t i, double a) {
  const SourcePoint place = place_of(rule, axis, i);
  const double t = place.fraction;
  const double weights[4] = {far_weight(1.0 + t, a), near_weight(t, a), near_weight(1.0 - t, a),
                             far_weight(2.0 - t, a)};
  const auto inside = [&](std::int64_t row) { return std::clamp<std::int64_t>(row, 0, axis.from - 1); };
  Taps taps{inside(place.base - 1), {}};
  taps.weights.resize(static_cast<std::size_t>(inside(place.base + 2) - taps.first + 1));
  for (std::int64_t k = 0; k < 4; ++k) {
    taps.weights[static_cast<std::size_t>(inside(place.base - 1 + k) - taps.first)] += weights[k];
  }
  return taps;
}

// As in PIL: when shrinking, the kernel is stretched by the ratio, and the weights inside the table are divided by
// their sum.
Taps antialiased_taps(const Resize& rule, const Axis& axis, std::int64_t i, double a) {
  const double stretch = std::max(axis.ratio, 1.0);
  const double support = (rule.method == Interpolation::cubic ? 2.0 : 1.0) * stretch;
  const double center = axis.ratio * (static_cast<double>(i) + 0.5);
  const auto begin = static_cast<std::int64_t>(std::max(center - support + 0.5, 0.0));
  const auto end = std::min(static_cast<std::int64_t>(center + support + 0.5), axis.from);
  Taps taps{begin, {}};
  double sum = 0.0;
  for (std::int64_t row = begin; row < end; ++row) {
    taps.weights.push_back(kernel(rule.method, (static_cast<double>(row) + 0.5 - center) / stretch, a));
    sum += taps.weights.back();
  }
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

Taps area_taps(const Axis& axis, std::int64_t i) {
  const std::int64_t begin = i * axis.from / axis.to;
  const std::int64_t end = ((i + 1) * axis.from + axis.to - 1) / axis.to;
  return {begin, std::vector<double>(static_cast<std::size_t>(end - begin), 1.0 / static_cast<double>(end - begin))};
}

Taps taps_of(const Resize& rule, const Axis& axis, std::int64_t i) {
  const double a = rule.cubic_a.value_or(rule.antialias ? -0.5 : -0.75);
  if (rule.method == Interpolation::nearest) return nearest_taps(axis, i);
  if (rule.method == Interpolation::area) return area_taps(axis, i);
  if (rule.antialias) return antialiased_taps(rule, axis, i, a);
  return rule.method == Interpolation::cubic ? cubic_taps(rule, axis, i, a) : linear_taps(rule, axis, i);
}

// Drops zero weights at both ends; a single remaining tap gets weight 1, so that a copy stays an exact copy.
Taps trimmed(Taps taps) {
  auto& weights = taps.weights;
  while (weights.size() > 1 && weights.back() == 0.0) weights.pop_back();
  const auto used = std::find_if(weights.begin(), weights.end() - 1, [](double weight) { return weight != 0.0; });
  taps.first += used - weights.begin();
  weights.erase(weights.begin(), used);
  if (weights.size() == 1) weights[0] = 1.0;
  return taps;
}

}  // namespace

std::vector<Taps> resize_taps(const Resize& rule, std::size_t axis) {
  rows::check_resize(rule, "resize_taps");
  base::require(axis < rule.from.size(), "resize_taps", "axis must be below ", rule.from.size(), " but got ", axis);
  const std::int64_t from = rule.from[axis], to = rule.to[axis];
  const Axis lengths{from, to, static_cast<double>(from) / (static_cast<double>(to) + rule.extra_size)};
  std::vector<Taps> taps;
  taps.reserve(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) taps.push_back(trimmed(taps_of(rule, lengths, i)));
  return taps;
}

}  // namespace posenc
