// Random numbers, their means and quantiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "posenc/random.h"

namespace posenc::properties {

// A seed for separate draws: far from the small seeds that people use.
inline std::uint64_t next_seed(std::uint64_t seed, std::uint64_t n) { return seed + n * 0x9e3779b97f4a7c15U; }

// Quantile of sorted numbers, with linear interpolation as numpy.quantile.
inline double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Normal numbers, [rows][columns].
inline std::vector<double> normal_numbers(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  fill_random(make_view(numbers.data(), {rows, columns}), {.std = std, .seed = seed});
  return numbers;
}

struct Spread {
  double mean = 0.0, low = 0.0, high = 0.0;  // low to high: the middle 95 %
};

inline Spread spread_of(std::vector<double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  std::sort(values.begin(), values.end());
  return {sum / static_cast<double>(values.size()), quantile(values, 0.025), quantile(values, 0.975)};
}

}  // namespace posenc::properties
