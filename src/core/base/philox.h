// Constants of Philox4x32-10 that the plain function and the kernel share, and the counters used by tables.
#pragma once

#include <array>
#include <cstdint>

namespace posenc::base {

constexpr int kPhiloxRounds = 10;
// Each round multiplies by these two constants ...
constexpr std::uint32_t kPhiloxMultiplier0 = 0xd2511f53;
constexpr std::uint32_t kPhiloxMultiplier1 = 0xcd9e8d57;
// ... and adds these two to the key: the golden ratio and sqrt(3) - 1.
constexpr std::uint32_t kPhiloxWeyl0 = 0x9e3779b9;
constexpr std::uint32_t kPhiloxWeyl1 = 0xbb67ae85;

// The counter of columns 2 * pair and 2 * pair + 1 of row n. A pair is below 2^62, so the top bits of the last word are
// free. One is set, so that tables never share a counter with users who count steps in that word.
constexpr std::array<std::uint32_t, 4> table_counter(std::int64_t n, std::int64_t pair) noexcept {
  const auto row = static_cast<std::uint64_t>(n);
  const auto column = static_cast<std::uint64_t>(pair);
  return {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32),
          static_cast<std::uint32_t>(column >> 32) | 0x80000000u};
}

}  // namespace posenc::base
