#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

std::int64_t axes_of(const Rotary& spec) {
  return spec.axes > 1 || spec.sections.empty() ? spec.axes : static_cast<std::int64_t>(spec.sections.size());
}

bool has_part_per_axis(Layout layout) {
  return layout == Layout::half_per_axis || layout == Layout::interleaved_pairs_with_halves_tiling_per_axis;
}

// The number of rotated channels before an odd number gets one more. It divides the exponents unless the spec gives
// another divisor.
std::int64_t stated_width(const Rotary& spec) {
  if (spec.rotary_dim > 0) return spec.rotary_dim;
  const auto width = static_cast<std::int64_t>(static_cast<double>(spec.head_dim) * spec.partial_rotary_factor);
  if (spec.layout != Layout::interleaved_pairs_with_halves_tiling_per_axis) return width;
  return axes_of(spec) * 2 * (width / axes_of(spec) / 2);
}

std::int64_t pairs_of(const Rotary& spec) { return (stated_width(spec) + 1) / 2; }

// The pairs of the part that each axis has, or all pairs if the window is not divided into parts.
std::int64_t pairs_per_part(const Rotary& spec) {
  return has_part_per_axis(spec.layout) ? pairs_of(spec) / axes_of(spec) : pairs_of(spec);
}

// The axis of each entry if the sections follow each other, each `times` as long.
std::vector<std::int64_t> chunks(const Rotary& spec, std::int64_t times) {
  std::vector<std::int64_t> axes;
  std::int64_t section = 0;
  for (const std::int64_t length : spec.sections) {
    axes.insert(axes.end(), static_cast<std::size_t>(times * length), section++ % axes_of(spec));
  }
  return axes;
}

// The axis of every pair.
std::vector<std::int64_t> axes_of_pairs(const Rotary& spec) {
  if (!spec.axis_of_pair.empty()) return spec.axis_of_pair;
  const std::int64_t n = pairs_of(spec), count = axes_of(spec);
  std::vector<std::int64_t> axes(static_cast<std::size_t>(n), 0);
  const auto set = [&](std::int64_t first, std::int64_t end, std::int64_t step, std::int64_t axis) {
    for (std::int64_t i = first; i < std::min(end, n); i += step) axes[static_cast<std::size_t>(i)] = axis;
  };
  if (has_part_per_axis(spec.layout)) {
    for (std::int64_t a = 0; a < count; ++a) set(a * n / count, (a + 1) * n / count, 1, a);
  } else if (spec.section_order == SectionOrder::alternating) {
    for (std::int64_t a = 0; a < count; ++a) set(a, n, count, a);
  } else if (spec.section_order == SectionOrder::interleaved) {
    for (std::int64_t a = 1; a < count; ++a) set(a, count * spec.sections[static_cast<std::size_t>(a)], count, a);
  } else if (spec.section_order == SectionOrder::ernie) {
    for (const std::int64_t a : {1, 2}) set(a - 1, spec.sections[0] + spec.sections[1], 2, a);
  } else if (!spec.sections.empty()) {
    return chunks(spec, 1);
  }
  return axes;
}

// The base and the scaling of a layer. Layers with local attention have their own base, and usually no scaling.
struct Layer {
  double base;
  Scaling scaling;
};
Layer layer_of(const Rotary& spec) {
  const bool nearby = spec.local_base != 0.0 && spec.layer.value_or(0) % spec.global_every != spec.global_every - 1;
  if (!nearby) return {spec.base, spec.scaling};
  return {spec.local_base, spec.local_scaled ? spec.scaling : Scaling(NoScaling{})};
}

Ladder ladder_of(const Rotary& spec, std::int64_t divisor) {
  return {layer_of(spec).base, divisor, pairs_per_part(spec), spec.head_dim, spec.sequence_length};
}

// The frequency of pair i by the spec's rule, after scaling.
double ruled_frequency(const Rotary& spec, std::int64_t i) {
  const std::vector<std::int64_t> axes = axes_of_pairs(spec);
  const std::int64_t axis = axes[static_cast<std::size_t>(i)];
  const auto end = axes.begin() + static_cast<std::ptrdiff_t>(i);
  const std::int64_t rank = std::count(axes.begin(), end, axis);
  std::int64_t number = i;
  std::int64_t divisor = stated_width(spec);
  if (has_part_per_axis(spec.layout)) {
    number = i % pairs_per_part(spec);
    divisor = 2 * pairs_per_part(spec);
  } else if (spec.axis_frequencies == AxisFrequencies::restart) {
    number = rank;
    divisor = 2 * std::count(axes.begin(), axes.end(), axis);
  } else if (spec.axis_frequencies == AxisFrequencies::dealt) {
    number = rank * axes_of(spec) + axis;
  }
  if (spec.exponent_dim > 0) divisor = spec.exponent_dim;
  return scaled_inv_freq(layer_of(spec).scaling, ladder_of(spec, divisor), number);
}

