// Products of one row with many rows: the scores of a single query.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// out[r] = the sum over c of x[c] * rows[r * stride + c], for r < count and c < width.
void dot_rows(const float* x, const float* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
              float* out) noexcept;
void dot_rows(const double* x, const double* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
              double* out) noexcept;

}  // namespace posenc::kernels
