// Rotates one row of angles, given as phases, by a row of small angles. The result has the bits of sin_cos_row.h with
// `multiplier`, followed by turn_rows.h, but nothing is stored in between.
#pragma once

#include <cstdint>

namespace posenc::kernels {

struct PhaseTurn {
  const std::uint64_t* anchor_phases;
  double multiplier;
  const double* offset_sin;
  const double* offset_cos;
  std::int64_t pairs;
};

// Writes `pairs` sines and `pairs` cosines, each contiguous.
void turn_phases(const PhaseTurn& turn, double* sine, double* cosine) noexcept;
void turn_phases(const PhaseTurn& turn, float* sine, float* cosine) noexcept;

}  // namespace posenc::kernels
