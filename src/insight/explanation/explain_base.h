// The step of a worked example that compares frequencies with those of the usual base and exponent.
#pragma once

#include <string>
#include <vector>

#include "posenc/insight/explain.h"

namespace posenc::explanation {

struct BaseComparison {
  std::vector<double> own;    // radians per position, one per pair
  std::vector<double> usual;  // as many
  std::string title;          // "Compared with base 10000"
  std::string usual_name;     // "with base 10000": how the lines introduce its numbers
};

// The step: wavelengths side by side, the effect of the difference, and the mean cosine of all pairs at some distances.
Step compare_bases(const BaseComparison& bases);

}  // namespace posenc::explanation
