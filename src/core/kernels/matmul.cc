#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/matmul.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include <algorithm>

#include "core/kernels/matmul.h"

// The width of a tile in vectors. With six rows of sums, a row of b and one number of a, this fills the registers.
#undef POSENC_MATMUL_VECTORS
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3) || HWY_ARCH_ARM_A64
#define POSENC_MATMUL_VECTORS 4
#else
#define POSENC_MATMUL_VECTORS 2
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectors = POSENC_MATMUL_VECTORS;
constexpr int kRows = 6;
// The number of rows in a panel, the block of b that is copied at a time: it must stay in the first-level cache while
// the rows of a are processed. It has 16 KB with vectors of 32 bytes.
constexpr int kPanelDepth = HWY_MAX_BYTES > 64 ? 64 : 512 / kVectors;

// The helpers of a tile take each vector as a parameter, because vectors of unknown size cannot be in arrays or
// captures.
template <bool kUsed, class D, class Real, class V>
HWY_INLINE void load_row(D d, const Real* HWY_RESTRICT c, bool from_zero, V& s0, V& s1, V& s2, V& s3) {
  s0 = s1 = s2 = s3 = hn::Zero(d);
  if (!kUsed || from_zero) return;
  const std::size_t lanes = hn::Lanes(d);
  s0 = hn::LoadU(d, c);
  s1 = hn::LoadU(d, c + lanes);
  if constexpr (kVectors > 2) s2 = hn::LoadU(d, c + 2 * lanes);
  if constexpr (kVectors > 2) s3 = hn::LoadU(d, c + 3 * lanes);
}

template <bool kUsed, class D, class Real, class V>
HWY_INLINE void store_row(D d, V s0, V s1, V s2, V s3, Real* HWY_RESTRICT c) {
  if (!kUsed) return;
  const std::size_t lanes = hn::Lanes(d);
  hn::StoreU(s0, d, c);
  hn::StoreU(s1, d, c + lanes);
  if constexpr (kVectors > 2) hn::StoreU(s2, d, c + 2 * lanes);
  if constexpr (kVectors > 2) hn::StoreU(s3, d, c + 3 * lanes);
}

template <bool kUsed, class D, class Real, class V>
HWY_INLINE void sum_row(D d, const Real* HWY_RESTRICT a, V b0, V b1, V b2, V b3, V& s0, V& s1, V& s2, V& s3) {
  if (!kUsed) return;
  const V x = hn::Set(d, *a);
  s0 = hn::MulAdd(x, b0, s0);
  s1 = hn::MulAdd(x, b1, s1);
  if constexpr (kVectors > 2) s2 = hn::MulAdd(x, b2, s2);
  if constexpr (kVectors > 2) s3 = hn::MulAdd(x, b3, s3);
}

// Computes kTile rows of c, one panel wide.
template <int kTile, class D, class Real>
HWY_INLINE void multiply_tile(D d, const MatrixProduct<Real>& p, std::int64_t row) {
  const bool zero = p.into == Into::overwrite;
  const std::int64_t a_row = p.a_row, a_column = p.a_column, b_stride = p.b_stride, c_stride = p.c_stride;
  const Real* HWY_RESTRICT a = p.a + row * a_row;
  const Real* HWY_RESTRICT b = p.b;
  Real* HWY_RESTRICT c = p.c + row * c_stride;
  hn::Vec<D> s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23;
  hn::Vec<D> s30, s31, s32, s33, s40, s41, s42, s43, s50, s51, s52, s53;
  load_row<(kTile > 0)>(d, c, zero, s00, s01, s02, s03);
  load_row<(kTile > 1)>(d, c + c_stride, zero, s10, s11, s12, s13);
  load_row<(kTile > 2)>(d, c + 2 * c_stride, zero, s20, s21, s22, s23);
  load_row<(kTile > 3)>(d, c + 3 * c_stride, zero, s30, s31, s32, s33);
  load_row<(kTile > 4)>(d, c + 4 * c_stride, zero, s40, s41, s42, s43);
  load_row<(kTile > 5)>(d, c + 5 * c_stride, zero, s50, s51, s52, s53);
  for (std::int64_t k = p.depth; k > 0; --k, a += a_column, b += b_stride) {
    hn::Vec<D> b0, b1, b2, b3;
    load_row<true>(d, b, false, b0, b1, b2, b3);
    sum_row<(kTile > 0)>(d, a, b0, b1, b2, b3, s00, s01, s02, s03);
    sum_row<(kTile > 1)>(d, a + a_row, b0, b1, b2, b3, s10, s11, s12, s13);
    sum_row<(kTile > 2)>(d, a + 2 * a_row, b0, b1, b2, b3, s20, s21, s22, s23);
    sum_row<(kTile > 3)>(d, a + 3 * a_row, b0, b1, b2, b3, s30, s31, s32, s33);
    sum_row<(kTile > 4)>(d, a + 4 * a_row, b0, b1, b2, b3, s40, s41, s42, s43);
    sum_row<(kTile > 5)>(d, a + 5 * a_row, b0, b1, b2, b3, s50, s51, s52, s53);
  }
  store_row<(kTile > 0)>(d, s00, s01, s02, s03, c);
  store_row<(kTile > 1)>(d, s10, s11, s12, s13, c + c_stride);
  store_row<(kTile > 2)>(d, s20, s21, s22, s23, c + 2 * c_stride);
  store_row<(kTile > 3)>(d, s30, s31, s32, s33, c + 3 * c_stride);
  store_row<(kTile > 4)>(d, s40, s41, s42, s43, c + 4 * c_stride);
  store_row<(kTile > 5)>(d, s50, s51, s52, s53, c + 5 * c_stride);
}

