// The table of an encoding that is added to embeddings.
#pragma once

#include "cli/table_text.h"
#include "posenc/models/encoding.h"
#include "posenc/position.h"
#include "posenc/table.h"
#include "posenc/view.h"

namespace posenc::cli {

// `encoding` must live as long as the result. Positions that have no row, and derivatives of what has none, are errors.
TableHead input_table(const Encoding& encoding, const PositionView& positions, DType dtype, Rows rows = Rows::values);

}  // namespace posenc::cli
