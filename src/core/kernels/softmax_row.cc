#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/softmax_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include <limits>

#include "core/kernels/softmax_row.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls visit(d, i) for whole vectors, then with one lane for the remaining elements.
template <class Real, class Visit>
HWY_INLINE void for_each_vector(std::int64_t count, const Visit& visit) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) visit(d, i);
  for (; i < count; ++i) visit(hn::CappedTag<Real, 1>(), i);
}

template <class Real>
HWY_INLINE Real max_all(const Real* scores, std::int64_t count) {
  const hn::ScalableTag<Real> d;
  const hn::CappedTag<Real, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto most = hn::Set(d, -std::numeric_limits<Real>::infinity());
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) most = hn::Max(most, hn::LoadU(d, scores + i));
#if HWY_TARGET == HWY_EMU128  // MaxOfLanes of HWY_EMU128 starts at the lowest finite number
  HWY_ALIGN Real each[hn::MaxLanes(d)];
  hn::Store(most, d, each);
  auto result = hn::Set(one, each[0]);
  for (std::int64_t lane = 1; lane < lanes; ++lane) result = hn::Max(result, hn::Set(one, each[lane]));
#else
  auto result = hn::Set(one, hn::GetLane(hn::MaxOfLanes(d, most)));
#endif
  for (; i < count; ++i) result = hn::Max(result, hn::LoadU(one, scores + i));
  return hn::GetLane(result);
}

// exp(x) for x up to 46; 0 for very low x.
template <class D, class V>
HWY_INLINE V exp_of(D d, V x, double /*type*/) {
  return hn::Exp(d, hn::Max(x, hn::Set(d, -1100.0)));  // lower numbers would overflow integers in Exp
}

// exp(x) = 2^n exp(r) with |r| at most ln(2) / 2. Adding 1.5 * 2^23 + 26 rounds to the integer n, and leaves n + 26 in
// the lowest bits, which become the exponent. A product with 2^-26 removes the 26 again, so that subnormal results are
// rounded too; below -104 the result is 0. This takes half the time of Highway's exp, and attention computes many
// exponentials.
template <class D, class V>
HWY_INLINE V exp_of(D d, V any, float /*type*/) {
  const hn::RebindToUnsigned<D> du;
  const V shift = hn::Set(d, 12582938.0f);
  const V x = hn::Max(any, hn::Set(d, -104.0f));
  const V sum = hn::MulAdd(x, hn::Set(d, 1.44269504f), shift);
  const V n = hn::Sub(sum, shift);
  // ln(2) in two parts: products of n with the first part are exact.
  V r = hn::MulAdd(n, hn::Set(d, -0.693145751953125f), x);
  r = hn::MulAdd(n, hn::Set(d, -1.42860677e-6f), r);
  const V square = hn::Mul(r, r);
  // (exp(r) - 1 - r) / r^2, interpolated at Chebyshev points: the error is 1e-8 of exp(r).
  const V low = hn::MulAdd(r, hn::Set(d, 0.166665763f), hn::Set(d, 0.5f));
  const V middle = hn::MulAdd(r, hn::Set(d, 0.00836320315f), hn::Set(d, 0.0416665561f));
  const V high = hn::MulAdd(square, hn::Set(d, 0.00139262131f), middle);
  const V power = hn::Add(hn::MulAdd(square, hn::MulAdd(square, high, low), r), hn::Set(d, 1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(du, sum));
  return hn::Mul(hn::BitCast(d, hn::Add(hn::BitCast(du, power), exponent)), hn::Set(d, 0x1p-26f));
}

template <class D, class V>
HWY_INLINE V exp_or_nan(D d, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, exp_of(d, x, hn::TFromD<D>()));
}

template <class Real>
HWY_INLINE Real exp_all(Real* scores, std::int64_t count, Real max) {
  const hn::ScalableTag<Real> d;
  const hn::CappedTag<Real, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = exp_or_nan(d, hn::Sub(hn::LoadU(d, scores + i), hn::Set(d, max)));
    hn::StoreU(value, d, scores + i);
    sum = hn::Add(sum, value);
  }
  auto total = hn::Set(one, hn::GetLane(hn::SumOfLanes(d, sum)));
  for (; i < count; ++i) {
    const auto value = exp_or_nan(one, hn::Sub(hn::LoadU(one, scores + i), hn::Set(one, max)));
    hn::StoreU(value, one, scores + i);
    total = hn::Add(total, value);
  }
  return hn::GetLane(total);
}

