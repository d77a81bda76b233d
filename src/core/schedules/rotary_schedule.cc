#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/numbers/double_double.h"
#include "core/scalings/rule.h"
#include "core/spec/axis_map.h"
#include "core/spec/rotary_window.h"
#include "posenc/schedule.h"

namespace posenc {
namespace {

using numbers::DoubleDouble;

// The scaled ladders of a spec: one, or several if the axes have different exponent_dim.
class Ladders {
 public:
  Ladders(const Rotary& spec, const std::vector<spec::PairPlace>& places)
      : rounded_(spec.precision == Precision::reference), scaling_(spec::settled_scaling(spec)) {
    for (const Ladder& ladder : spec::ladders_of(spec, places)) {
      scales_.emplace_back(ladder, scalings::scale_of(scaling_, ladder));
    }
  }

  double attention_factor() const { return scales_.front().second.attention_factor; }
  double frequency(const spec::PairPlace& place) const {
    const auto same = [&](const auto& entry) { return entry.first.dim == place.exponent_dim; };
    const auto& [ladder, scale] = *std::find_if(scales_.begin(), scales_.end(), same);
    if (rounded_) return scalings::float32_frequency(scaling_, ladder, scale, place.index);
    const auto i = static_cast<std::size_t>(place.index);
    const DoubleDouble multiplier = scale.multipliers.empty() ? DoubleDouble{1.0, 0.0} : scale.multipliers[i];
    return (scalings::plain_frequency(scale.log_base, place.index, place.exponent_dim) * multiplier).high;
  }

 private:
  bool rounded_;
  Scaling scaling_;
  std::vector<std::pair<Ladder, scalings::LadderScale>> scales_;
};

double scaled(const Rotary& spec, double frequency) {
  if (spec.precision == Precision::exact) return spec.frequency_scale * frequency;
  return static_cast<double>(static_cast<float>(spec.frequency_scale) * static_cast<float>(frequency));
}

// Rejects frequencies that the precision cannot represent.
double checked_frequency(const Rotary& spec, std::int64_t pair, double frequency) {
  if (std::isfinite(frequency)) return frequency;
  base::refuse_input("rotary", "every frequency must be finite but that of pair ", pair, " is beyond the largest ",
                     (spec.precision == Precision::reference ? "float32" : "double"));
}

std::vector<double> frequencies_of(const Rotary& spec, const std::vector<spec::PairPlace>& places,
                                   const Ladders& ladders, std::int64_t pairs) {
  const auto axes = static_cast<std::size_t>(spec::axes_of(spec));
  std::vector<double> inv_freq(axes * places.size());
  const bool given_per_axis = axes > 1 && spec.inv_freq.size() == axes * static_cast<std::size_t>(pairs);
  for (std::size_t i = 0; i < (given_per_axis ? inv_freq.size() : places.size()); ++i) {
    const spec::PairPlace& place = places[i % places.size()];
    double frequency = 0.0;
    if (given_per_axis) {
      frequency = spec.inv_freq[i];
    } else if (!spec.inv_freq.empty()) {
      frequency = spec.inv_freq[static_cast<std::size_t>(place.pair)];
    } else {
      frequency = ladders.frequency(place);
    }
    const std::size_t at = given_per_axis ? i : static_cast<std::size_t>(place.axis) * places.size() + i;
    inv_freq[at] = checked_frequency(spec, place.pair, scaled(spec, frequency));
  }
  return inv_freq;
}

// The exponent_dim shared by all pairs, or 0 if they differ.
std::int64_t common_exponent_dim(const Rotary& spec, const std::vector<spec::PairPlace>& places) {
  const std::int64_t first = places.front().exponent_dim;
  const auto same = [&](const spec::PairPlace& place) { return place.exponent_dim == first; };
  return spec.inv_freq.empty() && std::all_of(places.begin(), places.end(), same) ? first : 0;
}

}  // namespace

Rotary at_layer(const Rotary& spec, std::int64_t layer) {
  Rotary result = spec;
  result.layer = {};
  result.local_base = 0.0;
  result.global_every = Rotary{}.global_every;
  result.local_scaled = false;
  if (spec.local_base == 0.0) return result;
  base::require(layer >= 0, "at_layer", "layer must be at least 0 but got ", layer);
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
  base::require_input(given.local_base == 0.0 || given.layer, "rotary",
                      "the base depends on the layer (local_base): give layer");
  const Rotary spec = at_layer(given, given.layer.value_or(0));
  const bool by_length = needs_length(spec.scaling);
  base::require_input(!by_length || spec.sequence_length, "rotary", "scaling=", kind_of(spec.scaling),
                      " depends on the sequence length: give sequence_length (--sequence-length N)");
  const spec::RotaryWindow window = spec::window_of(spec);
  const std::vector<spec::PairPlace> places = spec::axis_map(spec, window);
  const Ladders ladders(spec, places);
  RotarySchedule schedule;
  schedule.head_dim = spec.head_dim;
  schedule.rotary_dim = window.rotary_dim;
  schedule.first_channel = window.first_channel;
  schedule.exponent_dim = common_exponent_dim(spec, places);
  schedule.layout = spec.layout;
  schedule.axes = spec::axes_of(spec);
  schedule.inv_freq = frequencies_of(spec, places, ladders, window.pairs());
  schedule.attention_factor = spec.attention_factor.value_or(ladders.attention_factor());
  schedule.attention_factor_in = spec.attention_factor_in;
  schedule.precision = spec.precision;
  if (by_length) schedule.sequence_length = spec.sequence_length;
  return schedule;
}

}  // namespace posenc
