// What mixing() approaches with more and more tokens, by integration: the same numbers everywhere, without a seed.
#pragma once

#include <span>

#include "posenc/insight/analysis.h"

namespace posenc::properties {

// Means over all tokens of normal channels with this standard deviation, 1e-70 to 1e70, and the middle 95 % of their
// angles; `angles` is empty. Accurate to 0.01 degrees.
Mixing expected_mixing(std::span<const double> position_row, double std);

}  // namespace posenc::properties
