// Phases: angles as unsigned 64-bit fractions of a turn.
//
// An inverse frequency becomes a step of 2^-64 turns once; the phase at an integer position is position * step, and
// the wrap-around of the integer is the range reduction. So sin and cos at position 2^31 - 1 cost what they cost at
// position 1, and are off by at most pi 2^-33 there.
//
//     posenc::PhaseStep step = posenc::make_phase_step(0.01);
//     posenc::SinCos at = posenc::sin_cos(posenc::phase_at(step, std::int64_t{1000000}));
#pragma once

#include <cstdint>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

// How far one position turns.
struct PhaseStep {
  std::uint64_t step = 0;  // round(inv_freq / 2pi * 2^64) modulo 2^64
  double turns = 0.0;      // inv_freq / 2pi, not reduced: turns + turns_low is good to about 100 bits
  double turns_low = 0.0;
};

struct SinCos {
  double sin;
  double cos;
};

// inv_freq in radians per position: any finite number, negative and above 2 pi too. Otherwise an error.
POSENC_API PhaseStep make_phase_step(double inv_freq);

// The phase at an integer position: exact but for the rounding of `step`.
inline std::uint64_t phase_at(const PhaseStep& step, std::int64_t position) noexcept {
  return static_cast<std::uint64_t>(position) * step.step;
}

// The phase at a real position, |position| <= 2^31: its whole part like an integer, its fraction by a product in
// twice the precision. Not for NaN or infinity.
POSENC_API std::uint64_t phase_at(const PhaseStep& step, double position) noexcept;

// sin and cos of 2 pi phase / 2^64, each within 1.2e-16. No platform's libm is involved: the same bits everywhere.
POSENC_API SinCos sin_cos(std::uint64_t phase) noexcept;

}  // namespace posenc
