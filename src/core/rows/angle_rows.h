// Sines and cosines of every pair at any position.
//
// An integer position is split into an anchor (a multiple of 32) and an offset from -16 to 15. The sines and cosines of
// an anchor are computed from its phase, those of the offsets are stored, and the anchor is rotated by the offset.
// Anchors are absolute, so a position has the same bits in every range, list or block. A position between integers is
// computed from its phase directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/numbers/real_phase.h"
#include "posenc/phase.h"

namespace posenc::rows {

// Constant after construction, so threads may share it. Only the constructor allocates.
class AngleRows {
 public:
  static constexpr std::int64_t kOffsets = 32;

  // Frequencies in radians per position: any finite numbers.
  AngleRows(const std::vector<double>& inv_freq, double multiplier);

  std::int64_t pairs() const noexcept { return static_cast<std::int64_t>(steps_.size()); }
  const std::vector<PhaseStep>& steps() const noexcept { return steps_; }

  // multiplier * sin and cos of pairs first to first + count - 1 at a position. T is float or double. A whole number
  // gives the same bits as a double and as an integer.
  template <class T>
  void at(std::int64_t position, std::int64_t first, std::int64_t count, T* sine, T* cosine) const noexcept;
  template <class T>
  void at(double position, std::int64_t first, std::int64_t count, T* sine, T* cosine) const noexcept;
  template <class T>
  void at(const numbers::SplitPosition& position, std::int64_t first, std::int64_t count, T* sine,
          T* cosine) const noexcept;

  // The stride for rows of one number per pair: whole cache lines plus one more, so that one pair in several rows, and
  // in the output, does not compete for the same cache sets.
  std::int64_t row_stride() const noexcept { return (pairs() + 7) / 8 * 8 + 8; }

  // A position is its anchor plus its offset.
  static std::int64_t anchor_of(std::int64_t position) noexcept { return position - offset_of(position); }
  static std::int64_t offset_of(std::int64_t position) noexcept {
    return ((position + kOffsets / 2) & (kOffsets - 1)) - kOffsets / 2;
  }

  // The sines and cosines of an offset, one per pair. A negative offset has the cosines and the negated sines of the
  // positive one.
  const double* offset_sin(std::int64_t offset) const noexcept {
    return offset_row(3 * std::abs(offset) + (offset < 0));
  }
  const double* offset_cos(std::int64_t offset) const noexcept { return offset_row(3 * std::abs(offset) + 2); }

  // multiplier * sin and cos of every pair, computed from the phase at an integer position.
  void from_phase(std::int64_t position, double* sine, double* cosine) const noexcept;

 private:
  const double* offset_row(std::int64_t row) const noexcept { return offsets_.data() + row * row_stride(); }
  void take_phases(std::int64_t position, double multiplier, double* sine, double* cosine) const noexcept;
  void phases_at(std::int64_t position, std::int64_t first, std::int64_t count, std::uint64_t* phases) const noexcept;
  void phases_at(const numbers::SplitPosition& position, std::int64_t first, std::int64_t count,
                 std::uint64_t* phases) const noexcept;

  std::vector<PhaseStep> steps_;
  std::vector<std::uint64_t> plain_steps_;  // steps_[j].step, contiguous
  std::vector<std::int64_t> other_pairs_;   // pairs whose steps are not plain
  base::AlignedVector<double> offsets_;     // per offset from 0 up: sines, negated sines, cosines
  double multiplier_;
};

}  // namespace posenc::rows
