// The steps of the sinusoidal encoding's worked example.
#pragma once

#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

std::vector<Step> explain_sinusoidal(const Sinusoidal& spec, double position, const ExplainOptions& options);

}  // namespace posenc::explanation
