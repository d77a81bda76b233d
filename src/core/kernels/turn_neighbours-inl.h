// Rotates heads whose pairs are channels 2i and 2i + 1. To be included by kernels, once per instruction set.
#if defined(POSENC_KERNELS_TURN_NEIGHBOURS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_TURN_NEIGHBOURS_INL_H_
#undef POSENC_KERNELS_TURN_NEIGHBOURS_INL_H_
#else
#define POSENC_KERNELS_TURN_NEIGHBOURS_INL_H_
#endif

#include <cstdint>

#include "core/kernels/rotated_token.h"
#include "core/kernels/turn_pair-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kBlock = 256;  // pairs whose cosines and sines are interleaved at a time

// Cosines and sines interleaved, c0 s0 c1 s1 .., so that they are in the same order as the channels that they multiply.
template <class Real>
struct Joined {
  HWY_ALIGN Real values[2 * kBlock];
};

template <class Real>
HWY_INLINE void join(const Real* cos, const Real* sin, std::int64_t pairs, Real sign, Joined<Real>& out) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= pairs; i += lanes) {
    const auto s = hn::Mul(hn::LoadU(d, sin + i), hn::Set(d, sign));
    hn::StoreInterleaved2(hn::LoadU(d, cos + i), s, d, out.values + 2 * i);
  }
  for (; i < pairs; ++i) {
    out.values[2 * i] = cos[i];
    out.values[2 * i + 1] = sign * sin[i];
  }
}

