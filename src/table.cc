#include "posenc/table.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <new>
#include <utility>

#include "detail/number_text.h"
#include "detail/row_maker.h"
#include "posenc/error.h"
#include "posenc/phase.h"

namespace posenc {
namespace {

constexpr std::align_val_t kAlignment{64};

bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

// A schedule is plain data that anyone can fill in: rows are written by its columns, so they must lie inside.
void check_schedule(const SinusoidalSchedule& schedule, std::string_view where) {
  const auto inside = [&](const Columns& columns) {
    if (columns.count == 0) return true;
    return columns.count > 0 && columns.count <= static_cast<std::int64_t>(schedule.inv_freq.size()) &&
           columns.start >= 0 && columns.start < schedule.width && columns.stride >= 1 &&
           (columns.count - 1) <= (schedule.width - 1 - columns.start) / columns.stride;
  };
  if (schedule.first < -kMaxPosition || schedule.first > kMaxPosition) {
    fail(ErrorKind::usage, "[" + std::string(where) + "] the schedule's first must lie within +-2147483647 but is " +
                               std::to_string(schedule.first));
  }
  if (schedule.width >= 1 && inside(schedule.sine) && inside(schedule.cosine)) return;
  fail(ErrorKind::usage, "[" + std::string(where) + "] the schedule's columns must lie within its width, " +
                             std::to_string(schedule.width) + ", one per frequency: use make_schedule");
}

// Positions as they are and as they count: both must lie in the range that accuracy is promised for.
void check_counted(const SinusoidalSchedule& schedule, const PositionView& positions, std::string_view where) {
  check_schedule(schedule, where);
  check_positions(positions, where);
  if (positions.axes != 1) {
    fail(ErrorKind::usage, "[" + std::string(where) + "] a sinusoidal encoding takes one axis but positions have " +
                               std::to_string(positions.axes));
  }
  if (schedule.first == 0) return;
  const std::int64_t rows = positions.source == PositionView::Source::range ? 1 : positions.batch;
  for (std::int64_t b = 0; b < rows; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      // Of a range the two ends are enough.
      if (positions.source == PositionView::Source::range && n == 1) n = std::max<std::int64_t>(n, positions.count - 1);
      const double counted = positions.real(b, n) + static_cast<double>(schedule.first);
      if (std::max(counted, -counted) <= static_cast<double>(kMaxPosition)) continue;
      fail(ErrorKind::bad_input, "[" + std::string(where) + "] position " + detail::number_text(positions.real(b, n)) +
                                     " counts as " + detail::number_text(counted) +
                                     " (first=" + std::to_string(schedule.first) + "), which is beyond +-2147483647");
    }
  }
}

// The first byte and the one after the last that strided elements can touch.
struct Extent {
  const char* begin;
  const char* end;
};

Extent extent_of(const void* data, std::int64_t bytes,
                 std::initializer_list<std::pair<std::int64_t, std::int64_t>> axes) {
  std::int64_t low = 0, high = 0;
  for (const auto& [length, stride] : axes) (stride < 0 ? low : high) += (length - 1) * stride;
  const char* start = static_cast<const char*>(data);
  return {start + low * bytes, start + (high + 1) * bytes};
}

bool overlaps(const PositionView& positions, const View& out) {
  if (positions.data == nullptr || positions.count == 0 || positions.batch == 0 || out.size() == 0) return false;
  const bool narrow = positions.source == PositionView::Source::i32;
  const Extent ids = extent_of(positions.data, narrow ? 4 : 8,
                               {{positions.batch, positions.batch_stride}, {positions.count, positions.token_stride}});
  const bool batched = out.rank == 3;
  const Extent rows = extent_of(out.data, size_of(out.dtype),
                                {{out.shape[0], out.strides[0]},
                                 {out.shape[1], out.strides[1]},
                                 {batched ? out.shape[2] : 1, batched ? out.strides[2] : 0}});
  return std::less<>()(ids.begin, rows.end) && std::less<>()(rows.begin, ids.end);
}

void check_rows(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out,
                std::string_view where) {
  check_counted(schedule, positions, where);
  check_output(out, where);
  const std::string opening = "[" + std::string(where) + "] out ";
  if (!is_float(out.dtype)) {
    fail(ErrorKind::usage, opening + "must be f32, f64, f16 or bf16 but is " + std::string(to_text(out.dtype)));
  }
  const bool plain =
      out.rank == 2 && positions.batch == 1 && out.shape[0] == positions.count && out.shape[1] == schedule.width;
  const bool batched = out.rank == 3 && (out.shape[0] == positions.batch || positions.batch == 1) &&
                       out.shape[1] == positions.count && out.shape[2] == schedule.width;
  if (!plain && !batched) {
    const std::string batch = positions.batch == 1 ? "" : std::to_string(positions.batch) + ", ";
    fail(ErrorKind::usage, opening + "must be [" + batch + std::to_string(positions.count) + ", " +
                               std::to_string(schedule.width) + "] but is " + shape_text(out));
  }
  if (overlaps(positions, out)) {
    fail(ErrorKind::usage, opening + "must not overlap the positions: they would change while they are read");
  }
}

// Calls write(position, row) for every token, with an integer where the position is one.
template <class Write>
void for_each_row(const PositionView& positions, const View& out, const Write& write) {
  const bool batched = out.rank == 3;
  const std::int64_t rows = batched ? out.shape[0] : 1;
  for (std::int64_t b = 0; b < rows; ++b) {
    const std::int64_t source = positions.batch == 1 ? 0 : b;
    for (std::int64_t n = 0; n < positions.count; ++n) {
      const View row = batched ? out[b][n] : out[n];
      if (positions.integral()) {
        write(positions.integer(source, n), row);
      } else {
        write(positions.real(source, n), row);
      }
    }
  }
}

void fill_rows(detail::RowMaker& maker, const PositionView& positions, const View& out) {
  for_each_row(positions, out, [&](auto position, const View& row) { maker.write(position, row); });
}

void fill_derivative_rows(detail::RowMaker& maker, const PositionView& positions, const View& out) {
  for_each_row(positions, out, [&](auto position, const View& row) { maker.write_derivative(position, row); });
}

std::int64_t table_bytes(std::int64_t rows, std::int64_t width, DType dtype) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(rows, width, &bytes) || __builtin_mul_overflow(bytes, size_of(dtype), &bytes)) {
    fail(ErrorKind::usage, "[Table] " + std::to_string(rows) + " rows of width " + std::to_string(width) +
                               " have more bytes than can be counted");
  }
  return bytes;
}

