#include <cmath>
#include <cstddef>
#include <string>

#include "detail/double_double.h"
#include "detail/rotary_window.h"
#include "posenc/error.h"
#include "posenc/schedule.h"

namespace posenc {
namespace {

using detail::DoubleDouble;

// base^(-2i / dim) in twice the precision, rounded once.
double exact_frequency(double base, std::int64_t i, std::int64_t dim) {
  const DoubleDouble exponent =
      DoubleDouble{static_cast<double>(-2 * i), 0.0} / DoubleDouble{static_cast<double>(dim), 0.0};
  return detail::exact_power(base, exponent);
}

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

double frequency_of(const Rotary& spec, const detail::RotaryWindow& window, std::int64_t pair) {
  const bool rounded = spec.precision == Precision::reference;
  if (!spec.inv_freq.empty()) {
    const double given = spec.inv_freq[static_cast<std::size_t>(pair)];
    return rounded ? static_cast<double>(static_cast<float>(given)) : given;
  }
  const std::int64_t i = pair % part_pairs(spec, window.pairs());
  return rounded ? rounded_frequency(spec.base, i, window.exponent_dim)
                 : exact_frequency(spec.base, i, window.exponent_dim);
}

std::int64_t axis_of(const Rotary& spec, std::int64_t pairs, std::int64_t pair) {
  if (!spec.axis_of_pair.empty()) return spec.axis_of_pair[static_cast<std::size_t>(pair)];
  return spec.layout == Layout::half_per_axis ? pair / part_pairs(spec, pairs) : 0;
}

std::vector<double> frequencies_of(const Rotary& spec, const detail::RotaryWindow& window) {
  const std::int64_t pairs = window.pairs();
  std::vector<double> inv_freq(static_cast<std::size_t>(spec.axes * pairs));
  const bool given_per_axis = spec.inv_freq.size() == inv_freq.size();
  for (std::int64_t i = 0; i < (given_per_axis ? spec.axes * pairs : pairs); ++i) {
    const std::int64_t place = given_per_axis ? i : axis_of(spec, pairs, i) * pairs + i;
    const double frequency = frequency_of(spec, window, i);
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

RotarySchedule make_schedule(const Rotary& spec) {
  validate(spec);
  const detail::RotaryWindow window = detail::window_of(spec);
  RotarySchedule schedule;
  schedule.head_dim = spec.head_dim;
  schedule.rotary_dim = window.rotary_dim;
  schedule.rope_offset = window.rope_offset;
  schedule.exponent_dim = spec.inv_freq.empty() ? window.exponent_dim : 0;
  schedule.layout = spec.layout;
  schedule.axes = spec.axes;
  schedule.inv_freq = frequencies_of(spec, window);
  schedule.attention_factor = spec.attention_factor;
  schedule.attention_factor_in = spec.attention_factor_in;
  schedule.precision = spec.precision;
  return schedule;
}

}  // namespace posenc
