#include "detail/row_maker.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "kernels/turn_rows.h"

namespace posenc::detail {
namespace {

// Larger outputs are written past the caches: what is written first would be gone from them at the end.
constexpr std::int64_t kLargeBytes = 32 << 20;

constexpr std::int64_t kNoAnchor = std::numeric_limits<std::int64_t>::min() + 1;  // odd: never an anchor

AngleRow empty_row(std::size_t pairs) { return {std::vector<double>(pairs), std::vector<double>(pairs)}; }

bool is_zero(const SinusoidalSchedule& schedule, std::int64_t counted) { return schedule.zero_position == counted; }

void clear(const View& row) {
  // All bits zero is zero in every float format.
  std::memset(row.data, 0, static_cast<std::size_t>(row.shape[0] * size_of(row.dtype)));
}

}  // namespace

RowMaker::RowMaker(const SinusoidalSchedule& schedule)
    : schedule_(schedule),
      angle_rows_(schedule.inv_freq, schedule.multiplier),
      writer_(schedule),
      anchors_(static_cast<std::size_t>(2 * kAnchors * angle_rows_.row_stride())),
      scratch_(empty_row(schedule.inv_freq.size())),
      derivative_(empty_row(schedule.inv_freq.size())) {
  anchors_found_.fill(kNoAnchor);
}

void RowMaker::keep_anchors(std::int64_t group, std::int64_t first, std::int64_t last) {
  for (std::int64_t k = first; k <= last; ++k) {
    const std::int64_t anchor = group + k * AngleRows::kOffsets;
    if (anchors_found_[static_cast<std::size_t>(k)] == anchor) continue;
    double* row = anchors_.data() + 2 * k * angle_rows_.row_stride();
    angle_rows_.from_phase(anchor, row, row + angle_rows_.row_stride());
    anchors_found_[static_cast<std::size_t>(k)] = anchor;
  }
}

// Rows at counted, counted + kOffsets, ..., whose anchors are kept.
kernels::Turn RowMaker::turn_to(std::int64_t counted, std::int64_t rows) const {
  const std::int64_t stride = angle_rows_.row_stride();
  const double* anchor = anchors_.data() + 2 * stride * ((counted & (kGroup - 1)) / AngleRows::kOffsets);
  return {.anchor_sin = anchor,
          .anchor_cos = anchor + stride,
          .anchor_stride = 2 * stride,
          .offset_sin = angle_rows_.offset_sin(counted),
          .offset_cos = angle_rows_.offset_cos(counted),
          .pairs = angle_rows_.pairs(),
          .rows = rows};
}

// Rows of positions counted .. counted + count of one group. A block of pairs of all of them, then the next block: the
// anchors stay in the first cache, and what is loaded of an offset serves every anchor.
void RowMaker::write_group(std::int64_t counted, std::int64_t count, const View& rows, bool large) {
  const std::int64_t group = counted & ~(kGroup - 1);
  const std::int64_t end = counted + count;
  keep_anchors(group, (counted - group) / AngleRows::kOffsets, (end - 1 - group) / AngleRows::kOffsets);
  const std::int64_t used = std::max(schedule_.sine.count, schedule_.cosine.count);
  for (std::int64_t first = 0; first < used; first += PairWriter::kPairs) {
    // The first row of each offset, and those that many positions later.
    for (std::int64_t at = counted; at < std::min(end, counted + AngleRows::kOffsets); ++at) {
      kernels::Turn turn = turn_to(at, (end - 1 - at) / AngleRows::kOffsets + 1);
      turn.anchor_sin += first;
      turn.anchor_cos += first;
      turn.offset_sin += first;
      turn.offset_cos += first;
      turn.pairs = std::min(PairWriter::kPairs, used - first);
      void* row = static_cast<char*>(rows.data) + (at - counted) * rows.strides[0] * size_of(rows.dtype);
      writer_.turn(turn, first, {row, rows.dtype, rows.strides[0] * AngleRows::kOffsets, large});
    }
  }
}

void RowMaker::write_range(std::int64_t position, const View& rows) {
  const std::int64_t count = rows.shape[0];
  const std::int64_t start = position + schedule_.first;
  if (!writer_.is_regular()) {
    for (std::int64_t n = 0; n < count; ++n) write_counted(start + n, rows[n]);
    return;
  }
  const bool large = count * schedule_.width * size_of(rows.dtype) > kLargeBytes;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t size = std::min(count - done, kGroup - ((start + done) & (kGroup - 1)));
    View part = rows;
    part.data = rows[done].data;
    write_group(start + done, size, part, large);
    done += size;
  }
  if (large) kernels::finish_stream();
  if (writer_.has_zeros()) {
    for (std::int64_t n = 0; n < count; ++n) writer_.write_zeros(rows[n]);
  }
  if (!schedule_.zero_position) return;
  const std::int64_t zero = *schedule_.zero_position - start;
  if (zero >= 0 && zero < count) clear(rows[zero]);
}

