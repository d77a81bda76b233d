// sin and cos of phases, a vector at a time: the same operations as numbers/sin_cos.h in the same order, so the bits
// are the same on every instruction set. To be included by kernels, once per instruction set.
#if defined(POSENC_KERNELS_SIN_COS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_SIN_COS_INL_H_
#undef POSENC_KERNELS_SIN_COS_INL_H_
#else
#define POSENC_KERNELS_SIN_COS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/sin_cos_terms.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Evaluates a series for four vectors at once, because the steps of a single one would wait for each other.
template <class D, class V, std::size_t N>
HWY_INLINE void sum_series(D d, V z0, V z1, V z2, V z3, const std::array<double, N>& terms, V& sum0, V& sum1, V& sum2,
                           V& sum3) {
  sum0 = sum1 = sum2 = sum3 = hn::Set(d, terms[0]);
  for (std::size_t k = 1; k < N; ++k) {
    const V term = hn::Set(d, terms[k]);
    sum0 = hn::Add(term, hn::Mul(z0, sum0));
    sum1 = hn::Add(term, hn::Mul(z1, sum1));
    sum2 = hn::Add(term, hn::Mul(z2, sum2));
    sum3 = hn::Add(term, hn::Mul(z3, sum3));
  }
}

// Adds the large terms last, so that the sum is rounded about once. Products and sums are never fused, because some
// instruction sets cannot fuse them and all must give the same bits.
template <class D, class V>
HWY_INLINE void add_large_terms(D d, V x, V tail, V z, V& sine, V& cosine) {
  const V one = hn::Set(d, 1.0);
  const V half = hn::Mul(hn::Set(d, 0.5), z);
  const V near_one = hn::Sub(one, half);
  const V lost = hn::Sub(hn::Sub(one, near_one), half);
  sine = hn::Add(x, hn::Add(hn::Mul(hn::Mul(z, x), sine), hn::Mul(tail, near_one)));
  cosine = hn::Add(near_one, hn::Add(lost, hn::Sub(hn::Mul(hn::Mul(z, z), cosine), hn::Mul(x, tail))));
}

// Converts integers below 2^52 to double and subtracts `offset`: with the exponent bits of 2^52 in front, the integer n
// is the double 2^52 + n. Every instruction set can do this.
template <class D, class VU>
HWY_INLINE auto to_double(D d, VU number, double offset) {
  const hn::RebindToUnsigned<D> du;
  return hn::Sub(hn::BitCast(d, hn::Or(number, hn::Set(du, std::uint64_t{0x433} << 52))), hn::Set(d, 0x1p52 + offset));
}

// The angle within its quadrant. `shifted` is a phase plus 1/8 turn: 2 bits of quadrant, then an upper part of 31 bits
// and a lower part of 31 bits.
template <class D, class VU, class V>
HWY_INLINE V angle_of(D d, VU shifted, V& tail) {
  const auto mask = hn::Set(hn::RebindToUnsigned<D>(), 0x7fffffffu);
  const V upper = to_double(d, hn::And(hn::ShiftRight<31>(shifted), mask), 0x1p30);
  const V lower = to_double(d, hn::And(shifted, mask), 0.0);
  // The powers of two are part of the constants, which is exact.
  const V large = hn::Mul(upper, hn::Set(d, base::kTwoPiHigh * 0x1p-33));
  const V small = hn::Add(hn::Mul(upper, hn::Set(d, base::kTwoPiLow * 0x1p-33)),
                          hn::Mul(lower, hn::Set(d, base::kTwoPi * 0x1p-64)));
  const V angle = hn::Add(large, small);
  tail = hn::Sub(small, hn::Sub(angle, large));
  return angle;
}

