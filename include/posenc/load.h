// From what a user types to a spec or positions, files included.
//
//     posenc::Spec spec = posenc::load_spec("sinusoidal:width=512");   // text, or the path of a spec file
//     posenc::Positions ids = posenc::load_positions("@ids.npy");      // text, or the numbers of a file
#pragma once

#include <string>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/spec.h"

namespace posenc {

// Tried in this order: a known kind with fields, an existing JSON file that holds a posenc spec. Anything else is an
// error that says what was tried and names the nearest kind.
POSENC_API Spec load_spec(const std::string& text);

// What parse_positions reads, and `@file.npy`: [N], or [N, A] for tuples; integers or real numbers.
POSENC_API Positions load_positions(const std::string& text);

}  // namespace posenc
