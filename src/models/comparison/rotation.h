// Compares rotations as maps of a head; used for rotary and xPos.
#pragma once

#include <string>

#include "models/comparison/head_map.h"
#include "posenc/models/compare.h"

namespace posenc::comparison {

// Words for the sentence of a comparison: "layout half in A, interleaved in B".
struct RotationWords {
  std::string layouts;
  std::string growth = "zeta";  // the name of TurningPair::growth
};

Comparison compare_heads(const HeadMap& a, const HeadMap& b, const Limits& limits, const RotationWords& words);

}  // namespace posenc::comparison