void set_entry(const View& out, std::int64_t row, std::int64_t column, double value) {
  if (out.dtype == DType::f64) {
    out[row].as<double>()[column] = value;
  } else {
    out[row].as<float>()[column] = static_cast<float>(value);
  }
}

void check_shift_matrix(const SinusoidalSchedule& schedule, double k, const View& out) {
  check_schedule(schedule, "fill_shift_matrix");
  check_positions(PositionView::of(&k, 1), "fill_shift_matrix");
  check_output(out, "fill_shift_matrix");
  if ((out.dtype != DType::f32 && out.dtype != DType::f64) || out.rank != 2 || out.shape[0] != schedule.width ||
      out.shape[1] != schedule.width) {
    const std::string width = std::to_string(schedule.width);
    fail(ErrorKind::usage, "[fill_shift_matrix] out must be [" + width + ", " + width + "] f32 or f64 but is " +
                               shape_text(out) + " " + std::string(to_text(out.dtype)));
  }
  if (schedule.sine.count != schedule.cosine.count) {
    fail(ErrorKind::usage, "[fill_shift_matrix] width must be even but got " + std::to_string(schedule.width) +
                               ": the last " + (schedule.sine.count > schedule.cosine.count ? "sine" : "cosine") +
                               " has no partner to turn with");
  }
}

}  // namespace

void fill_table(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out) {
  check_rows(schedule, positions, out, "fill_table");
  detail::RowMaker maker(schedule);
  fill_rows(maker, positions, out);
}

void fill_derivative(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out) {
  check_rows(schedule, positions, out, "fill_derivative");
  detail::RowMaker maker(schedule);
  fill_derivative_rows(maker, positions, out);
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
    set_entry(out, cosine, sine, 0.0 - turned.sin);  // 0 for no shift, not -0
  }
}

Table::Table(const Sinusoidal& spec, const PositionView& positions, DType dtype) {
  const SinusoidalSchedule schedule = make_schedule(spec);
  if (!is_float(dtype)) {
    fail(ErrorKind::usage, "[Table] dtype must be f32, f64, f16 or bf16 but got " + std::string(to_text(dtype)));
  }
  check_counted(schedule, positions, "Table");
  if (positions.batch != 1) {
    fail(ErrorKind::usage, "[Table] positions must be [N] but have a batch of " + std::to_string(positions.batch));
  }
  const std::int64_t bytes = table_bytes(positions.count, schedule.width, dtype);
  auto* memory = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), kAlignment));
  memory_ = std::shared_ptr<const std::byte>(
      memory, [](const std::byte* p) { ::operator delete(const_cast<std::byte*>(p), kAlignment); });
  const View out = make_view(memory, dtype, {positions.count, schedule.width});
  detail::RowMaker maker(schedule);
  fill_rows(maker, positions, out);
  view_ = out;
}

RowStream::RowStream(const SinusoidalSchedule& schedule, const PositionView& positions, Rows rows)
    : positions_(positions), rows_(rows) {
  check_counted(schedule, positions, "RowStream");
  if (positions.batch != 1) {
    fail(ErrorKind::usage, "[RowStream] positions must be [N] but have a batch of " + std::to_string(positions.batch));
  }
  width_ = schedule.width;
  maker_ = std::make_unique<detail::RowMaker>(schedule);
}

RowStream::RowStream(RowStream&&) noexcept = default;
RowStream& RowStream::operator=(RowStream&&) noexcept = default;
RowStream::~RowStream() = default;

std::int64_t RowStream::next(const View& block) {
  check_output(block, "RowStream::next");
  if (block.rank != 2 || block.shape[1] != width_ || block.shape[0] < 1 || !is_float(block.dtype)) {
    fail(ErrorKind::usage, "[RowStream::next] block must be [rows, " + std::to_string(width_) + "] of floats but is " +
                               shape_text(block) + " " + std::string(to_text(block.dtype)));
  }
  const std::int64_t rows = std::min(block.shape[0], positions_.count - done_);
  if (rows == 0) return 0;
  const PositionView positions = positions_.slice(done_, rows);
  if (rows_ == Rows::derivative) {
    fill_derivative_rows(*maker_, positions, block);
  } else {
    fill_rows(*maker_, positions, block);
  }
  done_ += rows;
  return rows;
}

}  // namespace posenc