// Prevents g++ from loading a number twice instead of keeping it in a register.
template <class V>
HWY_INLINE V kept_in_register(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// Rotates pairs `first` to pairs - 1 of a head, one by one.
template <class T, class Real, class Turn>
HWY_INLINE void turn_last_neighbours(const T* in, T* out, const Joined<Real>& row, std::int64_t first,
                                     std::int64_t pairs, Turn turn) {
  for (std::int64_t c = 2 * first; c < 2 * pairs; c += 2) {
    turn_one(in[c], in[c + 1], row.values[c], row.values[c + 1], out[c], out[c + 1], turn);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Make c0 c0 c1 c1 .. and s0 s0 s1 s1 .. from c0 s0 c1 s1 .., the sines with the signs that `neighbours` expects.
template <class V>
HWY_INLINE V cosines_of(V joined) {
  return kept_in_register(hn::DupEven(joined));
}
template <class V>
HWY_INLINE V signed_sines(V joined, V signs) {
#if POSENC_ALTERNATES
  (void)signs;
  return kept_in_register(hn::DupOdd(joined));
#else
  return hn::Xor(hn::DupOdd(joined), signs);
#endif
}

// Rotates one vector of neighbours by exchanging its even and odd lanes.
template <class D, class V, class T, class Turn>
HWY_INLINE void turn_neighbours(D d, V cos, V sin, const T* in, T* out, Turn turn) {
  const auto x = kept_in_register(load(d, in));
  store(d, turn.neighbours(x, hn::Reverse2(d, x), cos, sin), out);
}

// Rotates kHeads heads, which share the loads of the row, and returns the number of pairs done. Four vectors of a head
// are rotated before the next head, because hardware does not prefetch shorter runs of memory.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE std::int64_t turn_vectors(const Token<T, Real>& x, const T* in, T* out, const Joined<Real>& row,
                                     std::int64_t pairs, Turn turn) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto head = [&](const T* from, T* to, auto c0, auto s0, auto c1, auto s1, auto c2, auto s2, auto c3, auto s3)
                        HWY_ATTR {
                          turn_neighbours(d, c0, s0, from, to, turn);
                          turn_neighbours(d, c1, s1, from + lanes, to + lanes, turn);
                          turn_neighbours(d, c2, s2, from + 2 * lanes, to + 2 * lanes, turn);
                          turn_neighbours(d, c3, s3, from + 3 * lanes, to + 3 * lanes, turn);
                        };
  const auto signs = hn::OddEven(hn::Zero(d), hn::SignBit(d));
  const std::int64_t next_in = x.in_stride;
  const std::int64_t next_out = x.out_stride;
  std::int64_t c = 0;
  for (; c + 4 * lanes <= 2 * pairs; c += 4 * lanes) {
    const auto r0 = kept_in_register(hn::LoadU(d, row.values + c));
    const auto r1 = kept_in_register(hn::LoadU(d, row.values + c + lanes));
    const auto r2 = kept_in_register(hn::LoadU(d, row.values + c + 2 * lanes));
    const auto r3 = kept_in_register(hn::LoadU(d, row.values + c + 3 * lanes));
    const auto c0 = cosines_of(r0), c1 = cosines_of(r1), c2 = cosines_of(r2), c3 = cosines_of(r3);
    const auto s0 = signed_sines(r0, signs), s1 = signed_sines(r1, signs), s2 = signed_sines(r2, signs),
               s3 = signed_sines(r3, signs);
    head(in + c, out + c, c0, s0, c1, s1, c2, s2, c3, s3);
    if constexpr (kHeads == 2) head(in + next_in + c, out + next_out + c, c0, s0, c1, s1, c2, s2, c3, s3);
  }
  for (; c + lanes <= 2 * pairs; c += lanes) {
    const auto r = hn::LoadU(d, row.values + c);
    turn_neighbours(d, cosines_of(r), signed_sines(r, signs), in + c, out + c, turn);
    if constexpr (kHeads == 2) {
      turn_neighbours(d, cosines_of(r), signed_sines(r, signs), in + next_in + c, out + next_out + c, turn);
    }
  }
  return c / 2;
}

// For types whose loads separate even and odd elements: this also separates the two channels of each pair, so the
// cosines and sines need not be interleaved.
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

// Rotates one or two heads at once, starting at pair `first`.
template <int kHeads, class T, class Real, class Turn>
HWY_INLINE void turn_heads(const Token<T, Real>& x, const T* in, T* out, const Joined<Real>& row, std::int64_t first,
                           std::int64_t pairs, Turn turn) {
  std::int64_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kPlacesApart<T>) {
    done = turn_places(in, out, x.cos + first, x.sin + first, x.negative ? Real(-1) : Real(1), pairs, turn);
  } else {
    done = turn_vectors<kHeads>(x, in, out, row, pairs, turn);
  }
#else
  (void)first;
#endif
  if (done == pairs) return;
  turn_last_neighbours(in, out, row, done, pairs, turn);
  if constexpr (kHeads == 2) turn_last_neighbours(in + x.in_stride, out + x.out_stride, row, done, pairs, turn);
}

// Two heads at once if four vectors are at least two cache lines.
template <class T>
constexpr int kNeighbourHeads = sizeof(T) >= 4 && HWY_MAX_BYTES >= 32 ? 2 : 1;

template <class T, class Real, class Turn>
HWY_INLINE void rotate_interleaved(const Token<T, Real>& x, Turn turn) {
  constexpr int kHeads = kNeighbourHeads<T>;
  Joined<Real> row;
  const Real sign = x.negative ? Real(-1) : Real(1);
  for (std::int64_t first = 0; first < x.pairs; first += kBlock) {
    const std::int64_t pairs = HWY_MIN(kBlock, x.pairs - first);
    join(x.cos + first, x.sin + first, pairs, sign, row);
    const T* in = x.in + 2 * first;
    T* out = x.out + 2 * first;
    std::int64_t heads = x.heads;
    for (; heads >= kHeads; heads -= kHeads, in += kHeads * x.in_stride, out += kHeads * x.out_stride) {
      turn_heads<kHeads>(x, in, out, row, first, pairs, turn);
    }
    if (heads > 0) turn_heads<1>(x, in, out, row, first, pairs, turn);
  }
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
