// Tokens of several sizes with one row of an encoding added.
#pragma once

#include <span>
#include <vector>

#include "posenc/insight/analysis.h"

namespace posenc::properties {

// mixing() for each of the options, which have the same number of tokens and the same seed. The tokens are
// drawn once, which takes most of the time.
std::vector<Mixing> mixings(std::span<const double> position_row, std::span<const MixingOptions> sizes);

}  // namespace posenc::properties
