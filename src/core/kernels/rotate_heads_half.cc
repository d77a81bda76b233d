#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rotate_heads_half.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/rotate_heads-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

// Converts each head to float32, rotates it and converts it back: for options that are rare with 16-bit numbers.
template <class T>
HWY_NOINLINE void rotate_widened(const Heads<T, float>& x) {
  HWY_ALIGN float head[kMaxChannels];
  const std::int64_t count = 2 * x.pairs * x.parts;
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  for (std::int64_t t = 0; t < x.tokens; ++t) {
    for (std::int64_t h = 0; h < x.heads; ++h) {
      const T* in = x.in + t * x.in_token + h * x.in_head;
      T* out = x.out + t * x.out_token + h * x.out_head;
      widen_from(one, in, count, head, widen_from(d, in, count, head, 0));
      rotate_heads(Heads<float, float>{.in = head,
                                       .out = head,
                                       .tokens = 1,
                                       .in_token = 0,
                                       .out_token = 0,
                                       .heads = 1,
                                       .in_head = 0,
                                       .out_head = 0,
                                       .rows = x.rows + t,
                                       .pairs = x.pairs,
                                       .parts = x.parts,
                                       .pairing = x.pairing,
                                       .negative = x.negative,
                                       .stepwise = x.stepwise,
                                       .near = true,
                                       .scale = x.scale});
      narrow_from(one, head, count, out, narrow_from(d, head, count, out, 0));
    }
  }
}

template <class T>
HWY_INLINE void rotate_narrow(const Heads<T, float>& x) {
  const bool plain = !x.stepwise && x.scale == 1.0f;
  if (plain && x.pairing == Pairing::interleaved) return interleaved_tokens(x, Fused());
  if (plain && x.pairing == Pairing::half) {
    return is_near(x) ? near_half_tokens(x, Fused()) : half_tokens(x, Fused());
  }
  rotate_widened(x);
}

void rotate_f16(const Heads<f16, float>& x) { rotate_narrow(x); }
void rotate_bf16(const Heads<bf16, float>& x) { rotate_narrow(x); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(rotate_f16);
HWY_EXPORT(rotate_bf16);

void rotate_heads(const Heads<f16, float>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_f16)(heads); }
void rotate_heads(const Heads<bf16, float>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_bf16)(heads); }

}  // namespace posenc::kernels
#endif
