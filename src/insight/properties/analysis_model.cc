#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "core/text/number_text.h"
#include "insight/properties/mixings.h"
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
constexpr std::int64_t kStreamBytes = 300;  // per channel: posenc/table.h
constexpr std::int64_t kPhaseBytes = 24;    // of a PhaseStep

void check_mixing(std::span<const double> row, const MixingOptions& options) {
  const bool tokens = options.tokens >= 1 && options.tokens <= kMostTokens;
  if (row.empty()) fail(ErrorKind::usage, "[mixing] the row must have at least one channel");
  if (!tokens) {
    fail(ErrorKind::usage, "[mixing] tokens must be from 1 to " + std::to_string(kMostTokens) + " but got " +
                               std::to_string(options.tokens));
  }
  // Beyond these the squares of their product overflow, or are 0.
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

// By the sum and the difference of unit vectors: an arc cosine would give vectors that are the same an angle.
double degrees_between(std::span<const double> a, double a_norm, std::span<const double> b, double b_norm) {
  if (a_norm == 0.0 || b_norm == 0.0) return 90.0;  // a sum that vanished points nowhere
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

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) {
      fail(ErrorKind::usage, "[cost_of] a table of this many positions has more bytes than can be counted");
    }
  }
  return result;
}

struct CostOf {
  std::int64_t positions;
  std::int64_t size;

  Cost operator()(const Sinusoidal& spec) const {
    return {product({positions, spec.width, size}), kStreamBytes * spec.width, 0, static_cast<double>(spec.width)};
  }
  Cost operator()(const Learned& spec) const {
    if (spec.width < 1) fail(ErrorKind::usage, "[cost_of] width must be given: the spec leaves it to its table");
    const std::int64_t rows = spec.rows > 0 ? spec.rows : positions + spec.first;
    // Nothing replaces what was learned: it is held in any case.
    return {product({positions, spec.width, size}), product({rows, spec.width, size}), product({rows, spec.width}),
            static_cast<double>(spec.width)};
  }
  Cost operator()(const Hybrid& spec) const {
    Learned learned = spec.learned;
    learned.width = spec.fixed.width;
    Cost cost = (*this)(spec.fixed);
    cost.parameters = (*this)(learned).parameters;
    cost.stream_bytes += (*this)(learned).stream_bytes;
    cost.flops_per_token *= 2.0;
    return cost;
  }
  Cost operator()(const Concat& spec) const {
    Cost cost;
    for (const ConcatPart& part : spec.parts) {
      const Cost one = std::visit(*this, Spec(std::visit([](const auto& s) { return Spec(s); }, part.encoding)));
      cost.table_bytes += one.table_bytes;
      cost.stream_bytes += one.stream_bytes;
      cost.parameters += one.parameters;
      cost.flops_per_token += one.flops_per_token;
    }
    return cost;
  }
  Cost operator()(const Fourier& spec) const {
    const FourierSchedule schedule = make_fourier_schedule(spec);
    return {product({positions, schedule.width, size}), kPhaseBytes * schedule.pairs() * schedule.axes, 0,
            static_cast<double>(schedule.width)};
  }
  Cost operator()(const Rotary& spec) const {
    const RotarySchedule schedule = make_schedule(spec);
    return {product({positions, schedule.rotary_dim, size}), kPhaseBytes * schedule.columns() * schedule.axes, 0,
            6.0 * static_cast<double>(schedule.pairs())};
  }
  Cost operator()(const Pope& spec) const {
    const RotarySchedule schedule = make_schedule(spec);
    // A softplus counts as four: an exponential, a logarithm, a maximum and a sum.
    return {product({positions, schedule.rotary_dim, size}), kPhaseBytes * schedule.pairs() * schedule.axes, 0,
            6.0 * static_cast<double>(schedule.pairs())};
  }
  Cost operator()(const Xpos& spec) const {
    const RotarySchedule schedule = make_schedule(spec).rotation;
    return {product({positions, schedule.pairs(), 3, size}), (kPhaseBytes + size) * schedule.pairs(), 0,
            8.0 * static_cast<double>(schedule.pairs())};
  }
  Cost operator()(const QueryTemperature&) const { return {product({positions, size}), 0, 0, 1.0}; }
  Cost operator()(const NoPosition&) const { return {}; }
  Cost operator()(const Alibi& spec) const { return matrix(spec.heads, spec.heads, 2.0); }
  Cost operator()(const Clipped& spec) const { return matrix(spec.heads, 2 * spec.max_distance + 1, 1.0); }
  Cost operator()(const T5& spec) const { return matrix(spec.heads, spec.buckets, 1.0); }
  Cost operator()(const Kerple& spec) const { return matrix(spec.heads, 2, 5.0); }  // 1 + a d, its logarithm, p, sum
  Cost operator()(const Sandwich& spec) const {
    return matrix(spec.heads, spec.width / 2, 2.0 * static_cast<double>(spec.width / 2) + 2.0);
  }
  Cost operator()(const Fire& spec) const {
    return matrix(spec.heads, spec.width * (spec.heads + 2), 5.0 + 5.0 * static_cast<double>(spec.width));
  }
  Cost operator()(const MatrixBias& spec) const {
    Cost cost = matrix(spec.heads, 0, 1.0);
    cost.parameters = product({spec.heads, positions, positions});
    cost.stream_bytes = cost.table_bytes;
    return cost;
  }
  Cost operator()(const Window&) const { return {product({positions, positions, size}), 2 * size, 0, 0.0}; }
  Cost operator()(const Chunked&) const { return {product({positions, positions, size}), size, 0, 0.0}; }
  Cost operator()(const Shaw& spec) const {
    const std::int64_t rows = spec.left + spec.right + 1;
    return {product({positions, positions, size}), product({rows, spec.head_dim, size}), 0,
            2.0 * static_cast<double>(spec.head_dim) * static_cast<double>(positions)};
  }
  Cost operator()(const TransformerXl& spec) const {
    Cost cost = matrix(spec.heads, 0, 2.0 * static_cast<double>(spec.head_dim));
    cost.stream_bytes = product({positions, spec.heads, spec.head_dim, size});
    return cost;
  }

