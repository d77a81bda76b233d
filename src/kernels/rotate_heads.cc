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

// Whether a vector of T is two vectors of arithmetic, even and odd places apart.
template <class T>
constexpr bool kPlacesApart = std::is_same_v<T, bf16> && HWY_TARGET != HWY_SCALAR;

// Two vectors of neighbours, in an order of its own where places are apart.
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
  hn::Vec<D> a0, a1, b0, b1;
  load_two(d, h.in_first + i, a0, a1);
  load_two(d, h.in_second + i, b0, b1);
  store_two(d, turn.first(a0, b0, row.cos0, row.sin0), turn.first(a1, b1, row.cos1, row.sin1), h.out_first + i);
  store_two(d, turn.second(a0, b0, row.cos0, row.sin0), turn.second(a1, b1, row.cos1, row.sin1), h.out_second + i);
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

// A row of cosines and one of sines; `two` in the order of load_two, for what is taken two vectors at a time.
template <class Real>
struct HalfRow {
  const Real* cos;
  const Real* sin;
  const Real* two_cos;
  const Real* two_sin;
};

// kHeads heads at a time share what is loaded of the row. The last pairs go through bodies of one vector, then of one
// lane.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void turn_group(const Token<T, Real>& x, const Halves<T>& head, const HalfRow<Real>& r, Turn turn) {
  using D = hn::ScalableTag<Real>;
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Halves<T> other = head.next_head(x.in_stride, x.out_stride);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= x.pairs; i += 2 * lanes) {
    const TwoRows<D> row{hn::LoadU(d, r.two_cos + i), hn::LoadU(d, r.two_cos + i + lanes), hn::LoadU(d, r.two_sin + i),
                         hn::LoadU(d, r.two_sin + i + lanes)};
    turn_two(d, head, row, turn, i);
    if constexpr (kHeads == 2) turn_two(d, other, row, turn, i);
  }
  if (i == x.pairs) return;
  const std::int64_t done = turn_halves_from(d, head, r.cos, r.sin, x.pairs, turn, i);
  turn_halves_from(hn::CappedTag<Real, 1>(), head, r.cos, r.sin, x.pairs, turn, done);
  if constexpr (kHeads == 2) {
    turn_halves_from(d, other, r.cos, r.sin, x.pairs, turn, i);
    turn_halves_from(hn::CappedTag<Real, 1>(), other, r.cos, r.sin, x.pairs, turn, done);
  }
}

// Values of two vectors at a time in the order of load_two.
template <class Real>
HWY_INLINE void set_places_apart(const Real* values, std::int64_t count, Real* out) {
  using D = hn::ScalableTag<Real>;
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i + 2 * lanes <= count; i += 2 * lanes) {
    hn::Vec<D> even, odd;
    hn::LoadInterleaved2(d, values + i, even, odd);
    hn::StoreU(even, d, out + i);
    hn::StoreU(odd, d, out + i + lanes);
  }
}

// kHeads heads at a time, then one by one.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void turn_all_heads(const Token<T, Real>& x, Halves<T> head, const HalfRow<Real>& row, Turn turn) {
  std::int64_t h = x.heads;
  for (; h >= kHeads; h -= kHeads) {
    turn_group<kHeads>(x, head, row, turn);
    head = head.next_head(kHeads * x.in_stride, kHeads * x.out_stride);
  }
  if (h > 0) turn_group<1>(x, head, row, turn);
}

// The negative angle is the positive one with the two channels of a pair exchanged.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void rotate_half(const Token<T, Real>& x, Turn turn) {
  const std::int64_t first = x.negative ? x.pairs : 0;
  const std::int64_t second = x.negative ? 0 : x.pairs;
  HWY_ALIGN Real apart[kPlacesApart<T> ? kMaxChannels : 1];
  for (std::int64_t part = 0; part < x.parts; ++part) {
    const T* in = x.in + part * 2 * x.pairs;
    T* out = x.out + part * 2 * x.pairs;
    const Real* cos = x.cos + part * x.pairs;
    const Real* sin = x.sin + part * x.pairs;
    HalfRow<Real> row{cos, sin, cos, sin};
    if constexpr (kPlacesApart<T>) {
      set_places_apart(cos, x.pairs, apart);
      set_places_apart(sin, x.pairs, apart + x.pairs);
      row = {cos, sin, apart, apart + x.pairs};
    }
    turn_all_heads<kHeads>(x, Halves<T>{in + first, in + second, out + first, out + second}, row, turn);
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

template <class D, class T, class V, class Turn>
HWY_INLINE void turn_neighbours_at(D d, const T* in, T* out, V cos, V sin, Turn turn) {
  const auto x = load(d, in);
  store(d, turn.neighbours(x, hn::Reverse2(d, x), cos, sin), out);
}

// The pairs first .. pairs of a head, one by one; cosines and sines are doubled.
template <class T, class Real, class Turn>
HWY_INLINE void turn_last_neighbours(const T* in, T* out, const Doubled<Real>& row, std::int64_t first,
                                     std::int64_t pairs, Turn turn) {
  const hn::CappedTag<Real, 1> one;
  for (std::int64_t c = 2 * first; c < 2 * pairs; c += 2) {
    const auto a = load(one, in + c);
    const auto b = load(one, in + c + 1);
    const auto cosine = hn::Set(one, row.cos[c]);
    store(one, turn.neighbours(a, b, cosine, hn::Set(one, row.sin[c])), out + c);
    store(one, turn.neighbours(b, a, cosine, hn::Set(one, row.sin[c + 1])), out + c + 1);
  }
}

// Whole vectors of kHeads heads share what is loaded of the row. Returns the pairs done: none where a vector holds one
// number only.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE std::int64_t turn_neighbours(const Token<T, Real>& x, const T* in, T* out, const Doubled<Real>& row,
                                        std::int64_t pairs, Turn turn) {
  std::int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; c + 2 * lanes <= 2 * pairs; c += 2 * lanes) {
    const auto cos0 = hn::LoadU(d, row.cos + c);
    const auto sin0 = hn::LoadU(d, row.sin + c);
    const auto cos1 = hn::LoadU(d, row.cos + c + lanes);
    const auto sin1 = hn::LoadU(d, row.sin + c + lanes);
    for (int head = 0; head < kHeads; ++head) {
      const T* from = in + head * x.in_stride + c;
      T* to = out + head * x.out_stride + c;
      turn_neighbours_at(d, from, to, cos0, sin0, turn);
      turn_neighbours_at(d, from + lanes, to + lanes, cos1, sin1, turn);
    }
  }
