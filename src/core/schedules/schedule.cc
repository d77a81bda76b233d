#include "posenc/schedule.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "core/base/refuse.h"
#include "core/numbers/double_double.h"
#include "core/schedules/sinusoidal_frequencies.h"
#include "core/spec/sinusoidal_pairs.h"

namespace posenc {
namespace {

using numbers::DoubleDouble;

DoubleDouble exponent_of_pair(const Sinusoidal& spec, std::int64_t j, std::int64_t pairs) {
  const DoubleDouble index{static_cast<double>(j), 0.0};
  const DoubleDouble factor{spec.exponent_factor, 0.0};
  switch (spec.spacing) {
    case Spacing::width:
      return factor * (index + index) / DoubleDouble{static_cast<double>(spec.width), 0.0};
    case Spacing::even_width:
      return factor * (index + index) / DoubleDouble{static_cast<double>(spec.width + spec.width % 2), 0.0};
    case Spacing::half:
      break;
  }
  // Pair 0 has exponent 0 even if the divisor is 0: width 2 in tensor2tensor.
  if (j == 0) return {};
  return factor * index / (DoubleDouble{static_cast<double>(pairs), 0.0} + DoubleDouble{-spec.shift, 0.0});
}

void check_finite(const std::vector<double>& inv_freq) {
  for (std::size_t j = 0; j < inv_freq.size(); ++j) {
    if (std::isfinite(inv_freq[j])) continue;
    base::refuse_input("sinusoidal", "every frequency must be finite but that of pair ", j,
                       " is beyond the largest double");
  }
}

// Sets the columns of sines and cosines. `dropped`: the last pair has only one column.
template <class Schedule>
void place_columns(Order order, std::int64_t pairs, bool dropped, Schedule& schedule) {
  const bool cosine_first = order == Order::cos_interleaved || order == Order::cos_halves;
  const bool halves = order == Order::halves || order == Order::cos_halves;
  const std::int64_t stride = halves ? 1 : 2;
  const Columns leading{0, stride, pairs};
  const Columns trailing{halves ? pairs : 1, stride, pairs - (dropped ? 1 : 0)};
  schedule.sine = cosine_first ? trailing : leading;
  schedule.cosine = cosine_first ? leading : trailing;
}

}  // namespace

std::vector<double> schedules::frequencies_of(const Sinusoidal& spec) {
  const std::int64_t pairs = spec::pairs_of(spec);
  std::vector<double> inv_freq = spec.inv_freq;
  for (double& frequency : inv_freq) frequency *= spec.frequency_scale;
  if (!inv_freq.empty()) return inv_freq;
  // Computed in twice the precision and rounded once: std::pow is off by up to 7 ulp because its exponent is rounded.
  // The logarithm of the scale is part of the exponent, so that the power alone may overflow if the frequency does not.
  const DoubleDouble log_base = numbers::log(spec.base);
  const DoubleDouble log_scale =
      spec.frequency_scale == 0.0 ? DoubleDouble{} : numbers::log(std::fabs(spec.frequency_scale));
  for (std::int64_t j = 0; j < pairs; ++j) {
    const double size = exp(log_scale + -(exponent_of_pair(spec, j, pairs) * log_base)).high;
    inv_freq.push_back(spec.frequency_scale == 0.0 ? 0.0 : std::copysign(size, spec.frequency_scale));
  }
  return inv_freq;
}

SinusoidalSchedule make_schedule(const Sinusoidal& spec) {
  validate(spec);
  SinusoidalSchedule schedule;
  schedule.width = spec.width;
  schedule.inv_freq = schedules::frequencies_of(spec);
  check_finite(schedule.inv_freq);
  schedule.multiplier = spec.multiplier;
  schedule.first = spec.first;
  schedule.zero_position = spec.zero_position;
  const bool dropped = spec.odd != OddWidth::zero && spec.width % 2 != 0;
  place_columns(spec.order, spec::pairs_of(spec), dropped, schedule);
  return schedule;
}

FourierSchedule make_fourier_schedule(const Fourier& spec) {
  validate(spec);
  FourierSchedule schedule;
  schedule.axes = spec.axes;
  schedule.inv_freq = spec.inv_freq;
  schedule.width = spec.width != 0 ? spec.width : 2 * schedule.pairs();
  schedule.multiplier = spec.multiplier;
  place_columns(spec.order, schedule.pairs(), /*dropped=*/false, schedule);
  return schedule;
}

ConcatSchedule make_concat_schedule(const Concat& spec) {
  validate(spec);
  ConcatSchedule schedules;
  for (const ConcatPart& part : spec.parts) {
    const auto* sinusoidal = std::get_if<Sinusoidal>(&part.encoding);
    schedules.push_back(sinusoidal == nullptr ? std::nullopt : std::optional(make_schedule(*sinusoidal)));
  }
  return schedules;
}

SinusoidalGradients chain_rule(const Sinusoidal& spec, std::span<const double> inv_freq_gradient) {
  validate(spec);
  const std::int64_t pairs = spec::pairs_of(spec);
  base::require(static_cast<std::int64_t>(inv_freq_gradient.size()) == pairs, "chain_rule",
                "the gradient of inv_freq must have one number per pair, ", pairs, ", but has ",
                inv_freq_gradient.size());
  Sinusoidal unscaled = spec;
  unscaled.frequency_scale = 1.0;
  const std::vector<double> powers = schedules::frequencies_of(unscaled);
  Sinusoidal plain = spec;
  plain.exponent_factor = 1.0;
  SinusoidalGradients result;
  for (std::size_t j = 0; j < powers.size(); ++j) {
    result.frequency_scale += inv_freq_gradient[j] * powers[j];
    if (!spec.inv_freq.empty()) continue;  // listed frequencies do not depend on the base
    // inv_freq = scale * base^(-factor * exponent)
    const double exponent = exponent_of_pair(plain, static_cast<std::int64_t>(j), pairs).high;
    const double slope = -inv_freq_gradient[j] * spec.frequency_scale * powers[j] * exponent;
    result.base += slope * spec.exponent_factor / spec.base;
    result.exponent_factor += slope * std::log(spec.base);
  }
  return result;
}

std::vector<double> wavelengths(const std::vector<double>& inv_freq) {
  std::vector<double> result;
  result.reserve(inv_freq.size());
  for (const double frequency : inv_freq) result.push_back(2.0 * std::numbers::pi / std::fabs(frequency));
  return result;
}

}  // namespace posenc
