// Turns a row of angles by a row of small angles: sin(a + b) and cos(a + b) from the sines and cosines of a and b, in
// double, rounded once where they are stored. Nothing is chained from row to row, so no error builds up.
#pragma once

#include <cstdint>

namespace posenc::kernels {

struct Turn {
  const double* anchor_sin;
  const double* anchor_cos;
  const double* offset_sin;
  const double* offset_cos;
  std::int64_t pairs;
};

// The same with the anchor's angles as phases: `multiplier` times its sines and cosines are made on the way.
struct PhaseTurn {
  const std::uint64_t* anchor_phases;
  double multiplier;
  const double* offset_sin;
  const double* offset_cos;
  std::int64_t pairs;
};

// Writes `pairs` sines and as many cosines, each contiguous.
void turn_row(const Turn& turn, double* sine, double* cosine) noexcept;
void turn_row(const Turn& turn, float* sine, float* cosine) noexcept;
void turn_row(const PhaseTurn& turn, double* sine, double* cosine) noexcept;
void turn_row(const PhaseTurn& turn, float* sine, float* cosine) noexcept;

// Writes sin, cos, sin, cos, ... (cos first if asked): 2 * pairs values.
void turn_row_interleaved(const Turn& turn, bool cosine_first, float* out) noexcept;

}  // namespace posenc::kernels
