// The worked examples of kinds at a position: one coordinate per axis.
#pragma once

#include <span>
#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/spec.h"

namespace posenc::explanation {

std::vector<Step> explain_concat(const Concat& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_fourier(const Fourier& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_learned(const Learned& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_hybrid(const Hybrid& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_none(const Spec& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_none(const ExplainPairs& pairs);
// For a Window or a Chunked: the keys that a query at the position sees.
std::vector<Step> explain_mask(const Spec& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_pope(const Pope& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_xpos(const Xpos& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_temperature(const QueryTemperature& spec, std::span<const double> position,
                                      const ExplainOptions& options);
std::vector<Step> explain_rotary(const Rotary& spec, std::span<const double> position, const ExplainOptions& options);
std::vector<Step> explain_sinusoidal(const Sinusoidal& spec, std::span<const double> position,
                                     const ExplainOptions& options);

}  // namespace posenc::explanation
