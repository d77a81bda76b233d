// One row of angles, given as phases, turned by a row of small angles: `multiplier` times the sines and cosines of the
// phases as in sin_cos_row.h, turned as in turn_rows.h, to the same bits, without a detour through memory.
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

// Writes `pairs` sines and as many cosines, each contiguous.
void turn_phases(const PhaseTurn& turn, double* sine, double* cosine) noexcept;
void turn_phases(const PhaseTurn& turn, float* sine, float* cosine) noexcept;

}  // namespace posenc::kernels
