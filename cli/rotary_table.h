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

// Which arrays a table has, and what stands in their rows.
struct RotaryParts {
  std::string tiling;              // as the user says it
  std::vector<std::string> names;  // of "cos", "sin"; "cos_sin": both in one row
};

// What --tiling and --only mean in a format: text and CSV have one table with both, a .npy file one array; where its
// user does not say which, it is [cos | sin]. What does not go together is an error.
RotaryParts choose_parts(const std::string& tiling, const std::string& only, const std::string& format);

// Of a rotary encoding, or of one whose angles are its pairs: pope.
TableHead rotary_table(const Encoding& encoding, const PositionView& positions, DType dtype, const RotaryParts& parts);

}  // namespace posenc::cli
