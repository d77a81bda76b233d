// Phases at real positions: the position is split once per row and then used for every pair. See posenc/phase.h.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/high_product.h"
#include "core/numbers/double_double.h"
#include "posenc/phase.h"

namespace posenc::numbers {

// The phase of a number of turns, without whole turns; exact to 2^-64 turns.
inline std::uint64_t phase_of_turns(double turns) noexcept {
  const double scaled = (turns - std::nearbyint(turns)) * 0x1p32;
  const auto high = static_cast<std::int64_t>(scaled);
  const auto low = static_cast<std::int64_t>((scaled - static_cast<double>(high)) * 0x1p32);
  return (static_cast<std::uint64_t>(high) << 32) + static_cast<std::uint64_t>(low);
}

// A position as an integer and a fraction of magnitude at most 1/2; `fixed` is that magnitude in units of 2^-64.
struct SplitPosition {
  std::int64_t whole;
  double fraction;
  std::uint64_t fixed;
};

inline SplitPosition split_position(double position) noexcept {
  const double whole = std::nearbyint(position);
  const double fraction = position - whole;
  return {static_cast<std::int64_t>(whole), fraction, static_cast<std::uint64_t>(std::fabs(fraction) * 0x1p64)};
}

// Whether step.step is the frequency itself: at least 0 and below one turn per position, so that no whole turn is lost.
inline bool is_plain(const PhaseStep& step) noexcept { return step.turns >= 0.0 && step.turns < 0.99; }

// Below one turn per position, the contribution of the fraction is the upper half of one integer product, correct to
// 2^-63 turns. At higher frequencies the step has lost whole turns, which a fraction of a position needs: there it is a
// product in twice the precision, reduced afterwards.
inline std::uint64_t phase_at(const PhaseStep& step, const SplitPosition& position) noexcept {
  const std::uint64_t phase = phase_at(step, position.whole);
  if (std::fabs(step.turns) < 0.99) {
    const std::uint64_t share =
        base::high_product(position.fixed, step.turns < 0.0 ? std::uint64_t{0} - step.step : step.step);
    return (position.fraction < 0.0) != (step.turns < 0.0) ? phase - share : phase + share;
  }
  const DoubleDouble turns = exact_product(position.fraction, step.turns);
  return phase + phase_of_turns(turns.high) + phase_of_turns(turns.low + position.fraction * step.turns_low);
}

}  // namespace posenc::numbers
