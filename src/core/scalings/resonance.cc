// Resonance: every wavelength rounded to a whole number of positions.
#include <algorithm>
#include <cmath>

#include "core/scalings/rule.h"

namespace posenc {
namespace scalings {
namespace {

LadderScale scale_resonance(const Resonance&, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    const DoubleDouble wavelength = number(1.0) / turns_within(1, plain_frequency(result.log_base, i, ladder.dim));
    const double rounded = std::max(1.0, std::nearbyint(wavelength.high));
    result.multipliers.push_back(wavelength / number(rounded));
  }
  return result;
}

}  // namespace
}  // namespace scalings

constinit const scalings::ScalingRow Resonance::row = {.fields = scalings::no_fields,
                                                       .scale = scalings::of_scaling<scalings::scale_resonance>,
                                                       .trained = scalings::as_it_is};

}  // namespace posenc
