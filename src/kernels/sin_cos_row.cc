#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sin_cos_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include <algorithm>

#include "kernels/sin_cos-inl.h"
#include "kernels/sin_cos_row.h"
#include "kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The vectors that begin at i and at j.
template <class D, class T>
HWY_INLINE void sin_cos_two(D d, const std::uint64_t* phases, double multiplier, T* sine, T* cosine, std::int64_t i,
                            std::int64_t j) {
  const hn::RebindToUnsigned<D> du;
  const auto factor = hn::Set(d, multiplier);
  hn::Vec<D> sine0, cosine0, sine1, cosine1;
  sin_cos_of(d, hn::LoadU(du, phases + i), hn::LoadU(du, phases + j), sine0, cosine0, sine1, cosine1);
  store_as(d, hn::Mul(factor, sine0), sine + i);
  store_as(d, hn::Mul(factor, cosine0), cosine + i);
  store_as(d, hn::Mul(factor, sine1), sine + j);
  store_as(d, hn::Mul(factor, cosine1), cosine + j);
}

// The last vector ends with the last phase: it repeats what the one before it wrote. Fewer phases than lanes go one by
// one.
template <class T>
HWY_INLINE void sin_cos_all(const std::uint64_t* phases, std::int64_t count, double multiplier, T* sine, T* cosine) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) {
    const hn::CappedTag<double, 1> one;
    for (std::int64_t i = 0; i < count; ++i) sin_cos_two(one, phases, multiplier, sine, cosine, i, i);
    return;
  }
  const std::int64_t last = count - lanes;
  for (std::int64_t i = 0; i < count; i += 2 * lanes) {
    sin_cos_two(d, phases, multiplier, sine, cosine, std::min(i, last), std::min(i + lanes, last));
  }
}

void sin_cos_f64(const std::uint64_t* phases, std::int64_t count, double multiplier, double* sine, double* cosine) {
  sin_cos_all(phases, count, multiplier, sine, cosine);
}
void sin_cos_f32(const std::uint64_t* phases, std::int64_t count, double multiplier, float* sine, float* cosine) {
  sin_cos_all(phases, count, multiplier, sine, cosine);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(sin_cos_f64);
HWY_EXPORT(sin_cos_f32);

void sin_cos_row(const std::uint64_t* phases, std::int64_t count, double multiplier, double* sine,
                 double* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(sin_cos_f64)(phases, count, multiplier, sine, cosine);
}
void sin_cos_row(const std::uint64_t* phases, std::int64_t count, double multiplier, float* sine,
                 float* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(sin_cos_f32)(phases, count, multiplier, sine, cosine);
}

}  // namespace posenc::kernels
#endif
