// The upper half of a 64 x 64 bit product, in standard C++.
#pragma once

#include <cstdint>

namespace posenc::base {

inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32;
  const std::uint64_t b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t low = a0 * b0;
  const std::uint64_t middle = a1 * b0 + (low >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

}  // namespace posenc::base
