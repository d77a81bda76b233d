#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/sin_cos_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/sin_cos-inl.h"
#include "core/kernels/sin_cos_row.h"
#include "core/kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void sin_cos_all(const std::uint64_t* phases, std::int64_t count, double multiplier, T* sine, T* cosine) {
  for_each_sin_cos(phases, count, [=](auto d, std::int64_t i, auto sin, auto cos) HWY_ATTR {
    const auto factor = hn::Set(d, multiplier);
    store_as(d, hn::Mul(factor, sin), sine + i);
    store_as(d, hn::Mul(factor, cos), cosine + i);
  });
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
