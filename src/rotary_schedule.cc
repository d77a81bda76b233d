#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "detail/axis_map.h"
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

double frequency_at(const Rotary& spec, std::int64_t index, std::int64_t exponent_dim) {
  return spec.precision == Precision::reference ? rounded_frequency(spec.base, index, exponent_dim)
                                                : exact_frequency(spec.base, index, exponent_dim);
}

double scaled(const Rotary& spec, double frequency) {
  if (spec.precision == Precision::exact) return spec.scale * frequency;
  return static_cast<double>(static_cast<float>(spec.scale) * static_cast<float>(frequency));
}

// Rejects what is beyond the numbers that the precision has.
double checked_frequency(const Rotary& spec, std::int64_t pair, double frequency) {
  if (std::isfinite(frequency)) return frequency;
  fail(ErrorKind::bad_input, "[rotary] every frequency must be finite but that of pair " + std::to_string(pair) +
                                 " is beyond the largest " +
                                 (spec.precision == Precision::reference ? "float32" : "double"));
}

std::vector<double> frequencies_of(const Rotary& spec, const std::vector<detail::PairPlace>& places,
                                   std::int64_t pairs) {
  const auto axes = static_cast<std::size_t>(detail::axes_of(spec));
  std::vector<double> inv_freq(axes * places.size());
  const bool given_per_axis = axes > 1 && spec.inv_freq.size() == axes * static_cast<std::size_t>(pairs);
  for (std::size_t i = 0; i < (given_per_axis ? inv_freq.size() : places.size()); ++i) {
    const detail::PairPlace& place = places[i % places.size()];
    double frequency = 0.0;
    if (given_per_axis) {
      frequency = spec.inv_freq[i];
    } else if (!spec.inv_freq.empty()) {
      frequency = spec.inv_freq[static_cast<std::size_t>(place.pair)];
    } else {
      frequency = frequency_at(spec, place.index, place.exponent_dim);
    }
    const std::size_t at = given_per_axis ? i : static_cast<std::size_t>(place.axis) * places.size() + i;
    inv_freq[at] = checked_frequency(spec, place.pair, scaled(spec, frequency));
  }
  return inv_freq;
}

// That of all pairs, or 0.
std::int64_t common_exponent_dim(const Rotary& spec, const std::vector<detail::PairPlace>& places) {
  const std::int64_t first = places.front().exponent_dim;
  const auto same = [&](const detail::PairPlace& place) { return place.exponent_dim == first; };
  return spec.inv_freq.empty() && std::all_of(places.begin(), places.end(), same) ? first : 0;
}

}  // namespace

RotarySchedule make_schedule(const Rotary& spec) {
  validate(spec);
  const detail::RotaryWindow window = detail::window_of(spec);
  const std::vector<detail::PairPlace> places = detail::axis_map(spec, window);
  RotarySchedule schedule;
  schedule.head_dim = spec.head_dim;
  schedule.rotary_dim = window.rotary_dim;
  schedule.rope_offset = window.rope_offset;
  schedule.exponent_dim = common_exponent_dim(spec, places);
  schedule.layout = spec.layout;
  schedule.axes = detail::axes_of(spec);
  schedule.inv_freq = frequencies_of(spec, places, window.pairs());
  schedule.attention_factor = spec.attention_factor;
  schedule.attention_factor_in = spec.attention_factor_in;
  schedule.precision = spec.precision;
  return schedule;
}

}  // namespace posenc
