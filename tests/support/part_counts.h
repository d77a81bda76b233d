// counts_of(workers, parts): how often each part of a run was done. once(parts) is what it must be.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/workers.h"

inline std::vector<int> counts_of(const posenc::Workers* workers, std::int64_t parts) {
  // Not atomic: two threads in one part, or a part that is not finished when run returns, is a race that
  // ThreadSanitizer sees.
  std::vector<int> counts(static_cast<std::size_t>(parts));
  posenc::run_parts(workers, parts, [&](std::int64_t part) { ++counts.at(static_cast<std::size_t>(part)); });
  return counts;
}

inline std::vector<int> once(std::int64_t parts) { return std::vector<int>(static_cast<std::size_t>(parts), 1); }