const AngleRow& RowMaker::angles_at(std::int64_t counted) {
  const std::int64_t group = counted & ~(kGroup - 1);
  const std::int64_t anchor = (counted - group) / AngleRows::kOffsets;
  keep_anchors(group, anchor, anchor);
  kernels::turn_rows(turn_to(counted, 1), kernels::PairColumns<double>{scratch_.sin.data(), scratch_.cos.data(), 1, 0});
  return scratch_;
}

// `first` joins the whole part: added to the position it would round the fraction.
SplitPosition RowMaker::split_counted(double position) const {
  SplitPosition split = split_position(position);
  split.whole += schedule_.first;
  return split;
}

const AngleRow& RowMaker::angles_at(const SplitPosition& counted) {
  angle_rows_.at(counted, 0, angle_rows_.pairs(), scratch_.sin.data(), scratch_.cos.data());
  return scratch_;
}

const AngleRow* RowMaker::angles(double position) {
  const SplitPosition counted = split_counted(position);
  if (counted.fraction != 0.0) return &angles_at(counted);
  return is_zero(schedule_, counted.whole) ? nullptr : &angles_at(counted.whole);
}

void RowMaker::write_counted(std::int64_t counted, const View& row) {
  if (is_zero(schedule_, counted)) return clear(row);
  if (!writer_.is_regular()) {
    const AngleRow& angles = angles_at(counted);
    return writer_.place(angles.sin.data(), angles.cos.data(), row);
  }
  View rows = row;
  rows.shape = {1, row.shape[0], 0, 0};
  rows.strides = {0, 1, 0, 0};
  rows.rank = 2;
  write_group(counted, 1, rows, false);
  writer_.write_zeros(row);
}

void RowMaker::write(std::int64_t position, const View& row) { write_counted(position + schedule_.first, row); }

void RowMaker::write(double position, const View& row) {
  const SplitPosition counted = split_counted(position);
  if (counted.fraction == 0.0) return write_counted(counted.whole, row);
  const AngleRow& angles = angles_at(counted);
  writer_.place(angles.sin.data(), angles.cos.data(), row);
}

void RowMaker::place_derivative(const AngleRow& angles, const View& row) {
  for (std::size_t j = 0; j < schedule_.inv_freq.size(); ++j) {
    derivative_.sin[j] = schedule_.inv_freq[j] * angles.cos[j];
    derivative_.cos[j] = 0.0 - schedule_.inv_freq[j] * angles.sin[j];  // 0 at position 0, not -0
  }
  writer_.place(derivative_.sin.data(), derivative_.cos.data(), row);
}

void RowMaker::write_derivative_counted(std::int64_t counted, const View& row) {
  if (is_zero(schedule_, counted)) return clear(row);
  place_derivative(angles_at(counted), row);
}

void RowMaker::write_derivative(std::int64_t position, const View& row) {
  write_derivative_counted(position + schedule_.first, row);
}

void RowMaker::write_derivative(double position, const View& row) {
  const SplitPosition counted = split_counted(position);
  if (counted.fraction == 0.0) return write_derivative_counted(counted.whole, row);
  place_derivative(angles_at(counted), row);
}

}  // namespace posenc::detail
