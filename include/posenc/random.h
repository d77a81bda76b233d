// Counter-based random numbers: number n is a function of a key and n, so any thread can compute any of them.
//
//     auto four = posenc::philox4x32({n, 0, 0, step}, {seed, 0});     // four 32-bit numbers
//     posenc::fill_random(table, {.distribution = posenc::Distribution::normal, .std = 0.02, .seed = 7});
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). Pure functions:
// libm is not used, so a seed gives the same bits on every platform. Not suitable for cryptography.
#pragma once

#include <array>
#include <cstdint>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// Returns four numbers of 32 random bits. Different counters with the same key give different results. The counters of
// fill_random have the highest bit of the last word set; other uses of the same seed must keep that bit clear.
POSENC_API PhiloxCounter philox4x32(const PhiloxCounter& counter, const PhiloxKey& key) noexcept;

enum class Distribution : int {
  normal,   // mean 0, within 8.58 std
  uniform,  // -sqrt(3) std to sqrt(3) std, which has the same standard deviation
};

struct Random {
  Distribution distribution = Distribution::normal;
  double std = 0.02;  // 0 gives zeros; an error if negative, not finite, or so large that numbers overflow the dtype
  std::uint64_t seed = 0;
};

// Fills `out` ([N, M], any float dtype, rows may be strided) with independent numbers, each rounded once from double.
// Number (n, m) depends only on the distribution, the seed, n and m: a larger table or another dtype starts with the
// same numbers.
POSENC_API void fill_random(const View& out, const Random& random);

}  // namespace posenc
