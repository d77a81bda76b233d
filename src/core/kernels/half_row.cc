#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/half_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/half-inl.h"
#include "core/kernels/half_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Half, class D>
HWY_INLINE std::int64_t widen_from(D d, const std::uint16_t* from, std::int64_t count, float* to, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) hn::StoreU(Half::load(d, from + i), d, to + i);
  return i;
}

template <class Half, class D>
HWY_INLINE std::int64_t narrow_from(D d, const float* from, std::int64_t count, std::uint16_t* to, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) Half::store(d, hn::LoadU(d, from + i), to + i);
  return i;
}

// The last elements use the same functions with one lane.
template <class Half>
HWY_INLINE void widen_all(const std::uint16_t* from, std::int64_t count, float* to) {
  const std::int64_t done = widen_from<Half>(hn::ScalableTag<float>(), from, count, to, 0);
  widen_from<Half>(hn::CappedTag<float, 1>(), from, count, to, done);
}
template <class Half>
HWY_INLINE void narrow_all(const float* from, std::int64_t count, std::uint16_t* to) {
  const std::int64_t done = narrow_from<Half>(hn::ScalableTag<float>(), from, count, to, 0);
  narrow_from<Half>(hn::CappedTag<float, 1>(), from, count, to, done);
}

void widen_f16(const std::uint16_t* from, std::int64_t count, float* to) { widen_all<AsF16>(from, count, to); }
void widen_bf16(const std::uint16_t* from, std::int64_t count, float* to) { widen_all<AsBf16>(from, count, to); }
void narrow_f16(const float* from, std::int64_t count, std::uint16_t* to) { narrow_all<AsF16>(from, count, to); }
void narrow_bf16(const float* from, std::int64_t count, std::uint16_t* to) { narrow_all<AsBf16>(from, count, to); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(widen_f16);
HWY_EXPORT(widen_bf16);
HWY_EXPORT(narrow_f16);
HWY_EXPORT(narrow_bf16);

static_assert(sizeof(f16) == sizeof(std::uint16_t) && sizeof(bf16) == sizeof(std::uint16_t));

void widen_row(const f16* from, std::int64_t count, float* to) noexcept {
  HWY_DYNAMIC_DISPATCH(widen_f16)(reinterpret_cast<const std::uint16_t*>(from), count, to);
}
void widen_row(const bf16* from, std::int64_t count, float* to) noexcept {
  HWY_DYNAMIC_DISPATCH(widen_bf16)(reinterpret_cast<const std::uint16_t*>(from), count, to);
}
void narrow_row(const float* from, std::int64_t count, f16* to) noexcept {
  HWY_DYNAMIC_DISPATCH(narrow_f16)(from, count, reinterpret_cast<std::uint16_t*>(to));
}
void narrow_row(const float* from, std::int64_t count, bf16* to) noexcept {
  HWY_DYNAMIC_DISPATCH(narrow_bf16)(from, count, reinterpret_cast<std::uint16_t*>(to));
}

}  // namespace posenc::kernels
#endif
