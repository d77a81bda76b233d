// Random numbers from a counter: the n-th number is a function of a key and n, so any thread can make any of them.
//
//     auto four = posenc::philox4x32({n, 0, 0, step}, {seed, 0});     // four 32-bit numbers
//     posenc::fill_random(table, {.distribution = posenc::Distribution::normal, .std = 0.02, .seed = 7});
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). Pure functions:
// no libm is involved, so a seed gives the same bits on every platform. Not for secrets.
#pragma once

#include <array>
#include <cstdint>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// Four numbers of 32 random bits. Different counters under one key never give the same four. fill_random's counters
// have the highest bit of the last word set: whoever shares its seed counts below.
POSENC_API PhiloxCounter philox4x32(const PhiloxCounter& counter, const PhiloxKey& key) noexcept;

enum class Distribution : int {
  normal,   // mean 0, within 8.58 std
  uniform,  // -sqrt(3) std .. sqrt(3) std: the same standard deviation
};

struct Random {
  Distribution distribution = Distribution::normal;
  double std = 0.02;  // 0 gives zeros; negative, not finite, or large enough to overflow the dtype is an error
  std::uint64_t seed = 0;
};

// Fills `out` ([N, M], any float type, rows may be strided) with independent numbers, each rounded once from double.
// The number at (n, m) depends on the distribution, the seed, n and m only: a table of more rows, more columns or
// another dtype begins with the same numbers.
POSENC_API void fill_random(const View& out, const Random& random);

}  // namespace posenc
