// Walks the rows of an encoding at the input in double, a block at a time, in constant memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/text/number_text.h"
#include "insight/properties/lists.h"
#include "insight/properties/property.h"
#include "posenc/error.h"
#include "posenc/input_rows.h"
#include "posenc/position.h"
#include "posenc/table.h"

namespace posenc::properties {

inline void check_enough_positions(const PositionView& positions, std::int64_t least, std::string_view where) {
  if (positions.count >= least) return;
  fail(ErrorKind::usage, "[" + std::string(where) + "] positions must be at least " + std::to_string(least) +
                             " but there are " + std::to_string(positions.count));
}

inline void check_row_finite(const double* row, std::int64_t width, double position, std::string_view where) {
  for (std::int64_t i = 0; i < width; ++i) check_measurable(row[i], "channel", i, position, where);
}

// Calls visit(n, row) for every row in turn, with n counted from 0. Numbers of a table that are not finite are errors:
// comparisons would miss them.
template <class Visit>
void walk_rows(const InputRows& rows, const PositionView& positions, std::string_view where, const Visit& visit) {
  const std::int64_t width = width_of(rows);
  const std::int64_t height = std::clamp<std::int64_t>(65536 / std::max<std::int64_t>(width, 1), 1, 256);
  const bool from_outside = !std::holds_alternative<StreamedRows>(rows);
  std::vector<double> block(static_cast<std::size_t>(height * width));
  RowStream stream(rows, positions);
  std::int64_t done = 0;
  while (const std::int64_t count = stream.next(make_view(block.data(), {height, width}))) {
    for (std::int64_t r = 0; r < count; ++r, ++done) {
      const double* row = block.data() + r * width;
      if (from_outside) check_row_finite(row, width, positions.real(0, done), where);
      visit(done, row);
    }
  }
}

inline double squared_distance(const double* a, const double* b, std::int64_t width) {
  return sum_of(width, [&](std::int64_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

// A schedule with only the sines (or cosines) of some frequencies.
inline SinusoidalSchedule lone_schedule(std::vector<double> inv_freq, bool sines) {
  const auto count = static_cast<std::int64_t>(inv_freq.size());
  SinusoidalSchedule schedule;
  schedule.width = count;
  schedule.inv_freq = std::move(inv_freq);
  schedule.sine = {0, 1, sines ? count : 0};
  schedule.cosine = {0, 1, sines ? 0 : count};
  return schedule;
}

}  // namespace posenc::properties
