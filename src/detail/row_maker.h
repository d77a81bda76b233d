// Makes the rows of a sinusoidal schedule: AngleRows at positions, put into columns by PairWriter. Rows of a range are
// made in blocks, several anchors to an offset; a position has the same bits either way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "detail/aligned_vector.h"
#include "detail/angle_rows.h"
#include "detail/pair_writer.h"
#include "detail/real_phase.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::detail {

// Sines and cosines of one row, in double, one of each per pair.
struct AngleRow {
  std::vector<double> sin;
  std::vector<double> cos;
};

// Not for several threads at once: it keeps rows between calls.
class RowMaker {
 public:
  explicit RowMaker(const SinusoidalSchedule& schedule);

  // Writes the row, or the derivative row, of a position (before `first` is added) to `row`: [M], contiguous.
  void write(std::int64_t position, const View& row);
  void write(double position, const View& row);
  void write_derivative(std::int64_t position, const View& row);
  void write_derivative(double position, const View& row);

  // Writes the rows of positions position, position + 1, ... to `rows`: [N, M], each row contiguous.
  void write_range(std::int64_t position, const View& rows);

  // multiplier * sin and cos of every pair at a position, valid until the next call; null where the row is zero.
  const AngleRow* angles(double position);

 private:
  // Anchors are kept in groups of this many, a group's first at a multiple of kGroup.
  static constexpr std::int64_t kAnchors = PairWriter::kRows;
  static constexpr std::int64_t kGroup = kAnchors * AngleRows::kOffsets;

  SplitPosition split_counted(double position) const;
  // The anchors `first` .. `last`, counted in their group, of the group that begins at a position.
  void keep_anchors(std::int64_t group, std::int64_t first, std::int64_t last);
  kernels::Turn turn_to(std::int64_t counted, std::int64_t rows) const;
  void write_group(std::int64_t counted, std::int64_t count, const View& rows, bool large);
  const AngleRow& angles_at(std::int64_t counted);
  const AngleRow& angles_at(const SplitPosition& counted);
  void write_counted(std::int64_t counted, const View& row);
  void write_derivative_counted(std::int64_t counted, const View& row);
  void place_derivative(const AngleRow& angles, const View& row);

  const SinusoidalSchedule schedule_;
  const AngleRows angle_rows_;
  const PairWriter writer_;
  AlignedVector<double> anchors_;                     // per anchor a row of sines and a row of cosines
  std::array<std::int64_t, kAnchors> anchors_found_;  // the positions of the anchors that are kept
  AngleRow scratch_;
  AngleRow derivative_;
};

}  // namespace posenc::detail
