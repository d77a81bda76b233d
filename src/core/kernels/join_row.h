// Adds a row of an encoding to a row of embeddings, scales rows, and applies dropout, in float or double. Every product
// and sum is rounded and never fused, so that all instruction sets give the same bits.
#pragma once

#include <cstdint>

#include "posenc/view.h"

namespace posenc::kernels {

// out = scale * x + row; out may be x.
void add_row(const float* x, const float* row, float scale, std::int64_t count, float* out) noexcept;
void add_row(const double* x, const double* row, double scale, std::int64_t count, double* out) noexcept;
// Computed in float and rounded once to 16 bits.
void add_row(const f16* x, const float* row, float scale, std::int64_t count, f16* out) noexcept;
void add_row(const bf16* x, const float* row, float scale, std::int64_t count, bf16* out) noexcept;

// out = scale * x; out may be x.
void scale_row(const float* x, float scale, std::int64_t count, float* out) noexcept;
void scale_row(const double* x, double scale, std::int64_t count, double* out) noexcept;

// x = random < threshold ? 0 : factor * x, with one random number per element.
void drop_row(const std::uint32_t* random, std::uint32_t threshold, float factor, std::int64_t count,
              float* x) noexcept;
void drop_row(const std::uint32_t* random, std::uint32_t threshold, double factor, std::int64_t count,
              double* x) noexcept;

}  // namespace posenc::kernels