#else
  (void)x, (void)in, (void)out, (void)row, (void)pairs, (void)turn;
#endif
  return c / 2;
}

#if HWY_TARGET != HWY_SCALAR
// Where places are apart, the two channels of a pair are: plain cosines and sines serve.
template <class T, class Real, class Turn>
HWY_INLINE std::int64_t turn_places(const T* in, T* out, const Real* cos, const Real* sin, Real sign,
                                    std::int64_t pairs, Turn turn) {
  using D = hn::ScalableTag<Real>;
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, sign);
  std::int64_t i = 0;
  for (; i + lanes <= pairs; i += lanes) {
    hn::Vec<D> a, b;
    load_two(d, in + 2 * i, a, b);
    const auto c = hn::LoadU(d, cos + i);
    const auto s = hn::Mul(hn::LoadU(d, sin + i), factor);
    store_two(d, turn.first(a, b, c, s), turn.second(a, b, c, s), out + 2 * i);
  }
  return i;
}
#endif

template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void rotate_interleaved(const Token<T, Real>& x, Turn turn) {
  Doubled<Real> row;
  const Real sign = x.negative ? Real(-1) : Real(1);
  for (std::int64_t first = 0; first < x.pairs; first += kBlock) {
    const std::int64_t pairs = HWY_MIN(kBlock, x.pairs - first);
    const std::int64_t done = double_from(hn::ScalableTag<Real>(), x.cos + first, x.sin + first, pairs, sign, row, 0);
    double_from(hn::CappedTag<Real, 1>(), x.cos + first, x.sin + first, pairs, sign, row, done);
    const T* in = x.in + 2 * first;
    T* out = x.out + 2 * first;
    for (std::int64_t head = 0; head < x.heads;) {
      std::int64_t turned = 0;
      const bool group = !kPlacesApart<T> && head + kHeads <= x.heads;
      if constexpr (kPlacesApart<T>) {
        turned = turn_places(in, out, x.cos + first, x.sin + first, sign, pairs, turn);
      } else if (group) {
        turned = turn_neighbours<kHeads>(x, in, out, row, pairs, turn);
      } else {
        turned = turn_neighbours<1>(x, in, out, row, pairs, turn);
      }
      for (int h = 0; h < (group ? kHeads : 1); ++h, ++head, in += x.in_stride, out += x.out_stride) {
        if (turned < pairs) turn_last_neighbours(in, out, row, turned, pairs, turn);
      }
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

template <class T, class Real, class Visit>
HWY_INLINE void each_token(const Heads<T, Real>& x, const Visit& visit) {
  for (std::int64_t t = 0; t < x.tokens; ++t) {
    const Real* row = x.rows[t];
    visit(Token<T, Real>{x.in + t * x.in_token, x.out + t * x.out_token, x.in_head, x.out_head, x.heads, row,
                         row + x.pairs * x.parts, x.pairs, x.parts, x.negative});
  }
}

// Two heads at a time are faster in a cache; from memory one is, which reads line after line.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void rotate_kept(const Heads<T, Real>& x, Turn turn) {
  if (x.pairing == Pairing::interleaved) {
    each_token(x, [&](const Token<T, Real>& token) HWY_ATTR { rotate_interleaved<kHeads>(token, turn); });
  } else {
    each_token(x, [&](const Token<T, Real>& token) HWY_ATTR { rotate_half<kHeads>(token, turn); });
  }
}

template <class T, class Real, class Turn>
HWY_INLINE void rotate_by_pairing(const Heads<T, Real>& heads, Turn turn) {
  // A copy: stores of vectors may alias anything, and what lies behind a reference would be read again after each.
  Heads<T, Real> x = heads;
  if (x.pairing == Pairing::to_half || x.pairing == Pairing::to_interleaved) {
    const bool to_half = x.pairing == Pairing::to_half;
    each_token(x, [&](const Token<T, Real>& token) HWY_ATTR { rotate_moving(token, to_half, turn); });
  } else if (x.near && x.in == x.out && x.in_token == x.out_token && x.in_head == x.out_head) {
    // In place there are half as many addresses to keep, once the compiler knows.
    x.in = x.out;
    x.in_token = x.out_token;
    x.in_head = x.out_head;
    rotate_kept<2>(x, turn);
  } else {
    rotate_kept<1>(x, turn);
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
