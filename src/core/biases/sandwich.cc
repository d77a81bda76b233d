// Sandwich: the product of two sinusoidal rows, as a function of the distance.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/kernels/sin_cos_row.h"
#include "core/numbers/double_double.h"
#include "core/spec/shared_fields.h"
#include "posenc/phase.h"

namespace posenc {
namespace biases {
namespace {

using spec::Field;

constexpr std::string_view kNotModelWidth =
    "width is that of the sinusoidal rows whose product the bias is, not the width of the model";
constexpr spec::UnclearField kSandwichUnclear[] = {
    {"dim", kNotModelWidth}, {spec::kModelWidthWords, kNotModelWidth}, spec::kAnyDistance};

std::vector<Field> sandwich_fields(Sandwich& s) {
  return {spec::heads_field(s.heads), spec::even_width_field(s.width, "channels of the two sinusoidal rows, even"),
          spec::base_field(s.base),
          Field("first", &s.first, "the first frequency is base^(-2 first / width): 1 in NeMo, 0 in a sinusoidal table")
              .between(0, 1),
          spec::direction_field(s.direction)};
}

void check_sandwich(const Sandwich& spec, std::string_view where) { spec::check_even_width(spec.width, where); }

// base^(-2k / width)
double frequency(const Sandwich& spec, std::int64_t k) {
  using numbers::DoubleDouble;
  const DoubleDouble exponent =
      DoubleDouble{static_cast<double>(-2 * k), 0.0} / DoubleDouble{static_cast<double>(spec.width), 0.0};
  const double result = numbers::exact_power(spec.base, exponent);
  if (std::isfinite(result)) return result;
  base::refuse_input("sandwich", "every frequency must be finite but that of pair ", k,
                     " is beyond the largest double");
}

BiasSchedule sandwich_schedule(const Sandwich& spec) {
  for (std::int64_t k = spec.first; k < spec.width / 2 + spec.first; ++k) frequency(spec, k);  // throws
  return {spec.heads, Added::after_scale, FunctionBias{}};
}

class SandwichTerm : public BiasTerm {
 public:
  using Kind = Sandwich;
  SandwichTerm(const Sandwich& spec, spec::BoundParameters parameters)
      : BiasTerm({spec.heads, Added::after_scale, FunctionBias{}}, std::move(parameters)), spec_(spec) {
    for (std::int64_t k = spec.first; k < spec.width / 2 + spec.first; ++k) {
      steps_.push_back(make_phase_step(frequency(spec, k)));
    }
  }

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    const double divisor = 8.0 * static_cast<double>(head + 1) / static_cast<double>(spec_.heads);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      values[k] = sum(distance_of(spec_.direction, query, keys[k])) / divisor;
    }
  }
  bool by_offset(double) const noexcept override { return true; }

 private:
  // The 1 is subtracted from each cosine: subtracting half the width from the sum would lose bits at small distances.
  double sum(double distance) const noexcept {
    constexpr std::size_t kAtOnce = 64;
    std::uint64_t phases[kAtOnce];
    double sine[kAtOnce], cosine[kAtOnce];
    const bool whole = distance == std::floor(distance);
    double result = 0.0;
    for (std::size_t first = 0; first < steps_.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, steps_.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        const PhaseStep& step = steps_[first + k];
        phases[k] = whole ? phase_at(step, static_cast<std::int64_t>(distance)) : phase_at(step, distance);
      }
      kernels::sin_cos_row(phases, static_cast<std::int64_t>(count), 1.0, sine, cosine);
      for (std::size_t k = 0; k < count; ++k) result += cosine[k] - 1.0;
    }
    return result;
  }

  Sandwich spec_;
  std::vector<PhaseStep> steps_;
};

}  // namespace
}  // namespace biases

constinit const spec::KindRow Sandwich::row = {
    .fields = spec::of_kind<biases::sandwich_fields>,
    .check = spec::of_kind<biases::check_sandwich>,
    .unclear = biases::kSandwichUnclear,
    .bias = &biases::kBiasRow<biases::sandwich_schedule, biases::SandwichTerm>};

}  // namespace posenc
