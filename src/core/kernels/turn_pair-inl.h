// The operations of rotation on single vectors: conversion between any float type and the type of the arithmetic, and
// the rotation of a pair. To be included by kernels, once per instruction set.
#if defined(POSENC_KERNELS_TURN_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_TURN_PAIR_INL_H_
#undef POSENC_KERNELS_TURN_PAIR_INL_H_
#else
#define POSENC_KERNELS_TURN_PAIR_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "core/kernels/half-inl.h"
#include "hwy/highway.h"
#include "posenc/view.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class T>
HWY_INLINE auto load(D d, const T* from) {
  if constexpr (std::is_same_v<T, f16>) {
    return load_f16(d, reinterpret_cast<const std::uint16_t*>(from));
  } else if constexpr (std::is_same_v<T, bf16>) {
    return load_bf16(d, reinterpret_cast<const std::uint16_t*>(from));
  } else {
    return hn::LoadU(d, from);
  }
}

template <class D, class V, class T>
HWY_INLINE void store(D d, V values, T* to) {
  if constexpr (std::is_same_v<T, f16>) {
    store_f16(d, values, reinterpret_cast<std::uint16_t*>(to));
  } else if constexpr (std::is_same_v<T, bf16>) {
    store_bf16(d, values, reinterpret_cast<std::uint16_t*>(to));
  } else {
    hn::StoreU(values, d, to);
  }
}

// Whether a vector of T is converted to two vectors: one of its even elements and one of its odd elements.
template <class T>
constexpr bool kPlacesApart = std::is_same_v<T, bf16>&& HWY_TARGET != HWY_SCALAR;

// Load and store two consecutive vectors; if kPlacesApart<T>, the first has the even elements and the second the odd.
template <class D, class T, class V>
HWY_INLINE void load_two(D d, const T* from, V& first, V& second) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kPlacesApart<T>) return load_bf16_pairs(d, reinterpret_cast<const std::uint16_t*>(from), first, second);
#endif
  first = load(d, from);
  second = load(d, from + hn::Lanes(d));
}
template <class D, class T, class V>
HWY_INLINE void store_two(D d, V first, V second, T* to) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kPlacesApart<T>) return store_bf16_pairs(d, first, second, reinterpret_cast<std::uint16_t*>(to));
#endif
  store(d, first, to);
  store(d, second, to + hn::Lanes(d));
}

// alternate() is a * b - product in even lanes and a * b + product in odd lanes. If no instruction does this, it always
// adds, and the sines of even lanes are negated in advance: see signed_sines.
#undef POSENC_ALTERNATES
#if HWY_ARCH_X86 && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL)
#define POSENC_ALTERNATES 1
HWY_INLINE auto alternate(hn::Vec256<float> a, hn::Vec256<float> b, hn::Vec256<float> product) {
  return hn::Vec256<float>{_mm256_fmaddsub_ps(a.raw, b.raw, product.raw)};
}
HWY_INLINE auto alternate(hn::Vec256<double> a, hn::Vec256<double> b, hn::Vec256<double> product) {
  return hn::Vec256<double>{_mm256_fmaddsub_pd(a.raw, b.raw, product.raw)};
}
#if HWY_TARGET != HWY_AVX2
HWY_INLINE auto alternate(hn::Vec512<float> a, hn::Vec512<float> b, hn::Vec512<float> product) {
  return hn::Vec512<float>{_mm512_fmaddsub_ps(a.raw, b.raw, product.raw)};
}
HWY_INLINE auto alternate(hn::Vec512<double> a, hn::Vec512<double> b, hn::Vec512<double> product) {
  return hn::Vec512<double>{_mm512_fmaddsub_pd(a.raw, b.raw, product.raw)};
}
#endif
#else
#define POSENC_ALTERNATES 0
template <class V>
HWY_INLINE V alternate(V a, V b, V product) {
  return hn::MulAdd(a, b, product);
}
#endif

// The rotation of a pair, (a, b) to (a c - b s, b c + a s), with one product of each sum fused if possible.
struct Fused {
  template <class V>
  HWY_INLINE V first(V a, V b, V c, V s) const {
    return hn::MulSub(a, c, hn::Mul(b, s));
  }
  template <class V>
  HWY_INLINE V second(V a, V b, V c, V s) const {
    return hn::MulAdd(b, c, hn::Mul(a, s));
  }
  // Both channels at once, for adjacent channels: x is a, b, .., `crossed` is b, a, .., and s is from signed_sines.
  template <class V>
  HWY_INLINE V neighbours(V x, V crossed, V c, V s) const {
    return alternate(x, c, hn::Mul(crossed, s));
  }
};

// Rounds every product and sum.
struct Stepwise {
  template <class V>
  HWY_INLINE V first(V a, V b, V c, V s) const {
    return hn::Sub(hn::Mul(a, c), hn::Mul(b, s));
  }
  template <class V>
  HWY_INLINE V second(V a, V b, V c, V s) const {
    return hn::Add(hn::Mul(b, c), hn::Mul(a, s));
  }
  template <class V>
  HWY_INLINE V neighbours(V x, V crossed, V c, V s) const {
    const hn::DFromV<V> d;
    return alternate(hn::Mul(x, c), hn::Set(d, hn::TFromV<V>(1)), hn::Mul(crossed, s));
  }
};

template <class Turn>
struct Scaled {
  Turn turn;
  double scale;  // converted to the type of the arithmetic

  template <class V>
  HWY_INLINE V times(V value) const {
    const hn::DFromV<V> d;
    return hn::Mul(value, hn::Set(d, static_cast<hn::TFromV<V>>(scale)));
  }
  template <class V>
  HWY_INLINE V first(V a, V b, V c, V s) const {
    return times(turn.first(a, b, c, s));
  }
  template <class V>
  HWY_INLINE V second(V a, V b, V c, V s) const {
    return times(turn.second(a, b, c, s));
  }
  template <class V>
  HWY_INLINE V neighbours(V x, V crossed, V c, V s) const {
    return times(turn.neighbours(x, crossed, c, s));
  }
};

// Rotates a single pair.
template <class T, class Real, class Turn>
HWY_INLINE void turn_one(const T& a, const T& b, Real cos, Real sin, T& first, T& second, Turn turn) {
  const hn::CappedTag<Real, 1> one;
  const auto x = load(one, &a);
  const auto y = load(one, &b);
  const auto c = hn::Set(one, cos);
  const auto s = hn::Set(one, sin);
  store(one, turn.first(x, y, c, s), &first);
  store(one, turn.second(x, y, c, s), &second);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
