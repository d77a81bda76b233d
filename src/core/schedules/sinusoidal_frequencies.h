// The closed forms of a sinusoidal encoding's frequencies.
#pragma once

#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc::schedules {

// Returns one frequency per pair, within 1 ulp of the formula; infinite if it overflows a double. `spec` must be valid.
POSENC_INTERNAL std::vector<double> frequencies_of(const Sinusoidal& spec);

}  // namespace posenc::schedules
