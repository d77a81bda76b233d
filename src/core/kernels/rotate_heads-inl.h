// Rotates whole heads of any element type. rotate_heads.cc, rotate_heads_f64.cc and rotate_heads_half.cc each use some
// of the types, so that no file takes long to compile. To be included by kernels, once per instruction set.
#if defined(POSENC_KERNELS_ROTATE_HEADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_ROTATE_HEADS_INL_H_
#undef POSENC_KERNELS_ROTATE_HEADS_INL_H_
#else
#define POSENC_KERNELS_ROTATE_HEADS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "core/kernels/rotate_heads.h"
#include "core/kernels/rotated_token.h"
#include "core/kernels/turn_neighbours-inl.h"
#include "core/kernels/turn_pair-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kMaxChannels = 8192;
constexpr std::int64_t kLineBytes = 64;
// If the two channels of a pair are at least this many bytes from each other, processors do not predict which memory is
// read next, and rotating would take twice as long. So these functions prefetch data kBytesAhead before it is read.
constexpr std::int64_t kFarApart = 512;
constexpr std::int64_t kBytesAhead = 16384;

// Pointers to the two channels of pair 0 of a head.
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

// Rotates two vectors of pairs. On most machines they fill a cache line, which is then read completely before it is
// written.
template <class D, class V, class T, class Turn>
HWY_INLINE void turn_two(D d, const Halves<T>& h, V cos0, V cos1, V sin0, V sin1, Turn turn, std::int64_t i) {
  hn::Vec<D> a0, a1, b0, b1;
  load_two(d, h.in_first + i, a0, a1);
  load_two(d, h.in_second + i, b0, b1);
  store_two(d, turn.first(a0, b0, cos0, sin0), turn.first(a1, b1, cos1, sin1), h.out_first + i);
  store_two(d, turn.second(a0, b0, cos0, sin0), turn.second(a1, b1, cos1, sin1), h.out_second + i);
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

// A row of cosines and sines. two_cos and two_sin have them in the order in which load_two returns channels.
template <class Real>
struct HalfRow {
  const Real* cos;
  const Real* sin;
  const Real* two_cos;
  const Real* two_sin;
};

// Rotates kHeads heads, which share the loads of the row. The last pairs use single vectors, then single lanes.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void turn_group(const Token<T, Real>& x, const Halves<T>& head, const HalfRow<Real>& r, Turn turn) {
  using D = hn::ScalableTag<Real>;
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Halves<T> other = head.next_head(x.in_stride, x.out_stride);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= x.pairs; i += 2 * lanes) {
    const auto cos0 = hn::LoadU(d, r.two_cos + i);
    const auto cos1 = hn::LoadU(d, r.two_cos + i + lanes);
    const auto sin0 = hn::LoadU(d, r.two_sin + i);
    const auto sin1 = hn::LoadU(d, r.two_sin + i + lanes);
    turn_two(d, head, cos0, cos1, sin0, sin1, turn, i);
    if constexpr (kHeads == 2) turn_two(d, other, cos0, cos1, sin0, sin1, turn, i);
  }
  if (i == x.pairs) return;
  const std::int64_t done = turn_halves_from(d, head, r.cos, r.sin, x.pairs, turn, i);
  turn_halves_from(hn::CappedTag<Real, 1>(), head, r.cos, r.sin, x.pairs, turn, done);
  if constexpr (kHeads == 2) {
    turn_halves_from(d, other, r.cos, r.sin, x.pairs, turn, i);
    turn_halves_from(hn::CappedTag<Real, 1>(), other, r.cos, r.sin, x.pairs, turn, done);
  }
}

// Copies a row into the order in which load_two returns channels: of every two vectors, first the even elements, then
// the odd ones.
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

