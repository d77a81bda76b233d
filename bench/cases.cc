#include "bench/cases.h"

namespace posenc::bench {

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& list : {rotate_cases, attend_cases, table_cases, embed_cases, model_cases}) {
    for (Case& one : list()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace posenc::bench
