// Sines and cosines of every pair at any position.
//
// An integer position is split into an anchor (a multiple of 32) and an offset from -16 to 15. The anchor's sines and
// cosines come from the phase, the offsets' are kept, and one turns the other. Anchors are absolute, so a position has
// the same bits whichever range, list or block it was asked in. A position between integers comes from its phase
// directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/numbers/real_phase.h"
#include "posenc/phase.h"

namespace posenc::rows {

// Constant once made, so threads may share it; nothing allocates but the constructor.
class AngleRows {
 public:
  static constexpr std::int64_t kOffsets = 32;

  // Frequencies in radians per position: any finite numbers.
  AngleRows(const std::vector<double>& inv_freq, double multiplier);

  std::int64_t pairs() const noexcept { return static_cast<std::int64_t>(steps_.size()); }
  const std::vector<PhaseStep>& steps() const noexcept { return steps_; }

  // multiplier * sin and cos of pairs first .. first + count at a position. T is float or double. A real position that
  // is a whole number is that integer.
  template <class T>
  void at(std::int64_t position, std::int64_t first, std::int64_t count, T* sine, T* cosine) const noexcept;
  template <class T>
  void at(double position, std::int64_t first, std::int64_t count, T* sine, T* cosine) const noexcept;
  template <class T>
  void at(const numbers::SplitPosition& position, std::int64_t first, std::int64_t count, T* sine,
          T* cosine) const noexcept;

  // How far apart rows of one number per pair are to be kept: whole cache lines, and one more, so that rows of equal
  // place do not compete for the same lines of the cache, nor with the output's.
  std::int64_t row_stride() const noexcept { return (pairs() + 7) / 8 * 8 + 8; }

  // A position is its anchor plus its offset.
  static std::int64_t anchor_of(std::int64_t position) noexcept { return position - offset_of(position); }
  static std::int64_t offset_of(std::int64_t position) noexcept {
    return ((position + kOffsets / 2) & (kOffsets - 1)) - kOffsets / 2;
  }

  // The sines and cosines of an offset, one per pair. Those of a negative one are the positive one's, sines negated.
  const double* offset_sin(std::int64_t offset) const noexcept {
    return offset_row(3 * std::abs(offset) + (offset < 0));
  }
  const double* offset_cos(std::int64_t offset) const noexcept { return offset_row(3 * std::abs(offset) + 2); }

  // multiplier * sin and cos of every pair from the phase at an integer position, not turned.
  void from_phase(std::int64_t position, double* sine, double* cosine) const noexcept;

 private:
  const double* offset_row(std::int64_t row) const noexcept { return offsets_.data() + row * row_stride(); }
  void take_phases(std::int64_t position, double multiplier, double* sine, double* cosine) const noexcept;
  void phases_at(std::int64_t position, std::int64_t first, std::int64_t count, std::uint64_t* phases) const noexcept;
  void phases_at(const numbers::SplitPosition& position, std::int64_t first, std::int64_t count,
                 std::uint64_t* phases) const noexcept;

  std::vector<PhaseStep> steps_;
  std::vector<std::uint64_t> plain_steps_;  // steps_[j].step, side by side
  std::vector<std::int64_t> other_pairs_;   // whose steps are not plain
  base::AlignedVector<double> offsets_;     // per offset from 0 on: sines, sines negated, cosines
  double multiplier_;
};

}  // namespace posenc::rows
