// The numbers of xpos and temperature as a table.
#pragma once

#include <string>

#include "cli/table_text.h"
#include "posenc/position.h"
#include "posenc/spec.h"

namespace posenc::cli {

// xpos: the cosine, the sine and the factor of every pair; temperature: one factor. Formats that hold one array have
// them side by side.
TableHead query_table(const Spec& spec, const PositionView& positions, DType dtype, const std::string& format);

}  // namespace posenc::cli
