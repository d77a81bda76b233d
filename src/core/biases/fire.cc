// FIRE: a small network of the distance relative to the query's position.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace biases {
namespace {

using spec::Field;

constexpr std::string_view kNotModel =
    "width is that of the small network's hidden layer; the bias does not depend on the width of the model";
constexpr spec::UnclearField kFireUnclear[] = {
    {"dim", kNotModel}, {spec::kModelWidthWords, kNotModel}, spec::kAnyDistance};

std::vector<Field> fire_fields(Fire& s) {
  return {spec::heads_field(s.heads),
          Field("width", &s.width, "channels of the network's hidden layer")
              .between(1, spec::kMaxHeads)
              .alias({"mlp_width"}),
          Field("length", &s.length,
                "multiplied by length_factor: earlier queries are normalised as if they were at this position")
              .above(0, "positions")
              .example("2", "4"),
          Field("eps", &s.eps, "added to the normaliser, so that it is not 0").at_least(0)};
}

std::vector<ParameterInfo> fire_parameters(const Fire& spec) {
  return {{.name = "c", .shape = {1}, .help = "multiplies positions within the logarithm", .start = ConstantStart{0.1}},
          {.name = "length_factor", .shape = {1}, .help = "multiplies length", .start = ConstantStart{1.0}},
          {.name = "in_weight",
           .shape = {spec.width, 1},
           .help = "of the first layer of the mlp",
           .start = NormalStart{1.0}},
          {.name = "in_bias", .shape = {spec.width}, .help = "of the first layer", .start = ConstantStart{0.0}},
          {.name = "out_weight",
           .shape = {spec.heads, spec.width},
           .help = "of the second layer",
           .start = NormalStart{1.0}},
          {.name = "out_bias", .shape = {spec.heads}, .help = "of the second layer", .start = ConstantStart{0.0}}};
}

BiasSchedule fire_schedule(const Fire& spec) { return {spec.heads, Added::after_scale, FunctionBias{}}; }

double sign_of(double value) noexcept { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; }

class FireTerm : public BiasTerm {
 public:
  using Kind = Fire;
  FireTerm(const Fire& spec, spec::BoundParameters given)
      : BiasTerm(fire_schedule(spec), std::move(given)),
        spec_(spec),
        width_(static_cast<std::size_t>(spec.width)),
        c_(parameters().numbers("c")[0]),
        length_(spec.length * parameters().numbers("length_factor")[0]),
        in_weight_(parameters().numbers("in_weight")),
        in_bias_(parameters().numbers("in_bias")),
        out_weight_(parameters().numbers("out_weight")),
        out_bias_(parameters().numbers("out_bias")) {
    base::require_input(spec.eps != 0.0 || (c_ != 0.0 && length_ != 0.0), "fire",
                        "c and length_factor must not be 0 if eps is 0: distances are divided by ln(1)");
  }

  // Layer by layer instead of key by key, so that the compiler vectorises over keys.
  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    constexpr std::size_t kAtOnce = 256;
    double x[kAtOnce];
    for (std::size_t first = 0; first < keys.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, keys.size() - first);
      const QueryNormaliser place = place_of(query);
      for (std::size_t k = 0; k < count; ++k) x[k] = log_distance(query, keys[first + k]) / place.normaliser;
      double* out = values + first;
      std::fill_n(out, count, out_bias_[static_cast<std::size_t>(head)]);
      for (std::size_t w = 0; w < width_; ++w) {
        const double weight = out_weight(head, w);
        for (std::size_t k = 0; k < count; ++k) {
          const double hidden = in_weight_[w] * x[k] + in_bias_[w];
          out[k] += weight * (hidden > 0.0 ? hidden : 0.0);
        }
      }
    }
  }

  // Queries up to the length have the same normaliser.
  bool by_offset(double largest_query) const noexcept override { return largest_query < std::fabs(length_); }

  std::int64_t gradient_size() const noexcept override { return 3 + 3 * spec_.width; }

  // The order of a head's sums: c, length_factor, out_bias, then in_weight, in_bias and out_weight, each by hidden
  // unit.
  void sum_gradient(std::int64_t head, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    const QueryNormaliser place = place_of(query);
    double* of_in_weight = sums + 3;
    double* of_in_bias = of_in_weight + width_;
    double* of_out_weight = of_in_bias + width_;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double numerator = log_distance(query, keys[k]);
      const double x = numerator / place.normaliser;
      double by_x = 0.0;
      for (std::size_t w = 0; w < width_; ++w) {
        const double hidden = in_weight_[w] * x + in_bias_[w];
        if (!(hidden > 0.0)) continue;
        const double through = grads[k] * out_weight(head, w);
        of_out_weight[w] += grads[k] * hidden;
        of_in_bias[w] += through;
        of_in_weight[w] += through * x;
        by_x += through * in_weight_[w];
      }
      const double distance = std::fabs(query - keys[k]);
      const double numerator_by_c = sign_of(c_) * distance / (std::fabs(c_) * distance + 1.0);
      sums[0] += by_x * (numerator_by_c - x * place.by_c) / place.normaliser;
      sums[1] -= by_x * x * place.by_length_factor / place.normaliser;
      sums[2] += grads[k];
    }
  }

  std::vector<double> gradient_of(std::string_view name, std::span<const double> sums,
                                  std::int64_t heads) const override {
    const bool per_head = name == "out_weight" || name == "out_bias";
    const std::size_t first = name == "c"               ? 0
                              : name == "length_factor" ? 1
                              : name == "out_bias"      ? 2
                              : name == "in_weight"     ? 3
                              : name == "in_bias"       ? 3 + width_
                                                        : 3 + 2 * width_;
    const std::size_t count = first < 3 ? 1 : width_;
    std::vector<double> result(per_head ? count * static_cast<std::size_t>(heads) : count);
    for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) {
      const double* of_head = sums.data() + h * static_cast<std::size_t>(gradient_size()) + first;
      for (std::size_t i = 0; i < count; ++i) result[(per_head ? h * count : 0) + i] += of_head[i];
    }
    return result;
  }

 private:
  // The normaliser of a query, and its derivatives.
  struct QueryNormaliser {
    double normaliser;
    double by_c;
    double by_length_factor;
  };
  QueryNormaliser place_of(double query) const noexcept {
    const double length = std::fabs(length_);
    const double reach = std::max(query, length);
    const double inner = std::fabs(c_) * reach + 1.0;
    // If query and length are equal, each gets half of the gradient, as in PyTorch.
    const double share = query > length ? 0.0 : query == length ? 0.5 : 1.0;
    return {std::log1p(std::fabs(c_) * reach) + spec_.eps, sign_of(c_) * reach / inner,
            share * std::fabs(c_) / inner * sign_of(length_) * spec_.length};
  }
  double log_distance(double query, double key) const noexcept { return std::log1p(std::fabs(c_ * (query - key))); }
  double out_weight(std::int64_t head, std::size_t w) const noexcept {
    return out_weight_[static_cast<std::size_t>(head) * width_ + w];
  }

  Fire spec_;
  std::size_t width_;
  double c_;
  double length_;
  std::span<const double> in_weight_;
  std::span<const double> in_bias_;
  std::span<const double> out_weight_;
  std::span<const double> out_bias_;
};

}  // namespace
}  // namespace biases

constinit const spec::KindRow Fire::row = {.fields = spec::of_kind<biases::fire_fields>,
                                           .parameters = spec::of_kind<biases::fire_parameters>,
                                           .unclear = biases::kFireUnclear,
                                           .bias = &biases::kBiasRow<biases::fire_schedule, biases::FireTerm>};

}  // namespace posenc
