// The table of an encoding that is added to embeddings.
#pragma once

#include "cli/table_text.h"
#include "posenc/models/encoding.h"
#include "posenc/position.h"
#include "posenc/table.h"
#include "posenc/view.h"

namespace posenc::cli {

// `encoding` must outlive the result. A position without a row is an error, and so is the derivative of a kind that has
// none.
TableHead input_table(const Encoding& encoding, const PositionView& positions, DType dtype, Rows rows = Rows::values);

}  // namespace posenc::cli
