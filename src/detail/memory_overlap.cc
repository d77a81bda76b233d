#include "detail/memory_overlap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

namespace posenc::detail {
namespace {

// The first byte and the one after the last that a view can touch.
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

// The bytes that every outer stride of both views is a multiple of, if the smallest of them is one; else 0.
std::int64_t common_pitch(const ConstView& a, const ConstView& b) {
  std::int64_t pitch = 0;
  const auto each_stride = [](const ConstView& view, const auto& visit) {
    for (std::size_t axis = 0; axis + 1 < static_cast<std::size_t>(view.rank); ++axis) {
      // A stride of 0 repeats the same rows: it moves nothing.
      if (view.shape[axis] > 1 && view.strides[axis] != 0) visit(std::abs(view.strides[axis] * size_of(view.dtype)));
    }
  };
  const auto smallest = [&](std::int64_t bytes) { pitch = pitch == 0 || bytes < pitch ? bytes : pitch; };
  each_stride(a, smallest);
  each_stride(b, smallest);
  bool all = pitch > 0;
  const auto divides = [&](std::int64_t bytes) { all = all && bytes % pitch == 0; };
  each_stride(a, divides);
  each_stride(b, divides);
  return all ? pitch : 0;
}

bool has_whole_rows(const ConstView& view) {
  const std::size_t last = static_cast<std::size_t>(view.rank) - 1;
  return view.rank > 0 && (view.strides[last] == 1 || view.shape[last] == 1);
}

// Rows of both stand at multiples of one pitch: they are apart if they are within one pitch. A row with gaps may meet
// another row there.
bool rows_are_apart(const ConstView& a, const ConstView& b) {
  if (!has_whole_rows(a) || !has_whole_rows(b)) return false;
  const std::int64_t pitch = common_pitch(a, b);
  if (pitch == 0) return false;
  const auto row_bytes = [](const ConstView& view) {
    return view.shape[static_cast<std::size_t>(view.rank) - 1] * size_of(view.dtype);
  };
  const auto distance =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data) - reinterpret_cast<std::uintptr_t>(a.data));
  const std::int64_t offset = ((distance % pitch) + pitch) % pitch;
  return offset >= row_bytes(a) && pitch - offset >= row_bytes(b);
}

// In C order without gaps: the common case, and quick to see.
bool is_contiguous(const ConstView& view) {
  std::int64_t step = 1;
  for (auto axis = static_cast<std::size_t>(view.rank); axis-- > 0;) {
    if (view.shape[axis] != 1 && view.strides[axis] != step) return false;
    step *= view.shape[axis];
  }
  return true;
}

}  // namespace

bool share_memory(const ConstView& a, const ConstView& b) {
  if (a.data == nullptr || b.data == nullptr || a.size() == 0 || b.size() == 0) return false;
  const Extent first = extent_of(a);
  const Extent second = extent_of(b);
  const bool meet = std::less<>()(first.begin, second.end) && std::less<>()(second.begin, first.end);
  return meet && !rows_are_apart(a, b);
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

// Axes are taken from the smallest stride up, each must step past all that the smaller ones reach.
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

}  // namespace posenc::detail
