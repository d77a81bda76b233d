// Converts rows of 16-bit floats to float32 and back: the same results as posenc/half.h, several at a time.
#pragma once

#include <cstdint>

#include "posenc/view.h"

namespace posenc::kernels {

// Exact.
void widen_row(const f16* from, std::int64_t count, float* to) noexcept;
void widen_row(const bf16* from, std::int64_t count, float* to) noexcept;

// Rounds to nearest, ties to even. NaN stays a NaN of the same sign; its other bits may be lost.
void narrow_row(const float* from, std::int64_t count, f16* to) noexcept;
void narrow_row(const float* from, std::int64_t count, bf16* to) noexcept;

}  // namespace posenc::kernels
