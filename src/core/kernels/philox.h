// Computes Philox4x32-10 (posenc/random.h) for consecutive counters.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// Writes 4 * blocks numbers: block i is philox4x32 of the counter with counter[0] + i, which wraps around without
// carry, so that the blocks repeat after 2^32.
void philox_blocks(const std::uint32_t counter[4], const std::uint32_t key[2], std::int64_t blocks,
                   std::uint32_t* out) noexcept;

}  // namespace posenc::kernels
