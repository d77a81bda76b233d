#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

// A head, the positions of a query and a key, and the parameters.
struct Pair {
  const std::vector<Numbers>& parameters;
  std::int64_t head;
  double i;
  double j;

  const Numbers* find(std::string_view name) const {
    for (const Numbers& numbers : parameters) {
      if (numbers.name == name) return &numbers;
    }
    return nullptr;
  }
  double number(std::string_view name, std::int64_t index) const {
    return find(name)->values[static_cast<std::size_t>(index)];
  }
  double of_head(std::string_view name, double fallback) const { return find(name) ? number(name, head) : fallback; }
  double distance(DistanceRule rule) const {
    return rule == DistanceRule::causal ? std::max(i - j, 0.0) : std::fabs(i - j);
  }
};

double value(const Clipped& spec, const Pair& pair) {
  const double offset = spec.offset == Offset::key_minus_query ? pair.j - pair.i : pair.i - pair.j;
  const auto reach = static_cast<double>(spec.max_distance);
  const auto row = static_cast<std::int64_t>(std::clamp(offset, -reach, reach) + reach);
  return pair.number("table", row * spec.heads + pair.head);
}

// All steps in float32, as in the published code.
double value(const T5& spec, const Pair& pair) {
  const bool both = spec.direction == T5Direction::bidirectional;
  const std::int64_t buckets = both ? spec.buckets / 2 : spec.buckets;
  const std::int64_t exact = buckets / 2;
  const double distance = pair.distance(both ? DistanceRule::symmetric : DistanceRule::causal);
  auto bucket = static_cast<std::int64_t>(distance);
  if (bucket >= exact) {
    const auto ratio = static_cast<float>(distance) / static_cast<float>(exact);
    const auto range =
        static_cast<float>(std::log(static_cast<double>(spec.max_distance) / static_cast<double>(exact)));
    const float share = static_cast<float>(std::log(static_cast<double>(ratio))) / range;
    bucket = exact + static_cast<std::int64_t>(share * static_cast<float>(buckets - exact));
    bucket = std::min(bucket, buckets - 1);
  }
  if (both && pair.j > pair.i) bucket += buckets;
  return pair.number("table", bucket * spec.heads + pair.head);
}

double slope_of(const Alibi& spec, std::int64_t head) {
  const std::int64_t heads = spec.biased_heads == 0 ? spec.heads : spec.biased_heads;
  if (head >= heads) return 0.0;
  std::int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  if (spec.rule == SlopeRule::geometric) power = heads;
  const double share = head < power ? static_cast<double>(head + 1) / static_cast<double>(power)
                                    : static_cast<double>(2 * (head - power) + 1) / static_cast<double>(2 * power);
  return std::exp2(-spec.bias_max * share);
}

double value(const Alibi& spec, const Pair& pair) {
  const double slope = pair.of_head("slopes", slope_of(spec, pair.head));
  if (spec.form == AlibiForm::key_position) return slope * pair.j;
  const bool causal = spec.form == AlibiForm::causal;
  return -slope * pair.distance(causal ? DistanceRule::causal : DistanceRule::symmetric);
}

double value(const Kerple& spec, const Pair& pair) {
  if (!pair.find("p")) return 0.0;
  const double distance = pair.distance(spec.direction);
  const double p = std::max(pair.of_head("p", 0.0), spec.smallest);
  const double a = std::max(pair.of_head("a", 0.0), spec.smallest);
  if (spec.kernel == KerpleKernel::power) return -a * std::pow(distance, std::min(p, 2.0));
  const double exponent = pair.find("exponent") ? std::max(pair.of_head("exponent", 1.0), spec.smallest) : 1.0;
  return -p * std::log(1.0 + a * std::pow(distance, exponent));
}

double value(const Fire& spec, const Pair& pair) {
  const double c = pair.number("c", 0);
  const double reach = std::max(pair.i, std::fabs(spec.length * pair.number("length_factor", 0)));
  const double x = std::log(std::fabs(c * (pair.i - pair.j)) + 1.0) / (std::log(std::fabs(c * reach) + 1.0) + spec.eps);
  double result = pair.number("out_bias", pair.head);
  for (std::int64_t w = 0; w < spec.width; ++w) {
    const double hidden = pair.number("in_weight", w) * x + pair.number("in_bias", w);
    result += pair.number("out_weight", pair.head * spec.width + w) * std::max(hidden, 0.0);
  }
  return result;
}

double value(const Sandwich& spec, const Pair& pair) {
  const double distance = pair.distance(spec.direction);
  double sum = 0.0;
  for (std::int64_t k = spec.first; k < spec.width / 2 + spec.first; ++k) {
    sum += std::cos(distance / std::pow(spec.base, static_cast<double>(2 * k) / static_cast<double>(spec.width)));
  }
  const double divisor = 8.0 * static_cast<double>(pair.head + 1) / static_cast<double>(spec.heads);
  return (sum - static_cast<double>(spec.width) / 2.0) / divisor;
}

double value(const MatrixBias&, const Pair& pair) {
  const Numbers& values = *pair.find("values");
  const std::int64_t keys = values.shape.back();
  const std::int64_t queries = values.shape[values.shape.size() - 2];
  const std::int64_t head = values.shape.size() == 3 ? pair.head : 0;
  const auto index = (head * queries + static_cast<std::int64_t>(pair.i)) * keys + static_cast<std::int64_t>(pair.j);
  return values.values[static_cast<std::size_t>(index)];
}

double hidden_unless(bool seen) { return seen ? 0.0 : -INFINITY; }

double value(const Window& spec, const Pair& pair) {
  const bool left = !spec.left || pair.j >= pair.i - static_cast<double>(*spec.left);
  const bool right = !spec.right || pair.j <= pair.i + static_cast<double>(*spec.right);
  return hidden_unless(left && right);
}

double value(const Chunked& spec, const Pair& pair) {
  const auto size = static_cast<double>(spec.size);
  const bool same = std::floor(pair.i / size) == std::floor(pair.j / size);
  return hidden_unless(same && (spec.direction == DistanceRule::symmetric || pair.j <= pair.i));
}

template <class Other>
double value(const Other&, const Pair&) {
  return 0.0;
}

}  // namespace

double bias(const Spec& spec, const std::vector<Numbers>& parameters, std::int64_t head, double i, double j) {
  return std::visit([&](const auto& kind) { return value(kind, Pair{parameters, head, i, j}); }, spec);
}

double score_factor(const Spec& spec, const std::vector<Numbers>& parameters, std::int64_t head, double i, double j) {
  const auto* kerple = std::get_if<Kerple>(&spec);
  const Pair pair{parameters, head, i, j};
  if (kerple == nullptr || !pair.find("factor_a")) return 1.0;
  const double a = std::max(pair.of_head("factor_a", 0.0), kerple->smallest);
  const double p = std::min(std::max(pair.of_head("factor_p", 0.0), kerple->smallest), 2.0);
  return std::exp(-a * std::pow(pair.distance(kerple->direction), p));
}

}  // namespace posenc::reference