// Prefetches into the second-level cache, because the rotation uses the first. Addresses past the end of the data are
// harmless: a prefetch cannot fault.
template <int kWritten, class T>
HWY_INLINE void fetch(const T* first, std::int64_t count) {
  const char* bytes = reinterpret_cast<const char*>(first);
  const std::int64_t end = count * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t at = 0; at < end; at += kLineBytes) __builtin_prefetch(bytes + at, kWritten, 2);
}
template <class T, class Real>
HWY_INLINE void fetch_ahead(const Token<T, Real>& x, const Halves<T>& head) {
  if (x.in_ahead != 0) fetch<0>(HWY_MIN(head.in_first, head.in_second) + x.in_ahead, 2 * x.pairs);
  if (x.out_ahead != 0) fetch<1>(HWY_MIN(head.out_first, head.out_second) + x.out_ahead, 2 * x.pairs);
}

// Rotates kHeads heads at a time, then the head that remains.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void turn_all_heads(const Token<T, Real>& x, Halves<T> head, const HalfRow<Real>& row, Turn turn) {
  std::int64_t h = x.heads;
  for (; h >= kHeads; h -= kHeads) {
    if constexpr (kHeads == 1) fetch_ahead(x, head);
    turn_group<kHeads>(x, head, row, turn);
    head = head.next_head(kHeads * x.in_stride, kHeads * x.out_stride);
  }
  if (h > 0) turn_group<1>(x, head, row, turn);
}

// Rotating by the negative angle equals rotating by the positive angle with the two channels of a pair exchanged.
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

// Rotate a head and move its channels: split_head reads adjacent channels and writes two halves, merge_head does the
// reverse.
template <class Real, class Turn>
HWY_INLINE void split_head(const Token<Real, Real>& x, const Real* head, Real* out, Turn turn) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = x.negative ? Real(-1) : Real(1);
  std::int64_t i = 0;
  for (; i + lanes <= x.pairs; i += lanes) {
    hn::Vec<decltype(d)> a, b;
    hn::LoadInterleaved2(d, head + 2 * i, a, b);
    const auto c = hn::LoadU(d, x.cos + i);
    const auto s = hn::Mul(hn::LoadU(d, x.sin + i), hn::Set(d, sign));
    hn::StoreU(turn.first(a, b, c, s), d, out + i);
    hn::StoreU(turn.second(a, b, c, s), d, out + x.pairs + i);
  }
  for (; i < x.pairs; ++i)
    turn_one(head[2 * i], head[2 * i + 1], x.cos[i], sign * x.sin[i], out[i], out[x.pairs + i], turn);
}

template <class Real, class Turn>
HWY_INLINE void merge_head(const Token<Real, Real>& x, const Real* head, Real* out, Turn turn) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = x.negative ? Real(-1) : Real(1);
  std::int64_t i = 0;
  for (; i + lanes <= x.pairs; i += lanes) {
    const auto a = hn::LoadU(d, head + i);
    const auto b = hn::LoadU(d, head + x.pairs + i);
    const auto c = hn::LoadU(d, x.cos + i);
    const auto s = hn::Mul(hn::LoadU(d, x.sin + i), hn::Set(d, sign));
    hn::StoreInterleaved2(turn.first(a, b, c, s), turn.second(a, b, c, s), d, out + 2 * i);
  }
  for (; i < x.pairs; ++i)
    turn_one(head[i], head[x.pairs + i], x.cos[i], sign * x.sin[i], out[2 * i], out[2 * i + 1], turn);
}

// For layouts that move channels. A head is copied completely before it is written, so that it can be rotated in place.
template <class Real, class Turn>
HWY_INLINE void rotate_moving(const Token<Real, Real>& x, bool to_half, Turn turn) {
  HWY_ALIGN Real whole[kMaxChannels];
  for (std::int64_t head = 0; head < x.heads; ++head) {
    Real* out = x.out + head * x.out_stride;
    std::memcpy(whole, x.in + head * x.in_stride, static_cast<std::size_t>(2 * x.pairs) * sizeof(Real));
    if (to_half) {
      split_head(x, whole, out, turn);
    } else {
      merge_head(x, whole, out, turn);
    }
  }
}

template <class T, class Real>
HWY_INLINE std::int64_t tokens_ahead(const Heads<T, Real>& x) {
  const auto apart = x.pairs * static_cast<std::int64_t>(sizeof(T));
  if (x.near || x.pairing != Pairing::half || apart < kFarApart) return 0;
  return HWY_MAX(1, kBytesAhead / (2 * apart * x.heads));
}

