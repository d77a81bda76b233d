// ALiBi: a slope per head times the distance.
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/numbers/double_double.h"
#include "core/spec/shared_fields.h"
#include "posenc/half.h"

namespace posenc {
namespace biases {
namespace {

using spec::enum_field;
using spec::Field;

constexpr std::string_view kAlibiNames[] = {"alibi_bias"};
constexpr spec::UnclearField kAlibiUnclear[] = {spec::kAnyDistance};
constexpr std::string_view kRuleWords[] = {"interleaved", "geometric"};
constexpr std::string_view kFormWords[] = {"symmetric", "causal", "key_position"};
constexpr std::string_view kPrecisionWords[] = {"exact", "bfloat16"};

std::vector<Field> alibi_fields(Alibi& s) {
  return {with_example(spec::heads_field(s.heads), spec::kExampleHeads.at_least(s.biased_heads)),
          Field("biased_heads", &s.biased_heads, "how many heads have a slope, from the first; 0: all")
              .between(0, spec::kMaxHeads),
          Field("rule", enum_field(s.rule, kRuleWords),
                "slopes if heads is not a power of two: those of the authors' code, or the printed formula"),
          Field("bias_max", &s.bias_max, "the last slope is 2^-bias_max if heads is a power of two")
              .above(0)
              .at_most(1024)
              .alias({"alibi_bias_max", "max_bias"}),
          Field("form", enum_field(s.form, kFormWords),
                "what the slope multiplies: -|i - j|, -max(i - j, 0), or the position of the key (BLOOM)"),
          Field("precision", enum_field(s.precision, kPrecisionWords),
                "bfloat16: round slopes and products, as Falcon does"),
          spec::added_field(s.added)};
}

void check_alibi(const Alibi& spec, std::string_view where) {
  base::require_input(spec.biased_heads <= spec.heads, where, "biased_heads must be at most heads, ", spec.heads,
                      ", but got ", spec.biased_heads);
}

std::vector<ParameterInfo> alibi_parameters(const Alibi& spec) {
  return {{.name = "slopes", .shape = {spec.heads}, .help = "a slope per head, instead of the rule", .optional = true}};
}

// 2^(-bias_max step / steps) for step = first, first + stride, ...
void append_slopes(double bias_max, std::int64_t first, std::int64_t stride, std::int64_t steps, std::int64_t count,
                   std::vector<double>& slopes) {
  for (std::int64_t k = 0; k < count; ++k) {
    const numbers::DoubleDouble exponent = numbers::exact_product(-bias_max, static_cast<double>(first + k * stride)) /
                                           numbers::DoubleDouble{static_cast<double>(steps), 0.0};
    slopes.push_back(numbers::exact_power(2.0, exponent));
  }
}

BiasSchedule alibi_schedule(const Alibi& spec) {
  constexpr SlopeOf kOf[] = {SlopeOf::distance, SlopeOf::distance_behind, SlopeOf::key};
  return {spec.heads, spec.added,
          LinearBias{.slopes = alibi_slopes(spec),
                     .of = kOf[static_cast<int>(spec.form)],
                     .bfloat16 = spec.precision == AlibiPrecision::bfloat16}};
}

double to_bfloat16(double value) { return to_double(to_bf16(value)); }

class AlibiTerm : public BiasTerm {
 public:
  using Kind = Alibi;
  AlibiTerm(const Alibi& spec, spec::BoundParameters parameters)
      : BiasTerm(alibi_schedule(spec), std::move(parameters)),
        shape_(std::get<LinearBias>(schedule().shape)),
        learned_(this->parameters().has("slopes")),
        slopes_(learned_ ? this->parameters().numbers("slopes") : std::span<const double>(shape_.slopes)) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    const double slope = slopes_[static_cast<std::size_t>(head)];
    if (shape_.bfloat16) {
      const double rounded = to_bfloat16(slope);
      for (std::size_t k = 0; k < keys.size(); ++k) {
        values[k] = to_bfloat16(rounded * to_bfloat16(multiplied(query, keys[k])));
      }
      return;
    }
    for (std::size_t k = 0; k < keys.size(); ++k) values[k] = slope * multiplied(query, keys[k]);
  }
  bool by_offset(double) const noexcept override { return shape_.of != SlopeOf::key; }
  bool by_key() const noexcept override { return shape_.of == SlopeOf::key; }

  std::int64_t gradient_size() const noexcept override { return learned_ ? 1 : 0; }
  void sum_gradient(std::int64_t, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double x = multiplied(query, keys[k]);
      sums[0] += grads[k] * (shape_.bfloat16 ? to_bfloat16(x) : x);
    }
  }
  std::vector<double> gradient_of(std::string_view, std::span<const double> sums, std::int64_t) const override {
    return {sums.begin(), sums.end()};
  }

 private:
  double multiplied(double query, double key) const noexcept {
    if (shape_.of == SlopeOf::key) return key;
    return -distance_of(shape_.of == SlopeOf::distance_behind ? DistanceRule::causal : DistanceRule::symmetric, query,
                        key);
  }

  const LinearBias& shape_;  // owned by the schedule
  bool learned_;
  std::span<const double> slopes_;
};

}  // namespace
}  // namespace biases

constinit const spec::KindRow Alibi::row = {.fields = spec::of_kind<biases::alibi_fields>,
                                            .check = spec::of_kind<biases::check_alibi>,
                                            .parameters = spec::of_kind<biases::alibi_parameters>,
                                            .words = biases::kAlibiNames,
                                            .unclear = biases::kAlibiUnclear,
                                            .bias = &biases::kBiasRow<biases::alibi_schedule, biases::AlibiTerm>};

std::vector<double> alibi_slopes(const Alibi& spec) {
  validate(spec);
  const std::int64_t heads = spec.biased_heads == 0 ? spec.heads : spec.biased_heads;
  std::vector<double> slopes;
  if (spec.rule == SlopeRule::geometric) {
    biases::append_slopes(spec.bias_max, 1, 1, heads, heads, slopes);
  } else {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    biases::append_slopes(spec.bias_max, 1, 1, power, power, slopes);
    biases::append_slopes(spec.bias_max, 1, 2, 2 * power, heads - power, slopes);
  }
  if (spec.precision == AlibiPrecision::bfloat16) {
    for (double& slope : slopes) slope = biases::to_bfloat16(slope);
  }
  slopes.resize(static_cast<std::size_t>(spec.heads), 0.0);
  return slopes;
}

}  // namespace posenc