// Odd quadrants swap sine and cosine, and the two bits of the quadrant give the signs.
template <class D, class VU, class V>
HWY_INLINE void take_quadrant(D d, VU shifted, V& sine, V& cosine) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto odd = hn::ShiftLeft<1>(shifted);  // the lower bit of the quadrant as a sign
  const auto swapped = hn::MaskFromVec(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, odd))));
  const auto sign = hn::Set(du, std::uint64_t{1} << 63);
  const V near_sine = sine;
  sine = hn::Xor(hn::IfThenElse(swapped, cosine, sine), hn::BitCast(d, hn::And(shifted, sign)));
  cosine = hn::Xor(hn::IfThenElse(swapped, near_sine, cosine), hn::BitCast(d, hn::And(hn::Xor(shifted, odd), sign)));
}

template <class D, class VU, class V, class Use>
HWY_INLINE void finish(D d, VU shifted, V x, V tail, V z, std::int64_t i, V sine, V cosine, const Use& use) {
  add_large_terms(d, x, tail, z, sine, cosine);
  take_quadrant(d, shifted, sine, cosine);
  use(d, i, sine, cosine);
}

// Processes the vectors of phases that begin at i0 .. i3: calls use(d, i, sine, cosine) for each.
template <class D, class Use>
HWY_INLINE void sin_cos_of_four(D d, const std::uint64_t* phases, std::int64_t i0, std::int64_t i1, std::int64_t i2,
                                std::int64_t i3, const Use& use) {
  using V = hn::Vec<D>;
  const hn::RebindToUnsigned<D> du;
  const auto eighth = hn::Set(du, std::uint64_t{1} << 61);
  const auto shifted0 = hn::Add(hn::LoadU(du, phases + i0), eighth);
  const auto shifted1 = hn::Add(hn::LoadU(du, phases + i1), eighth);
  const auto shifted2 = hn::Add(hn::LoadU(du, phases + i2), eighth);
  const auto shifted3 = hn::Add(hn::LoadU(du, phases + i3), eighth);
  V tail0, tail1, tail2, tail3;
  const V x0 = angle_of(d, shifted0, tail0);
  const V x1 = angle_of(d, shifted1, tail1);
  const V x2 = angle_of(d, shifted2, tail2);
  const V x3 = angle_of(d, shifted3, tail3);
  const V z0 = hn::Mul(x0, x0);
  const V z1 = hn::Mul(x1, x1);
  const V z2 = hn::Mul(x2, x2);
  const V z3 = hn::Mul(x3, x3);
  V sine0, sine1, sine2, sine3, cosine0, cosine1, cosine2, cosine3;
  sum_series(d, z0, z1, z2, z3, base::kSineTerms, sine0, sine1, sine2, sine3);
  sum_series(d, z0, z1, z2, z3, base::kCosineTerms, cosine0, cosine1, cosine2, cosine3);
  finish(d, shifted0, x0, tail0, z0, i0, sine0, cosine0, use);
  finish(d, shifted1, x1, tail1, z1, i1, sine1, cosine1, use);
  finish(d, shifted2, x2, tail2, z2, i2, sine2, cosine2, use);
  finish(d, shifted3, x3, tail3, z3, i3, sine3, cosine3, use);
}

// Calls use(d, i, sine, cosine) with vectors that cover phases 0 .. count - 1: d is the tag of doubles, i the first
// phase of the vector. The last vectors end with the last phase and repeat phases of earlier ones. If there are fewer
// phases than lanes, they come one by one.
template <class Use>
HWY_INLINE void for_each_sin_cos(const std::uint64_t* phases, std::int64_t count, const Use& use) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) {
    const hn::CappedTag<double, 1> one;
    for (std::int64_t i = 0; i < count; ++i) sin_cos_of_four(one, phases, i, i, i, i, use);
    return;
  }
  const std::int64_t last = count - lanes;
  for (std::int64_t i = 0; i < count; i += 4 * lanes) {
    sin_cos_of_four(d, phases, std::min(i, last), std::min(i + lanes, last), std::min(i + 2 * lanes, last),
                    std::min(i + 3 * lanes, last), use);
  }
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