template <class Real>
HWY_INLINE void tanh_all(Real* x, std::int64_t count, Real cap) {
  for_each_vector<Real>(count, [=](auto d, std::int64_t i) HWY_ATTR {
    const auto limit = hn::Set(d, Real{30});  // beyond it, tanh is 1 in float and in double
    const auto quotient = hn::Div(hn::LoadU(d, x + i), hn::Set(d, cap));
    const auto value = hn::Tanh(d, hn::Max(hn::Min(quotient, limit), hn::Neg(limit)));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(quotient), quotient, hn::Mul(hn::Set(d, cap), value)), d, x + i);
  });
}

template <class Real>
HWY_INLINE void tanh_backward_all(Real* grad, const Real* capped, std::int64_t count, Real cap) {
  for_each_vector<Real>(count, [=](auto d, std::int64_t i) HWY_ATTR {
    const auto one = hn::Set(d, Real{1});
    const auto tanh = hn::Div(hn::LoadU(d, capped + i), hn::Set(d, cap));
    const auto slope = hn::Mul(hn::Sub(one, tanh), hn::Add(one, tanh));  // 1 - tanh^2 without cancellation near 1
    hn::StoreU(hn::Mul(hn::LoadU(d, grad + i), slope), d, grad + i);
  });
}

float max_f32(const float* scores, std::int64_t count) { return max_all(scores, count); }
double max_f64(const double* scores, std::int64_t count) { return max_all(scores, count); }
float exp_f32(float* scores, std::int64_t count, float max) { return exp_all(scores, count, max); }
double exp_f64(double* scores, std::int64_t count, double max) { return exp_all(scores, count, max); }
void tanh_f32(float* x, std::int64_t count, float cap) { tanh_all(x, count, cap); }
void tanh_f64(double* x, std::int64_t count, double cap) { tanh_all(x, count, cap); }
void tanh_backward_f32(float* grad, const float* capped, std::int64_t count, float cap) {
  tanh_backward_all(grad, capped, count, cap);
}
void tanh_backward_f64(double* grad, const double* capped, std::int64_t count, double cap) {
  tanh_backward_all(grad, capped, count, cap);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(max_f32);
HWY_EXPORT(max_f64);
HWY_EXPORT(exp_f32);
HWY_EXPORT(exp_f64);
HWY_EXPORT(tanh_f32);
HWY_EXPORT(tanh_f64);
HWY_EXPORT(tanh_backward_f32);
HWY_EXPORT(tanh_backward_f64);

float max_of(const float* scores, std::int64_t count) noexcept { return HWY_DYNAMIC_DISPATCH(max_f32)(scores, count); }
double max_of(const double* scores, std::int64_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(max_f64)(scores, count);
}
float exp_row(float* scores, std::int64_t count, float max) noexcept {
  return HWY_DYNAMIC_DISPATCH(exp_f32)(scores, count, max);
}
double exp_row(double* scores, std::int64_t count, double max) noexcept {
  return HWY_DYNAMIC_DISPATCH(exp_f64)(scores, count, max);
}
void tanh_row(float* x, std::int64_t count, float cap) noexcept { HWY_DYNAMIC_DISPATCH(tanh_f32)(x, count, cap); }
void tanh_row(double* x, std::int64_t count, double cap) noexcept { HWY_DYNAMIC_DISPATCH(tanh_f64)(x, count, cap); }
void tanh_backward_row(float* grad, const float* capped, std::int64_t count, float cap) noexcept {
  HWY_DYNAMIC_DISPATCH(tanh_backward_f32)(grad, capped, count, cap);
}
void tanh_backward_row(double* grad, const double* capped, std::int64_t count, double cap) noexcept {
  HWY_DYNAMIC_DISPATCH(tanh_backward_f64)(grad, capped, count, cap);
}

}  // namespace posenc::kernels
#endif
