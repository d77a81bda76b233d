#include "core/rows/row_source.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/float_types.h"
#include "core/kernels/half_row.h"
#include "core/rows/axes_source.h"
#include "core/rows/for_each_row.h"
#include "core/rows/learned_read.h"

namespace posenc::rows {
namespace {

void convert(const ConstView& from, std::vector<double>& scratch, const View& to) {
  if (from.dtype == to.dtype) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(to.shape[0] * size_of(to.dtype)));
    return;
  }
  if (to.dtype == DType::f32 && from.dtype == DType::f16) {
    return kernels::widen_row(from.as<f16>(), to.shape[0], to.as<float>());
  }
  if (to.dtype == DType::f32 && from.dtype == DType::bf16) {
    return kernels::widen_row(from.as<bf16>(), to.shape[0], to.as<float>());
  }
  scratch.resize(static_cast<std::size_t>(from.shape[0]));
  base::load_row(from, scratch.data());
  base::store_row(scratch.data(), to);
}

}  // namespace

void read_learned(const LearnedRows& rows, const RowRead& read, double* row, double* scratch) {
  base::load_row(rows.table[read.row], row);
  if (read.share == 0.0) return;
  base::load_row(rows.table[read.next], scratch);
  for (std::int64_t i = 0; i < rows.table.shape[1]; ++i) row[i] = (1.0 - read.share) * row[i] + read.share * scratch[i];
}

double inverse_length(const std::vector<double>& row) {
  double squares = 0.0;
  for (const double value : row) squares += value * value;
  return 1.0 / std::max(std::sqrt(squares), 1e-12);
}

RowSource::~RowSource() = default;

RowSource::RowSource(const InputRows& rows) : width_(width_of(rows)) {
  const auto width = static_cast<std::size_t>(width_);
  if (std::holds_alternative<ConcatRows>(rows) || std::holds_alternative<FourierRows>(rows)) {
    axes_ = std::make_unique<AxesSource>(rows, width_);
    return;
  }
  const auto take_fixed = [&](const FixedRows& fixed) { fixed_ = FixedTable{fixed.table, fixed.start}; };
  const auto take_streamed = [&](const StreamedRows& streamed) { maker_.emplace(*streamed.schedule); };
  if (const auto* fixed = std::get_if<FixedRows>(&rows)) take_fixed(*fixed);
  if (const auto* streamed = std::get_if<StreamedRows>(&rows)) take_streamed(*streamed);
  if (const auto* learned = std::get_if<LearnedRows>(&rows)) learned_ = *learned;
  if (const auto* hybrid = std::get_if<HybridRows>(&rows)) {
    learned_ = hybrid->learned;
    if (const auto* fixed = std::get_if<FixedRows>(&hybrid->fixed)) take_fixed(*fixed);
    if (const auto* streamed = std::get_if<StreamedRows>(&hybrid->fixed)) take_streamed(*streamed);
  }
  if (!learned_) return;
  sum_.resize(width);
  learned_row_.resize(width);
  next_row_.resize(width);
}

ConstView RowSource::fixed_row(double position) const {
  return fixed_->table[static_cast<std::int64_t>(position) - fixed_->start];
}

bool RowSource::reads_plainly(const RowRead& read) const {
  return read.share == 0.0 && learned_->spec.multiplier == 1.0 && learned_->spec.normalize == Normalize::none;
}

const void* RowSource::find(double position, DType dtype) const {
  if (axes_ || maker_ || (fixed_ && learned_)) return nullptr;
  if (fixed_) return fixed_->table.dtype == dtype ? fixed_row(position).data : nullptr;
  if (learned_->table.dtype != dtype) return nullptr;
  const RowRead read = read_of(learned_->spec, learned_->table.shape[0], position);
  return reads_plainly(read) ? learned_->table[read.row].data : nullptr;
}

void RowSource::add_learned(double position) {
  const RowRead read = read_of(learned_->spec, learned_->table.shape[0], position);
  read_learned(*learned_, read, learned_row_.data(), next_row_.data());
  double factor = learned_->spec.multiplier;
  if (learned_->spec.normalize == Normalize::l2) factor *= inverse_length(learned_row_);
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += factor * learned_row_[i];
}

template <class Position>
void RowSource::write_any(Position position, const View& row) {
  const auto place = static_cast<double>(position);
  if (maker_ && !learned_) return maker_->write(position, row);
  if (fixed_ && !learned_) return convert(fixed_row(place), sum_, row);
  if (!maker_ && !fixed_) {
    const RowRead read = read_of(learned_->spec, learned_->table.shape[0], place);
    if (reads_plainly(read)) return convert(learned_->table[read.row], sum_, row);
  }
  std::fill(sum_.begin(), sum_.end(), 0.0);
  if (maker_) maker_->write(position, make_view(sum_.data(), {width_}));
  if (fixed_) base::load_row(fixed_row(place), sum_.data());
  add_learned(place);
  base::store_row(sum_.data(), row);
}

void RowSource::write(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row) {
  if (axes_) return axes_->write(positions, b, n, row);
  if (positions.integral()) return write(positions.integer(b, n), row);
  write(positions.real(b, n), row);
}

void RowSource::write(std::int64_t position, const View& row) { write_any(position, row); }
void RowSource::write(double position, const View& row) { write_any(position, row); }

void RowSource::write_all(const PositionView& positions, const View& out) {
  if (!makes_range(positions)) {
    return for_each_token(positions, out,
                          [&](std::int64_t b, std::int64_t n, const View& row) { write(positions, b, n, row); });
  }
  const std::int64_t batch = out.rank == 3 ? out.shape[0] : 1;
  for (std::int64_t b = 0; b < batch; ++b) {
    View rows = out.rank == 3 ? out[b] : out;
    rows.shape[0] = positions.count;
    maker_->write_range(positions.start, rows);
  }
}

}  // namespace posenc::rows
