#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/turn_phases.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include <algorithm>

#include "kernels/sin_cos-inl.h"
#include "kernels/turn-inl.h"
#include "kernels/turn_phases.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V, class T>
HWY_INLINE void turn_one(D d, const PhaseTurn& turn, V sin, V cos, T* sine, T* cosine, std::int64_t i) {
  const V factor = hn::Set(d, turn.multiplier);
  const V anchor_sin = hn::Mul(factor, sin);
  const V anchor_cos = hn::Mul(factor, cos);
  const V offset_sin = hn::LoadU(d, turn.offset_sin + i);
  const V offset_cos = hn::LoadU(d, turn.offset_cos + i);
  store_as(d, turned_sin(anchor_sin, anchor_cos, offset_sin, offset_cos), sine + i);
  store_as(d, turned_cos(anchor_sin, anchor_cos, offset_sin, offset_cos), cosine + i);
}

// The vectors that begin at i and at j.
template <class D, class T>
HWY_INLINE void turn_two(D d, const PhaseTurn& turn, T* sine, T* cosine, std::int64_t i, std::int64_t j) {
  const hn::RebindToUnsigned<D> du;
  hn::Vec<D> sin0, cos0, sin1, cos1;
  sin_cos_of(d, hn::LoadU(du, turn.anchor_phases + i), hn::LoadU(du, turn.anchor_phases + j), sin0, cos0, sin1, cos1);
  turn_one(d, turn, sin0, cos0, sine, cosine, i);
  turn_one(d, turn, sin1, cos1, sine, cosine, j);
}

// The last vector ends with the last pair: it repeats what the one before it wrote. Fewer pairs than lanes go one by
// one.
template <class T>
HWY_INLINE void turn_all(const PhaseTurn& turn, T* sine, T* cosine) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (turn.pairs < lanes) {
    const hn::CappedTag<double, 1> one;
    for (std::int64_t i = 0; i < turn.pairs; ++i) turn_two(one, turn, sine, cosine, i, i);
    return;
  }
  const std::int64_t last = turn.pairs - lanes;
  for (std::int64_t i = 0; i < turn.pairs; i += 2 * lanes) {
    turn_two(d, turn, sine, cosine, std::min(i, last), std::min(i + lanes, last));
  }
}

void turn_phases_f64(const PhaseTurn& turn, double* sine, double* cosine) { turn_all(turn, sine, cosine); }
void turn_phases_f32(const PhaseTurn& turn, float* sine, float* cosine) { turn_all(turn, sine, cosine); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(turn_phases_f64);
HWY_EXPORT(turn_phases_f32);

void turn_phases(const PhaseTurn& turn, double* sine, double* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_phases_f64)(turn, sine, cosine);
}
void turn_phases(const PhaseTurn& turn, float* sine, float* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_phases_f32)(turn, sine, cosine);
}

}  // namespace posenc::kernels
#endif
