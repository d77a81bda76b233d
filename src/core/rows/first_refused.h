// Finds the first position that a check refuses, so that messages name it.
#pragma once

#include <cstdint>
#include <optional>

#include "posenc/position.h"

namespace posenc::rows {

// A token by its batch row and its index in that row.
struct TokenPlace {
  std::int64_t b, n;
};

// Returns the first token, row by row, whose position does not pass, or nothing if all pass. The positions that pass
// must form an interval. So a range passes if both its ends do, and if only its first position passes, a binary search
// finds the first that does not.
template <class Passes>
std::optional<TokenPlace> first_refused(const PositionView& positions, const Passes& passes) {
  if (positions.count == 0) return {};
  if (positions.source == PositionView::Source::range) {
    const auto fails = [&](std::int64_t n) { return !passes(positions.real(0, n)); };
    if (fails(0)) return TokenPlace{0, 0};
    std::int64_t passed = 0, failed = positions.count - 1;
    if (!fails(failed)) return {};
    while (failed - passed > 1) {
      const std::int64_t middle = passed + (failed - passed) / 2;
      (fails(middle) ? failed : passed) = middle;
    }
    return TokenPlace{0, failed};
  }
  for (std::int64_t b = 0; b < positions.batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      if (!passes(positions.real(b, n))) return TokenPlace{b, n};
    }
  }
  return {};
}

}  // namespace posenc::rows
