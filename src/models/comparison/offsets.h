// Rules that map the offset between key and query to a row of a learned table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/comparison/rule.h"

namespace posenc::comparison {

struct OffsetRule {
  std::function<std::int64_t(std::int64_t offset)> row;  // negative: none
  std::int64_t rows = 0;                                 // of the table
};

struct OffsetWords {
  std::string what;       // "bucket", "row"
  std::string condition;  // "if the tables are the same"
};

// Compares the offsets from -reach to reach; larger offsets have the rows of the ends. Rows in another order count as a
// permutation. If only keys ahead of the query differ, the rules agree under a causal mask.
Comparison compare_offsets(const OffsetRule& a, const OffsetRule& b, std::int64_t reach, const Limits& limits,
                           const OffsetWords& words);

}  // namespace posenc::comparison
