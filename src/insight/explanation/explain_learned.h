// The steps of the worked examples of learned tables and hybrids.
#pragma once

#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

std::vector<Step> explain_learned(const Learned& spec, double position, const ExplainOptions& options);
std::vector<Step> explain_hybrid(const Hybrid& spec, double position, const ExplainOptions& options);

}  // namespace posenc::explanation
