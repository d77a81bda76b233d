// The steps of the sinusoidal encoding's worked example.
#pragma once

#include <vector>

#include "posenc/explain.h"
#include "posenc/spec.h"

namespace posenc::detail {

std::vector<Step> explain_sinusoidal(const Sinusoidal& spec, double position, const ExplainOptions& options);

}  // namespace posenc::detail
