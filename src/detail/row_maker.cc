#include "detail/row_maker.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "detail/float_types.h"
#include "detail/sin_cos.h"

namespace posenc::detail {
namespace {

AngleRow empty_row(std::size_t pairs) { return {std::vector<double>(pairs), std::vector<double>(pairs)}; }

template <class T>
void scatter_column(const std::vector<double>& values, const Columns& columns, T* row) {
  for (std::int64_t j = 0; j < columns.count; ++j) {
    row[columns.start + j * columns.stride] = narrow<T>(values[static_cast<std::size_t>(j)]);
  }
}

template <class T>
void scatter_as(const AngleRow& angles, const SinusoidalSchedule& schedule, T* row) {
  scatter_column(angles.sin, schedule.sine, row);
  scatter_column(angles.cos, schedule.cosine, row);
}

bool is_zero(const SinusoidalSchedule& schedule, std::int64_t counted) { return schedule.zero_position == counted; }

void clear(const View& row) {
  // All bits zero is zero in every float format.
  std::memset(row.data, 0, static_cast<std::size_t>(row.shape[0] * size_of(row.dtype)));
}

bool has_zero_column(const SinusoidalSchedule& schedule) {
  return schedule.sine.count + schedule.cosine.count < schedule.width;
}

// Whether every frequency has both its columns, all of them side by side from the first on, in halves or interleaved.
bool is_dense(const SinusoidalSchedule& schedule) {
  const Columns& first = schedule.sine.start < schedule.cosine.start ? schedule.sine : schedule.cosine;
  const Columns& second = schedule.sine.start < schedule.cosine.start ? schedule.cosine : schedule.sine;
  const auto pairs = static_cast<std::int64_t>(schedule.inv_freq.size());
  if (pairs == 0 || first.count != pairs || second.count != pairs || first.start != 0) return false;
  if (schedule.width - 2 * pairs > 1) return false;
  const bool halves = first.stride == 1 && second.stride == 1 && second.start == pairs;
  return halves || (first.stride == 2 && second.stride == 2 && second.start == 1);
}

}  // namespace

RowMaker::RowMaker(const SinusoidalSchedule& schedule) : schedule_(schedule), dense_(is_dense(schedule)) {
  const std::size_t pairs = schedule_.inv_freq.size();
  steps_.reserve(pairs);
  for (const double inv_freq : schedule_.inv_freq) steps_.push_back(make_phase_step(inv_freq));
  anchor_ = empty_row(pairs);
  scratch_ = empty_row(pairs);
  derivative_ = empty_row(pairs);
}

kernels::Turn RowMaker::turn_to(std::int64_t counted) {
  const std::int64_t offset = counted & (kOffsets - 1);  // also for negative positions: the anchor lies below
  const std::int64_t anchor = counted - offset;
  const std::size_t pairs = steps_.size();
  AngleRow& offset_row = offsets_[static_cast<std::size_t>(offset)];
  if (offset_row.sin.size() != pairs) {
    offset_row = empty_row(pairs);
    for (std::size_t j = 0; j < pairs; ++j) {
      const SinCos value = sin_cos_of(phase_at(steps_[j], offset));
      offset_row.sin[j] = value.sin;
      offset_row.cos[j] = value.cos;
    }
  }
  if (anchor_position_ != anchor) {
    for (std::size_t j = 0; j < pairs; ++j) {
      const SinCos value = sin_cos_of(phase_at(steps_[j], anchor));
      anchor_.sin[j] = schedule_.multiplier * value.sin;
      anchor_.cos[j] = schedule_.multiplier * value.cos;
    }
    anchor_position_ = anchor;
  }
  return {anchor_.sin.data(), anchor_.cos.data(), offset_row.sin.data(), offset_row.cos.data(),
          static_cast<std::int64_t>(pairs)};
}

const AngleRow& RowMaker::angles_at(std::int64_t counted) {
  kernels::turn_row(turn_to(counted), scratch_.sin.data(), scratch_.cos.data());
  return scratch_;
}

// `first` joins the whole part: added to the position it would round the fraction.
SplitPosition RowMaker::split_counted(double position) const {
  SplitPosition split = split_position(position);
  split.whole += schedule_.first;
  return split;
}

const AngleRow& RowMaker::angles_at(const SplitPosition& counted) {
  for (std::size_t j = 0; j < steps_.size(); ++j) {
    const SinCos value = sin_cos_of(phase_at(steps_[j], counted));
    scratch_.sin[j] = schedule_.multiplier * value.sin;
    scratch_.cos[j] = schedule_.multiplier * value.cos;
  }
  return scratch_;
}

const AngleRow* RowMaker::angles(double position) {
  const SplitPosition counted = split_counted(position);
  if (counted.fraction != 0.0) return &angles_at(counted);
  return is_zero(schedule_, counted.whole) ? nullptr : &angles_at(counted.whole);
}

void RowMaker::scatter(const AngleRow& angles, const View& row) const {
  if (has_zero_column(schedule_)) clear(row);
  with_float_type(row.dtype, [&](auto type) { scatter_as(angles, schedule_, row.as<decltype(type)>()); });
}

// The common case without a detour through doubles in memory. Rows with a dropped partner take the other way.
bool RowMaker::write_direct_f32(std::int64_t counted, float* row) {
  const Columns& sine = schedule_.sine;
  const Columns& cosine = schedule_.cosine;
  if (!dense_) return false;
  const kernels::Turn turn = turn_to(counted);
  if (sine.stride == 1) {
    kernels::turn_row(turn, row + sine.start, row + cosine.start);
  } else {
    kernels::turn_row_interleaved(turn, cosine.start < sine.start, row);
  }
  if (has_zero_column(schedule_)) row[schedule_.width - 1] = 0.0f;
  return true;
}

void RowMaker::write_counted(std::int64_t counted, const View& row) {
  if (is_zero(schedule_, counted)) return clear(row);
  if (row.dtype == DType::f32 && write_direct_f32(counted, row.as<float>())) return;
  scatter(angles_at(counted), row);
}

void RowMaker::write(std::int64_t position, const View& row) { write_counted(position + schedule_.first, row); }

void RowMaker::write(double position, const View& row) {
  const SplitPosition counted = split_counted(position);
  if (counted.fraction == 0.0) return write_counted(counted.whole, row);
  scatter(angles_at(counted), row);
}

void RowMaker::scatter_derivative(const AngleRow& angles, const View& row) {
  for (std::size_t j = 0; j < steps_.size(); ++j) {
    derivative_.sin[j] = schedule_.inv_freq[j] * angles.cos[j];
    derivative_.cos[j] = 0.0 - schedule_.inv_freq[j] * angles.sin[j];  // 0 at position 0, not -0
  }
  scatter(derivative_, row);
}

void RowMaker::write_derivative_counted(std::int64_t counted, const View& row) {
  if (is_zero(schedule_, counted)) return clear(row);
  scatter_derivative(angles_at(counted), row);
}

void RowMaker::write_derivative(std::int64_t position, const View& row) {
  write_derivative_counted(position + schedule_.first, row);
}

void RowMaker::write_derivative(double position, const View& row) {
  const SplitPosition counted = split_counted(position);
  if (counted.fraction == 0.0) return write_derivative_counted(counted.whole, row);
  scatter_derivative(angles_at(counted), row);
}

}  // namespace posenc::detail
