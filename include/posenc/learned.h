// Learned tables: which rows each position reads.
//
//     posenc::Learned spec{.past_end = posenc::PastEnd::error, .first = 2};      // OPT, BART
//     posenc::RowRead read = posenc::row_read(spec, 2050, 7);                    // reads row 9
//     posenc::LearnedRows rows{spec, table};                                     // posenc/input_rows.h: to add them
//
// Pure functions.
#pragma once

#include <cstdint>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

// The result is (1 - share) * row + share * next. If only one row is read, share is 0 and next equals row.
struct RowRead {
  std::int64_t row = 0;
  std::int64_t next = 0;
  double share = 0.0;
};

// Returns what `position` reads from a table of `rows` rows: row position + first, or what past_end says beyond the
// last row. With PastEnd::interpolate and a length above rows - first, position p reads at
// (p + 0.5) * (rows - first) / length - 0.5, counted from row `first` and clamped to the table: linear resizing with
// half-pixel centres. Only then may positions be real. A negative position, a position past the end that the rule does
// not allow, and any other real position are errors that name the position.
POSENC_API RowRead row_read(const Learned& spec, std::int64_t rows, double position);

// Returns how many positions have a row of their own in a table of `rows` rows: rows - first.
POSENC_API std::int64_t positions_of(const Learned& spec, std::int64_t rows);

}  // namespace posenc
