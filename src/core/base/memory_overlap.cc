#include "core/base/memory_overlap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

namespace posenc::base {
namespace {

// From the first byte that a view can touch to the byte after the last.
struct Extent {
  const char* begin;
  const char* end;
};

Extent extent_of(const ConstView& view) {
  std::int64_t low = 0, high = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
    (view.strides[axis] < 0 ? low : high) += (view.shape[axis] - 1) * view.strides[axis];
  }
  const char* start = view.as<char>();
  return {start + low * size_of(view.dtype), start + (high + 1) * size_of(view.dtype)};
}

// The bytes touched within one step of `pitch` bytes: axes whose strides are multiples of the pitch repeat them.
Extent extent_within(const ConstView& view, std::int64_t pitch) {
  ConstView once = view;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
    if (view.strides[axis] * size_of(view.dtype) % pitch == 0) once.shape[axis] = 1;
  }
  return extent_of(once);
}

// Every byte of a view is a multiple of the pitch away from a byte of its extent within one step. So the views do not
// overlap if their extents do not overlap when shifted by any multiple of the pitch.
bool apart_by(std::int64_t pitch, const ConstView& a, const ConstView& b) {
  const Extent first = extent_within(a, pitch);
  const Extent second = extent_within(b, pitch);
  const auto distance = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(second.begin) -
                                                  reinterpret_cast<std::uintptr_t>(first.begin));
  const std::int64_t offset = ((distance % pitch) + pitch) % pitch;
  return offset >= first.end - first.begin && pitch - offset >= second.end - second.begin;
}

// Side by side: columns of the same rows, heads of the same tokens. Any stride of either view may be the common pitch.
bool are_side_by_side(const ConstView& a, const ConstView& b) {
  for (const ConstView* view : {&a, &b}) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view->rank); ++axis) {
      const std::int64_t pitch = std::abs(view->strides[axis] * size_of(view->dtype));
      if (pitch != 0 && view->shape[axis] > 1 && apart_by(pitch, a, b)) return true;
    }
  }
  return false;
}

}  // namespace

bool is_contiguous(const ConstView& view) {
  std::int64_t step = 1;
  for (auto axis = static_cast<std::size_t>(view.rank); axis-- > 0;) {
    if (view.shape[axis] != 1 && view.strides[axis] != step) return false;
    step *= view.shape[axis];
  }
  return true;
}

bool reaches_too_far(const ConstView& view) {
  std::int64_t reach = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
    std::int64_t span = 0;
    if (view.strides[axis] == INT64_MIN) return true;
    if (__builtin_mul_overflow(std::abs(view.strides[axis]), std::max<std::int64_t>(view.shape[axis], 1) - 1, &span) ||
        __builtin_add_overflow(reach, span, &reach)) {
      return true;
    }
  }
  return reach > INT64_MAX / size_of(view.dtype);
}

bool share_memory(const ConstView& a, const ConstView& b) {
  if (a.data == nullptr || b.data == nullptr || a.size() == 0 || b.size() == 0) return false;
  if (reaches_too_far(a) || reaches_too_far(b)) return true;
  const Extent first = extent_of(a);
  const Extent second = extent_of(b);
  const bool meet = std::less<>()(first.begin, second.end) && std::less<>()(second.begin, first.end);
  return meet && !are_side_by_side(a, b);
}

bool share_memory(const PositionView& positions, const ConstView& b) {
  if (positions.data == nullptr) return false;
  const DType dtype = positions.source == PositionView::Source::i32 ? DType::i32 : DType::i64;  // f64 is as wide
  const ConstView ids{positions.data,
                      dtype,
                      3,
                      {positions.batch, positions.count, positions.axes, 0},
                      {positions.batch_stride, positions.token_stride, positions.axis_stride, 0}};
  return share_memory(ids, b);
}

bool same_memory(const ConstView& a, const ConstView& b) {
  if (a.data != b.data || a.dtype != b.dtype || a.rank != b.rank) return false;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(a.rank); ++axis) {
    if (a.shape[axis] != b.shape[axis]) return false;
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  }
  return true;
}

// Axes are visited from the smallest stride up; each must step past everything that the smaller ones reach.
bool overlaps_itself(const ConstView& view) {
  if (is_contiguous(view)) return false;
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

}  // namespace posenc::base