// Computes all rows of c for one panel of columns.
template <class D, class Real>
HWY_NOINLINE void multiply_panel(D d, const MatrixProduct<Real>& p) {
  std::int64_t row = 0;
  for (; row + kRows <= p.rows; row += kRows) multiply_tile<kRows>(d, p, row);
  if (row + 4 <= p.rows) {
    multiply_tile<4>(d, p, row);
    row += 4;
  }
  if (row + 2 <= p.rows) {
    multiply_tile<2>(d, p, row);
    row += 2;
  }
  if (row < p.rows) multiply_tile<1>(d, p, row);
}

// For fewer columns than a panel: computes in a block of the panel's width, so that memory after a row of c is neither
// read nor written.
template <class D, class Real>
HWY_INLINE void multiply_narrow(D d, const MatrixProduct<Real>& p, Real* block, std::int64_t width) {
  for (std::int64_t i = 0; i < p.rows; i += kRows) {
    MatrixProduct<Real> part = p;
    part.rows = std::min<std::int64_t>(kRows, p.rows - i);
    part.a = p.a + i * p.a_row;
    part.c = block;
    part.c_stride = width;
    Real* const c = p.c + i * p.c_stride;
    for (std::int64_t row = 0; row < part.rows && p.into == Into::add; ++row) {
      std::copy_n(c + row * p.c_stride, p.columns, block + row * width);
    }
    multiply_panel(d, part);
    for (std::int64_t row = 0; row < part.rows; ++row) {
      std::copy_n(block + row * width, p.columns, c + row * p.c_stride);
    }
  }
}

// Copies the columns of b, padded with zeros to the width of a panel.
template <class Real>
HWY_INLINE void copy_panel(const MatrixProduct<Real>& p, std::int64_t width, Real* panel) {
  for (std::int64_t k = 0; k < p.depth; ++k, panel += width) {
    std::copy_n(p.b + k * p.b_stride, p.columns, panel);
    std::fill_n(panel + p.columns, width - p.columns, Real{0});
  }
}

template <class Real>
HWY_INLINE void multiply_all(const MatrixProduct<Real>& whole) {
  const hn::ScalableTag<Real> d;
  constexpr std::size_t kMostWidth = kVectors * hn::MaxLanes(d);
  const auto width = static_cast<std::int64_t>(hn::Lanes(d)) * kVectors;
  HWY_ALIGN_MAX Real panel[kPanelDepth * kMostWidth];
  HWY_ALIGN_MAX Real block[kRows * kMostWidth] = {};
  for (std::int64_t j = 0; j < whole.columns; j += width) {
    for (std::int64_t k = 0; k < whole.depth; k += kPanelDepth) {
      MatrixProduct<Real> p = whole;
      p.columns = std::min(width, whole.columns - j);
      p.depth = std::min<std::int64_t>(kPanelDepth, whole.depth - k);
      p.a += k * p.a_column;
      p.b += k * p.b_stride + j;
      p.c += j;
      if (k > 0) p.into = Into::add;
      const bool narrow = p.columns < width;
      if (narrow || p.rows > kRows) {
        copy_panel(p, width, panel);
        p.b = panel;
        p.b_stride = width;
      }
      narrow ? multiply_narrow(d, p, block, width) : multiply_panel(d, p);
    }
  }
}

void multiply_f32(const MatrixProduct<float>& product) { multiply_all(product); }
void multiply_f64(const MatrixProduct<double>& product) { multiply_all(product); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);

namespace {

template <class Real>
bool is_empty(const MatrixProduct<Real>& p) {
  if (p.depth > 0) return false;
  for (std::int64_t i = 0; i < p.rows && p.into == Into::overwrite; ++i) {
    std::fill_n(p.c + i * p.c_stride, p.columns, Real{0});
  }
  return true;
}

}  // namespace

void multiply_add(const MatrixProduct<float>& product) noexcept {
  if (!is_empty(product)) HWY_DYNAMIC_DISPATCH(multiply_f32)(product);
}
void multiply_add(const MatrixProduct<double>& product) noexcept {
  if (!is_empty(product)) HWY_DYNAMIC_DISPATCH(multiply_f64)(product);
}

}  // namespace posenc::kernels
#endif
