#include <algorithm>
#include <cmath>

#include "core/scalings/rule.h"

namespace posenc::scalings {

std::vector<Field> fields_of(Resonance&) { return {}; }

LadderScale scale(const Resonance&, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    const DoubleDouble wavelength = number(1.0) / turns_within(1, plain_frequency(result.log_base, i, ladder.dim));
    const double rounded = std::max(1.0, std::nearbyint(wavelength.high));
    result.multipliers.push_back(wavelength / number(rounded));
  }
  return result;
}

}  // namespace posenc::scalings
