// sin and cos of phases, a vector at a time: the operations of detail/sin_cos.h one by one, so the same bits on every
// instruction set. For inclusion by kernels, once per instruction set.
#if defined(POSENC_KERNELS_SIN_COS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_SIN_COS_INL_H_
#undef POSENC_KERNELS_SIN_COS_INL_H_
#else
#define POSENC_KERNELS_SIN_COS_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "detail/sin_cos_terms.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct SinCosOf {
  V sin;
  V cos;
};

template <class D, class V, std::size_t N>
HWY_INLINE V series_of(D d, V z, const std::array<double, N>& terms) {
  V sum = hn::Set(d, terms[0]);
  for (std::size_t k = 1; k < N; ++k) sum = hn::Add(hn::Set(d, terms[k]), hn::Mul(z, sum));
  return sum;
}

// Products and sums apart, never fused: an instruction set without fused products must give the same.
template <class D, class V>
HWY_INLINE SinCosOf<V> sin_cos_near_zero(D d, V x, V tail) {
  const V one = hn::Set(d, 1.0);
  const V z = hn::Mul(x, x);
  const V sine = series_of(d, z, detail::kSineTerms);
  const V cosine = series_of(d, z, detail::kCosineTerms);
  const V half = hn::Mul(hn::Set(d, 0.5), z);
  const V near_one = hn::Sub(one, half);
  const V lost = hn::Sub(hn::Sub(one, near_one), half);
  return {hn::Add(x, hn::Add(hn::Mul(hn::Mul(z, x), sine), hn::Mul(tail, near_one))),
          hn::Add(near_one, hn::Add(lost, hn::Sub(hn::Mul(hn::Mul(z, z), cosine), hn::Mul(x, tail))))};
}

// A whole number below 2^52 with that exponent in front is 2^52 more than itself as a double: a conversion that every
// instruction set has.
template <class D, class VU>
HWY_INLINE auto to_double(D d, VU number, double offset) {
  const hn::RebindToUnsigned<D> du;
  return hn::Sub(hn::BitCast(d, hn::Or(number, hn::Set(du, std::uint64_t{0x433} << 52))), hn::Set(d, 0x1p52 + offset));
}

// D is the tag of doubles, `phases` a vector of std::uint64_t.
template <class D, class VU>
HWY_INLINE auto sin_cos_of(D d, VU phases) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  // The two upper bits are the quadrant, the others the phase within it plus 1/8 turn: 31 bits and 31 bits.
  const auto shifted = hn::Add(phases, hn::Set(du, std::uint64_t{1} << 61));
  const auto mask = hn::Set(du, 0x7fffffffu);
  const auto upper = to_double(d, hn::And(hn::ShiftRight<31>(shifted), mask), 0x1p30);
  const auto lower = to_double(d, hn::And(shifted, mask), 0.0);
  // The powers of two move into the constants: exact.
  const auto large = hn::Mul(upper, hn::Set(d, detail::kTwoPiHigh * 0x1p-33));
  const auto small = hn::Add(hn::Mul(upper, hn::Set(d, detail::kTwoPiLow * 0x1p-33)),
                             hn::Mul(lower, hn::Set(d, detail::kTwoPi * 0x1p-64)));
  const auto angle = hn::Add(large, small);
  const auto near = sin_cos_near_zero(d, angle, hn::Sub(small, hn::Sub(angle, large)));
  const auto odd = hn::ShiftLeft<1>(shifted);  // the lower bit of the quadrant as a sign
  const auto swapped = hn::MaskFromVec(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, odd))));
  const auto sign = hn::Set(du, std::uint64_t{1} << 63);
  const auto sine_sign = hn::BitCast(d, hn::And(shifted, sign));
  const auto cosine_sign = hn::BitCast(d, hn::And(hn::Xor(shifted, odd), sign));
  return SinCosOf<decltype(angle)>{hn::Xor(hn::IfThenElse(swapped, near.cos, near.sin), sine_sign),
                                   hn::Xor(hn::IfThenElse(swapped, near.sin, near.cos), cosine_sign)};
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
