#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/turn_phases.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/sin_cos-inl.h"
#include "core/kernels/turn-inl.h"
#include "core/kernels/turn_phases.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void turn_all(const PhaseTurn& turn, T* sine, T* cosine) {
  const double multiplier = turn.multiplier;
  const double* const offset_sines = turn.offset_sin;
  const double* const offset_cosines = turn.offset_cos;
  for_each_sin_cos(turn.anchor_phases, turn.pairs, [=](auto d, std::int64_t i, auto sin, auto cos) HWY_ATTR {
    const auto factor = hn::Set(d, multiplier);
    const auto anchor_sin = hn::Mul(factor, sin);
    const auto anchor_cos = hn::Mul(factor, cos);
    const auto offset_sin = hn::LoadU(d, offset_sines + i);
    const auto offset_cos = hn::LoadU(d, offset_cosines + i);
    store_as(d, turned_sin(anchor_sin, anchor_cos, offset_sin, offset_cos), sine + i);
    store_as(d, turned_cos(anchor_sin, anchor_cos, offset_sin, offset_cos), cosine + i);
  });
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
