// The number of rotated channels of PoPE and xPos, for their checks and for the code that rotates.
#pragma once

#include <cstdint>

#include "core/spec/kind_row.h"

namespace posenc::spec {

// R, the number of rotated channels.
inline std::int64_t turning_channels(const Pope& spec) noexcept {
  return spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
}
inline std::int64_t turning_channels(const Xpos& spec) noexcept {
  return spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
}

}  // namespace posenc::spec
