// Where strided elements lie in memory: whether two views share bytes, and whether one meets itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <utility>

#include "posenc/view.h"

namespace posenc::detail {

// The first byte and the one after the last that strided elements can touch.
struct Extent {
  const char* begin;
  const char* end;
};

// Axes as (length, stride), each of at least one element.
inline Extent extent_of(const void* data, std::int64_t bytes,
                        std::initializer_list<std::pair<std::int64_t, std::int64_t>> axes) {
  std::int64_t low = 0, high = 0;
  for (const auto& [length, stride] : axes) (stride < 0 ? low : high) += (length - 1) * stride;
  const char* start = static_cast<const char*>(data);
  return {start + low * bytes, start + (high + 1) * bytes};
}

inline bool overlaps(const Extent& a, const Extent& b) {
  return std::less<>()(a.begin, b.end) && std::less<>()(b.begin, a.end);
}

inline bool is_empty(const ConstView& view) {
  return std::any_of(view.shape.begin(), view.shape.begin() + view.rank, [](std::int64_t n) { return n == 0; });
}

// Of a view that is not empty.
inline Extent extent_of(const ConstView& view) {
  const auto axis = [&](std::size_t a) {
    return static_cast<int>(a) < view.rank ? std::pair(view.shape[a], view.strides[a])
                                           : std::pair(std::int64_t{1}, std::int64_t{0});
  };
  static_assert(kMaxRank == 4);
  return extent_of(view.data, size_of(view.dtype), {axis(0), axis(1), axis(2), axis(3)});
}

inline bool overlaps(const ConstView& a, const ConstView& b) {
  return !is_empty(a) && !is_empty(b) && overlaps(extent_of(a), extent_of(b));
}

// Whether two different indices can meet at one address. Axes are taken from the smallest stride up, each must step
// past all that the smaller ones reach. That refuses a few exotic views that do not overlap; none of them is a tensor.
inline bool overlaps_itself(const ConstView& view) {
  struct Axis {
    std::int64_t length;
    std::int64_t stride;  // its absolute value
  };
  std::array<Axis, kMaxRank> axes{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
    axes[axis] = {view.shape[axis], std::abs(view.strides[axis])};
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  std::int64_t reach = 0;
  for (const Axis& axis : axes) {
    if (axis.length <= 1) continue;
    if (axis.stride <= reach) return true;
    std::int64_t span = 0;
    if (__builtin_mul_overflow(axis.stride, axis.length - 1, &span)) return true;
    if (__builtin_add_overflow(reach, span, &reach)) return true;
  }
  return false;
}

}  // namespace posenc::detail
