// Parts of the cost of encodings that several kinds share.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "posenc/insight/analysis.h"

namespace posenc::properties {

struct CostQuestion {
  std::int64_t positions;
  std::int64_t size;  // of an element, in bytes
};

// The product of the factors; a product above 2^63 - 1 is an error.
std::int64_t product(std::initializer_list<std::int64_t> factors);

// The cost of one number per head and pair of positions, and of the `numbers` that it is computed from.
Cost matrix_cost(const CostQuestion& of, std::int64_t heads, std::int64_t numbers, double flops_per_key);

inline constexpr std::int64_t kStreamBytes = 300;  // per channel: posenc/table.h
inline constexpr std::int64_t kPhaseBytes = 24;    // size of a PhaseStep

}  // namespace posenc::properties
