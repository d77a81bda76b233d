// Rotations as maps of a head: what rotary and xPos share.
#pragma once

#include <string>

#include "models/comparison/head_map.h"
#include "posenc/models/compare.h"

namespace posenc::comparison {

// What a permutation does, for the sentence: "layout half in A, interleaved in B".
struct RotationWords {
  std::string layouts;
  std::string growth = "zeta";  // what TurningPair::growth comes from
};

Comparison compare_heads(const HeadMap& a, const HeadMap& b, const Limits& limits, const RotationWords& words);

}  // namespace posenc::comparison
