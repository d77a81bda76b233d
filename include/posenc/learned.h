// Learned tables: which rows a position reads.
//
//     posenc::Learned spec{.past_end = posenc::PastEnd::error, .first = 2};      // OPT, BART
//     posenc::RowRead read = posenc::row_read(spec, 2050, 7);                    // row 9 alone
//     posenc::LearnedRows rows{spec, table};                                     // posenc/input_rows.h: to add them
//
// Pure functions.
#pragma once

#include <cstdint>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

// (1 - share) * row + share * next. One row alone has share 0 and next = row.
struct RowRead {
  std::int64_t row = 0;
  std::int64_t next = 0;
  double share = 0.0;
};

// What `position` reads of a table of `rows` rows: row position + first, or what past_end says where that is beyond the
// last. With PastEnd::interpolate and a length above the rows - first that there are, position p reads at
// (p + 0.5) * (rows - first) / length - 0.5 after row `first`, not before it nor behind the last: linear resizing with
// half-pixel centres; positions may then be real. A negative position, a real one elsewhere, and one past the end that
// the rule refuses are errors that name it.
POSENC_API RowRead row_read(const Learned& spec, std::int64_t rows, double position);

// How many positions a table of `rows` rows has without its rule past the end: rows - first.
POSENC_API std::int64_t positions_of(const Learned& spec, std::int64_t rows);

}  // namespace posenc
