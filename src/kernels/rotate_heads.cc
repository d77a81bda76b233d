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

// The heads of one token.
template <class T, class Real>
struct Token {
  const T* in;
  T* out;
  std::int64_t in_stride;  // elements from head to head
  std::int64_t out_stride;
  std::int64_t heads;
  const Real* cos;
  const Real* sin;
  std::int64_t pairs;
  std::int64_t parts;
  bool negative;
};

// How a pair turns: (a, b) to (a c - b s, b c + a s). One product of each sum is fused where the machine can.
struct Fused {
  template <class V>
  HWY_INLINE V first(V a, V b, V c, V s) const {
    return hn::MulSub(a, c, hn::Mul(b, s));
  }
  template <class V>
  HWY_INLINE V second(V a, V b, V c, V s) const {
    return hn::MulAdd(b, c, hn::Mul(a, s));
  }
  // Both at once where they are neighbours: x is a, b, .., crossed b, a, .., and s is -s, s, ...
  template <class V>
  HWY_INLINE V neighbours(V x, V crossed, V c, V s) const {
    return hn::MulAdd(x, c, hn::Mul(crossed, s));
  }
};

// Every product and sum rounded.
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
    return hn::Add(hn::Mul(x, c), hn::Mul(crossed, s));
  }
};

template <class Turn>
struct Scaled {
  Turn turn;
  double scale;  // of the arithmetic's type

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

// Where the two channels of pair 0 of a head lie.
template <class T>
struct Halves {
  const T* in_first;
  const T* in_second;
  T* out_first;
  T* out_second;

  HWY_INLINE Halves next_head(std::int64_t in_stride, std::int64_t out_stride) const {
    return {in_first + in_stride, in_second + in_stride, out_first + out_stride, out_second + out_stride};
  }
};

// Two vectors of pairs: on most machines a line of the cache, so that a line is read whole before it is written.
template <class D>
struct TwoRows {
  hn::Vec<D> cos0, cos1, sin0, sin1;
};

template <class D, class T, class Turn>
HWY_INLINE void turn_two(D d, const Halves<T>& h, const TwoRows<D>& row, Turn turn, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto a0 = load(d, h.in_first + i);
  const auto a1 = load(d, h.in_first + i + lanes);
  const auto b0 = load(d, h.in_second + i);
  const auto b1 = load(d, h.in_second + i + lanes);
  store(d, turn.first(a0, b0, row.cos0, row.sin0), h.out_first + i);
  store(d, turn.first(a1, b1, row.cos1, row.sin1), h.out_first + i + lanes);
  store(d, turn.second(a0, b0, row.cos0, row.sin0), h.out_second + i);
  store(d, turn.second(a1, b1, row.cos1, row.sin1), h.out_second + i + lanes);
}

template <class D, class T, class Real, class Turn>
HWY_INLINE std::int64_t turn_halves_from(D d, const Halves<T>& h, const Real* cos, const Real* sin, std::int64_t pairs,
                                         Turn turn, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= pairs; i += lanes) {
    const auto a = load(d, h.in_first + i);
    const auto b = load(d, h.in_second + i);
    const auto c = hn::LoadU(d, cos + i);
    const auto s = hn::LoadU(d, sin + i);
    store(d, turn.first(a, b, c, s), h.out_first + i);
    store(d, turn.second(a, b, c, s), h.out_second + i);
  }
  return i;
}

// kHeads heads at a time share what is loaded of the row. The last pairs go through bodies of one vector, then of one
// lane.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void turn_group(const Token<T, Real>& x, const Halves<T>& head, const Real* cos, const Real* sin,
                           Turn turn) {
  using D = hn::ScalableTag<Real>;
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Halves<T> other = head.next_head(x.in_stride, x.out_stride);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= x.pairs; i += 2 * lanes) {
    const TwoRows<D> row{hn::LoadU(d, cos + i), hn::LoadU(d, cos + i + lanes), hn::LoadU(d, sin + i),
                                   hn::LoadU(d, sin + i + lanes)};
    turn_two(d, head, row, turn, i);
    if constexpr (kHeads == 2) turn_two(d, other, row, turn, i);
  }
  if (i == x.pairs) return;
  const std::int64_t done = turn_halves_from(d, head, cos, sin, x.pairs, turn, i);
  turn_halves_from(hn::CappedTag<Real, 1>(), head, cos, sin, x.pairs, turn, done);
  if constexpr (kHeads == 2) {
    turn_halves_from(d, other, cos, sin, x.pairs, turn, i);
    turn_halves_from(hn::CappedTag<Real, 1>(), other, cos, sin, x.pairs, turn, done);
  }
}

