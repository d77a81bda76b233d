// How many (sine, cosine) pairs a sinusoidal encoding has.
#pragma once

#include <cstdint>

#include "posenc/spec.h"

namespace posenc::spec {

// An odd width that drops the last partner still has its frequency; one that ends in a zero has not.
inline std::int64_t pairs_of(const Sinusoidal& spec) noexcept {
  return spec.odd == OddWidth::zero ? spec.width / 2 : (spec.width + 1) / 2;
}

}  // namespace posenc::spec
