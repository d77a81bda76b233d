// Transposes blocks of a matrix and widens 16-bit floats on the way.
#pragma once

#include <cstdint>

#include "posenc/view.h"

namespace posenc::kernels {

// to[c * to_stride + r] = from[r * from_stride + c], widened.
template <class From, class To>
struct TransposedBlock {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const From* from = nullptr;
  std::int64_t from_stride = 0;
  To* to = nullptr;  // must not overlap `from`
  std::int64_t to_stride = 0;
};

void transpose_block(const TransposedBlock<float, float>& block) noexcept;
void transpose_block(const TransposedBlock<f16, float>& block) noexcept;
void transpose_block(const TransposedBlock<bf16, float>& block) noexcept;
void transpose_block(const TransposedBlock<double, double>& block) noexcept;

}  // namespace posenc::kernels