// The negative angle is the positive one with the two channels of a pair exchanged.
template <class T, class Real, class Turn>
HWY_INLINE void rotate_part(const Token<T, Real>& x, std::int64_t part, Turn turn) {
  const T* in = x.in + part * 2 * x.pairs;
  T* out = x.out + part * 2 * x.pairs;
  const Real* cos = x.cos + part * x.pairs;
  const Real* sin = x.sin + part * x.pairs;
  const std::int64_t first = x.negative ? x.pairs : 0;
  const std::int64_t second = x.negative ? 0 : x.pairs;
  Halves<T> head{in + first, in + second, out + first, out + second};
  std::int64_t h = 0;
  for (; h + 2 <= x.heads; h += 2) {
    turn_group<2>(x, head, cos, sin, turn);
    head = head.next_head(2 * x.in_stride, 2 * x.out_stride);
  }
  if (h < x.heads) turn_group<1>(x, head, cos, sin, turn);
}

template <class T, class Real, class Turn>
HWY_INLINE void rotate_half(Token<T, Real> x, Turn turn) {
  if (x.in == x.out && x.in_stride == x.out_stride) {
    // In place there are half as many addresses to keep, once the compiler knows.
    x.in = x.out;
    x.in_stride = x.out_stride;
    for (std::int64_t part = 0; part < x.parts; ++part) rotate_part(x, part, turn);
  } else {
    for (std::int64_t part = 0; part < x.parts; ++part) rotate_part(x, part, turn);
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
template <class D, class T, class Real, class Turn>
HWY_INLINE std::int64_t turn_neighbours_from([[maybe_unused]] D d, [[maybe_unused]] const T* in,
                                             [[maybe_unused]] T* out, [[maybe_unused]] const Doubled<Real>& row,
                                             [[maybe_unused]] std::int64_t pairs, [[maybe_unused]] Turn turn) {
  std::int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; c + lanes <= 2 * pairs; c += lanes) {
    const auto x = load(d, in + c);
    store(d, turn.neighbours(x, hn::Reverse2(d, x), hn::LoadU(d, row.cos + c), hn::LoadU(d, row.sin + c)), out + c);
  }
#endif
  return c;
}

template <class T, class Real, class Turn>
HWY_INLINE void turn_neighbours(const T* in, T* out, const Doubled<Real>& row, std::int64_t pairs, Turn turn) {
  const hn::CappedTag<Real, 1> one;
  for (std::int64_t c = turn_neighbours_from(hn::ScalableTag<Real>(), in, out, row, pairs, turn); c < 2 * pairs;
       c += 2) {
    const auto a = load(one, in + c);
    const auto b = load(one, in + c + 1);
    const auto cosine = hn::Set(one, row.cos[c]);
    store(one, turn.neighbours(a, b, cosine, hn::Set(one, row.sin[c])), out + c);
    store(one, turn.neighbours(b, a, cosine, hn::Set(one, row.sin[c + 1])), out + c + 1);
  }
}

template <class T, class Real, class Turn>
HWY_INLINE void rotate_interleaved(const Token<T, Real>& x, Turn turn) {
  Doubled<Real> row;
  const Real sign = x.negative ? Real(-1) : Real(1);
  for (std::int64_t first = 0; first < x.pairs; first += kBlock) {
    const std::int64_t pairs = HWY_MIN(kBlock, x.pairs - first);
    const std::int64_t done = double_from(hn::ScalableTag<Real>(), x.cos + first, x.sin + first, pairs, sign, row, 0);
    double_from(hn::CappedTag<Real, 1>(), x.cos + first, x.sin + first, pairs, sign, row, done);
    const T* in = x.in + 2 * first;
    T* out = x.out + 2 * first;
    for (std::int64_t head = 0; head < x.heads; ++head, in += x.in_stride, out += x.out_stride) {
      turn_neighbours(in, out, row, pairs, turn);
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

template <class D, class T, class Real, class Turn>
HWY_INLINE std::int64_t split_from(D d, const Real* head, const Token<T, Real>& x, T* out, Turn turn,
                                   std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, x.negative ? Real(-1) : Real(1));
  for (; i + lanes <= x.pairs; i += lanes) {
    hn::Vec<D> a, b;
    hn::LoadInterleaved2(d, head + 2 * i, a, b);
    const auto c = hn::LoadU(d, x.cos + i);
    const auto s = hn::Mul(hn::LoadU(d, x.sin + i), sign);
    store(d, turn.first(a, b, c, s), out + i);
    store(d, turn.second(a, b, c, s), out + x.pairs + i);
  }
  return i;
}

template <class D, class T, class Real, class Turn>
HWY_INLINE std::int64_t merge_from(D d, const Real* head, const Token<T, Real>& x, T* out, Turn turn,
                                   std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, x.negative ? Real(-1) : Real(1));
  HWY_ALIGN Real both[2 * kMostLanes];
  for (; i + lanes <= x.pairs; i += lanes) {
    const auto a = hn::LoadU(d, head + i);
    const auto b = hn::LoadU(d, head + x.pairs + i);
    const auto c = hn::LoadU(d, x.cos + i);
    const auto s = hn::Mul(hn::LoadU(d, x.sin + i), sign);
    hn::StoreInterleaved2(turn.first(a, b, c, s), turn.second(a, b, c, s), d, both);
    narrow_from(d, both, 2 * lanes, out + 2 * i, 0);
  }
  return i;
}

// Layouts that move channels: a head is read whole before it is written, so that it may be written where it was.
template <class T, class Real, class Turn>
HWY_INLINE void rotate_moving(const Token<T, Real>& x, bool to_half, Turn turn) {
  HWY_ALIGN Real whole[kMaxChannels];
  const hn::ScalableTag<Real> d;
  const hn::CappedTag<Real, 1> one;
  for (std::int64_t head = 0; head < x.heads; ++head) {
    const T* in = x.in + head * x.in_stride;
    T* out = x.out + head * x.out_stride;
    widen_from(one, in, 2 * x.pairs, whole, widen_from(d, in, 2 * x.pairs, whole, 0));
    if (to_half) {
      split_from(one, whole, x, out, turn, split_from(d, whole, x, out, turn, 0));
    } else {
      merge_from(one, whole, x, out, turn, merge_from(d, whole, x, out, turn, 0));
    }
  }
}

template <class T, class Real, class Turn>
HWY_INLINE void rotate_by_pairing(const Heads<T, Real>& heads, Turn turn) {
  // A copy: stores of vectors may alias anything, and what lies behind a reference would be read again after each.
  const Heads<T, Real> x = heads;
  for (std::int64_t t = 0; t < x.tokens; ++t) {
    const Real* row = x.rows[t];
    const Token<T, Real> token{x.in + t * x.in_token, x.out + t * x.out_token, x.in_head, x.out_head,
                               x.heads,               row,                     row + x.pairs * x.parts,
                               x.pairs,               x.parts,                 x.negative};
    if (x.pairing == Pairing::half) {
      rotate_half(token, turn);
    } else if (x.pairing == Pairing::interleaved) {
      rotate_interleaved(token, turn);
    } else {
      rotate_moving(token, x.pairing == Pairing::to_half, turn);
    }
  }
}

template <class T, class Real>
HWY_INLINE void rotate_any(const Heads<T, Real>& x) {
  const auto scale = static_cast<double>(x.scale);
  if (x.stepwise) return rotate_by_pairing(x, Scaled<Stepwise>{Stepwise(), scale});  // times 1 changes nothing
  if (x.scale == Real(1)) return rotate_by_pairing(x, Fused());
  rotate_by_pairing(x, Scaled<Fused>{Fused(), scale});
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
