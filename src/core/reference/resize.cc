#include <algorithm>
#include <cmath>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

// The piecewise cubic kernel of R. Keys (1981), and the triangle kernel.
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1.0) return (a + 2.0) * x * x * x - (a + 3.0) * x * x + 1.0;
  if (x < 2.0) return a * x * x * x - 5.0 * a * x * x + 8.0 * a * x - 4.0 * a;
  return 0.0;
}

double triangle(double x) { return std::fabs(x) < 1.0 ? 1.0 - std::fabs(x) : 0.0; }

struct Length {
  std::int64_t from;
  std::int64_t to;
};

double weight(const Resize& rule, double x) {
  const double a = rule.cubic_a ? *rule.cubic_a : rule.antialias ? -0.5 : -0.75;
  return rule.method == Interpolation::cubic ? cubic(x, a) : triangle(x);
}

double ratio_of(const Resize& rule, const Length& length) {
  return static_cast<double>(length.from) / (static_cast<double>(length.to) + rule.extra_size);
}

double coordinate(const Resize& rule, const Length& length, std::int64_t i) {
  const auto index = static_cast<double>(i);
  if (rule.align == Align::centers) return (index + 0.5) * ratio_of(rule, length) - 0.5;
  if (length.to == 1) return 0.0;
  return index * static_cast<double>(length.from - 1) / static_cast<double>(length.to - 1);
}

// Sums all rows of the axis, weighted by their distance from the coordinate.
template <class Read>
double antialiased(const Resize& rule, const Length& length, std::int64_t i, const Read& read) {
  const double center = coordinate(rule, length, i);
  const double stretch = std::max(1.0, ratio_of(rule, length));
  double sum = 0.0, weights = 0.0;
  for (std::int64_t row = 0; row < length.from; ++row) {
    const double w = weight(rule, (static_cast<double>(row) - center) / stretch);
    sum += w * read(row);
    weights += w;
  }
  return sum / weights;
}

// Averages all rows of the axis that overlap [i, i + 1) * from / to, measured in units of 1 / to.
template <class Read>
double mean(const Length& length, std::int64_t i, const Read& read) {
  double sum = 0.0, count = 0.0;
  for (std::int64_t row = 0; row < length.from; ++row) {
    if ((row + 1) * length.to <= i * length.from || row * length.to >= (i + 1) * length.from) continue;
    sum += read(row);
    count += 1.0;
  }
  return sum / count;
}

template <class Read>
double nearest(const Length& length, std::int64_t i, const Read& read) {
  const float ratio = static_cast<float>(length.from) / static_cast<float>(length.to);
  return read(std::min(static_cast<std::int64_t>(static_cast<float>(i) * ratio), length.from - 1));
}

// Returns output row i of one axis; read(row) returns an input row.
template <class Read>
double interpolate(const Resize& rule, const Length& length, std::int64_t i, const Read& read) {
  if (rule.method == Interpolation::nearest) return nearest(length, i, read);
  if (rule.method == Interpolation::area) return mean(length, i, read);
  if (rule.antialias) return antialiased(rule, length, i, read);
  // Linear interpolation in PyTorch copies an axis whose length does not change, whatever the scale factor.
  if (rule.method == Interpolation::linear && length.from == length.to) return read(i);
  const double x = coordinate(rule, length, i);
  double sum = 0.0;
  for (auto row = static_cast<std::int64_t>(std::floor(x)) - 1; static_cast<double>(row) < x + 2.0; ++row) {
    const std::int64_t clamped = std::max<std::int64_t>(0, std::min(row, length.from - 1));
    sum += weight(rule, x - static_cast<double>(row)) * read(clamped);
  }
  return sum;
}

}  // namespace

void resize_row(const Resize& rule, const double* table, std::int64_t width, std::int64_t row, double* out) {
  if (row < rule.kept) {
    for (std::int64_t column = 0; column < width; ++column) out[column] = table[row * width + column];
    return;
  }
  const bool grid = rule.from.size() == 2;
  const Length down = grid ? Length{rule.from[0], rule.to[0]} : Length{1, 1};
  const Length across{rule.from.back(), rule.to.back()};
  const std::int64_t y = (row - rule.kept) / across.to, x = (row - rule.kept) % across.to;
  for (std::int64_t column = 0; column < width; ++column) {
    const auto line = [&](std::int64_t from_y) {
      return interpolate(rule, across, x, [&](std::int64_t from_x) {
        return table[(rule.kept + from_y * across.from + from_x) * width + column];
      });
    };
    out[column] = grid ? interpolate(rule, down, y, line) : line(0);
  }
}

}  // namespace posenc::reference
