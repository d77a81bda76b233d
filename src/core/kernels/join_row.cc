#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/join_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/half-inl.h"
#include "core/kernels/join_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class T>
HWY_INLINE std::int64_t add_from(D d, const T* x, const T* row, T scale, std::int64_t count, T* out, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, x + i), factor), hn::LoadU(d, row + i)), d, out + i);
  }
  return i;
}

template <class Half, class D>
HWY_INLINE std::int64_t add_half_from(D d, const std::uint16_t* x, const float* row, float scale, std::int64_t count,
                                      std::uint16_t* out, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  for (; i + lanes <= count; i += lanes) {
    Half::store(d, hn::Add(hn::Mul(Half::load(d, x + i), factor), hn::LoadU(d, row + i)), out + i);
  }
  return i;
}

template <class D, class T>
HWY_INLINE std::int64_t scale_from(D d, const T* x, T scale, std::int64_t count, T* out, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, x + i), factor), d, out + i);
  return i;
}

// Loads random numbers into lanes as wide as D's floats.
template <class D>
HWY_INLINE auto load_random(D, const std::uint32_t* random) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::LoadU(hn::RebindToUnsigned<D>(), random);
  } else {
    return hn::PromoteTo(hn::RebindToUnsigned<D>(), hn::LoadU(hn::Rebind<std::uint32_t, D>(), random));
  }
}

template <class D, class T>
HWY_INLINE std::int64_t drop_from(D d, const std::uint32_t* random, std::uint32_t threshold, T factor,
                                  std::int64_t count, T* x, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const hn::RebindToUnsigned<D> du;
  const auto keep = hn::Set(d, factor);
  const auto limit = hn::Set(du, static_cast<hn::TFromD<decltype(du)>>(threshold));
  for (; i + lanes <= count; i += lanes) {
    const auto dropped = hn::RebindMask(d, hn::Lt(load_random(d, random + i), limit));
    hn::StoreU(hn::IfThenZeroElse(dropped, hn::Mul(hn::LoadU(d, x + i), keep)), d, x + i);
  }
  return i;
}

// The last elements use the same functions with one lane.
template <class T>
void add_all(const T* x, const T* row, T scale, std::int64_t count, T* out) {
  const std::int64_t done = add_from(hn::ScalableTag<T>(), x, row, scale, count, out, 0);
  add_from(hn::CappedTag<T, 1>(), x, row, scale, count, out, done);
}
template <class Half>
void add_half_all(const std::uint16_t* x, const float* row, float scale, std::int64_t count, std::uint16_t* out) {
  const std::int64_t done = add_half_from<Half>(hn::ScalableTag<float>(), x, row, scale, count, out, 0);
  add_half_from<Half>(hn::CappedTag<float, 1>(), x, row, scale, count, out, done);
}
template <class T>
void scale_all(const T* x, T scale, std::int64_t count, T* out) {
  const std::int64_t done = scale_from(hn::ScalableTag<T>(), x, scale, count, out, 0);
  scale_from(hn::CappedTag<T, 1>(), x, scale, count, out, done);
}
template <class T>
void drop_all(const std::uint32_t* random, std::uint32_t threshold, T factor, std::int64_t count, T* x) {
  const std::int64_t done = drop_from(hn::ScalableTag<T>(), random, threshold, factor, count, x, 0);
  drop_from(hn::CappedTag<T, 1>(), random, threshold, factor, count, x, done);
}

void add_f32(const float* x, const float* row, float scale, std::int64_t count, float* out) {
  add_all(x, row, scale, count, out);
}
void add_f64(const double* x, const double* row, double scale, std::int64_t count, double* out) {
  add_all(x, row, scale, count, out);
}
void add_f16(const std::uint16_t* x, const float* row, float scale, std::int64_t count, std::uint16_t* out) {
  add_half_all<AsF16>(x, row, scale, count, out);
}
void add_bf16(const std::uint16_t* x, const float* row, float scale, std::int64_t count, std::uint16_t* out) {
  add_half_all<AsBf16>(x, row, scale, count, out);
}
void scale_f32(const float* x, float scale, std::int64_t count, float* out) { scale_all(x, scale, count, out); }
void scale_f64(const double* x, double scale, std::int64_t count, double* out) { scale_all(x, scale, count, out); }
void drop_f32(const std::uint32_t* random, std::uint32_t threshold, float factor, std::int64_t count, float* x) {
  drop_all(random, threshold, factor, count, x);
}
void drop_f64(const std::uint32_t* random, std::uint32_t threshold, double factor, std::int64_t count, double* x) {
  drop_all(random, threshold, factor, count, x);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(add_f32);
HWY_EXPORT(add_f64);
HWY_EXPORT(add_f16);
HWY_EXPORT(add_bf16);
HWY_EXPORT(scale_f32);
HWY_EXPORT(scale_f64);
HWY_EXPORT(drop_f32);
HWY_EXPORT(drop_f64);

void add_row(const float* x, const float* row, float scale, std::int64_t count, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(add_f32)(x, row, scale, count, out);
}
void add_row(const double* x, const double* row, double scale, std::int64_t count, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(add_f64)(x, row, scale, count, out);
}
static_assert(sizeof(f16) == sizeof(std::uint16_t) && sizeof(bf16) == sizeof(std::uint16_t));

void add_row(const f16* x, const float* row, float scale, std::int64_t count, f16* out) noexcept {
  HWY_DYNAMIC_DISPATCH(add_f16)
  (reinterpret_cast<const std::uint16_t*>(x), row, scale, count, reinterpret_cast<std::uint16_t*>(out));
}
void add_row(const bf16* x, const float* row, float scale, std::int64_t count, bf16* out) noexcept {
  HWY_DYNAMIC_DISPATCH(add_bf16)
  (reinterpret_cast<const std::uint16_t*>(x), row, scale, count, reinterpret_cast<std::uint16_t*>(out));
}
void scale_row(const float* x, float scale, std::int64_t count, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(scale_f32)(x, scale, count, out);
}
void scale_row(const double* x, double scale, std::int64_t count, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(scale_f64)(x, scale, count, out);
}
void drop_row(const std::uint32_t* random, std::uint32_t threshold, float factor, std::int64_t count,
              float* x) noexcept {
  HWY_DYNAMIC_DISPATCH(drop_f32)(random, threshold, factor, count, x);
}
void drop_row(const std::uint32_t* random, std::uint32_t threshold, double factor, std::int64_t count,
              double* x) noexcept {
  HWY_DYNAMIC_DISPATCH(drop_f64)(random, threshold, factor, count, x);
}

}  // namespace posenc::kernels
#endif
