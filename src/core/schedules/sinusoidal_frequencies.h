// The closed forms of a sinusoidal encoding's frequencies.
#pragma once

#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc::schedules {

// One per pair, within 1 ulp of the formula; infinite where that is beyond the doubles. `spec` is valid.
POSENC_INTERNAL std::vector<double> frequencies_of(const Sinusoidal& spec);

}  // namespace posenc::schedules
