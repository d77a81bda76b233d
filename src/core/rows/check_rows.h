// Checks that operations make before they write rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/check_view.h"
#include "posenc/input_rows.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::rows {

// Throw unless the schedule's columns are within its width. check_counted also requires positions on one axis, within
// the range of guaranteed accuracy before and after adding the schedule's `first`.
void check_schedule(const SinusoidalSchedule& schedule, std::string_view where);
void check_schedule(const FourierSchedule& schedule, std::string_view where);
void check_counted(const SinusoidalSchedule& schedule, const PositionView& positions, std::string_view where);

// Throws unless positions are on one axis and pass check_positions.
void check_one_axis(const PositionView& positions, std::string_view where);

// Throws unless `out` is [N, width] or [B, N, width] of a float dtype for these positions and does not overlap them.
void check_row_output(const PositionView& positions, std::int64_t width, const View& out, std::string_view where,
                      std::string_view name = "out");

// Throws if the output overlaps a table that the rows are read from.
void check_apart(const InputRows& rows, const base::NamedView& written, std::string_view where);

}  // namespace posenc::rows
