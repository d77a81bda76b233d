#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rotate_heads.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include <type_traits>

#include "kernels/half-inl.h"
#include "kernels/rotate_heads.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kMaxChannels = 8192;
constexpr std::int64_t kMostLanes = 64;  // floats of the widest vectors, 2048 bits
constexpr std::int64_t kBlock = 256;     // pairs whose cosines and sines are doubled at a time

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

// The result as it is, or times a number.
struct Plain {
  template <class V>
  HWY_INLINE V operator()(V value) const {
    return value;
  }
};
struct Scaled {
  double scale;  // of the arithmetic's type
  template <class V>
  HWY_INLINE V operator()(V value) const {
    const hn::DFromV<V> d;
    return hn::Mul(value, hn::Set(d, static_cast<hn::TFromV<V>>(scale)));
  }
};

// One row of cosines and sines, and where the two channels of pair i lie.
template <class T, class Real>
struct Halves {
  const T* in_first;
  const T* in_second;
  T* out_first;
  T* out_second;
  const Real* cos;
  const Real* sin;
};

template <class D, class T, class Real, class Finish>
HWY_INLINE std::int64_t turn_halves_from(D d, const Halves<T, Real>& h, std::int64_t pairs, Finish finish,
                                         std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= pairs; i += lanes) {
    const auto a = load(d, h.in_first + i);
    const auto b = load(d, h.in_second + i);
    const auto c = hn::LoadU(d, h.cos + i);
    const auto s = hn::LoadU(d, h.sin + i);
    store(d, finish(hn::Sub(hn::Mul(a, c), hn::Mul(b, s))), h.out_first + i);
    store(d, finish(hn::Add(hn::Mul(b, c), hn::Mul(a, s))), h.out_second + i);
  }
  return i;
}

// The last pairs go through the same body, one lane wide.
template <class T, class Real, class Finish>
HWY_INLINE void turn_halves(const Halves<T, Real>& h, std::int64_t pairs, Finish finish) {
  const std::int64_t done = turn_halves_from(hn::ScalableTag<Real>(), h, pairs, finish, 0);
  if (done < pairs) turn_halves_from(hn::CappedTag<Real, 1>(), h, pairs, finish, done);
}

// The negative angle is the positive one with the two channels of a pair exchanged.
template <class T, class Real, class Finish>
HWY_INLINE void rotate_half(const Heads<T, Real>& x, Finish finish) {
  const std::int64_t first = x.negative ? x.pairs : 0;
  const std::int64_t second = x.negative ? 0 : x.pairs;
  for (std::int64_t head = 0; head < x.heads; ++head) {
    const T* in = x.in + head * x.in_stride;
    T* out = x.out + head * x.out_stride;
    for (std::int64_t part = 0; part < x.parts; ++part) {
      const std::int64_t start = part * 2 * x.pairs;
      turn_halves(Halves<T, Real>{in + start + first, in + start + second, out + start + first, out + start + second,
                                  x.cos + part * x.pairs, x.sin + part * x.pairs},
                  x.pairs, finish);
    }
  }
}

// c0 c0 c1 c1 .. and -s0 s0 -s1 s1 ..: then a vector of neighbours needs no more than an exchange of its own.
template <class Real>
struct Doubled {
  HWY_ALIGN Real cos[2 * kBlock];
  HWY_ALIGN Real sin[2 * kBlock];
};

template <class D, class Real>
HWY_INLINE std::int64_t double_from(D d, const Real* cos, const Real* sin, std::int64_t pairs, Real sign,
                                    Doubled<Real>& out, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= pairs; i += lanes) {
    const auto c = hn::LoadU(d, cos + i);
    const auto s = hn::Mul(hn::LoadU(d, sin + i), hn::Set(d, sign));
    hn::StoreInterleaved2(c, c, d, out.cos + 2 * i);
    hn::StoreInterleaved2(hn::Neg(s), s, d, out.sin + 2 * i);
  }
  return i;
}

// Whole vectors of neighbours; where a vector holds one number only, there are none.
template <class D, class T, class Real, class Finish>
HWY_INLINE std::int64_t turn_neighbours_from([[maybe_unused]] D d, [[maybe_unused]] const T* in,
                                             [[maybe_unused]] T* out, [[maybe_unused]] const Doubled<Real>& row,
                                             [[maybe_unused]] std::int64_t pairs, [[maybe_unused]] Finish finish) {
  std::int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; c + lanes <= 2 * pairs; c += lanes) {
    const auto x = load(d, in + c);
    const auto kept = hn::Mul(x, hn::LoadU(d, row.cos + c));
    const auto crossed = hn::Mul(hn::Reverse2(d, x), hn::LoadU(d, row.sin + c));
    store(d, finish(hn::Add(kept, crossed)), out + c);
  }
#endif
  return c;
}

template <class T, class Real, class Finish>
HWY_INLINE void turn_neighbours(const T* in, T* out, const Doubled<Real>& row, std::int64_t pairs, Finish finish) {
  const hn::CappedTag<Real, 1> one;
  for (std::int64_t c = turn_neighbours_from(hn::ScalableTag<Real>(), in, out, row, pairs, finish); c < 2 * pairs;
       c += 2) {
    const auto a = load(one, in + c);
    const auto b = load(one, in + c + 1);
    const auto cosine = hn::Set(one, row.cos[c]);
    store(one, finish(hn::Add(hn::Mul(a, cosine), hn::Mul(b, hn::Set(one, row.sin[c])))), out + c);
    store(one, finish(hn::Add(hn::Mul(b, cosine), hn::Mul(a, hn::Set(one, row.sin[c + 1])))), out + c + 1);
  }
}

