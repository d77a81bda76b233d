// What every bias on scores, and every mask, can be asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detail/subject_numbers.h"
#include "posenc/check.h"

namespace posenc::detail {

// What a kind promises, and what it does with distances past those that were trained.
struct BiasTraits {
  bool relative = true;  // a function of the distance, but for what all keys of a query share
  bool falls = true;     // with distance, or at least never rises
  bool bounded = true;   // at any distance
  Verdict past = Verdict::holds;
  std::optional<double> past_until = {};
  std::string past_finding = {};
  bool hides = false;  // a mask: 0 or -inf
};

std::vector<Property> bias_properties(const SubjectNumbers& numbers, const CheckOptions& options,
                                      const BiasTraits& traits);

}  // namespace posenc::detail
