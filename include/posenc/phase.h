// Phases: angles as unsigned 64-bit fractions of a full turn.
//
// An inverse frequency is converted once to a step in units of 2^-64 turns. The phase at an integer position is
// position * step; integer overflow does the range reduction. So sin and cos at position 2^31 - 1 cost the same as at
// position 1, and the error there is at most pi 2^-33.
//
//     posenc::PhaseStep step = posenc::make_phase_step(0.01);
//     posenc::SinCos at = posenc::sin_cos(posenc::phase_at(step, std::int64_t{1000000}));
#pragma once

#include <cstdint>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

// How far the angle advances from one position to the next.
struct PhaseStep {
  std::uint64_t step = 0;  // round(inv_freq / 2pi * 2^64) modulo 2^64
  double turns = 0.0;      // inv_freq / 2pi, not reduced; `turns` + `turns_low` has about 100 correct bits
  double turns_low = 0.0;
};

struct SinCos {
  double sin;
  double cos;
};

// inv_freq is in radians per position: any finite number, including negative ones and those above 2 pi. NaN and
// infinity are errors.
POSENC_API PhaseStep make_phase_step(double inv_freq);

// Returns the phase at an integer position; the only error is the rounding of `step`.
inline std::uint64_t phase_at(const PhaseStep& step, std::int64_t position) noexcept {
  return static_cast<std::uint64_t>(position) * step.step;
}

// Returns the phase at a real position, |position| <= 2^31: the integer part as above, the fraction by a product in
// twice the precision. The position must not be NaN or infinite.
POSENC_API std::uint64_t phase_at(const PhaseStep& step, double position) noexcept;

// Returns sin and cos of 2 pi phase / 2^64, each within 1.2e-16. Does not use libm: the same bits on every platform.
POSENC_API SinCos sin_cos(std::uint64_t phase) noexcept;

}  // namespace posenc
