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

// Wavelengths side by side, what the difference does, and the mean cosine of all pairs at a few distances.
Step compare_bases(const BaseComparison& bases);

}  // namespace posenc::explanation
