// Sums and differences of lists of numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "posenc/position.h"

namespace posenc::properties {

// Sums in four parts, so that additions need not wait for each other.
template <class Term>
double sum_of(std::int64_t count, const Term& term) {
  double parts[4] = {0.0, 0.0, 0.0, 0.0};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) parts[lane] += term(i + lane);
  }
  for (; i < count; ++i) parts[0] += term(i);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

inline double dot(const double* a, const double* b, std::int64_t width) {
  return sum_of(width, [&](std::int64_t i) { return a[i] * b[i]; });
}
inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return dot(a.data(), b.data(), static_cast<std::int64_t>(a.size()));
}

inline double largest_gap(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Positions on several axes, [count][axes].
template <class Number>
PositionView places_view(const Number* coordinates, std::int64_t count, std::int64_t axes) {
  PositionView view = PositionView::of(coordinates, count);
  view.axes = view.token_stride = axes;
  return view;
}
template <class Number>
PositionView places_view(const std::vector<Number>& coordinates, std::int64_t axes) {
  return places_view(coordinates.data(), static_cast<std::int64_t>(coordinates.size()) / axes, axes);
}

}  // namespace posenc::properties
