#include "posenc/rotary_table.h"

#include <string>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/rows/check_rows.h"
#include "core/rows/columns.h"
#include "core/rows/for_each_row.h"
#include "core/rows/rotary_rows.h"
#include "core/rows/table_memory.h"
#include "core/spec/rotary_window.h"
#include "posenc/error.h"
#include "posenc/table.h"

namespace posenc {
namespace {

// A schedule whose rows are the cosines of all pairs, then their sines. Needs one_axis_per_pair().
SinusoidalSchedule cos_then_sin(const rows::RotaryRows& rows) {
  const RotarySchedule& rotary = rows.schedule();
  SinusoidalSchedule schedule;
  schedule.width = rotary.rotary_dim;
  schedule.inv_freq = rows.own_axes().inv_freq;
  schedule.cosine = {0, 1, rotary.pairs()};
  schedule.sine = {rotary.pairs(), 1, rotary.pairs()};
  schedule.multiplier = rotary.table_factor();
  return schedule;
}

bool made_by_schedule(const rows::RotaryRows& rows) {
  return rows.one_axis_per_pair() && rows.schedule().precision == Precision::exact;
}

void fill_rows(const rows::RotaryRows& rows, const PositionView& range, const View& out) {
  if (made_by_schedule(rows)) return fill_table(cos_then_sin(rows), range, out);
  const std::int64_t pairs = rows.schedule().pairs();
  base::with_float_type(out.dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<T>) {
      for (std::int64_t n = 0; n < range.count; ++n) {
        T* row = out[n].template as<T>();
        rows.at(range.integer(0, n), row, row + pairs);
      }
    }
  });
}

void check_axes(const RotarySchedule& schedule, const PositionView& positions) {
  check_positions(positions, "fill_cos_sin");
  if (positions.axes == schedule.axes) return;
  base::refuse("fill_cos_sin", "positions must have ", schedule.axes, (schedule.axes == 1 ? " axis" : " axes"),
               " like the encoding but have ", positions.axes);
}

// Writes the value of every pair to the places given by the tiling.
template <class T>
void scatter(const double* values, const RotarySchedule& schedule, Tiling tiling, T* row) {
  if (!is_rotation(schedule.layout)) tiling = Tiling::per_pair;
  const std::int64_t pairs = schedule.columns();
  const std::int64_t part = schedule.layout == Layout::half_per_axis ? pairs / schedule.axes : pairs;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const T value = base::narrow<T>(values[i]);
    if (tiling == Tiling::per_pair) row[i] = value;
    if (tiling == Tiling::pairs) row[2 * i] = row[2 * i + 1] = value;
    if (tiling == Tiling::halves) {
      T* first = row + i / part * 2 * part + i % part;
      first[0] = first[part] = value;
    }
  }
}

}  // namespace

RotaryAngles::RotaryAngles(const Rotary& spec) : RotaryAngles(make_schedule(spec)) {}
RotaryAngles::RotaryAngles(const Rotary& spec, std::int64_t sequence_length)
    : RotaryAngles(make_schedule(spec, sequence_length)) {}

RotaryAngles::RotaryAngles(const RotarySchedule& schedule)
    : rows_(std::make_shared<const rows::RotaryRows>(schedule)), schedule_(&rows_->schedule()) {}

RotaryTable::RotaryTable(const Rotary& spec, std::int64_t positions, DType dtype)
    : RotaryTable(RotaryAngles(spec), PositionView::range(0, positions), dtype) {}

RotaryTable::RotaryTable(const RotaryAngles& angles, const PositionView& range, DType dtype)
    : angles_(angles), start_(range.start) {
  check_range(range);
  base::require(base::kReals.has(dtype), "RotaryTable", "dtype must be f32 or f64 but got ", to_text(dtype));
  const std::int64_t width = schedule().rotary_dim;
  const std::shared_ptr<std::byte> memory = rows::table_memory(range.count, width, dtype, "RotaryTable");
  const View out = make_view(static_cast<void*>(memory.get()), dtype, {range.count, width});
  fill_rows(angles.rows(), range, out);
  memory_ = memory;
  view_ = out;
}

