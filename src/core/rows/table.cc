#include "posenc/table.h"

#include <algorithm>
#include <utility>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/rows/check_rows.h"
#include "core/rows/for_each_row.h"
#include "core/rows/row_maker.h"
#include "core/rows/row_source.h"
#include "core/rows/table_memory.h"
#include "posenc/phase.h"

namespace posenc {
namespace {

void write_rows(const InputRows& rows, const PositionView& positions, const View& out) {
  rows::RowSource(rows).write_all(positions, out);
}

void set_entry(const View& out, std::int64_t row, std::int64_t column, double value) {
  base::with_real_type(out.dtype,
                       [&](auto real) { out[row].as<decltype(real)>()[column] = base::narrow<decltype(real)>(value); });
}

void check_no_batch(const PositionView& positions, std::string_view where) {
  if (positions.batch == 1) return;
  base::refuse(where, "positions must be [N] but have a batch of ", positions.batch);
}

void check_shift_matrix(const SinusoidalSchedule& schedule, double k, const View& out) {
  rows::check_schedule(schedule, "fill_shift_matrix");
  check_positions(PositionView::of(&k, 1), "fill_shift_matrix");
  base::check_view(out, {.dtypes = base::kReals, .shape = {schedule.width, schedule.width}, .use = base::Use::write},
                   "fill_shift_matrix", "out");
  base::require(schedule.sine.count == schedule.cosine.count, "fill_shift_matrix", "width must be even but got ",
                schedule.width, ": the last ", (schedule.sine.count > schedule.cosine.count ? "sine" : "cosine"),
                " has no partner to be rotated with");
}

}  // namespace

void fill_table(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out) {
  rows::check_counted(schedule, positions, "fill_table");
  rows::check_row_output(positions, schedule.width, out, "fill_table");
  write_rows(StreamedRows{&schedule}, positions, out);
}

void fill_derivative(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out) {
  rows::check_counted(schedule, positions, "fill_derivative");
  rows::check_row_output(positions, schedule.width, out, "fill_derivative");
  rows::RowMaker maker(schedule);
  rows::for_each_row(positions, out, [&](auto position, const View& row) { maker.write_derivative(position, row); });
}

void fill_shift_matrix(const SinusoidalSchedule& schedule, double k, const View& out) {
  check_shift_matrix(schedule, k, out);
  for (std::int64_t i = 0; i < schedule.width; ++i) {
    for (std::int64_t j = 0; j < schedule.width; ++j) set_entry(out, i, j, i == j ? 1.0 : 0.0);
  }
  for (std::int64_t pair = 0; pair < schedule.sine.count; ++pair) {
    const PhaseStep step = make_phase_step(schedule.inv_freq[static_cast<std::size_t>(pair)]);
    const SinCos turned = sin_cos(phase_at(step, k));
    const std::int64_t sine = schedule.sine.start + pair * schedule.sine.stride;
    const std::int64_t cosine = schedule.cosine.start + pair * schedule.cosine.stride;
    set_entry(out, sine, sine, turned.cos);
    set_entry(out, sine, cosine, turned.sin);
    set_entry(out, cosine, cosine, turned.cos);
    set_entry(out, cosine, sine, 0.0 - turned.sin);  // gives 0 without a shift, not -0
  }
}

Table::Table(const Sinusoidal& spec, const PositionView& positions, DType dtype) {
  const SinusoidalSchedule schedule = make_schedule(spec);
  build(StreamedRows{&schedule}, positions, dtype);
}

Table::Table(const InputRows& rows, const PositionView& positions, DType dtype) { build(rows, positions, dtype); }

void Table::build(const InputRows& rows, const PositionView& positions, DType dtype) {
  base::require(base::is_float(dtype), "Table", "dtype must be f32, f64, f16 or bf16 but got ", to_text(dtype));
  check_rows(rows, positions, "Table");
  check_no_batch(positions, "Table");
  const std::int64_t width = width_of(rows);
  const std::shared_ptr<std::byte> memory = rows::table_memory(positions.count, width, dtype, "Table");
  const View out = make_view(static_cast<void*>(memory.get()), dtype, {positions.count, width});
  write_rows(rows, positions, out);
  memory_ = memory;
  view_ = out;
  if (positions.source == PositionView::Source::range && (positions.step == 1 || positions.count <= 1)) {
    start_ = positions.start;
  }
}

FixedRows Table::rows_by_position() const {
  base::require(start_.has_value(), "Table", "rows_by_position needs a table of a range in steps of 1");
  return {view_, *start_, memory_};
}

RowStream::RowStream(const SinusoidalSchedule& schedule, KeptPositions positions, Rows rows)
    : positions_(std::move(positions)), width_(schedule.width) {
  rows::check_counted(schedule, positions_, "RowStream");
  check_no_batch(positions_, "RowStream");
  if (rows == Rows::derivative) {
    maker_ = std::make_unique<rows::RowMaker>(schedule);
  } else {
    source_ = std::make_unique<rows::RowSource>(StreamedRows{&schedule});
  }
}

RowStream::RowStream(const InputRows& rows, KeptPositions positions) : positions_(std::move(positions)), rows_(rows) {
  check_rows(rows, positions_, "RowStream");
  check_no_batch(positions_, "RowStream");
  source_ = std::make_unique<rows::RowSource>(rows);
  width_ = source_->width();
}

RowStream::RowStream(RowStream&&) noexcept = default;
RowStream& RowStream::operator=(RowStream&&) noexcept = default;
RowStream::~RowStream() = default;

std::int64_t RowStream::next(const View& block) {
  base::check_view(block, {.shape = {"R", width_}, .use = base::Use::write}, "RowStream::next", "block");
  if (block.shape[0] < 1) base::refuse("RowStream::next", "block must have at least 1 row but is ", shape_text(block));
  const std::int64_t rows = std::min(block.shape[0], positions_.count - done_);
  if (rows == 0) return 0;
  const PositionView next = positions_.slice(done_, rows);
  if (maker_) {
    rows::for_each_row(next, block, [&](auto position, const View& row) { maker_->write_derivative(position, row); });
  } else {
    source_->write_all(next, block);
  }
  done_ += rows;
  return rows;
}

}  // namespace posenc
