// Sines and cosines of a row of phases (unsigned 64-bit fractions of a turn), times a multiplier, with the same bits as
// posenc::sin_cos on every instruction set.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// Writes `count` sines and `count` cosines; float is rounded once from the product in double.
void sin_cos_row(const std::uint64_t* phases, std::int64_t count, double multiplier, double* sine,
                 double* cosine) noexcept;
void sin_cos_row(const std::uint64_t* phases, std::int64_t count, double multiplier, float* sine,
                 float* cosine) noexcept;

}  // namespace posenc::kernels