RotaryTable::RotaryTable(const RotaryAngles& angles, const PositionView& range, const View& memory)
    : angles_(angles), view_(memory), start_(range.start) {
  check_range(range);
  base::check_view(memory,
                   {.dtypes = base::kReals,
                    .shape = {range.count, schedule().rotary_dim},
                    .use = base::Use::write,
                    .reason = "one row of cosines and sines per position"},
                   "RotaryTable", "memory");
  fill_rows(angles.rows(), range, memory);
}

void RotaryTable::check_range(const PositionView& range) const {
  check_positions(range, "RotaryTable");
  base::require(
      range.source == PositionView::Source::range && (range.step == 1 || range.count <= 1) && range.batch == 1,
      "RotaryTable", "positions must be a range in steps of 1");
  base::require(range.count >= 1, "RotaryTable", "positions must be at least 1 but got ", range.count);
  constexpr base::Refusal kNoTable{"RotaryTable", ErrorKind::unsupported};
  kNoTable.unless(is_rotation(schedule().layout),
                  "the layout is not a rotation, so its channels have separate angles: use RotaryAngles");
  kNoTable.unless(angles_.rows().one_axis_per_pair(),
                  "a pair is rotated by two axes, but a table allows only one: use RotaryAngles");
}

void fill_cos_sin(const RotaryAngles& angles, const PositionView& positions, const View& cos, const View& sin,
                  Tiling tiling) {
  const RotarySchedule& schedule = angles.schedule();
  check_axes(schedule, positions);
  base::require(tiling >= Tiling::per_pair && tiling <= Tiling::pairs, "fill_cos_sin",
                "tiling must be per_pair, halves or pairs but got ", static_cast<int>(tiling));
  const std::int64_t width = tiling == Tiling::per_pair ? schedule.columns() : schedule.rotary_dim;
  rows::check_row_output(positions, width, cos, "fill_cos_sin", "cos");
  rows::check_row_output(positions, width, sin, "fill_cos_sin", "sin");
  if (cos.rank != sin.rank || (cos.rank == 3 && cos.shape[0] != sin.shape[0])) {
    base::refuse("fill_cos_sin", "cos and sin must have the same shape but are ", shape_text(cos), " and ",
                 shape_text(sin));
  }
  base::check_apart({"cos", cos}, {"sin", sin}, "fill_cos_sin");
  const std::int64_t batch = cos.rank == 3 ? cos.shape[0] : 1;
  double cos_row[spec::kMaxHeadDim];
  double sin_row[spec::kMaxHeadDim];
  const auto write = [&](const double* values, const View& rows, std::int64_t b, std::int64_t n) {
    const View row = rows.rank == 3 ? rows[b][n] : rows[n];
    base::with_float_type(row.dtype, [&](auto type) { scatter(values, schedule, tiling, row.as<decltype(type)>()); });
  };
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      angles.rows().at(positions, positions.batch == 1 ? 0 : b, n, cos_row, sin_row);
      write(cos_row, cos, b, n);
      write(sin_row, sin, b, n);
    }
  }
}

void fill_cos_sin(const RotaryAngles& angles, const PositionView& positions, const View& cos_sin) {
  check_axes(angles.schedule(), positions);
  const std::int64_t columns = angles.schedule().columns();
  rows::check_row_output(positions, 2 * columns, cos_sin, "fill_cos_sin", "cos_sin");
  if (positions.axes == 1 && made_by_schedule(angles.rows())) {
    return fill_table(cos_then_sin(angles.rows()), positions, cos_sin);
  }
  fill_cos_sin(angles, positions, rows::columns(cos_sin, 0, columns), rows::columns(cos_sin, columns, columns));
}

}  // namespace posenc
