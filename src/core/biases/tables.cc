// Learned tables indexed by the offset: clipped offsets, and the buckets of T5.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/numbers/double_double.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace biases {
namespace {

using spec::enum_field;
using spec::Field;

// A learned number per head, looked up by the offset.
class TableTerm : public BiasTerm {
 public:
  TableTerm(BiasSchedule of, spec::BoundParameters parameters)
      : BiasTerm(std::move(of), std::move(parameters)),
        bias_(std::get<TableBias>(schedule().shape)),
        table_(this->parameters().numbers("table")) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      values[k] = table_[static_cast<std::size_t>(row_of(keys[k] - query) * schedule().heads + head)];
    }
  }
  bool by_offset(double) const noexcept override { return true; }
  bool needs_integers() const noexcept override { return true; }

  std::int64_t gradient_size() const noexcept override { return bias_.table_rows; }
  void sum_gradient(std::int64_t, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) sums[row_of(keys[k] - query)] += grads[k];
  }
  std::vector<double> gradient_of(std::string_view, std::span<const double> sums, std::int64_t heads) const override {
    std::vector<double> result(sums.size());
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t row = 0; row < bias_.table_rows; ++row) {
        result[static_cast<std::size_t>(row * heads + h)] = sums[static_cast<std::size_t>(h * bias_.table_rows + row)];
      }
    }
    return result;
  }

 private:
  std::int64_t row_of(double offset) const noexcept {
    const auto last = static_cast<std::int64_t>(bias_.rows.size()) - 1;
    const std::int64_t index = std::clamp<std::int64_t>(static_cast<std::int64_t>(offset) - bias_.first, 0, last);
    return bias_.rows[static_cast<std::size_t>(index)];
  }

  const TableBias& bias_;  // owned by the schedule
  std::span<const double> table_;
};

template <auto schedule>
inline constexpr BiasRow kTableRow = {
    spec::of_kind<schedule>, [](const Spec& spec, spec::BoundParameters parameters) -> std::unique_ptr<BiasTerm> {
      return std::make_unique<TableTerm>(spec::of_kind<schedule>(spec), std::move(parameters));
    }};

std::vector<Field> clipped_fields(Clipped& s) {
  return {
      spec::heads_field(s.heads),
      Field("max_distance", &s.max_distance, "larger offsets count as this one; the table has 2 max_distance + 1 rows")
          .between(1, spec::kMaxRows, "positions")
          .must_be_given()
          .alias({"max_relative_position", "max_relative_positions"})
          .example("4", "16"),
      spec::offset_field(s.offset), spec::added_field(s.added)};
}

std::vector<ParameterInfo> clipped_parameters(const Clipped& spec) {
  return {{.name = "table",
           .shape = {2 * spec.max_distance + 1, spec.heads},
           .help = "a number per offset, from -max_distance up, and head"}};
}

