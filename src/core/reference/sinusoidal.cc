#include <cmath>
#include <vector>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

// The frequency of a pair, and the columns of its sine and cosine (-1: no such column).
struct SineCosine {
  double inv_freq;
  std::int64_t sine;
  std::int64_t cosine;
};

std::vector<SineCosine> pairs_of(const Sinusoidal& spec) {
  const std::int64_t used = spec.odd == OddWidth::zero ? spec.width - spec.width % 2 : spec.width;
  const std::int64_t count = (used + 1) / 2;
  std::vector<SineCosine> pairs;
  for (std::int64_t j = 0; j < count; ++j) {
    const bool halves = spec.order == Order::halves || spec.order == Order::cos_halves;
    std::int64_t leading = halves ? j : 2 * j;
    std::int64_t trailing = halves ? count + j : 2 * j + 1;
    if (trailing >= used) trailing = -1;
    const bool cosine_first = spec.order == Order::cos_interleaved || spec.order == Order::cos_halves;
    pairs.push_back(
        {sinusoidal_inv_freq(spec, j), cosine_first ? trailing : leading, cosine_first ? leading : trailing});
  }
  return pairs;
}

}  // namespace

double sinusoidal_inv_freq(const Sinusoidal& spec, std::int64_t j) {
  const auto index = static_cast<double>(j);
  if (!spec.inv_freq.empty()) return spec.frequency_scale * spec.inv_freq[static_cast<std::size_t>(j)];
  double exponent = 0.0;
  if (spec.spacing == Spacing::width) exponent = 2.0 * index / static_cast<double>(spec.width);
  if (spec.spacing == Spacing::even_width) exponent = 2.0 * index / static_cast<double>((spec.width + 1) / 2 * 2);
  if (spec.spacing == Spacing::half && j > 0) {
    const std::int64_t half = spec.odd == OddWidth::zero ? spec.width / 2 : (spec.width + 1) / 2;
    exponent = index / (static_cast<double>(half) - spec.shift);
  }
  return spec.frequency_scale / std::pow(spec.base, spec.exponent_factor * exponent);
}

void sinusoidal_row(const Sinusoidal& spec, double position, double* row) {
  for (std::int64_t column = 0; column < spec.width; ++column) row[column] = 0.0;
  const double counted = position + static_cast<double>(spec.first);
  if (spec.zero_position && counted == static_cast<double>(*spec.zero_position)) return;
  for (const SineCosine& pair : pairs_of(spec)) {
    if (pair.sine >= 0) row[pair.sine] = spec.multiplier * std::sin(counted * pair.inv_freq);
    if (pair.cosine >= 0) row[pair.cosine] = spec.multiplier * std::cos(counted * pair.inv_freq);
  }
}

void sinusoidal_derivative_row(const Sinusoidal& spec, double position, double* row) {
  for (std::int64_t column = 0; column < spec.width; ++column) row[column] = 0.0;
  const double counted = position + static_cast<double>(spec.first);
  if (spec.zero_position && counted == static_cast<double>(*spec.zero_position)) return;
  for (const SineCosine& pair : pairs_of(spec)) {
    const double w = pair.inv_freq;
    if (pair.sine >= 0) row[pair.sine] = spec.multiplier * w * std::cos(counted * w);
    if (pair.cosine >= 0) row[pair.cosine] = -spec.multiplier * w * std::sin(counted * w);
  }
}

void sinusoidal_shift_matrix(const Sinusoidal& spec, double k, double* matrix) {
  const std::int64_t width = spec.width;
  for (std::int64_t i = 0; i < width * width; ++i) matrix[i] = i % (width + 1) == 0 ? 1.0 : 0.0;
  for (const SineCosine& pair : pairs_of(spec)) {
    const double cosine = std::cos(k * pair.inv_freq);
    const double sine = std::sin(k * pair.inv_freq);
    matrix[pair.sine * width + pair.sine] = cosine;  // sin(a + b) = cos b sin a + sin b cos a
    matrix[pair.sine * width + pair.cosine] = sine;
    matrix[pair.cosine * width + pair.cosine] = cosine;  // cos(a + b) = cos b cos a - sin b sin a
    matrix[pair.cosine * width + pair.sine] = -sine;
  }
}

}  // namespace posenc::reference
