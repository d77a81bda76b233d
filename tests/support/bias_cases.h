// A bias of every kind with parameters, for the library and for the reference.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "posenc/bias.h"
#include "posenc/half.h"
#include "posenc/reference.h"
#include "support/typed_block.h"

namespace bias_cases {

inline constexpr std::int64_t kHeads = 3;
inline constexpr std::int64_t kMatrix = 12;  // positions of the matrices

inline posenc::View view_of(double* data, const std::vector<std::int64_t>& shape) {
  posenc::View view = posenc::make_view(data, {});
  view.rank = static_cast<int>(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    view.shape[axis] = shape[axis];
    view.strides[axis] = stride;
    stride *= shape[axis];
  }
  return view;
}

struct Owned {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

struct BiasCase {
  std::string name;
  posenc::Spec spec;
  std::vector<Owned> owned = {};

  posenc::Parameters parameters() const {
    posenc::Parameters result;
    for (const Owned& each : owned) {
      result.push_back({each.name, view_of(const_cast<double*>(each.values.data()), each.shape)});
    }
    return result;
  }
  posenc::Bias bias() const { return posenc::Bias(spec, parameters()); }

  double value(std::int64_t head, double i, double j) const;
  double factor(std::int64_t head, double i, double j) const;
};

// The reference of a case, for many values.
class PlainBias {
 public:
  explicit PlainBias(const BiasCase& of) : spec_(of.spec) {
    for (const Owned& each : of.owned) numbers_.push_back({each.name, each.shape, each.values});
  }

  // Rounded slopes are rounded as the header says.
  double value(std::int64_t head, double i, double j) const {
    const auto* alibi = std::get_if<posenc::Alibi>(&spec_);
    if (alibi == nullptr || alibi->precision == posenc::AlibiPrecision::exact) {
      return posenc::reference::bias(spec_, numbers_, head, i, j);
    }
    const auto round = [](double x) { return posenc::to_double(posenc::to_bf16(x)); };
    const bool by_key = alibi->form == posenc::AlibiForm::key_position;
    // For neighbouring positions the bias is the slope, with its sign.
    const double slope = round(posenc::reference::bias(spec_, numbers_, head, 0.0, 1.0));
    return round(slope * round(by_key ? j : std::fabs(i - j)));
  }
  double factor(std::int64_t head, double i, double j) const {
    return posenc::reference::score_factor(spec_, numbers_, head, i, j);
  }

 private:
  const posenc::Spec& spec_;
  std::vector<posenc::reference::Numbers> numbers_;
};

inline double BiasCase::value(std::int64_t head, double i, double j) const {
  return PlainBias(*this).value(head, i, j);
}
inline double BiasCase::factor(std::int64_t head, double i, double j) const {
  return PlainBias(*this).factor(head, i, j);
}

inline Owned owned(const std::string& name, std::vector<std::int64_t> shape, unsigned seed) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return {name, std::move(shape), random_numbers(size, seed)};
}

inline Owned heads(const std::string& name, std::vector<double> values) { return {name, {kHeads}, std::move(values)}; }

inline std::vector<Owned> fire_parameters(std::int64_t width) {
  return {{"c", {1}, {-0.37}},          {"length_factor", {1}, {1.25}},          owned("in_weight", {width, 1}, 1),
          owned("in_bias", {width}, 2), owned("out_weight", {kHeads, width}, 3), owned("out_bias", {kHeads}, 4)};
}

inline std::vector<BiasCase> all_cases() {
  using namespace posenc;
  const std::vector<Owned> kerple = {heads("p", {0.5, 1.25, 0.001}), heads("a", {1.0, 0.25, 2.0})};
  const std::vector<Owned> factors = {heads("factor_a", {0.25, 0.001, 0.75}), heads("factor_p", {0.5, 1.0, 2.5})};
  std::vector<Owned> with_exponent = kerple, with_factors = {heads("p", {0.7, 3.0, 1.0}), kerple[1]};
  with_exponent.push_back(heads("exponent", {1.5, 0.002, 1.0}));
  with_factors.insert(with_factors.end(), factors.begin(), factors.end());
  const Owned t5_table = owned("table", {10, kHeads}, 5);
  return {
      {"clipped", Clipped{.heads = kHeads, .max_distance = 4}, {owned("table", {9, kHeads}, 6)}},
      {"clipped i - j",
       Clipped{.heads = kHeads, .max_distance = 4, .offset = Offset::query_minus_key},
       {owned("table", {9, kHeads}, 7)}},
      {"t5", T5{.heads = kHeads, .buckets = 10, .max_distance = 30}, {t5_table}},
      {"t5 causal",
       T5{.heads = kHeads, .buckets = 10, .max_distance = 30, .direction = T5Direction::causal},
       {t5_table}},
      {"alibi", Alibi{.heads = kHeads}},
      {"alibi causal", Alibi{.heads = kHeads, .rule = SlopeRule::geometric, .form = AlibiForm::causal}},
      {"alibi key_position", Alibi{.heads = kHeads, .biased_heads = 2, .form = AlibiForm::key_position}},
      {"alibi bfloat16", Alibi{.heads = kHeads, .bias_max = 7.3, .precision = AlibiPrecision::bfloat16}},
      {"alibi bfloat16 key_position",
       Alibi{.heads = kHeads, .bias_max = 7.3, .form = AlibiForm::key_position, .precision = AlibiPrecision::bfloat16}},
      {"alibi slopes", Alibi{.heads = kHeads}, {heads("slopes", {0.3, -0.1, 2.0})}},
      {"kerple log", Kerple{.heads = kHeads}, kerple},
      {"kerple exponent", Kerple{.heads = kHeads, .direction = DistanceRule::causal}, with_exponent},
      {"kerple power", Kerple{.heads = kHeads, .kernel = KerpleKernel::power}, {with_factors[0], with_factors[1]}},
      {"kerple power factors",
       Kerple{.heads = kHeads, .kernel = KerpleKernel::power, .direction = DistanceRule::causal}, with_factors},
      {"kerple factors alone", Kerple{.heads = kHeads}, factors},
      {"fire", Fire{.heads = kHeads, .width = 5, .length = 6.0}, fire_parameters(5)},
      {"fire long", Fire{.heads = kHeads, .width = 5, .length = 1000.0}, fire_parameters(5)},
      {"sandwich", Sandwich{.heads = kHeads, .width = 8}},
      {"sandwich causal",
       Sandwich{.heads = kHeads, .width = 6, .base = 100.0, .first = 0, .direction = DistanceRule::causal}},
      {"matrix", MatrixBias{.heads = kHeads}, {owned("values", {kHeads, kMatrix, kMatrix}, 8)}},
      {"matrix for all heads", MatrixBias{.heads = kHeads}, {owned("values", {kMatrix, kMatrix}, 9)}},
      {"window", Window{.left = 3, .right = 1}},
      {"window open", Window{.right = 0}},
      {"chunked", Chunked{.size = 3}},
      {"chunked symmetric", Chunked{.size = 4, .direction = DistanceRule::symmetric}},
  };
}

}  // namespace bias_cases
