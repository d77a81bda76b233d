#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "core/text/number_text.h"
#include "insight/properties/kind_page.h"
#include "insight/properties/sample.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/parameters.h"
#include "posenc/pope.h"
#include "posenc/random.h"
#include "posenc/xpos.h"

namespace posenc {
namespace {

constexpr std::int64_t kMostTokens = 1000000;
constexpr std::int64_t kBlock = 256;

void check_mixing(std::span<const double> row, const MixingOptions& options) {
  const bool tokens = options.tokens >= 1 && options.tokens <= kMostTokens;
  if (row.empty()) fail(ErrorKind::usage, "[mixing] the row must have at least one channel");
  if (!tokens) {
    fail(ErrorKind::usage, "[mixing] tokens must be from 1 to " + std::to_string(kMostTokens) + " but got " +
                               std::to_string(options.tokens));
  }
  // Outside this range, the square of a product of two sizes overflows or is 0.
  const auto sound = [](double size) { return size >= 1e-70 && size <= 1e70; };
  if (!sound(options.std)) {
    fail(ErrorKind::usage, "[mixing] std must be from 1e-70 to 1e70 but got " + text::number_text(options.std));
  }
  if (!sound(std::abs(options.scale))) {
    fail(ErrorKind::usage,
         "[mixing] the size of scale must be from 1e-70 to 1e70 but got " + text::number_text(options.scale));
  }
}

double norm(std::span<const double> row) {
  return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

// Computes the angle from the sum and the difference of unit vectors: an arc cosine would give equal vectors an angle
// above 0.
double degrees_between(std::span<const double> a, double a_norm, std::span<const double> b, double b_norm) {
  if (a_norm == 0.0 || b_norm == 0.0) return 90.0;  // a vector of length 0 has no direction
  double apart = 0.0, together = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] / a_norm, y = b[i] / b_norm;
    apart += (x - y) * (x - y);
    together += (x + y) * (x + y);
  }
  return 2.0 * std::atan2(std::sqrt(apart), std::sqrt(together)) * 180.0 / std::numbers::pi;
}

void add_token(std::span<const double> draw, std::span<const double> row, const MixingOptions& options,
               Mixing& mixing) {
  std::vector<double> token(row.size()), sum(row.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    token[i] = options.std * draw[i] * options.scale;
    sum[i] = row[i] + token[i];
  }
  const double token_norm = norm(token), sum_norm = norm(sum);
  mixing.token_norm += token_norm;
  mixing.sum_norm += sum_norm;
  mixing.angles.push_back(degrees_between(token, token_norm, sum, sum_norm));
}

// The number of learned numbers, without parameters whose length the spec leaves open.
std::int64_t learned_numbers(const Spec& spec) {
  std::int64_t count = 0;
  for (const ParameterInfo& info : parameters_of(spec)) {
    std::int64_t numbers = info.optional ? 0 : 1;
    for (const std::int64_t length : info.shape) {
      numbers = numbers == 0 ? 0 : properties::product({numbers, std::max<std::int64_t>(length, 0)});
    }
    count += numbers;
  }
  return count;
}

}  // namespace

std::int64_t properties::product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) {
      fail(ErrorKind::usage, "[cost_of] a table of this many positions has more bytes than can be counted");
    }
  }
  return result;
}

Cost properties::matrix_cost(const CostQuestion& of, std::int64_t heads, std::int64_t numbers, double flops_per_key) {
  return {product({heads, of.positions, of.positions, of.size}), numbers * of.size, 0,
          flops_per_key * static_cast<double>(of.positions)};
}

Mixing mixing(std::span<const double> position_row, const MixingOptions& options) {
  constexpr std::uint64_t kTokens = 0x746f6b656e73;  // tokens must differ from a learned table of the same seed
  check_mixing(position_row, options);
  const auto width = static_cast<std::int64_t>(position_row.size());
  std::vector<double> block(static_cast<std::size_t>(kBlock * width));
  Mixing result{.position_norm = norm(position_row)};
  for (std::int64_t first = 0; first < options.tokens; first += kBlock) {
    const std::int64_t count = std::min(kBlock, options.tokens - first);
    const auto part = static_cast<std::uint64_t>(first / kBlock);
    fill_random(make_view(block.data(), {count, width}),
                {.std = 1.0, .seed = properties::next_seed(options.seed ^ kTokens, part)});
    for (std::int64_t n = 0; n < count; ++n) {
      add_token({block.data() + n * width, position_row.size()}, position_row, options, result);
    }
  }
  result.token_norm /= static_cast<double>(options.tokens);
  result.sum_norm /= static_cast<double>(options.tokens);
  const properties::Spread spread = properties::spread_of(result.angles);
  result.angle = spread.mean;
  result.angle_low = spread.low;
  result.angle_high = spread.high;
  return result;
}

Cost cost_of(const Spec& spec, std::int64_t positions, DType dtype) {
  validate(spec);
  if (positions < 1)
    fail(ErrorKind::usage, "[cost_of] positions must be at least 1 but got " + std::to_string(positions));
  Cost cost = properties::page_of(spec).cost(spec, {positions, size_of(dtype)});
  cost.parameters = std::max(cost.parameters, learned_numbers(spec));
  cost.stream_bytes = std::max(cost.stream_bytes, properties::product({cost.parameters, size_of(dtype)}));
  return cost;
}

}  // namespace posenc