template <class T, class Real, class Finish>
HWY_INLINE void rotate_interleaved(const Heads<T, Real>& x, Finish finish) {
  Doubled<Real> row;
  const Real sign = x.negative ? Real(-1) : Real(1);
  for (std::int64_t first = 0; first < x.pairs; first += kBlock) {
    const std::int64_t pairs = HWY_MIN(kBlock, x.pairs - first);
    const std::int64_t done = double_from(hn::ScalableTag<Real>(), x.cos + first, x.sin + first, pairs, sign, row, 0);
    double_from(hn::CappedTag<Real, 1>(), x.cos + first, x.sin + first, pairs, sign, row, done);
    for (std::int64_t head = 0; head < x.heads; ++head) {
      turn_neighbours(x.in + head * x.in_stride + 2 * first, x.out + head * x.out_stride + 2 * first, row, pairs,
                      finish);
    }
  }
}

template <class D, class T, class Real>
HWY_INLINE std::int64_t widen_from(D d, const T* in, std::int64_t count, Real* out, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) hn::StoreU(load(d, in + i), d, out + i);
  return i;
}
template <class D, class T, class Real>
HWY_INLINE std::int64_t narrow_from(D d, const Real* in, std::int64_t count, T* out, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) store(d, hn::LoadU(d, in + i), out + i);
  return i;
}

// a and b are exchanged for the negative angle, on both sides.
template <class D, class T, class Real, class Finish>
HWY_INLINE std::int64_t split_from(D d, const Real* head, const Heads<T, Real>& x, T* out, Finish finish,
                                   std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, x.negative ? Real(-1) : Real(1));
  for (; i + lanes <= x.pairs; i += lanes) {
    hn::Vec<D> a, b;
    hn::LoadInterleaved2(d, head + 2 * i, a, b);
    const auto c = hn::LoadU(d, x.cos + i);
    const auto s = hn::Mul(hn::LoadU(d, x.sin + i), sign);
    store(d, finish(hn::Sub(hn::Mul(a, c), hn::Mul(b, s))), out + i);
    store(d, finish(hn::Add(hn::Mul(b, c), hn::Mul(a, s))), out + x.pairs + i);
  }
  return i;
}

template <class D, class T, class Real, class Finish>
HWY_INLINE std::int64_t merge_from(D d, const Real* head, const Heads<T, Real>& x, T* out, Finish finish,
                                   std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, x.negative ? Real(-1) : Real(1));
  HWY_ALIGN Real both[2 * kMostLanes];
  for (; i + lanes <= x.pairs; i += lanes) {
    const auto a = hn::LoadU(d, head + i);
    const auto b = hn::LoadU(d, head + x.pairs + i);
    const auto c = hn::LoadU(d, x.cos + i);
    const auto s = hn::Mul(hn::LoadU(d, x.sin + i), sign);
    hn::StoreInterleaved2(finish(hn::Sub(hn::Mul(a, c), hn::Mul(b, s))), finish(hn::Add(hn::Mul(b, c), hn::Mul(a, s))),
                          d, both);
    narrow_from(d, both, 2 * lanes, out + 2 * i, 0);
  }
  return i;
}

// Layouts that move channels: a head is read whole before it is written, so that it may be written where it was.
template <class T, class Real, class Finish>
HWY_INLINE void rotate_moving(const Heads<T, Real>& x, Finish finish) {
  HWY_ALIGN Real whole[kMaxChannels];
  const hn::ScalableTag<Real> d;
  const hn::CappedTag<Real, 1> one;
  for (std::int64_t head = 0; head < x.heads; ++head) {
    const T* in = x.in + head * x.in_stride;
    T* out = x.out + head * x.out_stride;
    widen_from(one, in, 2 * x.pairs, whole, widen_from(d, in, 2 * x.pairs, whole, 0));
    if (x.pairing == Pairing::to_half) {
      split_from(one, whole, x, out, finish, split_from(d, whole, x, out, finish, 0));
    } else {
      merge_from(one, whole, x, out, finish, merge_from(d, whole, x, out, finish, 0));
    }
  }
}

template <class T, class Real, class Finish>
HWY_INLINE void rotate_by_pairing(const Heads<T, Real>& x, Finish finish) {
  switch (x.pairing) {
    case Pairing::half:
      return rotate_half(x, finish);
    case Pairing::interleaved:
      return rotate_interleaved(x, finish);
    case Pairing::to_half:
    case Pairing::to_interleaved:
      return rotate_moving(x, finish);
  }
}

template <class T, class Real>
HWY_INLINE void rotate_any(const Heads<T, Real>& x) {
  if (x.scale == Real(1)) return rotate_by_pairing(x, Plain());
  rotate_by_pairing(x, Scaled{static_cast<double>(x.scale)});
}

void rotate_f32(const Heads<float, float>& x) { rotate_any(x); }
void rotate_f64(const Heads<double, double>& x) { rotate_any(x); }
void rotate_f16(const Heads<f16, float>& x) { rotate_any(x); }
void rotate_bf16(const Heads<bf16, float>& x) { rotate_any(x); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(rotate_f32);
HWY_EXPORT(rotate_f64);
HWY_EXPORT(rotate_f16);
HWY_EXPORT(rotate_bf16);

void rotate_heads(const Heads<float, float>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_f32)(heads); }
void rotate_heads(const Heads<double, double>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_f64)(heads); }
void rotate_heads(const Heads<f16, float>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_f16)(heads); }
void rotate_heads(const Heads<bf16, float>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_bf16)(heads); }

}  // namespace posenc::kernels
#endif
