// "Did you mean ...?": the nearest of some known words to a misspelt one.
//
//     posenc::nearest("sinusiodal", {"sinusoidal", "rotary"});  // "sinusoidal"
#pragma once

#include <string_view>
#include <vector>

#include "posenc/export.h"

namespace posenc::text {

// The word of `known` with the fewest edits from `word`, the first of several; empty if none is close enough to be
// meant.
POSENC_INTERNAL std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace posenc::text
