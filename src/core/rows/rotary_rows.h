// Cosines and sines of a rotary schedule at positions; RotaryAngles is a handle to this.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rows/angle_rows.h"
#include "posenc/position.h"
#include "posenc/schedule.h"

namespace posenc::rows {

// Constant after construction, so threads may share it; only the constructor allocates. Positions must have passed
// check_positions and have the schedule's axes. With a layout that is not a rotation, every channel counts as a pair.
class RotaryRows {
 public:
  // Throws if the fields of the schedule contradict each other.
  explicit RotaryRows(const RotarySchedule& schedule);

  const RotarySchedule& schedule() const noexcept { return schedule_; }

  // Pairs first to first + count - 1, which are rotated by one axis.
  struct Run {
    std::int64_t axis;
    std::int64_t first;
    std::int64_t count;
  };
  // The axis of every pair and its frequency on that axis; empty if any pair is rotated by several axes.
  struct OwnAxes {
    std::vector<Run> runs;
    std::vector<double> inv_freq;
  };
  const OwnAxes& own_axes() const noexcept { return own_axes_; }
  bool one_axis_per_pair() const noexcept { return !own_axes_.runs.empty(); }

  // cos and sin of every pair for token n of batch row b, times the factor in the table. T is float or double.
  template <class T>
  void at(const PositionView& positions, std::int64_t b, std::int64_t n, T* cos, T* sin) const noexcept;
  // The same for a token with this position on every axis. Needs one_axis_per_pair().
  template <class T>
  void at(std::int64_t position, T* cos, T* sin) const noexcept;

  // The angle of every pair for a token, as a phase. Phases of two tokens may be added and subtracted.
  void phases(const PositionView& positions, std::int64_t b, std::int64_t n, std::uint64_t* phases) const noexcept;

 private:
  float rounded_angle(const PositionView& positions, std::int64_t b, std::int64_t n, std::int64_t pair) const noexcept;

  RotarySchedule schedule_;
  OwnAxes own_axes_;
  AngleRows own_;                 // of own_axes_
  std::vector<PhaseStep> steps_;  // [axes][pairs]
};

}  // namespace posenc::rows
