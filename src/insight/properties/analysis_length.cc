#include <cmath>

#include "posenc/error.h"
#include "posenc/insight/analysis.h"

namespace posenc {
namespace {

PairTurns turns_of(double inv_freq, std::int64_t length) {
  const double wavelength = wavelengths({inv_freq}).front();
  PairTurns turns{.inv_freq = inv_freq, .wavelength = wavelength};
  turns.turns = static_cast<double>(length - 1) / wavelength;
  turns.complete = turns.turns >= 1.0;
  // The next position may already complete the turn: its angle is then between trained ones.
  if (std::isinf(wavelength) || static_cast<double>(length) >= wavelength) return turns;
  turns.first_unseen = length;
  turns.seen_again = std::ceil(wavelength);
  return turns;
}

}  // namespace

TurnsWithin turns_within(std::span<const double> inv_freq, std::int64_t length) {
  if (length < 1) {
    fail(ErrorKind::usage, "[turns_within] length must be at least 1 but got " + std::to_string(length));
  }
  TurnsWithin result{.length = length};
  for (const double frequency : inv_freq) {
    result.pairs.push_back(turns_of(frequency, length));
    if (result.pairs.back().complete) ++result.complete;
  }
  return result;
}

}  // namespace posenc
