#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "kernels/softmax_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls visit(d, i) for whole vectors, and one lane at a time for what is left.
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
  auto result = hn::Set(one, hn::GetLane(hn::MaxOfLanes(d, most)));
  for (; i < count; ++i) result = hn::Max(result, hn::LoadU(one, scores + i));
  return hn::GetLane(result);
}

// Far enough below 0 for exp to be 0, and near enough for its integer arithmetic.
template <class Real>
constexpr Real lowest_exponent() {
  return sizeof(Real) == 4 ? Real{-110} : Real{-1100};
}

template <class D, class V>
HWY_INLINE V exp_or_nan(D d, V x) {
  using Real = hn::TFromD<D>;
  const V value = hn::Exp(d, hn::Max(x, hn::Set(d, lowest_exponent<Real>())));
  return hn::IfThenElse(hn::IsNaN(x), x, value);
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
    const auto limit = hn::Set(d, Real{30});  // where tanh is 1 in either precision
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
    const auto slope = hn::Mul(hn::Sub(one, tanh), hn::Add(one, tanh));  // no cancellation in a square near 1
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
