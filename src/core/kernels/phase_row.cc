#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/phase_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/base/high_product.h"
#include "core/kernels/phase_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint64_t phase_of(std::uint64_t step, const FixedPosition& position) {
  const std::uint64_t phase = static_cast<std::uint64_t>(position.whole) * step;
  const std::uint64_t share = base::high_product(position.fraction, step);
  return position.below ? phase - share : phase + share;
}

#if HWY_TARGET != HWY_SCALAR  // HWY_SCALAR has no lanes of half the size

// The product of the lower 32 bits of a and b.
template <class D, class V>
HWY_INLINE V product(D, V a, V b) {
  const hn::RepartitionToNarrow<D> half;
  return hn::MulEven(hn::BitCast(half, a), hn::BitCast(half, b));
}

// The lower halves of the products of a and b.
template <class D, class V>
HWY_INLINE V low_product(D d, V a, V b) {
  const V crossed = hn::Add(product(d, hn::ShiftRight<32>(a), b), product(d, a, hn::ShiftRight<32>(b)));
  return hn::Add(product(d, a, b), hn::ShiftLeft<32>(crossed));
}

// The same as base::high_product.
template <class D, class V>
HWY_INLINE V high_product(D d, V a, V b) {
  const V a1 = hn::ShiftRight<32>(a);
  const V b1 = hn::ShiftRight<32>(b);
  const V middle = hn::Add(product(d, a1, b), hn::ShiftRight<32>(product(d, a, b)));
  const V other = hn::Add(product(d, a, b1), hn::And(middle, hn::Set(d, 0xffffffffu)));
  return hn::Add(product(d, a1, b1), hn::Add(hn::ShiftRight<32>(middle), hn::ShiftRight<32>(other)));
}

HWY_INLINE std::int64_t phases_by_vectors(const std::uint64_t* steps, std::int64_t count, const FixedPosition& position,
                                          std::uint64_t* phases) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto whole = hn::Set(d, static_cast<std::uint64_t>(position.whole));
  const auto fraction = hn::Set(d, position.fraction);
  const auto flip = hn::Set(d, position.below ? ~std::uint64_t{0} : std::uint64_t{0});
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto step = hn::LoadU(d, steps + i);
    const auto share = hn::Sub(hn::Xor(high_product(d, fraction, step), flip), flip);  // negated if below
    hn::StoreU(hn::Add(low_product(d, whole, step), share), d, phases + i);
  }
  return i;
}

#else

HWY_INLINE std::int64_t phases_by_vectors(const std::uint64_t*, std::int64_t, const FixedPosition&, std::uint64_t*) {
  return 0;
}

#endif

void phases_at(const std::uint64_t* steps, std::int64_t count, const FixedPosition& position, std::uint64_t* phases) {
  for (std::int64_t i = phases_by_vectors(steps, count, position, phases); i < count; ++i) {
    phases[i] = phase_of(steps[i], position);
  }
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(phases_at);

void phase_row(const std::uint64_t* steps, std::int64_t count, const FixedPosition& position,
               std::uint64_t* phases) noexcept {
  HWY_DYNAMIC_DISPATCH(phases_at)(steps, count, position, phases);
}

}  // namespace posenc::kernels
#endif
