#include "core/rotation/rotate_checks.h"

#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/memory_overlap.h"
#include "core/base/refuse.h"

namespace posenc::rotation {
namespace {

using base::refuse;

template <class T>
bool all_inside(const PositionView& p, std::int64_t start, std::int64_t count) noexcept {
  bool inside = true;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t a = 0; a < p.axes; ++a) {
      const T* ids = static_cast<const T*>(p.data) + b * p.batch_stride + a * p.axis_stride;
      for (std::int64_t n = 0; n < p.count; ++n) {
        const T id = ids[n * p.token_stride];
        if constexpr (std::is_floating_point_v<T>) {
          inside &= id >= static_cast<T>(start) && id < static_cast<T>(start + count) && id == std::floor(id);
        } else {
          inside &= id >= start && id < start + count;
        }
      }
    }
  }
  return inside;
}

[[noreturn]] void fail_outside(const PositionView& p, const RotaryTable& table, std::string_view where) {
  const std::int64_t last = table.start() + table.count() - 1;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t n = 0; n < p.count; ++n) {
      for (std::int64_t a = 0; a < p.axes; ++a) {
        const double position = p.real(b, n, a);
        const bool inside = position >= static_cast<double>(table.start()) && position <= static_cast<double>(last);
        if (inside && position == std::floor(position)) continue;
        base::refuse_input(where, "positions must be integers from ", table.start(), " to ", last,
                           ", the range of the table, but got ", position, ": RotaryAngles accept any position");
      }
    }
  }
  base::refuse_input(where, "positions must be in the table");
}

void check_table(const HeadViews& views, const PositionView& positions, const RotaryTable& table,
                 std::string_view where) {
  if (views.in.dtype == DType::f64 && table.view().dtype != DType::f64) {
    refuse(where, "the table must be f64 for f64 data but is ", to_text(table.view().dtype));
  }
  if (!fits_table(positions, table.start(), table.count())) fail_outside(positions, table, where);
  if (!table.owns_memory()) base::check_apart({views.out_name, views.out}, {"the table", table.view()}, where);
}

}  // namespace

void check_head_input(const ConstView& view, base::Length head_dim, std::string_view where, std::string_view name) {
  base::check_view(
      view,
      {.shape = {"B", "N", "H", head_dim},
       .batch = base::Batch::optional,
       .reason = head_dim.letter ? std::string_view() : std::string_view("with the head_dim of the encoding")},
      where, name);
}

bool fits_table(const PositionView& p, std::int64_t start, std::int64_t count) noexcept {
  if (p.count == 0 || p.batch == 0) return true;
  switch (p.source) {
    case PositionView::Source::i32:
      return all_inside<std::int32_t>(p, start, count);
    case PositionView::Source::i64:
      return all_inside<std::int64_t>(p, start, count);
    case PositionView::Source::f64:
      return all_inside<double>(p, start, count);
    case PositionView::Source::range:
      break;
  }
  const std::int64_t first = p.start;
  const std::int64_t last = p.start + (p.count - 1) * p.step;
  return first >= start && first - start < count && last >= start && last - start < count;
}

void check_heads(const HeadViews& views, base::Length head_dim, std::string_view where) {
  check_head_input(views.in, head_dim, where, views.in_name);
  const ConstView out = views.out;
  const bool in_place = base::same_memory(views.in, out);
  // An output with the strides of the input overlaps itself only if the input does; the check below then reports it.
  const bool alike = out.data != nullptr && out.rank == views.in.rank && out.dtype == views.in.dtype &&
                     out.shape == views.in.shape && out.strides == views.in.strides;
  if (!(alike || in_place) || base::overlaps_itself(views.in)) {
    base::check_view(
        out,
        {.dtypes = views.in.dtype, .shape = base::shape_of(views.in), .use = base::Use::write, .like = views.in_name},
        where, views.out_name);
  }
  if (in_place || !base::share_memory(views.in, out)) return;
  base::check_in_place_or_apart({views.out_name, out}, {views.in_name, views.in}, where);
}

void check_head_positions(const HeadViews& views, const PositionView& positions, const RotaryView& source,
                          std::string_view where) {
  const HeadGrid grid = grid_of_heads(views.in);
  const std::int64_t axes = source.schedule().axes;
  base::require(positions.axes == axes, where, "positions must have ", axes, axes == 1 ? " axis" : " axes",
                " like the encoding but have ", positions.axes);
  if (positions.count != grid.tokens || (positions.batch != 1 && positions.batch != grid.batch)) {
    refuse(where, "positions must be one per token of ", shape_text(views.in), " but are [", positions.batch, ", ",
           positions.count, "]");
  }
  if (source.table() && (positions.source == PositionView::Source::range || positions.data)) {
    if (positions.source == PositionView::Source::range) check_positions(positions, where);
    check_table(views, positions, *source.table(), where);
  } else {
    check_positions(positions, where);
  }
  if (positions.data) base::check_apart({views.out_name, views.out}, positions, where);
}

void check_other_scale(const HeadViews& views, double scale, std::string_view where) {
  base::require(std::isfinite(scale), where, "output_scale must be finite but got ", scale);
  // Except for f64 data, the arithmetic is float32, in which a larger scale would be infinite.
  base::require(views.in.dtype == DType::f64 || std::fabs(scale) <= 0x1.fffffep127, where,
                "output_scale must be finite in float32 for ", to_text(views.in.dtype), " data but got ", scale);
}

}  // namespace posenc::rotation
