#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/turn_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include "kernels/sin_cos-inl.h"
#include "kernels/turn_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What to do with a vector of sines and one of cosines.
struct StoreF64 {
  double* sine;
  double* cosine;
  template <class D, class V>
  void operator()(D d, V s, V c, std::int64_t i) const {
    hn::StoreU(s, d, sine + i);
    hn::StoreU(c, d, cosine + i);
  }
};

struct StoreF32 {
  float* sine;
  float* cosine;
  template <class D, class V>
  void operator()(D d, V s, V c, std::int64_t i) const {
    const hn::Rebind<float, D> narrow;
    (void)d;
    hn::StoreU(hn::DemoteTo(narrow, s), narrow, sine + i);
    hn::StoreU(hn::DemoteTo(narrow, c), narrow, cosine + i);
  }
};

struct StoreInterleaved {
  float* out;
  bool cosine_first;
  template <class D, class V>
  void operator()(D d, V s, V c, std::int64_t i) const {
    const hn::Rebind<float, D> narrow;
    (void)d;
    const auto sine = hn::DemoteTo(narrow, s);
    const auto cosine = hn::DemoteTo(narrow, c);
    if (cosine_first) {
      hn::StoreInterleaved2(cosine, sine, narrow, out + 2 * i);
    } else {
      hn::StoreInterleaved2(sine, cosine, narrow, out + 2 * i);
    }
  }
};

template <class D>
HWY_INLINE auto anchor_at(D d, const Turn& turn, std::int64_t i) {
  return SinCosOf<hn::Vec<D>>{hn::LoadU(d, turn.anchor_sin + i), hn::LoadU(d, turn.anchor_cos + i)};
}
template <class D>
HWY_INLINE auto anchor_at(D d, const PhaseTurn& turn, std::int64_t i) {
  const auto factor = hn::Set(d, turn.multiplier);
  const auto value = sin_cos_of(d, hn::LoadU(hn::RebindToUnsigned<D>(), turn.anchor_phases + i));
  return SinCosOf<hn::Vec<D>>{hn::Mul(factor, value.sin), hn::Mul(factor, value.cos)};
}

template <class D, class AnyTurn, class Store>
HWY_INLINE std::int64_t turn_from(D d, const AnyTurn& turn, const Store& store, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= turn.pairs; i += lanes) {
    const auto anchor = anchor_at(d, turn, i);
    const auto offset_sin = hn::LoadU(d, turn.offset_sin + i);
    const auto offset_cos = hn::LoadU(d, turn.offset_cos + i);
    const auto s = hn::MulAdd(anchor.sin, offset_cos, hn::Mul(anchor.cos, offset_sin));
    const auto c = hn::NegMulAdd(anchor.sin, offset_sin, hn::Mul(anchor.cos, offset_cos));
    store(d, s, c, i);
  }
  return i;
}

// The last pairs go through the same body, one lane wide.
template <class AnyTurn, class Store>
HWY_INLINE void turn_all(const AnyTurn& turn, const Store& store) {
  const std::int64_t done = turn_from(hn::ScalableTag<double>(), turn, store, 0);
  turn_from(hn::CappedTag<double, 1>(), turn, store, done);
}

void turn_row_f64(const Turn& turn, double* sine, double* cosine) { turn_all(turn, StoreF64{sine, cosine}); }
void turn_row_f32(const Turn& turn, float* sine, float* cosine) { turn_all(turn, StoreF32{sine, cosine}); }
void turn_phases_f64(const PhaseTurn& turn, double* sine, double* cosine) { turn_all(turn, StoreF64{sine, cosine}); }
void turn_phases_f32(const PhaseTurn& turn, float* sine, float* cosine) { turn_all(turn, StoreF32{sine, cosine}); }
void turn_row_interleaved_f32(const Turn& turn, bool cosine_first, float* out) {
  turn_all(turn, StoreInterleaved{out, cosine_first});
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(turn_row_f64);
HWY_EXPORT(turn_row_f32);
HWY_EXPORT(turn_phases_f64);
HWY_EXPORT(turn_phases_f32);
HWY_EXPORT(turn_row_interleaved_f32);

void turn_row(const Turn& turn, double* sine, double* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_row_f64)(turn, sine, cosine);
}
void turn_row(const Turn& turn, float* sine, float* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_row_f32)(turn, sine, cosine);
}
void turn_row(const PhaseTurn& turn, double* sine, double* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_phases_f64)(turn, sine, cosine);
}
void turn_row(const PhaseTurn& turn, float* sine, float* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_phases_f32)(turn, sine, cosine);
}
void turn_row_interleaved(const Turn& turn, bool cosine_first, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_row_interleaved_f32)(turn, cosine_first, out);
}

}  // namespace posenc::kernels
#endif
