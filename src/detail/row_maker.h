// Makes the rows of a sinusoidal schedule, one position at a time.
//
// An integer position is split into an anchor (a multiple of 32) and an offset below 32. The anchor's row comes from
// the phase, the offsets' rows are kept, and one turns the other. Anchors are absolute, so a position has the same row
// whichever range, list or block it was asked in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "detail/real_phase.h"
#include "kernels/turn_row.h"
#include "posenc/phase.h"
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

  // multiplier * sin and cos of every pair at a position, valid until the next call; null where the row is zero.
  const AngleRow* angles(double position);

 private:
  static constexpr std::int64_t kOffsets = 32;

  void write_counted(std::int64_t counted, const View& row);
  void write_derivative_counted(std::int64_t counted, const View& row);
  const AngleRow& angles_at(std::int64_t counted);
  SplitPosition split_counted(double position) const;
  const AngleRow& angles_at(const SplitPosition& counted);
  kernels::Turn turn_to(std::int64_t counted);
  bool write_direct_f32(std::int64_t counted, float* row);
  void scatter(const AngleRow& angles, const View& row) const;
  void scatter_derivative(const AngleRow& angles, const View& row);

  const SinusoidalSchedule schedule_;
  const bool dense_;
  std::vector<PhaseStep> steps_;
  std::array<AngleRow, kOffsets> offsets_;  // empty until first used
  AngleRow anchor_;
  std::optional<std::int64_t> anchor_position_;
  AngleRow scratch_;
  AngleRow derivative_;
};

}  // namespace posenc::detail
