// Checks that rotations make before they write. Messages are built only on failure: a successful check costs less than
// constructing one string.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/check_view.h"
#include "posenc/position.h"
#include "posenc/rotate.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::rotation {

// Heads to read, the place to write them, and their names in messages.
struct HeadViews {
  const ConstView& in;
  const View& out;
  std::string_view in_name = "x";
  std::string_view out_name = "out";
};

// The sizes B, N and H of [N, H, D] or [B, N, H, D].
struct HeadGrid {
  std::int64_t batch;
  std::int64_t tokens;
  std::int64_t heads;
};
inline HeadGrid grid_of_heads(const ConstView& view) noexcept {
  return view.rank == 4 ? HeadGrid{view.shape[0], view.shape[1], view.shape[2]}
                        : HeadGrid{1, view.shape[0], view.shape[1]};
}

// Throws unless the view is [N, H, head_dim] or [B, N, H, head_dim] of a float dtype with contiguous channels.
void check_head_input(const ConstView& view, base::Length head_dim, std::string_view where, std::string_view name);

// Throws unless both views are [N, H, D] or [B, N, H, D] of the same float dtype and shape, identical or not
// overlapping.
void check_heads(const HeadViews& views, base::Length head_dim, std::string_view where);

// Throws unless every token has a position with as many axes as the encoding, and the output does not overlap the
// positions. With a table, every position must have a row; otherwise every position must be valid.
void check_head_positions(const HeadViews& views, const PositionView& positions, const RotaryView& source,
                          std::string_view where);
// Whether every position has a row in a table of `count` positions that starts at `start`.
bool fits_table(const PositionView& positions, std::int64_t start, std::int64_t count) noexcept;

// Throws unless the scale is finite, also in the type of the arithmetic (float32 except for f64 data).
void check_other_scale(const HeadViews& views, double scale, std::string_view where);
inline void check_scale(const HeadViews& views, double scale, std::string_view where) {
  if (scale != 1.0) check_other_scale(views, scale, where);
}

}  // namespace posenc::rotation
