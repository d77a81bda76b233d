// Matrix products of float or double, for tiles of attention and for linear layers.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// Whether the previous numbers of c are kept.
enum class Into : int { overwrite, add };

// c[i * c_stride + j] = or += the sum over k of a[i * a_row + k * a_column] * b[k * b_stride + j]. Sums run in the
// order of k, starting from 0 or from the previous number of c, with fused multiply-adds if the instruction set has
// them. So a result depends only on the numbers of row i and column j.
template <class Real>
struct MatrixProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  const Real* a = nullptr;
  std::int64_t a_row = 0;
  std::int64_t a_column = 1;
  const Real* b = nullptr;
  std::int64_t b_stride = 0;
  Real* c = nullptr;  // must not overlap a or b
  std::int64_t c_stride = 0;
  Into into = Into::overwrite;
};

void multiply_add(const MatrixProduct<float>& product) noexcept;
void multiply_add(const MatrixProduct<double>& product) noexcept;

}  // namespace posenc::kernels
