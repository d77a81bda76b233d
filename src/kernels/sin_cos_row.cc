#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sin_cos_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include "kernels/sin_cos-inl.h"
#include "kernels/sin_cos_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE void store(D d, V values, double* to) {
  hn::StoreU(values, d, to);
}
template <class D, class V>
HWY_INLINE void store(D, V values, float* to) {
  const hn::Rebind<float, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, values), narrow, to);
}

template <class D, class T>
HWY_INLINE std::int64_t sin_cos_from(D d, const std::uint64_t* phases, std::int64_t count, double multiplier, T* sine,
                                     T* cosine, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const hn::RebindToUnsigned<D> du;
  const auto factor = hn::Set(d, multiplier);
  for (; i + lanes <= count; i += lanes) {
    const auto value = sin_cos_of(d, hn::LoadU(du, phases + i));
    store(d, hn::Mul(factor, value.sin), sine + i);
    store(d, hn::Mul(factor, value.cos), cosine + i);
  }
  return i;
}

// The last phases go through the same body, one lane wide.
template <class T>
HWY_INLINE void sin_cos_all(const std::uint64_t* phases, std::int64_t count, double multiplier, T* sine, T* cosine) {
  const std::int64_t done = sin_cos_from(hn::ScalableTag<double>(), phases, count, multiplier, sine, cosine, 0);
  sin_cos_from(hn::CappedTag<double, 1>(), phases, count, multiplier, sine, cosine, done);
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
