// counts_of(workers, parts) returns how often each part of a run was executed. once(parts) is the expected result.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/workers.h"

inline std::vector<int> counts_of(const posenc::Workers* workers, std::int64_t parts) {
  // Not atomic on purpose: ThreadSanitizer then reports if two threads execute one part, or a part is unfinished when
  // run returns.
  std::vector<int> counts(static_cast<std::size_t>(parts));
  posenc::run_parts(workers, parts, [&](std::int64_t part) { ++counts.at(static_cast<std::size_t>(part)); });
  return counts;
}

inline std::vector<int> once(std::int64_t parts) { return std::vector<int>(static_cast<std::size_t>(parts), 1); }