BiasSchedule clipped_schedule(const Clipped& spec) {
  TableBias table{.first = -spec.max_distance, .rows = {}, .table_rows = 2 * spec.max_distance + 1};
  table.rows.resize(static_cast<std::size_t>(table.table_rows));
  for (std::int64_t k = 0; k < table.table_rows; ++k) {
    const bool forward = spec.offset == Offset::key_minus_query;
    table.rows[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(forward ? k : table.table_rows - 1 - k);
  }
  return {spec.heads, spec.added, std::move(table)};
}

constexpr std::string_view kT5DirectionWords[] = {"bidirectional", "causal"};

constexpr std::string_view kClippedNames[] = {"relative", "rpe", "relative_bias"};
constexpr std::string_view kT5Names[] = {"t5_bias", "t5bias", "relative", "rpe", "relative_bias"};
constexpr spec::UnclearField kT5Unclear[] = {
    {"bidirectional", "write direction=bidirectional (encoders) or direction=causal (decoders)"}, spec::kAnyDistance};
constexpr spec::UnclearField kClippedUnclear[] = {spec::kAnyDistance};

std::vector<Field> t5_fields(T5& s) {
  return {spec::heads_field(s.heads),
          Field("buckets", &s.buckets, "buckets of distances, the rows of the table")
              .between(2, spec::kMaxRows)
              .alias({"num_buckets", "relative_attention_num_buckets"}),
          Field("max_distance", &s.max_distance, "the last bucket begins at this distance or before it")
              .between(1, spec::kMaxRows, "positions")
              .alias({"relative_attention_max_distance"}),
          Field("direction", enum_field(s.direction, kT5DirectionWords),
                "bidirectional: half of the buckets are for keys after the query; causal: those keys get bucket 0"),
          spec::added_field(s.added)};
}

void check_t5(const T5& spec, std::string_view where) {
  const bool both = spec.direction == T5Direction::bidirectional;
  base::require_input(!both || spec.buckets % 2 == 0, where,
                      "buckets must be even if direction is bidirectional, half for either side, but got ",
                      spec.buckets);
  base::require_input(!both || spec.buckets >= 4, where,
                      "buckets must be at least 4 if direction is bidirectional, 2 for either side, but got ",
                      spec.buckets);
  // The logarithm covers the distances between the last one with its own bucket and max_distance.
  const std::int64_t exact = (both ? spec.buckets / 2 : spec.buckets) / 2;
  base::require_input(spec.max_distance > exact, where, "max_distance must be above the ", exact,
                      " distances that have a bucket of their own but got ", spec.max_distance);
}

std::vector<ParameterInfo> t5_parameters(const T5& spec) {
  return {{.name = "table", .shape = {spec.buckets, spec.heads}, .help = "a number per bucket and head"}};
}

// The part of T5's buckets for one direction.
struct BucketRule {
  std::int64_t buckets;
  std::int64_t exact;  // number of distances with their own bucket
  float log_range;     // ln(max_distance / exact)
};

BucketRule rule_of(const T5& spec) {
  const std::int64_t buckets = spec.direction == T5Direction::bidirectional ? spec.buckets / 2 : spec.buckets;
  const std::int64_t exact = buckets / 2;
  const double range = static_cast<double>(spec.max_distance) / static_cast<double>(exact);
  return {buckets, exact, static_cast<float>(numbers::log(range).high)};
}

// Every step is rounded to float32, as in the published code with which models were trained: in double, some distances
// at the border of a bucket would fall on the other side.
std::int64_t bucket_of(const BucketRule& rule, std::int64_t distance) {
  if (distance < rule.exact) return distance;
  const float ratio = static_cast<float>(distance) / static_cast<float>(rule.exact);
  const auto logarithm = static_cast<float>(numbers::log(static_cast<double>(ratio)).high);
  const float share = logarithm / rule.log_range;
  const float beyond = share * static_cast<float>(rule.buckets - rule.exact);
  return std::min(rule.buckets - 1, rule.exact + static_cast<std::int64_t>(beyond));
}

// The last distance in the bucket of `distance`, but at most `limit`; buckets grow with the distance.
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

// The buckets of distances 0, 1, ... up to the first distance of the last bucket.
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

BiasSchedule t5_schedule(const T5& spec) {
  const std::vector<std::int32_t> past = buckets_by_distance(spec);
  TableBias table{.first = 1 - static_cast<std::int64_t>(past.size()), .rows = {}, .table_rows = spec.buckets};
  table.rows.assign(past.rbegin(), past.rend());
  if (spec.direction == T5Direction::bidirectional) {
    const auto ahead = static_cast<std::int32_t>(spec.buckets / 2);
    for (std::size_t distance = 1; distance < past.size(); ++distance) table.rows.push_back(ahead + past[distance]);
  }
  return {spec.heads, spec.added, std::move(table)};
}

}  // namespace
}  // namespace biases

constinit const spec::KindRow Clipped::row = {.fields = spec::of_kind<biases::clipped_fields>,
                                              .parameters = spec::of_kind<biases::clipped_parameters>,
                                              .words = biases::kClippedNames,
                                              .unclear = biases::kClippedUnclear,
                                              .bias = &biases::kTableRow<biases::clipped_schedule>};

constinit const spec::KindRow T5::row = {.fields = spec::of_kind<biases::t5_fields>,
                                         .check = spec::of_kind<biases::check_t5>,
                                         .parameters = spec::of_kind<biases::t5_parameters>,
                                         .words = biases::kT5Names,
                                         .unclear = biases::kT5Unclear,
                                         .bias = &biases::kTableRow<biases::t5_schedule>};

std::int64_t t5_bucket(const T5& spec, std::int64_t offset) {
  validate(spec);
  // Beyond max_distance every distance is in the last bucket, and -offset could overflow.
  const std::int64_t near = std::clamp(offset, -spec.max_distance, spec.max_distance);
  if (spec.direction == T5Direction::causal)
    return biases::bucket_of(biases::rule_of(spec), std::max<std::int64_t>(-near, 0));
  return biases::bucket_of(biases::rule_of(spec), near < 0 ? -near : near) + (near > 0 ? spec.buckets / 2 : 0);
}

}  // namespace posenc
