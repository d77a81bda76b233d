// What every bias on scores, and every mask, can be asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "posenc/insight/check.h"
#include "posenc/models/encoding.h"

namespace posenc::properties {

// What a kind promises, and what it does with distances past those that were trained.
struct BiasTraits {
  // A function of the distance, but for what all keys of a query share; none: that is for its numbers to say.
  std::optional<bool> relative = true;
  bool falls = true;    // with distance, or at least never rises
  bool bounded = true;  // at any distance
  std::string past_title = "past the trained length it goes on by the same rule";
  Verdict past = Verdict::holds;
  std::optional<double> past_until = {};
  std::string past_finding = {};
  bool hides = false;  // a mask: 0 or -inf
};

std::vector<Property> bias_properties(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits);

}  // namespace posenc::properties
