#include "core/rows/axes_source.h"

#include <algorithm>
#include <cstring>

#include "core/rows/columns.h"

namespace posenc::rows {
namespace {

InputRows as_rows(const ConcatRows::Part& part) {
  return std::visit([](const auto& rows) { return InputRows(rows); }, part.rows);
}

RotarySchedule rotation_of(const FourierSchedule& schedule) {
  RotarySchedule rotation;
  rotation.head_dim = rotation.rotary_dim = 2 * schedule.pairs();
  rotation.axes = schedule.axes;
  rotation.inv_freq = schedule.inv_freq;
  return rotation;
}

SinusoidalSchedule columns_of(const FourierSchedule& schedule) {
  SinusoidalSchedule columns;
  columns.width = schedule.width;
  columns.inv_freq.resize(static_cast<std::size_t>(schedule.pairs()));
  columns.sine = schedule.sine;
  columns.cosine = schedule.cosine;
  return columns;
}

}  // namespace

AxesSource::AxesSource(const InputRows& rows, std::int64_t width) : width_(width) {
  if (const auto* concat = std::get_if<ConcatRows>(&rows)) take_parts(*concat);
  if (const auto* fourier = std::get_if<FourierRows>(&rows)) take_features(*fourier->schedule);
}

void AxesSource::take_parts(const ConcatRows& rows) {
  for (const ConcatRows::Part& part : rows.parts) {
    auto source = std::make_unique<RowSource>(as_rows(part));
    const std::int64_t whole = source->width();
    const std::int64_t kept = std::min(whole, width_ - filled_);
    if (kept == 0) break;  // all following parts are cut away
    if (kept < whole) scratch_.resize(static_cast<std::size_t>(whole));
    parts_.push_back({part.axis, filled_, kept, std::move(source)});
    filled_ += kept;
  }
}

void AxesSource::take_features(const FourierSchedule& schedule) {
  features_.emplace(Features{RotaryRows(rotation_of(schedule)), PairWriter(columns_of(schedule)), schedule.multiplier});
  sine_.resize(static_cast<std::size_t>(schedule.pairs()));
  cosine_.resize(sine_.size());
}

void AxesSource::write(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row) {
  if (features_) return write_features(positions, b, n, row);
  for (Part& part : parts_) write_part(part, positions, b, n, row);
  const View rest = columns(row, filled_, width_ - filled_);
  if (filled_ < width_) std::memset(rest.data, 0, static_cast<std::size_t>((width_ - filled_) * size_of(row.dtype)));
}

void AxesSource::write_part(Part& part, const PositionView& positions, std::int64_t b, std::int64_t n,
                            const View& row) {
  const PositionView coordinate = positions.axis(part.axis);
  const View place = columns(row, part.first, part.kept);
  const std::int64_t whole = part.source->width();
  if (part.kept == whole) return part.source->write(coordinate, b, n, place);
  part.source->write(coordinate, b, n, make_view(static_cast<void*>(scratch_.data()), row.dtype, {whole}));
  std::memcpy(place.data, scratch_.data(), static_cast<std::size_t>(part.kept * size_of(row.dtype)));
}

void AxesSource::write_features(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row) {
  features_->angles.at(positions, b, n, cosine_.data(), sine_.data());
  for (double& value : sine_) value *= features_->multiplier;
  for (double& value : cosine_) value *= features_->multiplier;
  features_->writer.place(sine_.data(), cosine_.data(), row);
}

}  // namespace posenc::rows
