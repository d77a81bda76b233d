#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/dot_rows.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/dot_rows.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two independent sums, so that a multiply-add need not wait for the one before it.
template <class Real>
HWY_INLINE Real dot(const Real* x, const Real* row, std::int64_t width) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto even = hn::Zero(d), odd = hn::Zero(d);
  std::int64_t c = 0;
  for (; c + 2 * lanes <= width; c += 2 * lanes) {
    even = hn::MulAdd(hn::LoadU(d, x + c), hn::LoadU(d, row + c), even);
    odd = hn::MulAdd(hn::LoadU(d, x + c + lanes), hn::LoadU(d, row + c + lanes), odd);
  }
  for (; c + lanes <= width; c += lanes) even = hn::MulAdd(hn::LoadU(d, x + c), hn::LoadU(d, row + c), even);
  const hn::CappedTag<Real, 1> one;
  auto sum = hn::Set(one, hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))));
  for (; c < width; ++c) sum = hn::MulAdd(hn::LoadU(one, x + c), hn::LoadU(one, row + c), sum);
  return hn::GetLane(sum);
}

template <class Real>
HWY_INLINE void dot_all(const Real* x, const Real* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
                        Real* out) {
  for (std::int64_t r = 0; r < count; ++r) out[r] = dot(x, rows + r * stride, width);
}

void dot_f32(const float* x, const float* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
             float* out) {
  dot_all(x, rows, stride, count, width, out);
}
void dot_f64(const double* x, const double* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
             double* out) {
  dot_all(x, rows, stride, count, width, out);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(dot_f32);
HWY_EXPORT(dot_f64);

void dot_rows(const float* x, const float* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
              float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(dot_f32)(x, rows, stride, count, width, out);
}
void dot_rows(const double* x, const double* rows, std::int64_t stride, std::int64_t count, std::int64_t width,
              double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(dot_f64)(x, rows, stride, count, width, out);
}

}  // namespace posenc::kernels
#endif
