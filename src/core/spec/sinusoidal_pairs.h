// How many (sine, cosine) pairs a sinusoidal encoding has.
#pragma once

#include <cstdint>

#include "posenc/spec.h"

namespace posenc::spec {

// With an odd width, the last sine or cosine has a frequency although its partner is missing; a column of zeros
// (OddWidth::zero) has none.
inline std::int64_t pairs_of(const Sinusoidal& spec) noexcept {
  return spec.odd == OddWidth::zero ? spec.width / 2 : (spec.width + 1) / 2;
}

}  // namespace posenc::spec
