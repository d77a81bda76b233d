// The steps of the worked examples of encodings of several axes at the input.
#pragma once

#include <span>
#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

// `position` has a coordinate per axis.
std::vector<Step> explain_concat(const Concat& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_fourier(const Fourier& spec, std::span<const double> position, const ExplainOptions& options);

}  // namespace posenc::explanation
