#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/turn_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
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

template <class D, class Store>
HWY_INLINE std::int64_t turn_from(D d, const Turn& turn, const Store& store, std::int64_t i) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= turn.pairs; i += lanes) {
    const auto anchor_sin = hn::LoadU(d, turn.anchor_sin + i);
    const auto anchor_cos = hn::LoadU(d, turn.anchor_cos + i);
    const auto offset_sin = hn::LoadU(d, turn.offset_sin + i);
    const auto offset_cos = hn::LoadU(d, turn.offset_cos + i);
    const auto s = hn::MulAdd(anchor_sin, offset_cos, hn::Mul(anchor_cos, offset_sin));
    const auto c = hn::NegMulAdd(anchor_sin, offset_sin, hn::Mul(anchor_cos, offset_cos));
    store(d, s, c, i);
  }
  return i;
}

// The last pairs go through the same body, one lane wide.
template <class Store>
HWY_INLINE void turn_all(const Turn& turn, const Store& store) {
  const std::int64_t done = turn_from(hn::ScalableTag<double>(), turn, store, 0);
  turn_from(hn::CappedTag<double, 1>(), turn, store, done);
}

void turn_row_f64(const Turn& turn, double* sine, double* cosine) { turn_all(turn, StoreF64{sine, cosine}); }
void turn_row_f32(const Turn& turn, float* sine, float* cosine) { turn_all(turn, StoreF32{sine, cosine}); }
void turn_row_interleaved_f32(const Turn& turn, bool cosine_first, float* out) {
  turn_all(turn, StoreInterleaved{out, cosine_first});
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(turn_row_f64);
HWY_EXPORT(turn_row_f32);
HWY_EXPORT(turn_row_interleaved_f32);

void turn_row(const Turn& turn, double* sine, double* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_row_f64)(turn, sine, cosine);
}
void turn_row(const Turn& turn, float* sine, float* cosine) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_row_f32)(turn, sine, cosine);
}
void turn_row_interleaved(const Turn& turn, bool cosine_first, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_row_interleaved_f32)(turn, cosine_first, out);
}

}  // namespace posenc::kernels
#endif
