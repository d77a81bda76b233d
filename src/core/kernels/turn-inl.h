// Rotates a vector of angles by a vector of small angles. All kernels use these functions, so that the operations are
// always in the same order and a position always has the same bits. To be included by kernels, once per instruction
// set.
#if defined(POSENC_KERNELS_TURN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_TURN_INL_H_
#undef POSENC_KERNELS_TURN_INL_H_
#else
#define POSENC_KERNELS_TURN_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE V turned_sin(V anchor_sin, V anchor_cos, V offset_sin, V offset_cos) {
  return hn::MulAdd(anchor_sin, offset_cos, hn::Mul(anchor_cos, offset_sin));
}
template <class V>
HWY_INLINE V turned_cos(V anchor_sin, V anchor_cos, V offset_sin, V offset_cos) {
  return hn::NegMulAdd(anchor_sin, offset_sin, hn::Mul(anchor_cos, offset_cos));
}

// Both of the above, for the offset (sine, cosine) and for the negated offset (back_sine, back_cosine).
template <class V>
HWY_INLINE void turn_both_ways(V anchor_sin, V anchor_cos, V offset_sin, V offset_cos, V& sine, V& cosine, V& back_sine,
                               V& back_cosine) {
  const V crossed = hn::Mul(anchor_cos, offset_sin);
  const V straight = hn::Mul(anchor_cos, offset_cos);
  sine = hn::MulAdd(anchor_sin, offset_cos, crossed);
  back_sine = hn::MulSub(anchor_sin, offset_cos, crossed);
  cosine = hn::NegMulAdd(anchor_sin, offset_sin, straight);
  back_cosine = hn::MulAdd(anchor_sin, offset_sin, straight);
}

// Stores doubles unchanged, or rounded once to float.
template <class D, class V>
HWY_INLINE void store_as(D d, V values, double* to) {
  hn::StoreU(values, d, to);
}
template <class D, class V>
HWY_INLINE void store_as(D, V values, float* to) {
  const hn::Rebind<float, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, values), narrow, to);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
