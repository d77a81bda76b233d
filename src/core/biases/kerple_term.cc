#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/biases/bias_term.h"

namespace posenc::biases {
namespace {

// 0 of a distance of 0, whatever the power: no gradient comes from there.
double log_or_zero(double distance) noexcept { return distance > 0.0 ? std::log(distance) : 0.0; }

double power(double distance, double exponent) noexcept {
  return exponent == 1.0 ? distance : std::pow(distance, exponent);
}

// One number per head as it is used, and whether its gradient passes the clamp.
class Clamped {
 public:
  Clamped(std::span<const double> given, std::int64_t heads, double fallback, double low, double high) {
    for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) {
      const double value = given.empty() ? fallback : given[h];
      used_.push_back(given.empty() ? fallback : std::clamp(value, low, std::max(low, high)));
      passes_.push_back(value >= low && value <= high ? 1.0 : 0.0);
    }
  }
  double at(std::int64_t head) const noexcept { return used_[static_cast<std::size_t>(head)]; }
  double passes(std::int64_t head) const noexcept { return passes_[static_cast<std::size_t>(head)]; }

 private:
  std::vector<double> used_;
  std::vector<double> passes_;
};

constexpr double kLargestPower = 2.0;  // beyond it the kernel is not conditionally positive definite

class KerpleTerm : public BiasTerm {
 public:
  KerpleTerm(const Kerple& spec, const spec::BoundParameters& parameters)
      : spec_(spec),
        has_bias_(parameters.has("p")),
        has_factor_(parameters.has("factor_a")),
        p_(clamped(parameters, "p", is_log() ? INFINITY : kLargestPower)),
        a_(clamped(parameters, "a", INFINITY)),
        exponent_(clamped(parameters, "exponent", INFINITY)),
        factor_a_(clamped(parameters, "factor_a", INFINITY)),
        factor_p_(clamped(parameters, "factor_p", kLargestPower)) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    if (!has_bias_) {
      std::fill_n(values, keys.size(), 0.0);
      return;
    }
    const double p = p_.at(head);
    const double a = a_.at(head);
    const double exponent = exponent_.at(head);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double distance = distance_of(spec_.direction, query, keys[k]);
      values[k] = is_log() ? -p * std::log1p(a * power(distance, exponent)) : -a * power(distance, p);
    }
  }
  bool by_offset(double) const noexcept override { return true; }

  bool has_factor() const noexcept override { return has_factor_; }
  void fill_factor(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) values[k] = factor(head, query, keys[k]);
  }

  std::int64_t gradient_size() const noexcept override { return kSlots; }

  void add_gradient(std::int64_t head, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    if (!has_bias_) return;
    const double p = p_.at(head);
    const double a = a_.at(head);
    const double exponent = exponent_.at(head);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double distance = distance_of(spec_.direction, query, keys[k]);
      const double raised = power(distance, is_log() ? exponent : p);
      if (is_log()) {
        const double inner = p * raised / (1.0 + a * raised);
        sums[kP] -= grads[k] * std::log1p(a * raised) * p_.passes(head);
        sums[kA] -= grads[k] * inner * a_.passes(head);
        sums[kExponent] -= grads[k] * inner * a * log_or_zero(distance) * exponent_.passes(head);
      } else {
        sums[kP] -= grads[k] * a * raised * log_or_zero(distance) * p_.passes(head);
        sums[kA] -= grads[k] * raised * a_.passes(head);
      }
    }
  }

  void add_factor_gradient(std::int64_t head, double query, std::span<const double> keys, const double* grads,
                           double* sums) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double distance = distance_of(spec_.direction, query, keys[k]);
      const double raised = power(distance, factor_p_.at(head));
      const double change = grads[k] * factor(head, query, keys[k]) * raised;
      sums[kFactorA] -= change * factor_a_.passes(head);
      sums[kFactorP] -= change * factor_a_.at(head) * log_or_zero(distance) * factor_p_.passes(head);
    }
  }

  std::vector<double> gradient_of(std::string_view name, std::span<const double> sums,
                                  std::int64_t heads) const override {
    const std::size_t slot = name == "p"          ? kP
                             : name == "a"        ? kA
                             : name == "exponent" ? kExponent
                             : name == "factor_a" ? kFactorA
                                                  : kFactorP;
    std::vector<double> result;
    for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) result.push_back(sums[h * kSlots + slot]);
    return result;
  }

 private:
  enum Slot : std::size_t { kP, kA, kExponent, kFactorA, kFactorP, kSlots };

  bool is_log() const noexcept { return spec_.kernel == KerpleKernel::log; }
  Clamped clamped(const spec::BoundParameters& parameters, std::string_view name, double high) const {
    return {parameters.numbers(name), spec_.heads, 1.0, spec_.smallest, high};
  }
  double factor(std::int64_t head, double query, double key) const noexcept {
    const double distance = distance_of(spec_.direction, query, key);
    return std::exp(-factor_a_.at(head) * power(distance, factor_p_.at(head)));
  }

  Kerple spec_;
  bool has_bias_;
  bool has_factor_;
  Clamped p_;
  Clamped a_;
  Clamped exponent_;
  Clamped factor_a_;
  Clamped factor_p_;
};

}  // namespace

std::unique_ptr<BiasTerm> make_kerple_term(const Kerple& spec, const spec::BoundParameters& parameters) {
  return std::make_unique<KerpleTerm>(spec, parameters);
}

}  // namespace posenc::biases