// Calls visit for each token. Fields of x are copied once per token, because vector stores may alias them.
template <bool kInPlace, class T, class Real, class Visit>
HWY_INLINE void visit_tokens(const Heads<T, Real>& x, const Visit& visit) {
  const std::int64_t tokens = kInPlace ? 0 : tokens_ahead(x);
  const std::int64_t in_ahead = tokens * x.in_token;
  const std::int64_t out_ahead = x.in == x.out ? 0 : tokens * x.out_token;
  for (std::int64_t t = 0; t < x.tokens; ++t) {
    const Real* row = x.rows[t];
    T* out = x.out + t * x.out_token;
    const T* in = kInPlace ? out : x.in + t * x.in_token;
    const std::int64_t out_head = x.out_head;
    visit(Token<T, Real>{.in = in,
                         .out = out,
                         .in_stride = kInPlace ? out_head : x.in_head,
                         .out_stride = out_head,
                         .heads = x.heads,
                         .cos = row,
                         .sin = row + x.pairs * x.parts,
                         .pairs = x.pairs,
                         .parts = x.parts,
                         .in_ahead = in_ahead,
                         .out_ahead = out_ahead,
                         .negative = x.negative});
  }
}

// Each of these is compiled once per type and kind of rotation. Inlined at every call, they would take minutes to
// compile.
template <class T, class Real, class Turn>
HWY_NOINLINE void half_tokens(const Heads<T, Real>& x, Turn turn) {
  visit_tokens<false>(x, [&](const Token<T, Real>& token) HWY_ATTR { rotate_half<1>(token, turn); });
}

// For data that is rotated in place and probably in cache: two heads at a time are faster, because only half as many
// addresses are needed. From memory, one head at a time is faster, because it reads line after line.
template <class T, class Real, class Turn>
HWY_NOINLINE void near_half_tokens(const Heads<T, Real>& x, Turn turn) {
  visit_tokens<true>(x, [&](const Token<T, Real>& token) HWY_ATTR { rotate_half<2>(token, turn); });
}

template <class T, class Real, class Turn>
HWY_NOINLINE void interleaved_tokens(const Heads<T, Real>& x, Turn turn) {
  visit_tokens<false>(x, [&](const Token<T, Real>& token) HWY_ATTR { rotate_interleaved(token, turn); });
}

template <class Real, class Turn>
HWY_NOINLINE void moving_tokens(const Heads<Real, Real>& x, Turn turn) {
  const bool to_half = x.pairing == Pairing::to_half;
  visit_tokens<false>(x, [&](const Token<Real, Real>& token) HWY_ATTR { rotate_moving(token, to_half, turn); });
}

template <class Real, class Turn>
HWY_INLINE void rotate_by_pairing(const Heads<Real, Real>& x, Turn turn) {
  if (x.pairing == Pairing::half) return half_tokens(x, turn);
  if (x.pairing == Pairing::interleaved) return interleaved_tokens(x, turn);
  moving_tokens(x, turn);
}

template <class T, class Real>
HWY_INLINE bool is_near(const Heads<T, Real>& x) {
  return x.near && x.in == x.out && x.in_token == x.out_token && x.in_head == x.out_head;
}

// A factor of 1 does not change the result. Two common cases omit the product; elsewhere it costs little, because
// memory is the bottleneck.
template <class Real>
HWY_INLINE void rotate_real(const Heads<Real, Real>& x) {
  const auto scale = static_cast<double>(x.scale);
  if (x.stepwise) return rotate_by_pairing(x, Scaled<Stepwise>{Stepwise(), scale});
  if (x.scale == Real(1) && x.pairing == Pairing::half && is_near(x)) return near_half_tokens(x, Fused());
  if (x.scale == Real(1) && x.pairing == Pairing::interleaved) return interleaved_tokens(x, Fused());
  rotate_by_pairing(x, Scaled<Fused>{Fused(), scale});
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
