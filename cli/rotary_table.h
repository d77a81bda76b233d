// The cosines and sines of a rotary encoding as a table.
#pragma once

#include <string>
#include <vector>

#include "cli/table_text.h"
#include "posenc/models/encoding.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/spec.h"

namespace posenc::cli {

// The arrays of a table, and the order of the numbers in a row.
struct RotaryParts {
  std::string tiling;              // --tiling
  std::vector<std::string> names;  // of "cos", "sin"; "cos_sin": both in one row
};

// The meaning of --tiling and --only in a format: text and CSV have one table with cosines and sines, a .npy file has
// one array, by default [cos | sin]. Contradictory choices are errors.
RotaryParts choose_parts(const std::string& tiling, const std::string& only, const std::string& format);

// The table of a rotary encoding, or of pope, which has an angle per channel.
TableHead rotary_table(const Encoding& encoding, const PositionView& positions, DType dtype, const RotaryParts& parts);

}  // namespace posenc::cli
