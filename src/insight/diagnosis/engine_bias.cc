#include "insight/diagnosis/engine_bias.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "posenc/bias.h"

namespace posenc::diagnosis {
namespace {

constexpr std::int64_t kReach = 1 << 13;

// The published rule in plain double, with its bucket boundaries moved.
std::int64_t moved_bucket(const T5& spec, BucketBorder border, std::int64_t offset) {
  std::int64_t buckets = spec.buckets, first = 0;
  std::int64_t distance = std::max<std::int64_t>(-offset, 0);
  if (spec.direction == T5Direction::bidirectional) {
    buckets /= 2;
    first = offset > 0 ? buckets : 0;
    distance = std::abs(offset);
  }
  std::int64_t exact = buckets / 2;
  if (border == BucketBorder::exact_of_all) exact = spec.buckets / 2;
  if (border == BucketBorder::exact_quarter) exact = std::max<std::int64_t>(buckets / 4, 1);
  if (distance < exact + (border == BucketBorder::one_more ? 1 : 0)) return first + std::min(distance, buckets - 1);
  double log = std::log(static_cast<double>(distance) / static_cast<double>(exact)) /
               std::log(static_cast<double>(spec.max_distance) / static_cast<double>(exact)) *
               static_cast<double>(buckets - exact);
  if (border == BucketBorder::ceiling) log = std::ceil(log);
  if (border == BucketBorder::nearest) log = std::nearbyint(log);
  const auto grown = exact + static_cast<std::int64_t>(std::floor(log));
  return first + std::clamp<std::int64_t>(grown, 0, buckets - 1);
}

double rounded_if(bool rounds, double value) { return rounds ? rounded(value, Rounding::bf16) : value; }

}  // namespace

std::vector<reference::Numbers> LearnedNumbers::views() const {
  std::vector<reference::Numbers> result;
  for (std::size_t i = 0; i < names.size(); ++i) result.push_back({names[i], shapes[i], values[i]});
  return result;
}

const std::vector<double>* LearnedNumbers::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &values[static_cast<std::size_t>(found - names.begin())];
}

LearnedNumbers read_learned(const Parameters& parameters) {
  LearnedNumbers result;
  for (const Parameter& parameter : parameters) {
    ObservedNumbers numbers =
        read_numbers(parameter.value, parameter.name, {.min_rank = 0, .minus_infinity = true, .zeros = true});
    result.names.emplace_back(parameter.name);
    result.shapes.push_back(std::move(numbers.shape));
    result.values.push_back(std::move(numbers.values));
  }
  return result;
}

EngineBias::EngineBias(const Engine& engine, const LearnedNumbers& learned, std::int64_t heads)
    : engine_(&engine), views_(learned.views()), heads_(heads) {
  if (const auto* alibi = std::get_if<Alibi>(&engine.spec)) {
    slopes_ = engine.bias.slopes;
    if (slopes_.empty()) slopes_ = learned.find("slopes") ? *learned.find("slopes") : alibi_slopes(*alibi);
    if (engine.bias.rounded_slopes) {
      for (double& slope : slopes_) slope = rounded(slope, Rounding::bf16);
    }
  }
  if (const auto* t5 = std::get_if<T5>(&engine.spec)) table_rows_ = t5->buckets;
  if (const auto* clipped = std::get_if<Clipped>(&engine.spec)) table_rows_ = 2 * clipped->max_distance + 1;
  by_table_ = table_rows_ > 0;
  if (by_table_) rows_.assign(static_cast<std::size_t>(2 * kReach + 1), -1);
}

std::int64_t EngineBias::table_row(double i, double j) const {
  const auto offset = static_cast<std::int64_t>(std::clamp(j - i, -1e9, 1e9));
  if (const auto* clipped = std::get_if<Clipped>(&engine_->spec)) {
    const std::int64_t signed_offset = clipped->offset == Offset::key_minus_query ? offset : -offset;
    return std::clamp(signed_offset, -clipped->max_distance, clipped->max_distance) + clipped->max_distance;
  }
  const T5& t5 = std::get<T5>(engine_->spec);
  const auto bucket = [&] {
    return engine_->bias.border == BucketBorder::right ? t5_bucket(t5, offset)
                                                       : moved_bucket(t5, engine_->bias.border, offset);
  };
  if (std::abs(offset) > kReach) return bucket();
  std::int32_t& known = rows_[static_cast<std::size_t>(offset + kReach)];
  if (known < 0) known = static_cast<std::int32_t>(bucket());
  return known;
}

double EngineBias::alibi(std::int64_t head, double i, double j) const {
  const Alibi& spec = std::get<Alibi>(engine_->spec);
  const bool rounds = spec.precision == AlibiPrecision::bfloat16;
  const double slope = rounded_if(rounds, slopes_[static_cast<std::size_t>(head) % slopes_.size()]);
  double x = j;
  if (spec.form == AlibiForm::symmetric) x = -std::abs(i - j);
  if (spec.form == AlibiForm::causal) x = -std::max(i - j, 0.0);
  return rounded_if(rounds, slope * rounded_if(rounds, x));
}

double EngineBias::at(std::int64_t head, double i, double j, const std::vector<double>* table) const {
  if (engine_->bias.swapped) std::swap(i, j);
  const double factor = engine_->bias.factor;
  if (factor == 0.0) return 0.0;
  if (by_table_) {
    const std::int64_t at = table_row(i, j) * heads_ + head;
    return at < static_cast<std::int64_t>(table->size()) ? factor * (*table)[static_cast<std::size_t>(at)] : 0.0;
  }
  if (!slopes_.empty()) return factor * alibi(head, i, j);
  return factor * reference::bias(engine_->spec, views_, head, i, j);
}

}  // namespace posenc::diagnosis
