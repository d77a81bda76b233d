// Properties of biases on scores and of masks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "posenc/insight/check.h"
#include "posenc/models/encoding.h"

namespace posenc::properties {

// What a kind promises, and what happens past the trained distances.
struct BiasTraits {
  // Whether it depends on distance only, apart from a number that all keys of a query share; none: depends on its
  // numbers.
  std::optional<bool> relative = true;
  bool falls = true;    // never rises with distance
  bool bounded = true;  // at any distance
  std::string past_title = "past the trained length the same rule applies";
  Verdict past = Verdict::holds;
  std::optional<double> past_until = {};
  std::string past_finding = {};
  bool hides = false;  // a mask: 0 or -inf
};

std::vector<Property> bias_properties(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits);

}  // namespace posenc::properties
