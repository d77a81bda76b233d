// Whether two views can touch the same bytes.
#pragma once

#include <cstddef>
#include <functional>

#include "posenc/view.h"

namespace posenc::detail {

// From the first byte to the one after the last: views whose elements interleave without touching count as overlapping.
inline bool views_overlap(const ConstView& a, const ConstView& b) noexcept {
  struct Extent {
    const char* begin;
    const char* end;
  };
  const auto extent_of = [](const ConstView& view) -> Extent {
    std::int64_t low = 0, high = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
      (view.strides[axis] < 0 ? low : high) += (view.shape[axis] - 1) * view.strides[axis];
    }
    const char* start = static_cast<const char*>(view.data);
    return {start + low * size_of(view.dtype), start + (high + 1) * size_of(view.dtype)};
  };
  if (a.size() == 0 || b.size() == 0) return false;
  const Extent left = extent_of(a), right = extent_of(b);
  return std::less<>()(left.begin, right.end) && std::less<>()(right.begin, left.end);
}

}  // namespace posenc::detail
