// Attention of a few random tokens, to see what moving or permuting them changes.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/score_term.h"

namespace posenc::properties {

// The largest difference of attention weights if all tokens move by `by` positions.
double moved_difference(const ScoreTerm& term, std::int64_t first, std::int64_t by, std::uint64_t seed);
// The largest difference of outputs, put back in order, if tokens are permuted, without positions.
double permuted_difference(std::uint64_t seed);

}  // namespace posenc::properties