  // A number per head and pair of positions, or what it is computed from as it is needed.
  Cost matrix(std::int64_t heads, std::int64_t numbers, double flops_per_key) const {
    return {product({heads, positions, positions, size}), numbers * size, 0,
            flops_per_key * static_cast<double>(positions)};
  }
};

std::int64_t learned_numbers(const Spec& spec) {
  std::int64_t count = 0;
  for (const ParameterInfo& info : parameters_of(spec)) {
    std::int64_t numbers = info.optional ? 0 : 1;
    for (const std::int64_t length : info.shape) numbers = numbers == 0 ? 0 : product({numbers, length});
    count += numbers;
  }
  return count;
}

bool leaves_lengths_open(const Spec& spec) {
  return std::holds_alternative<Learned>(spec) || std::holds_alternative<Hybrid>(spec) ||
         std::holds_alternative<Concat>(spec) || std::holds_alternative<MatrixBias>(spec);
}

}  // namespace

std::vector<Mixing> properties::mixings(std::span<const double> position_row, std::span<const MixingOptions> sizes) {
  constexpr std::uint64_t kTokens = 0x746f6b656e73;  // apart from the numbers of a learned table of the same seed
  for (const MixingOptions& options : sizes) check_mixing(position_row, options);
  const auto width = static_cast<std::int64_t>(position_row.size());
  const std::int64_t tokens = sizes.front().tokens;
  std::vector<double> block(static_cast<std::size_t>(kBlock * width));
  std::vector<Mixing> result(sizes.size(), {.position_norm = norm(position_row)});
  for (std::int64_t first = 0; first < tokens; first += kBlock) {
    const std::int64_t count = std::min(kBlock, tokens - first);
    const auto part = static_cast<std::uint64_t>(first / kBlock);
    fill_random(make_view(block.data(), {count, width}),
                {.std = 1.0, .seed = next_seed(sizes.front().seed ^ kTokens, part)});
    for (std::int64_t n = 0; n < count; ++n) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        add_token({block.data() + n * width, position_row.size()}, position_row, sizes[k], result[k]);
      }
    }
  }
  for (Mixing& mixing : result) {
    mixing.token_norm /= static_cast<double>(tokens);
    mixing.sum_norm /= static_cast<double>(tokens);
    const Spread spread = spread_of(mixing.angles);
    mixing.angle = spread.mean;
    mixing.angle_low = spread.low;
    mixing.angle_high = spread.high;
  }
  return result;
}

Mixing mixing(std::span<const double> position_row, const MixingOptions& options) {
  return std::move(properties::mixings(position_row, {&options, 1}).front());
}

Cost cost_of(const Spec& spec, std::int64_t positions, DType dtype) {
  validate(spec);
  if (positions < 1)
    fail(ErrorKind::usage, "[cost_of] positions must be at least 1 but got " + std::to_string(positions));
  Cost cost = std::visit(CostOf{positions, size_of(dtype)}, spec);
  if (!leaves_lengths_open(spec)) {
    cost.parameters = learned_numbers(spec);
    cost.stream_bytes = std::max(cost.stream_bytes, product({cost.parameters, size_of(dtype)}));
  }
  return cost;
}

}  // namespace posenc
