#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/transpose_block.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/half-inl.h"
#include "core/kernels/transpose_block.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct AsIs {
  template <class D, class Real>
  static HWY_INLINE auto load(D d, const Real* from) {
    return hn::LoadU(d, from);
  }
};

// The side of the square blocks that are transposed at once: rows of 16 bytes, or a single number if the instruction
// set cannot interleave.
template <class Real>
constexpr std::int64_t block_size() {
  return HWY_TARGET == HWY_SCALAR ? 1 : 16 / static_cast<std::int64_t>(sizeof(Real));
}

template <class As, class From>
HWY_INLINE void transpose_square(const From* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
#if HWY_TARGET == HWY_SCALAR
  (void)from_stride, (void)to_stride;
  *to = hn::GetLane(As::load(hn::CappedTag<float, 1>(), from));
#else
  const hn::CappedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto row0 = As::load(d, from);
  const auto row1 = As::load(d, from + from_stride);
  const auto row2 = As::load(d, from + 2 * from_stride);
  const auto row3 = As::load(d, from + 3 * from_stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row0, row1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row2, row3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row0, row1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row2, row3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_stride);
#endif
}

template <class As>
HWY_INLINE void transpose_square(const double* from, std::int64_t from_stride, double* to, std::int64_t to_stride) {
#if HWY_TARGET == HWY_SCALAR
  (void)from_stride, (void)to_stride;
  *to = *from;
#else
  const hn::CappedTag<double, 2> d;
  const auto row0 = hn::LoadU(d, from);
  const auto row1 = hn::LoadU(d, from + from_stride);
  hn::StoreU(hn::InterleaveLower(d, row0, row1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, row0, row1), d, to + to_stride);
#endif
}

template <class As, class From, class To>
HWY_INLINE void transpose_single(const From* from, To* to) {
  *to = hn::GetLane(As::load(hn::CappedTag<To, 1>(), from));
}

template <class As, class From, class To>
HWY_INLINE void transpose_all(const TransposedBlock<From, To>& block) {
  constexpr std::int64_t kSize = block_size<To>();
  const std::int64_t from_stride = block.from_stride, to_stride = block.to_stride;
  const std::int64_t rows = block.rows - block.rows % kSize, columns = block.columns - block.columns % kSize;
  const auto from = [=](std::int64_t r, std::int64_t c) { return block.from + r * from_stride + c; };
  const auto to = [=](std::int64_t r, std::int64_t c) { return block.to + c * to_stride + r; };
  for (std::int64_t r = 0; r < rows; r += kSize) {
    for (std::int64_t c = 0; c < columns; c += kSize) {
      transpose_square<As>(from(r, c), from_stride, to(r, c), to_stride);
    }
    for (std::int64_t c = columns; c < block.columns; ++c) {
      for (std::int64_t i = r; i < r + kSize; ++i) transpose_single<As>(from(i, c), to(i, c));
    }
  }
  for (std::int64_t r = rows; r < block.rows; ++r) {
    for (std::int64_t c = 0; c < block.columns; ++c) transpose_single<As>(from(r, c), to(r, c));
  }
}

void transpose_f32(const TransposedBlock<float, float>& block) { transpose_all<AsIs>(block); }
void transpose_f64(const TransposedBlock<double, double>& block) { transpose_all<AsIs>(block); }
void transpose_f16(const TransposedBlock<std::uint16_t, float>& block) { transpose_all<AsF16>(block); }
void transpose_bf16(const TransposedBlock<std::uint16_t, float>& block) { transpose_all<AsBf16>(block); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(transpose_f32);
HWY_EXPORT(transpose_f64);
HWY_EXPORT(transpose_f16);
HWY_EXPORT(transpose_bf16);

namespace {

template <class Half>
TransposedBlock<std::uint16_t, float> bits_of(const TransposedBlock<Half, float>& block) {
  static_assert(sizeof(Half) == sizeof(std::uint16_t));
  return {block.rows,        block.columns, reinterpret_cast<const std::uint16_t*>(block.from),
          block.from_stride, block.to,      block.to_stride};
}

}  // namespace

void transpose_block(const TransposedBlock<float, float>& block) noexcept {
  HWY_DYNAMIC_DISPATCH(transpose_f32)(block);
}
void transpose_block(const TransposedBlock<double, double>& block) noexcept {
  HWY_DYNAMIC_DISPATCH(transpose_f64)(block);
}
void transpose_block(const TransposedBlock<f16, float>& block) noexcept {
  HWY_DYNAMIC_DISPATCH(transpose_f16)(bits_of(block));
}
void transpose_block(const TransposedBlock<bf16, float>& block) noexcept {
  HWY_DYNAMIC_DISPATCH(transpose_bf16)(bits_of(block));
}

}  // namespace posenc::kernels
#endif
