// Converts between 16-bit floats and vectors of float32: load_f16, store_f16, load_bf16 and store_bf16, all with the
// tag of the float32 vector. Widening is exact; narrowing rounds to nearest, ties to even; NaN stays a NaN of the same
// sign. To be included by kernels, once per instruction set.
#if defined(POSENC_KERNELS_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_HALF_INL_H_
#undef POSENC_KERNELS_HALF_INL_H_
#else
#define POSENC_KERNELS_HALF_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

// 1 if the instruction set has a conversion that rounds correctly. Elsewhere Highway's conversion truncates, so integer
// arithmetic is used instead.
#undef POSENC_F16_BY_HARDWARE
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define POSENC_F16_BY_HARDWARE 1
#else
#define POSENC_F16_BY_HARDWARE 0
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Load 16-bit numbers into 32-bit lanes, and store them back.
template <class D>
HWY_INLINE auto load_16(D, const std::uint16_t* from) {
  return hn::PromoteTo(hn::RebindToUnsigned<D>(), hn::LoadU(hn::Rebind<std::uint16_t, D>(), from));
}
template <class D, class V>
HWY_INLINE void store_16(D, V bits, std::uint16_t* to) {
  const hn::Rebind<std::uint16_t, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<D>(), bits)), narrow, to);
}

template <class D>
HWY_INLINE auto load_bf16(D d, const std::uint16_t* from) {
  return hn::BitCast(d, hn::ShiftLeft<16>(load_16(d, from)));
}

template <class D, class V>
HWY_INLINE void store_bf16(D d, V values, std::uint16_t* to) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, values);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu)));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x00400000u));  // keeps a NaN when its lower bits are dropped
  const auto chosen = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(values)), quiet, rounded);
  store_16(d, hn::ShiftRight<16>(chosen), to);
}

#if HWY_TARGET != HWY_SCALAR

// Convert between a vector of bf16 and two vectors of floats, one with the even and one with the odd elements. These
// are the halves of 32-bit lanes, so no lane has to move. Only results of products and sums may be stored: their NaNs
// are quiet, so rounding cannot change them to infinity.
template <class D, class V>
HWY_INLINE void load_bf16_pairs(D d, const std::uint16_t* from, V& even, V& odd) {
  const hn::RebindToUnsigned<D> du;
  const auto both = hn::BitCast(du, hn::LoadU(hn::Repartition<std::uint16_t, D>(), from));
  even = hn::BitCast(d, hn::ShiftLeft<16>(both));
  odd = hn::BitCast(d, hn::And(both, hn::Set(du, 0xffff0000u)));
}

template <class D, class V>
HWY_INLINE auto rounded_bf16(D, V value) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  return hn::Add(hn::Add(bits, hn::Set(du, 0x7fffu)), odd);
}

template <class D, class V>
HWY_INLINE void store_bf16_pairs(D d, V even, V odd, std::uint16_t* to) {
  const hn::Repartition<std::uint16_t, D> d16;
  const auto low = hn::BitCast(d16, hn::ShiftRight<16>(rounded_bf16(d, even)));
  hn::StoreU(hn::OddEven(hn::BitCast(d16, rounded_bf16(d, odd)), low), d16, to);
}

#endif

#if POSENC_F16_BY_HARDWARE

template <class D>
HWY_INLINE auto load_f16(D d, const std::uint16_t* from) {
  const hn::Rebind<std::uint16_t, D> d16;
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), hn::LoadU(d16, from)));
}

template <class D, class V>
HWY_INLINE void store_f16(D, V values, std::uint16_t* to) {
  const hn::Rebind<std::uint16_t, D> d16;
  hn::StoreU(hn::BitCast(d16, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), values)), d16, to);
}

#else

template <class D>
HWY_INLINE auto load_f16(D d, const std::uint16_t* from) {
  const hn::RebindToUnsigned<D> du;
  const auto half = load_16(d, from);
  const auto size = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7fffu)));
  // The exponent bias is 127 in a float and 15 in a half: multiply by 2^(127 - 15), which also converts subnormals.
  const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, size), hn::Set(d, 0x1p112f)));
  const auto special = hn::Gt(size, hn::Set(du, 0x0f7fffffu));  // infinity and NaN
  const auto value = hn::IfThenElse(special, hn::Or(size, hn::Set(du, 0x7f800000u)), scaled);
  return hn::BitCast(d, hn::Or(value, hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)))));
}

template <class D, class V>
HWY_INLINE void store_f16(D d, V values, std::uint16_t* to) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, values);
  const auto size = hn::And(bits, hn::Set(du, 0x7fffffffu));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
  const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 1u));
  // 0x38000000 is 112 in the exponent, the difference of the biases. Adding 0xfff and the odd bit rounds to nearest,
  // ties to even.
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(size, hn::Set(du, 0x38000000u)), hn::Add(odd, hn::Set(du, 0xfffu))));
  // From 0.5 on, the last bit of a float has the value of the smallest subnormal half. So adding 0.5 rounds to a
  // multiple of it, and subtracting the bits of 0.5 leaves the bits of the half.
  const auto sum = hn::Add(hn::BitCast(d, size), hn::Set(d, 0.5f));
  const auto subnormal = hn::Sub(hn::BitCast(du, sum), hn::Set(du, 0x3f000000u));
  auto half = hn::IfThenElse(hn::Lt(size, hn::Set(du, 0x38800000u)), subnormal, normal);
  half = hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x477fefffu)), hn::Set(du, 0x7c00u), half);  // from 65520 on
  half = hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x7f800000u)), hn::Set(du, 0x7e00u), half);
  store_16(d, hn::Or(half, sign), to);
}

#endif

// The same functions as members of a type, for kernels that are templates over the format.
struct AsF16 {
  template <class D>
  static HWY_INLINE auto load(D d, const std::uint16_t* from) {
    return load_f16(d, from);
  }
  template <class D, class V>
  static HWY_INLINE void store(D d, V values, std::uint16_t* to) {
    store_f16(d, values, to);
  }
};

struct AsBf16 {
  template <class D>
  static HWY_INLINE auto load(D d, const std::uint16_t* from) {
    return load_bf16(d, from);
  }
  template <class D, class V>
  static HWY_INLINE void store(D d, V values, std::uint16_t* to) {
    store_bf16(d, values, to);
  }
};

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
