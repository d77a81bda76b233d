// Philox4x32-10 written from the paper, independently of the library: the oracle of dropout masks.
#pragma once

#include <array>
#include <cstdint>

namespace plain {

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> x, std::uint64_t seed) {
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

// Whether dropout drops channel m of token n in batch row b.
inline bool dropped(double p, std::uint64_t seed, std::uint64_t step, std::int64_t b, std::int64_t n, std::int64_t m) {
  const auto word = [](auto value) { return static_cast<std::uint32_t>(value); };
  const auto numbers = philox({word(m / 4), word(n), word(b), word(step)}, seed);
  return static_cast<double>(numbers[static_cast<std::size_t>(m % 4)]) < static_cast<double>(word(p * 4294967296.0));
}

}  // namespace plain
