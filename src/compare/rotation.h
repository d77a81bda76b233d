// Rotations as maps of a head: what rotary and xPos share.
#pragma once

#include <string>

#include "compare/head_map.h"
#include "posenc/compare.h"

namespace posenc::compare_detail {

// What a permutation does, for the sentence: "layout half in A, interleaved in B".
struct RotationWords {
  std::string layouts;
  std::string growth = "zeta";  // what TurningPair::growth comes from
};

Comparison compare_heads(const HeadMap& a, const HeadMap& b, const Limits& limits, const RotationWords& words);

}  // namespace posenc::compare_detail
