// Computes the phases of a row of pairs at a position from the phase steps of posenc/phase.h.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// whole + fraction, or whole - fraction if `below`; the fraction in units of 2^-64.
struct FixedPosition {
  std::int64_t whole;
  std::uint64_t fraction;
  bool below;
};

// phases[i] = whole * steps[i] +- the upper half of fraction * steps[i]. This is right if the step equals its
// frequency: from 0 to just below 1 turn per position. Exact, except for bits below 2^-64 turns.
void phase_row(const std::uint64_t* steps, std::int64_t count, const FixedPosition& position,
               std::uint64_t* phases) noexcept;

}  // namespace posenc::kernels
