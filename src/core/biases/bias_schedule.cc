#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "core/numbers/double_double.h"
#include "posenc/bias.h"
#include "posenc/error.h"
#include "posenc/half.h"

namespace posenc {
namespace {

using numbers::DoubleDouble;

// 2^(-bias_max step / steps) for step = first, first + stride, ...
void append_slopes(double bias_max, std::int64_t first, std::int64_t stride, std::int64_t steps, std::int64_t count,
                   std::vector<double>& slopes) {
  for (std::int64_t k = 0; k < count; ++k) {
    const DoubleDouble exponent = numbers::exact_product(-bias_max, static_cast<double>(first + k * stride)) /
                                  DoubleDouble{static_cast<double>(steps), 0.0};
    slopes.push_back(numbers::exact_power(2.0, exponent));
  }
}

// The part of a T5's buckets for one side.
struct BucketRule {
  std::int64_t buckets;
  std::int64_t exact;  // distances that have a bucket of their own
  float log_range;     // ln(max_distance / exact)
};

BucketRule rule_of(const T5& spec) {
  const std::int64_t buckets = spec.direction == T5Direction::bidirectional ? spec.buckets / 2 : spec.buckets;
  const std::int64_t exact = buckets / 2;
  const double range = static_cast<double>(spec.max_distance) / static_cast<double>(exact);
  return {buckets, exact, static_cast<float>(numbers::log(range).high)};
}

// Every step is rounded to float32, as in the published code that models were trained with: in double, distances at
// the border of a bucket fall on its other side.
std::int64_t bucket_of(const BucketRule& rule, std::int64_t distance) {
  if (distance < rule.exact) return distance;
  const float ratio = static_cast<float>(distance) / static_cast<float>(rule.exact);
  const auto logarithm = static_cast<float>(numbers::log(static_cast<double>(ratio)).high);
  const float share = logarithm / rule.log_range;
  const float beyond = share * static_cast<float>(rule.buckets - rule.exact);
  return std::min(rule.buckets - 1, rule.exact + static_cast<std::int64_t>(beyond));
}

// The last distance of the bucket of `distance`; buckets grow with it. `limit` is not passed.
std::int64_t last_of_bucket(const BucketRule& rule, std::int64_t distance, std::int64_t limit) {
  const std::int64_t bucket = bucket_of(rule, distance);
  std::int64_t inside = distance;
  std::int64_t step = 1;
  while (inside + step <= limit && bucket_of(rule, inside + step) == bucket) {
    inside += step;
    step *= 2;
  }
  for (; step > 0; step /= 2) {
    if (inside + step <= limit && bucket_of(rule, inside + step) == bucket) inside += step;
  }
  return inside;
}

// The buckets of distances 0, 1, ... up to the first of the last bucket.
std::vector<std::int32_t> buckets_by_distance(const T5& spec) {
  const BucketRule rule = rule_of(spec);
  std::vector<std::int32_t> result;
  for (std::int64_t distance = 0;;) {
    const std::int64_t bucket = bucket_of(rule, distance);
    if (bucket == rule.buckets - 1) {
      result.push_back(static_cast<std::int32_t>(bucket));
      return result;
    }
    const std::int64_t next = last_of_bucket(rule, distance, spec.max_distance) + 1;
    result.insert(result.end(), static_cast<std::size_t>(next - distance), static_cast<std::int32_t>(bucket));
    distance = next;
  }
}

BiasSchedule schedule_of(const Clipped& spec) {
  TableBias table{.first = -spec.max_distance, .rows = {}, .table_rows = 2 * spec.max_distance + 1};
  table.rows.resize(static_cast<std::size_t>(table.table_rows));
  for (std::int64_t k = 0; k < table.table_rows; ++k) {
    const bool forward = spec.offset == Offset::key_minus_query;
    table.rows[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(forward ? k : table.table_rows - 1 - k);
  }
  return {spec.heads, spec.added, std::move(table)};
}

BiasSchedule schedule_of(const T5& spec) {
  const std::vector<std::int32_t> past = buckets_by_distance(spec);
  TableBias table{.first = 1 - static_cast<std::int64_t>(past.size()), .rows = {}, .table_rows = spec.buckets};
  table.rows.assign(past.rbegin(), past.rend());
  if (spec.direction == T5Direction::bidirectional) {
    const auto ahead = static_cast<std::int32_t>(spec.buckets / 2);
    for (std::size_t distance = 1; distance < past.size(); ++distance) table.rows.push_back(ahead + past[distance]);
  }
  return {spec.heads, spec.added, std::move(table)};
}

BiasSchedule schedule_of(const Alibi& spec) {
  return {spec.heads, spec.added, LinearBias{alibi_slopes(spec), spec.form, spec.precision}};
}

BiasSchedule schedule_of(const Kerple& spec) { return {spec.heads, Added::after_scale, DistanceBias{spec}}; }

BiasSchedule schedule_of(const Sandwich& spec) {
  DistanceBias bias{spec};
  for (std::int64_t k = spec.first; k < spec.width / 2 + spec.first; ++k) {
    const DoubleDouble exponent =
        DoubleDouble{static_cast<double>(-2 * k), 0.0} / DoubleDouble{static_cast<double>(spec.width), 0.0};
    bias.inv_freq.push_back(numbers::exact_power(spec.base, exponent));
    if (std::isfinite(bias.inv_freq.back())) continue;
    fail(ErrorKind::bad_input, "[sandwich] every frequency must be finite but that of pair " + std::to_string(k) +
                                   " is beyond the largest double");
  }
  return {spec.heads, Added::after_scale, std::move(bias)};
}

BiasSchedule schedule_of(const Fire& spec) { return {spec.heads, Added::after_scale, PairBias{spec}}; }
BiasSchedule schedule_of(const MatrixBias& spec) { return {spec.heads, spec.added, PairBias{spec}}; }
BiasSchedule schedule_of(const Window& spec) { return {0, Added::after_scale, PairBias{spec}}; }
BiasSchedule schedule_of(const Chunked& spec) { return {0, Added::after_scale, PairBias{spec}}; }

// What the kinds do that are no biases.
std::string other_use(const Spec& spec) {
  if (std::holds_alternative<Rotary>(spec)) return "it turns queries and keys (posenc/rotate.h)";
  if (std::holds_alternative<Pope>(spec)) return "it turns queries and keys (posenc/pope.h)";
  if (std::holds_alternative<Xpos>(spec)) return "it turns queries and keys (posenc/xpos.h)";
  if (std::holds_alternative<QueryTemperature>(spec)) return "it multiplies queries (posenc/query_temperature.h)";
  if (std::holds_alternative<Shaw>(spec) || std::holds_alternative<TransformerXl>(spec)) {
    return "its vectors meet queries and keys (posenc/score_term.h)";
  }
  if (std::holds_alternative<NoPosition>(spec)) return "it adds nothing to the scores";
  return "it is added to the embeddings (posenc/embed.h)";
}

template <class Kind>
[[noreturn]] BiasSchedule schedule_of(const Kind& kind) {
  const Spec spec(kind);
  fail(ErrorKind::usage,
       "[make_bias_schedule] '" + std::string(kind_of(spec)) + "' is no bias on scores: " + other_use(spec));
}

}  // namespace

BiasSchedule make_bias_schedule(const Spec& spec) {
  validate(spec);
  return std::visit([](const auto& kind) { return schedule_of(kind); }, spec);
}

std::vector<double> alibi_slopes(const Alibi& spec) {
  validate(spec);
  const std::int64_t heads = spec.biased_heads == 0 ? spec.heads : spec.biased_heads;
  std::vector<double> slopes;
  if (spec.rule == SlopeRule::geometric) {
    append_slopes(spec.bias_max, 1, 1, heads, heads, slopes);
  } else {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    append_slopes(spec.bias_max, 1, 1, power, power, slopes);
    append_slopes(spec.bias_max, 1, 2, 2 * power, heads - power, slopes);
  }
  if (spec.precision == AlibiPrecision::bfloat16) {
    for (double& slope : slopes) slope = to_double(to_bf16(slope));
  }
  slopes.resize(static_cast<std::size_t>(spec.heads), 0.0);
  return slopes;
}

std::int64_t t5_bucket(const T5& spec, std::int64_t offset) {
  validate(spec);
  // Beyond it every distance is in the last bucket, and -offset could overflow.
  const std::int64_t near = std::clamp(offset, -spec.max_distance, spec.max_distance);
  if (spec.direction == T5Direction::causal) return bucket_of(rule_of(spec), std::max<std::int64_t>(-near, 0));
  return bucket_of(rule_of(spec), near < 0 ? -near : near) + (near > 0 ? spec.buckets / 2 : 0);
}

}  // namespace posenc
