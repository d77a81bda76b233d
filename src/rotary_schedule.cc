#include <cmath>
#include <cstddef>
#include <string>

#include "detail/double_double.h"
#include "detail/rotary_window.h"
#include "posenc/error.h"
#include "posenc/schedule.h"
#include "scalings/rule.h"

namespace posenc {
namespace {

using detail::DoubleDouble;

// 1 / base^(2i / dim) as float32 tensors compute it: the base, the exponent, the power and the quotient each rounded.
double rounded_frequency(double base, std::int64_t i, std::int64_t dim) {
  const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
  const double narrow_base = static_cast<double>(static_cast<float>(base));
  const DoubleDouble power = exp(DoubleDouble{static_cast<double>(exponent), 0.0} * detail::log(narrow_base));
  return static_cast<double>(1.0f / static_cast<float>(power.high));
}

// Pairs of a part: where every axis has a part of its own, the frequencies begin anew in each.
std::int64_t part_pairs(const Rotary& spec, std::int64_t pairs) {
  return spec.layout == Layout::half_per_axis ? pairs / spec.axes : pairs;
}

// Number i of a ladder, as its scaling has it.
double ladder_frequency(const scalings::LadderScale& scale, std::int64_t i, std::int64_t dim, bool rounded) {
  const DoubleDouble multiplier =
      scale.multipliers.empty() ? DoubleDouble{1.0, 0.0} : scale.multipliers[static_cast<std::size_t>(i)];
  if (!rounded) return (scalings::plain_frequency(scale.log_base, i, dim) * multiplier).high;
  return static_cast<double>(static_cast<float>(rounded_frequency(scale.base, i, dim) * multiplier.high));
}

double frequency_of(const Rotary& spec, const detail::RotaryWindow& window, const scalings::LadderScale& scale,
                    std::int64_t pair) {
  const bool rounded = spec.precision == Precision::reference;
  if (!spec.inv_freq.empty()) {
    const double given = spec.inv_freq[static_cast<std::size_t>(pair)];
    return rounded ? static_cast<double>(static_cast<float>(given)) : given;
  }
  const std::int64_t i = pair % part_pairs(spec, window.pairs());
  return ladder_frequency(scale, i, window.exponent_dim, rounded);
}

std::int64_t axis_of(const Rotary& spec, std::int64_t pairs, std::int64_t pair) {
  if (!spec.axis_of_pair.empty()) return spec.axis_of_pair[static_cast<std::size_t>(pair)];
  return spec.layout == Layout::half_per_axis ? pair / part_pairs(spec, pairs) : 0;
}

std::vector<double> frequencies_of(const Rotary& spec, const detail::RotaryWindow& window,
                                   const scalings::LadderScale& scale) {
  const std::int64_t pairs = window.pairs();
  std::vector<double> inv_freq(static_cast<std::size_t>(spec.axes * pairs));
  const bool given_per_axis = spec.inv_freq.size() == inv_freq.size();
  for (std::int64_t i = 0; i < (given_per_axis ? spec.axes * pairs : pairs); ++i) {
    const std::int64_t place = given_per_axis ? i : axis_of(spec, pairs, i) * pairs + i;
    const double frequency = frequency_of(spec, window, scale, i);
    if (!std::isfinite(frequency)) {
      fail(ErrorKind::bad_input, "[rotary] every frequency must be finite but that of pair " +
                                     std::to_string(i % pairs) + " is beyond the largest " +
                                     (spec.precision == Precision::reference ? "float32" : "double"));
    }
    inv_freq[static_cast<std::size_t>(place)] = frequency;
  }
  return inv_freq;
}

}  // namespace

Rotary at_layer(const Rotary& spec, std::int64_t layer) {
  Rotary result = spec;
  result.layer = {};
  result.local_base = 0.0;
  if (spec.local_base == 0.0) return result;
  if (layer < 0) fail(ErrorKind::usage, "[at_layer] layer must be at least 0 but got " + std::to_string(layer));
  if ((layer + 1) % spec.global_every == 0) return result;
  result.base = spec.local_base;
  if (!spec.local_scaled) result.scaling = NoScaling{};
  return result;
}

RotarySchedule make_schedule(const Rotary& spec, std::int64_t sequence_length) {
  Rotary copy = spec;
  copy.sequence_length = sequence_length;
  return make_schedule(copy);
}

RotarySchedule make_schedule(const Rotary& given) {
  validate(given);
  if (given.local_base != 0.0 && !given.layer) {
    fail(ErrorKind::bad_input, "[rotary] layers differ (local_base): say which one, layer");
  }
  const Rotary spec = at_layer(given, given.layer.value_or(0));
  const bool by_length = needs_length(spec.scaling);
  if (by_length && !spec.sequence_length) {
    fail(ErrorKind::bad_input, "[rotary] scaling=" + std::string(kind_of(spec.scaling)) +
                                   " depends on the length of the sequence: give sequence_length");
  }
  const detail::RotaryWindow window = detail::window_of(spec);
  const scalings::LadderScale scale = scalings::scale_of(
      spec.scaling,
      {spec.base, window.exponent_dim, part_pairs(spec, window.pairs()), spec.head_dim, spec.sequence_length});
  RotarySchedule schedule;
  schedule.head_dim = spec.head_dim;
  schedule.rotary_dim = window.rotary_dim;
  schedule.rope_offset = window.rope_offset;
  schedule.exponent_dim = spec.inv_freq.empty() ? window.exponent_dim : 0;
  schedule.layout = spec.layout;
  schedule.axes = spec.axes;
  schedule.inv_freq = frequencies_of(spec, window, scale);
  schedule.attention_factor = spec.attention_factor.value_or(scale.attention_factor);
  schedule.attention_factor_in = spec.attention_factor_in;
  schedule.precision = spec.precision;
  if (by_length) schedule.sequence_length = spec.sequence_length;
  return schedule;
}

}  // namespace posenc