// For layouts that have an angle per channel: computes out[c] from x[c] and its partner.
void turn_channels(const Rotary& spec, std::span<const double> position, double factor, const double* x, double* out) {
  const std::int64_t start = spec.first_channel < 0 ? spec.head_dim + spec.first_channel : spec.first_channel;
  const std::int64_t width = 2 * pairs_of(spec), half = width / 2;
  for (std::int64_t c = 0; c < width; ++c) {
    double angle = 0.0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      angle += position[axis] * rotary_inv_freq(spec, static_cast<std::int64_t>(axis), c);
    }
    const bool halves = spec.layout == Layout::full_width_half;
    const bool first = halves ? c < half : c % 2 == 0;
    const std::int64_t distance = halves ? half : 1;
    const double partner = first ? -x[start + c + distance] : x[start + c - distance];
    out[start + c] = factor * (x[start + c] * std::cos(angle) + partner * std::sin(angle));
  }
}

}  // namespace

RotaryPair rotary_pair(const Rotary& spec, std::int64_t i) {
  const std::int64_t start = spec.first_channel < 0 ? spec.head_dim + spec.first_channel : spec.first_channel;
  const std::int64_t in_part = pairs_per_part(spec);
  const std::int64_t first = start + i / in_part * 2 * in_part + i % in_part;
  const RotaryPair half = {first, first + in_part, first, first + in_part};
  const RotaryPair neighbours = {start + 2 * i, start + 2 * i + 1, start + 2 * i, start + 2 * i + 1};
  switch (spec.layout) {
    case Layout::interleaved:
    case Layout::interleaved_pairs_with_halves_tiling_per_axis:
      return neighbours;
    case Layout::interleaved_to_half:
      return {neighbours.read_first, neighbours.read_second, half.write_first, half.write_second};
    default:
      return half;
  }
}

double rotary_inv_freq(const Rotary& spec, std::int64_t axis, std::int64_t i) {
  const auto n = static_cast<std::size_t>(pairs_of(spec));
  const auto axes = static_cast<std::size_t>(axes_of(spec));
  if (axes > 1 && spec.inv_freq.size() == n * axes) {
    return spec.frequency_scale * spec.inv_freq[static_cast<std::size_t>(axis) * n + static_cast<std::size_t>(i)];
  }
  std::int64_t pair = i;
  if (!is_rotation(spec.layout))
    pair = i / (2 * pairs_per_part(spec)) * pairs_per_part(spec) + i % pairs_per_part(spec);
  const bool by_channel = spec.layout == Layout::full_width_half;
  const std::int64_t own =
      by_channel ? chunks(spec, 2)[static_cast<std::size_t>(i)] : axes_of_pairs(spec)[static_cast<std::size_t>(pair)];
  if (axis != own) return 0.0;
  return spec.frequency_scale *
         (spec.inv_freq.empty() ? ruled_frequency(spec, pair) : spec.inv_freq[static_cast<std::size_t>(pair)]);
}

void rotate_head(const Rotary& spec, std::span<const double> position, const double* x, double* out) {
  for (std::int64_t c = 0; c < spec.head_dim; ++c) out[c] = x[c];
  const double stated =
      spec.attention_factor.value_or(scaling_factor(layer_of(spec).scaling, ladder_of(spec, stated_width(spec))));
  const double factor = spec.attention_factor_in == FactorIn::table ? stated : 1.0;
  if (!is_rotation(spec.layout)) return turn_channels(spec, position, factor, x, out);
  for (std::int64_t i = 0; i < pairs_of(spec); ++i) {
    double angle = 0.0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      angle += position[axis] * rotary_inv_freq(spec, static_cast<std::int64_t>(axis), i);
    }
    if (spec.layout == Layout::half_negative) angle = -angle;
    const RotaryPair pair = rotary_pair(spec, i);
    const double a = x[pair.read_first];
    const double b = x[pair.read_second];
    out[pair.write_first] = factor * (a * std::cos(angle) - b * std::sin(angle));
    out[pair.write_second] = factor * (b * std::cos(angle) + a * std::sin(angle));
  }
}

}  // namespace posenc::reference
