// The steps of worked examples of what is done to queries and keys beside the plain rotation.
#pragma once

#include <span>
#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

std::vector<Step> explain_pope(const Pope& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_xpos(const Xpos& spec, double position, const ExplainOptions& options);
std::vector<Step> explain_temperature(const QueryTemperature& spec, double position, const ExplainOptions& options);

}  // namespace posenc::explanation
