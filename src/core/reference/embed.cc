#include <algorithm>
#include <cmath>
#include <cstddef>

#include "posenc/reference.h"

namespace posenc::reference {

void learned_row(const Learned& spec, std::span<const double> table, std::int64_t width, double position, double* row) {
  const auto rows = static_cast<std::int64_t>(table.size()) / width;
  const std::int64_t count = rows - spec.first;
  double place = std::min(position, static_cast<double>(count - 1));
  if (spec.past_end == PastEnd::interpolate && *spec.length > count) {
    place = (position + 0.5) * static_cast<double>(count) / static_cast<double>(*spec.length) - 0.5;
    place = std::max(0.0, std::min(place, static_cast<double>(count - 1)));
  }
  const auto below = static_cast<std::int64_t>(place);
  const std::int64_t above = std::min(below + 1, count - 1);
  const double share = place - static_cast<double>(below);
  double squares = 0.0;
  for (std::int64_t m = 0; m < width; ++m) {
    const double low = table[static_cast<std::size_t>((spec.first + below) * width + m)];
    const double high = table[static_cast<std::size_t>((spec.first + above) * width + m)];
    row[m] = (1.0 - share) * low + share * high;
    squares += row[m] * row[m];
  }
  const double length = spec.normalize == Normalize::l2 ? std::max(std::sqrt(squares), 1e-12) : 1.0;
  for (std::int64_t m = 0; m < width; ++m) row[m] = spec.multiplier * row[m] / length;
}

void add_row(std::span<const double> x, std::span<const double> row, double scale, const KeepMask& mask, double* out) {
  for (std::size_t m = 0; m < x.size(); ++m) {
    const bool kept = mask.keep.empty() || mask.keep[m] != 0;
    out[m] = kept ? (scale * x[m] + row[m]) / (1.0 - mask.p) : 0.0;
  }
}

void concat_row(std::span<const double> x, std::span<const double> row, double scale, const KeepMask& mask,
                double* out) {
  for (std::size_t m = 0; m < x.size() + row.size(); ++m) {
    const double value = m < x.size() ? scale * x[m] : row[m - x.size()];
    const bool kept = mask.keep.empty() || mask.keep[m] != 0;
    out[m] = kept ? value / (1.0 - mask.p) : 0.0;
  }
}

}  // namespace posenc::reference
