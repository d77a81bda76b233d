// PoPE and xPos for one head, by their formulas in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "posenc/spec.h"

namespace plain {

using namespace posenc;  // NOLINT: their words

using Numbers = std::vector<double>;

inline Numbers normal_numbers(std::int64_t count, unsigned seed, double std = 1.0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, std);
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = normal(random);
  return numbers;
}

inline double dot(const Numbers& a, const Numbers& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double plain_magnitude(Magnitude magnitude, double x) {
  if (magnitude == Magnitude::softplus) return std::log(1.0 + std::exp(x));
  return magnitude == Magnitude::relu ? std::max(x, 0.0) : x;
}

// The definition: head x of D channels at position p, with `delta` added to the angle.
inline Numbers plain_pope(const Pope& spec, const Numbers& x, double p, const Numbers& delta) {
  const std::int64_t width = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
  Numbers out;
  Numbers first, second;
  for (std::int64_t c = 0; c < width; ++c) {
    const double angle = p * std::pow(spec.base, -static_cast<double>(c) / static_cast<double>(width)) +
                         (delta.empty() ? 0.0 : delta[static_cast<std::size_t>(c)]);
    const double length = plain_magnitude(spec.magnitude, x[static_cast<std::size_t>(c)]);
    first.push_back(length * std::cos(angle));
    second.push_back(length * std::sin(angle));
  }
  for (std::size_t c = 0; c < first.size(); ++c) {
    out.push_back(first[c]);
    if (spec.order == PopeOrder::interleaved) out.push_back(second[c]);
  }
  if (spec.order == PopeOrder::halves) out.insert(out.end(), second.begin(), second.end());
  out.insert(out.end(), x.begin() + width, x.end());
  return out;
}

inline Numbers part(const Numbers& all, std::int64_t first, std::int64_t count) {
  return {all.begin() + first, all.begin() + first + count};
}

inline Numbers plain_xpos(const Xpos& spec, const Numbers& x, double p, bool key) {
  const std::int64_t width = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim, pairs = width / 2;
  Numbers out = x;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const bool half = spec.layout == Layout::half || spec.layout == Layout::half_negative;
    const auto a = static_cast<std::size_t>(spec.first_channel + (half ? i : 2 * i));
    const auto b = static_cast<std::size_t>(spec.first_channel + (half ? i + pairs : 2 * i + 1));
    const bool moved = spec.layout == Layout::interleaved_to_half;
    const auto to_a = moved ? static_cast<std::size_t>(spec.first_channel + i) : a;
    const auto to_b = moved ? static_cast<std::size_t>(spec.first_channel + i + pairs) : b;
    const double share = static_cast<double>(2 * i) / static_cast<double>(width);
    const double angle = p * std::pow(spec.base, -share) * (spec.layout == Layout::half_negative ? -1.0 : 1.0);
    const double zeta = (share + spec.gamma) / (1.0 + spec.gamma);
    const double factor = std::pow(zeta, (key ? -1.0 : 1.0) * (p - spec.center) / spec.scale_base);
    out[to_a] = factor * (x[a] * std::cos(angle) - x[b] * std::sin(angle));
    out[to_b] = factor * (x[b] * std::cos(angle) + x[a] * std::sin(angle));
  }
  return out;
}

}  // namespace plain
