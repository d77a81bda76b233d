// What the plain function and the kernel of Philox4x32-10 share, and which counters belong to tables.
#pragma once

#include <array>
#include <cstdint>

namespace posenc::base {

constexpr int kPhiloxRounds = 10;
// Each round multiplies by these ...
constexpr std::uint32_t kPhiloxMultiplier0 = 0xd2511f53;
constexpr std::uint32_t kPhiloxMultiplier1 = 0xcd9e8d57;
// ... and adds these to the key: the golden ratio and sqrt(3) - 1.
constexpr std::uint32_t kPhiloxWeyl0 = 0x9e3779b9;
constexpr std::uint32_t kPhiloxWeyl1 = 0xbb67ae85;

// The counter of columns 2 * pair and 2 * pair + 1 of row n. A pair stays below 2^62, so the last word's top bits are
// free: one is set, which keeps tables apart from those who count steps there.
constexpr std::array<std::uint32_t, 4> table_counter(std::int64_t n, std::int64_t pair) noexcept {
  const auto row = static_cast<std::uint64_t>(n);
  const auto column = static_cast<std::uint64_t>(pair);
  return {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32),
          static_cast<std::uint32_t>(column >> 32) | 0x80000000u};
}

}  // namespace posenc::base
