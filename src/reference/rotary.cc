#include <cmath>
#include <vector>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

// Channels that turn, and what the exponents are divided by, unless the spec says something else.
std::int64_t stated_width(const Rotary& spec) {
  if (spec.rotary_dim > 0) return spec.rotary_dim;
  return static_cast<std::int64_t>(std::floor(static_cast<double>(spec.head_dim) * spec.partial_rotary_factor));
}

std::int64_t pairs_of(const Rotary& spec) { return (stated_width(spec) + 1) / 2; }

// Where several axes have a part of the window each.
std::int64_t pairs_per_part(const Rotary& spec) {
  return spec.layout == Layout::half_per_axis ? pairs_of(spec) / spec.axes : pairs_of(spec);
}

// Where layers differ: those that look nearby have a base of their own, and mostly no scaling.
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

}  // namespace

RotaryPair rotary_pair(const Rotary& spec, std::int64_t i) {
  const std::int64_t start = spec.rope_offset < 0 ? spec.head_dim + spec.rope_offset : spec.rope_offset;
  const std::int64_t in_part = pairs_per_part(spec);
  const std::int64_t first = start + i / in_part * 2 * in_part + i % in_part;
  const RotaryPair half = {first, first + in_part, first, first + in_part};
  const RotaryPair neighbours = {start + 2 * i, start + 2 * i + 1, start + 2 * i, start + 2 * i + 1};
  switch (spec.layout) {
    case Layout::interleaved:
      return neighbours;
    case Layout::interleaved_to_half:
      return {neighbours.read_first, neighbours.read_second, half.write_first, half.write_second};
    default:
      return half;
  }
}

double rotary_inv_freq(const Rotary& spec, std::int64_t axis, std::int64_t i) {
  const auto n = static_cast<std::size_t>(pairs_of(spec));
  const auto pair = static_cast<std::size_t>(i);
  const bool per_axis = spec.axes > 1 && spec.inv_freq.size() == n * static_cast<std::size_t>(spec.axes);
  if (per_axis) return spec.inv_freq[static_cast<std::size_t>(axis) * n + pair];
  std::int64_t own_axis = spec.layout == Layout::half_per_axis ? i / pairs_per_part(spec) : 0;
  if (!spec.axis_of_pair.empty()) own_axis = spec.axis_of_pair[pair];
  if (axis != own_axis) return 0.0;
  if (!spec.inv_freq.empty()) return spec.inv_freq[pair];
  std::int64_t divisor = spec.exponent_dim;
  if (divisor == 0) divisor = stated_width(spec) / (spec.layout == Layout::half_per_axis ? spec.axes : 1);
  return scaled_inv_freq(layer_of(spec).scaling, ladder_of(spec, divisor), i % pairs_per_part(spec));
}

void rotate_head(const Rotary& spec, std::span<const double> position, const double* x, double* out) {
  for (std::int64_t c = 0; c < spec.head_dim; ++c) out[c] = x[c];
  const double stated =
      spec.attention_factor.value_or(scaling_factor(layer_of(spec).scaling, ladder_of(spec, stated_width(spec))));
  const double factor = spec.attention_factor_in == FactorIn::table ? stated : 1.0;
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
