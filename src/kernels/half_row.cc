#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/half_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include "kernels/half_row.h"

// By integer arithmetic, not by the conversions of the instruction sets: those that lack them differ in rounding.
HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Bits = hn::RebindToUnsigned<D>;

// The 32-bit lanes of 16-bit numbers, and back.
template <class D>
HWY_INLINE auto load_16(D, const std::uint16_t* from) {
  return hn::PromoteTo(Bits<D>(), hn::LoadU(hn::Rebind<std::uint16_t, D>(), from));
}
template <class D, class V>
HWY_INLINE void store_16(D, V bits, std::uint16_t* to) {
  const hn::Rebind<std::uint16_t, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<D>(), bits)), narrow, to);
}

struct WidenBf16 {
  template <class D>
  HWY_INLINE auto operator()(D d, const std::uint16_t* from) const {
    return hn::BitCast(d, hn::ShiftLeft<16>(load_16(d, from)));
  }
};

struct WidenF16 {
  template <class D>
  HWY_INLINE auto operator()(D d, const std::uint16_t* from) const {
    const Bits<D> du;
    const auto half = load_16(d, from);
    const auto size = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7fffu)));
    // A float's exponent counts from 127, a half's from 15; the product also brings subnormals where they belong.
    const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, size), hn::Set(d, 0x1p112f)));
    const auto special = hn::Gt(size, hn::Set(du, 0x0f7fffffu));  // infinity and NaN
    const auto value = hn::IfThenElse(special, hn::Or(size, hn::Set(du, 0x7f800000u)), scaled);
    return hn::BitCast(d, hn::Or(value, hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)))));
  }
};

struct NarrowBf16 {
  template <class D>
  HWY_INLINE auto operator()(D d, const float* from) const {
    const Bits<D> du;
    const auto bits = hn::BitCast(du, hn::LoadU(d, from));
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu))));
    const auto nan = hn::Gt(hn::And(bits, hn::Set(du, 0x7fffffffu)), hn::Set(du, 0x7f800000u));
    const auto quiet = hn::Or(hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u)), hn::Set(du, 0x7fc0u));
    return hn::IfThenElse(nan, quiet, rounded);
  }
};

struct NarrowF16 {
  template <class D>
  HWY_INLINE auto operator()(D d, const float* from) const {
    const Bits<D> du;
    const auto bits = hn::BitCast(du, hn::LoadU(d, from));
    const auto size = hn::And(bits, hn::Set(du, 0x7fffffffu));
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
    const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 1u));
    // 0x38000000 is 112 in the exponent; 0xfff and the odd bit round to nearest, ties to even.
    const auto normal =
        hn::ShiftRight<13>(hn::Add(hn::Sub(size, hn::Set(du, 0x38000000u)), hn::Add(odd, hn::Set(du, 0xfffu))));
    // Next to 0.5 a float's last place is a half's smallest subnormal: the sum rounds, the difference is its bits.
    const auto sum = hn::Add(hn::BitCast(d, size), hn::Set(d, 0.5f));
    const auto subnormal = hn::Sub(hn::BitCast(du, sum), hn::Set(du, 0x3f000000u));
    auto half = hn::IfThenElse(hn::Lt(size, hn::Set(du, 0x38800000u)), subnormal, normal);
    half = hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x477fefffu)), hn::Set(du, 0x7c00u), half);  // from 65520 on
    half = hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x7f800000u)), hn::Set(du, 0x7e00u), half);
    return hn::Or(half, sign);
  }
};

template <class Widen, class D>
HWY_INLINE std::int64_t widen_from(D d, const std::uint16_t* from, std::int64_t count, float* to, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) hn::StoreU(Widen()(d, from + i), d, to + i);
  return i;
}

template <class Narrow, class D>
HWY_INLINE std::int64_t narrow_from(D d, const float* from, std::int64_t count, std::uint16_t* to, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) store_16(d, Narrow()(d, from + i), to + i);
  return i;
}

// The last elements go through the same bodies, one lane wide.
template <class Widen>
void widen_all(const std::uint16_t* from, std::int64_t count, float* to) {
  const std::int64_t done = widen_from<Widen>(hn::ScalableTag<float>(), from, count, to, 0);
  widen_from<Widen>(hn::CappedTag<float, 1>(), from, count, to, done);
}
template <class Narrow>
void narrow_all(const float* from, std::int64_t count, std::uint16_t* to) {
  const std::int64_t done = narrow_from<Narrow>(hn::ScalableTag<float>(), from, count, to, 0);
  narrow_from<Narrow>(hn::CappedTag<float, 1>(), from, count, to, done);
}

void widen_f16(const std::uint16_t* from, std::int64_t count, float* to) { widen_all<WidenF16>(from, count, to); }
void widen_bf16(const std::uint16_t* from, std::int64_t count, float* to) { widen_all<WidenBf16>(from, count, to); }
void narrow_f16(const float* from, std::int64_t count, std::uint16_t* to) { narrow_all<NarrowF16>(from, count, to); }
void narrow_bf16(const float* from, std::int64_t count, std::uint16_t* to) { narrow_all<NarrowBf16>(from, count, to); }

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
