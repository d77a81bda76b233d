#include "core/rows/row_maker.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "core/kernels/turn_rows.h"

namespace posenc::rows {
namespace {

// Outputs larger than this bypass the caches: the start would be evicted again before the end is written.
constexpr std::int64_t kLargeBytes = 32 << 20;

constexpr std::int64_t kNoAnchor = std::numeric_limits<std::int64_t>::min() + 1;  // odd, so it is never an anchor

AngleRow empty_row(std::size_t pairs) { return {std::vector<double>(pairs), std::vector<double>(pairs)}; }

bool is_zero(const SinusoidalSchedule& schedule, std::int64_t counted) { return schedule.zero_position == counted; }

void clear(const View& row) {
  // All bits zero represents 0 in every float format.
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

std::int64_t RowMaker::keep_anchor(std::int64_t counted) {
  const std::int64_t anchor = AngleRows::anchor_of(counted);
  const std::int64_t place = (anchor & (kGroup - 1)) / AngleRows::kOffsets;
  if (anchors_found_[static_cast<std::size_t>(place)] == anchor) return place;
  double* row = anchors_.data() + 2 * place * angle_rows_.row_stride();
  angle_rows_.from_phase(anchor, row, row + angle_rows_.row_stride());
  anchors_found_[static_cast<std::size_t>(place)] = anchor;
  return place;
}

// Describes the rotation of `count` stored anchors, starting at index `place`, by an offset.
kernels::AnchorTurn RowMaker::turn_of(std::int64_t place, std::int64_t count, std::int64_t offset) const {
  const std::int64_t stride = angle_rows_.row_stride();
  const double* anchor = anchors_.data() + 2 * stride * place;
  return {.anchor_sin = anchor,
          .anchor_cos = anchor + stride,
          .anchor_stride = 2 * stride,
          .offset_sin = angle_rows_.offset_sin(offset),
          .offset_cos = angle_rows_.offset_cos(offset),
          .pairs = angle_rows_.pairs(),
          .rows = count};
}

// Writes one block of pairs, starting at `first`, to one row per anchor of `turn`: the rows of position, position +
// kOffsets, and so on. If `back` is not 0, also writes the rows of the positions `back` before these.
void RowMaker::write_turned(const Part& part, kernels::AnchorTurn turn, std::int64_t position, std::int64_t back,
                            std::int64_t first) const {
  const std::int64_t used = std::max(schedule_.sine.count, schedule_.cosine.count);
  const std::int64_t stride = part.rows.strides[0];
  turn.anchor_sin += first;
  turn.anchor_cos += first;
  turn.offset_sin += first;
  turn.offset_cos += first;
  turn.pairs = std::min(PairWriter::kPairs, used - first);
  void* row = static_cast<char*>(part.rows.data) + (position - part.begin) * stride * size_of(part.rows.dtype);
  writer_.turn(turn, first, {row, part.rows.dtype, stride * AngleRows::kOffsets, -back * stride, part.large});
}

// Writes all rows of `count` anchors, the first of which is at position `anchor`.
void RowMaker::write_both_ways(const Part& part, std::int64_t anchor, std::int64_t count, std::int64_t first) {
  const std::int64_t place = keep_anchor(anchor);
  for (std::int64_t k = 1; k < count; ++k) keep_anchor(anchor + k * AngleRows::kOffsets);
  write_turned(part, turn_of(place, count, 0), anchor, 0, first);
  for (std::int64_t offset = 1; offset < kBefore; ++offset) {
    write_turned(part, turn_of(place, count, offset), anchor + offset, 2 * offset, first);
  }
  write_turned(part, turn_of(place, count, -kBefore), anchor - kBefore, 0, first);
}

// Writes a block of pairs to all rows, then the next block, so that anchors stay in the first-level cache. Anchors with
// all their rows in this part are written in pairs and in both directions; other rows, at the ends, one by one.
void RowMaker::write_part(const Part& part) {
  const std::int64_t used = std::max(schedule_.sine.count, schedule_.cosine.count);
  const std::int64_t whole_begin =
      std::min(AngleRows::anchor_of(part.begin + AngleRows::kOffsets - 1) - kBefore, part.end);
  const std::int64_t whole_end = std::max(AngleRows::anchor_of(part.end) - kBefore, whole_begin);
  const auto write_one = [&](std::int64_t position, std::int64_t first) {
    const std::int64_t place = keep_anchor(position);
    write_turned(part, turn_of(place, 1, AngleRows::offset_of(position)), position, 0, first);
  };
  for (std::int64_t first = 0; first < used; first += PairWriter::kPairs) {
    for (std::int64_t at = part.begin; at < whole_begin; ++at) write_one(at, first);
    for (std::int64_t at = whole_begin; at < whole_end;) {
      const std::int64_t count = std::min(PairWriter::kAnchors, (whole_end - at) / AngleRows::kOffsets);
      write_both_ways(part, at + kBefore, count, first);
      at += count * AngleRows::kOffsets;
    }
    for (std::int64_t at = whole_end; at < part.end; ++at) write_one(at, first);
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
    const std::int64_t at = start + done;
    const std::int64_t size = std::min(count - done, group_of(at) + kGroup - kBefore - at);
    View some = rows;
    some.data = rows[done].data;
    write_part({at, at + size, some, large});
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
  const std::int64_t place = keep_anchor(counted);
  kernels::turn_rows(turn_of(place, 1, AngleRows::offset_of(counted)),
                     kernels::PairColumns<double>{scratch_.sin.data(), scratch_.cos.data(), 1, 0},
                     kernels::Stores::cached);
  return scratch_;
}

// `first` is added to the integer part: adding it to the position would round the fraction.
numbers::SplitPosition RowMaker::split_counted(double position) const {
  numbers::SplitPosition split = numbers::split_position(position);
  split.whole += schedule_.first;
  return split;
}

const AngleRow& RowMaker::angles_at(const numbers::SplitPosition& counted) {
  angle_rows_.at(counted, 0, angle_rows_.pairs(), scratch_.sin.data(), scratch_.cos.data());
  return scratch_;
}

const AngleRow* RowMaker::angles(double position) {
  const numbers::SplitPosition counted = split_counted(position);
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
  write_part({counted, counted + 1, rows, false});
  writer_.write_zeros(row);
}

void RowMaker::write(std::int64_t position, const View& row) { write_counted(position + schedule_.first, row); }

void RowMaker::write(double position, const View& row) {
  const numbers::SplitPosition counted = split_counted(position);
  if (counted.fraction == 0.0) return write_counted(counted.whole, row);
  const AngleRow& angles = angles_at(counted);
  writer_.place(angles.sin.data(), angles.cos.data(), row);
}

void RowMaker::place_derivative(const AngleRow& angles, const View& row) {
  for (std::size_t j = 0; j < schedule_.inv_freq.size(); ++j) {
    derivative_.sin[j] = schedule_.inv_freq[j] * angles.cos[j];
    derivative_.cos[j] = 0.0 - schedule_.inv_freq[j] * angles.sin[j];  // gives 0 at position 0, not -0
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
  const numbers::SplitPosition counted = split_counted(position);
  if (counted.fraction == 0.0) return write_derivative_counted(counted.whole, row);
  place_derivative(angles_at(counted), row);
}

}  // namespace posenc::rows
