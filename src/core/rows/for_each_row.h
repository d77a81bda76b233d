// Loops over positions and their rows.
#pragma once

#include <cstdint>

#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::rows {

// Calls write(b, n, row) for every token; b and n are indices into the positions.
template <class Write>
void for_each_token(const PositionView& positions, const View& out, const Write& write) {
  const bool batched = out.rank == 3;
  const std::int64_t rows = batched ? out.shape[0] : 1;
  for (std::int64_t b = 0; b < rows; ++b) {
    const std::int64_t source = positions.batch == 1 ? 0 : b;
    for (std::int64_t n = 0; n < positions.count; ++n) write(source, n, batched ? out[b][n] : out[n]);
  }
}

// Calls write(position, row) for every token; the positions have one axis. `position` is a std::int64_t if they are
// integers, else a double.
template <class Write>
void for_each_row(const PositionView& positions, const View& out, const Write& write) {
  for_each_token(positions, out, [&](std::int64_t b, std::int64_t n, const View& row) {
    if (positions.integral()) {
      write(positions.integer(b, n), row);
    } else {
      write(positions.real(b, n), row);
    }
  });
}

}  // namespace posenc::rows
