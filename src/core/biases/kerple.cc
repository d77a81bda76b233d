// KERPLE: a learned logarithm or power of the distance, and an optional factor on the scores.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace biases {
namespace {

using spec::enum_field;
using spec::Field;

constexpr spec::UnclearField kKerpleUnclear[] = {spec::kAnyDistance};
constexpr std::string_view kKernelWords[] = {"log", "power"};

std::vector<Field> kerple_fields(Kerple& s) {
  return {spec::heads_field(s.heads),
          Field("kernel", enum_field(s.kernel, kKernelWords), "the penalty at distance d: -p ln(1 + a d), or -a d^p"),
          spec::direction_field(s.direction),
          Field("smallest", &s.smallest, "smaller parameters count as this one; the authors' code clamps to 0.01")
              .at_least(0)};
}

void check_kerple(const Kerple& spec, std::string_view where) {
  if (spec.kernel != KerpleKernel::power || spec.smallest <= 2.0) return;
  base::refuse_input(where, "smallest must be at most 2, the largest power, but got ", spec.smallest);
}

std::vector<ParameterInfo> kerple_parameters(const Kerple& spec) {
  const std::vector<std::int64_t> shape = {spec.heads};
  const bool log = spec.kernel == KerpleKernel::log;
  std::vector<ParameterInfo> infos = {
      {.name = "p",
       .shape = shape,
       .help = log ? "multiplies the logarithm" : "the power of the distance",
       .unless = "factor_a",  // the factor on the scores can be alone: then there is no bias
       .start = SpreadStart{2.0}},
      {.name = "a",
       .shape = shape,
       .help = log ? "multiplies the distance" : "multiplies the power",
       .unless = "factor_a",
       .start = SpreadStart{1.0}}};
  if (log) {
    infos.push_back(
        {.name = "exponent", .shape = shape, .help = "the power of the distance, else 1", .optional = true});
  }
  infos.push_back({.name = "factor_a",
                   .shape = shape,
                   .help = "with factor_p: scores are first multiplied by exp(-factor_a d^factor_p)",
                   .optional = true,
                   .together = "factor_p"});
  infos.push_back(
      {.name = "factor_p", .shape = shape, .help = "the power of the distance in the factor", .optional = true});
  return infos;
}

BiasSchedule kerple_schedule(const Kerple& spec) { return {spec.heads, Added::after_scale, FunctionBias{}}; }

// 0 for a distance of 0, whatever the power, so that it contributes no gradient.
double log_or_zero(double distance) noexcept { return distance > 0.0 ? std::log(distance) : 0.0; }

double power(double distance, double exponent) noexcept {
  return exponent == 1.0 ? distance : std::pow(distance, exponent);
}

// One number per head after clamping, and whether the clamp lets its gradient through.
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
  using Kind = Kerple;
  KerpleTerm(const Kerple& spec, spec::BoundParameters given)
      : BiasTerm(kerple_schedule(spec), std::move(given)),
        spec_(spec),
        has_bias_(parameters().has("p")),
        has_factor_(parameters().has("factor_a")),
        p_(clamped("p", is_log() ? INFINITY : kLargestPower)),
        a_(clamped("a", INFINITY)),
        exponent_(clamped("exponent", INFINITY)),
        factor_a_(clamped("factor_a", INFINITY)),
        factor_p_(clamped("factor_p", kLargestPower)) {}

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

  void sum_gradient(std::int64_t head, double query, std::span<const double> keys, const double* grads,
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

  void sum_factor_gradient(std::int64_t head, double query, std::span<const double> keys, const double* grads,
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
  Clamped clamped(std::string_view name, double high) const {
    return {parameters().numbers(name), spec_.heads, 1.0, spec_.smallest, high};
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
}  // namespace biases

constinit const spec::KindRow Kerple::row = {.fields = spec::of_kind<biases::kerple_fields>,
                                             .check = spec::of_kind<biases::check_kerple>,
                                             .parameters = spec::of_kind<biases::kerple_parameters>,
                                             .unclear = biases::kKerpleUnclear,
                                             .bias = &biases::kBiasRow<biases::kerple_schedule, biases::KerpleTerm>};

}  // namespace posenc
