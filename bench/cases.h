// All cases of `posenc bench`: one function per `*_bench.cc`.
#pragma once

#include <vector>

#include "bench/bench.h"

namespace posenc::bench {

std::vector<Case> table_cases();
std::vector<Case> embed_cases();
std::vector<Case> rotate_cases();
std::vector<Case> attend_cases();
std::vector<Case> model_cases();

// Returns all cases in the order of the report.
std::vector<Case> cases();

}  // namespace posenc::bench
