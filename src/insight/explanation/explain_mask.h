// The steps of worked examples where nothing is added to a score: no positions at all, and masks.
#pragma once

#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

std::vector<Step> explain_none(double position, const ExplainOptions& options);
std::vector<Step> explain_none(const ExplainPairs& pairs);
// A Window or a Chunked: what a query at that position sees.
std::vector<Step> explain_mask(const Spec& spec, double position, const ExplainOptions& options);

}  // namespace posenc::explanation
