// The steps of the worked example of rotary encodings.
#pragma once

#include <span>
#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

// `position` has a coordinate per axis of the spec.
std::vector<Step> explain_rotary(const Rotary& spec, std::span<const double> position, const ExplainOptions& options);

}  // namespace posenc::explanation
