// Computes the rows of a sinusoidal schedule: AngleRows at positions, written to columns by PairWriter. Rows of a range
// are computed in blocks, in both directions from two anchors at a time; a position's row has the same bits either way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/numbers/real_phase.h"
#include "core/rows/angle_rows.h"
#include "core/rows/pair_writer.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::rows {

// Sines and cosines of one row, in double, one of each per pair.
struct AngleRow {
  std::vector<double> sin;
  std::vector<double> cos;
};

// Must not be used by several threads at once: it stores rows between calls.
class RowMaker {
 public:
  explicit RowMaker(const SinusoidalSchedule& schedule);

  // Writes the row, or the derivative row, of a position (before `first` is added) to `row`: [M], contiguous.
  void write(std::int64_t position, const View& row);
  void write(double position, const View& row);
  void write_derivative(std::int64_t position, const View& row);
  void write_derivative(double position, const View& row);

  // Writes the rows of position, position + 1, ... to `rows`: [N, M], each row contiguous.
  void write_range(std::int64_t position, const View& rows);

  // multiplier * sin and cos of every pair at a position, valid until the next call; null if the row is zero.
  const AngleRow* angles(double position);

 private:
  // Anchors are stored in groups of kAnchors; a group's first anchor is a multiple of kGroup. The rows of a group begin
  // half an anchor distance before its first anchor.
  static constexpr std::int64_t kAnchors = 4;
  static constexpr std::int64_t kGroup = kAnchors * AngleRows::kOffsets;
  static constexpr std::int64_t kBefore = AngleRows::kOffsets / 2;

  // A part of the output: rows of positions `begin` to `end` - 1 of one group.
  struct Part {
    std::int64_t begin;
    std::int64_t end;
    const View& rows;  // its first row is that of `begin`
    bool large;
  };

  static std::int64_t group_of(std::int64_t counted) noexcept { return (counted + kBefore) & ~(kGroup - 1); }
  // Returns the index of a position's stored anchor, and computes the anchor if it is not stored.
  std::int64_t keep_anchor(std::int64_t counted);
  kernels::AnchorTurn turn_of(std::int64_t anchor, std::int64_t count, std::int64_t offset) const;
  numbers::SplitPosition split_counted(double position) const;
  void write_part(const Part& part);
  void write_both_ways(const Part& part, std::int64_t anchor, std::int64_t count, std::int64_t first);
  void write_turned(const Part& part, kernels::AnchorTurn turn, std::int64_t position, std::int64_t back,
                    std::int64_t first) const;
  const AngleRow& angles_at(std::int64_t counted);
  const AngleRow& angles_at(const numbers::SplitPosition& counted);
  void write_counted(std::int64_t counted, const View& row);
  void write_derivative_counted(std::int64_t counted, const View& row);
  void place_derivative(const AngleRow& angles, const View& row);

  const SinusoidalSchedule schedule_;
  const AngleRows angle_rows_;
  const PairWriter writer_;
  base::AlignedVector<double> anchors_;               // per anchor: a row of sines and a row of cosines
  std::array<std::int64_t, kAnchors> anchors_found_;  // the positions of the stored anchors
  AngleRow scratch_;
  AngleRow derivative_;
};

}  // namespace posenc::rows
