// Mistakes about biases on scores.
#include <cmath>

#include "insight/diagnosis/fault.h"
#include "posenc/bias.h"

namespace posenc::diagnosis {
namespace {

template <class T, class Change>
Variations changed(const Engine& engine, std::string words, Change change) {
  Variation variation{engine, std::move(words)};
  change(std::get<T>(variation.engine.spec));
  return {variation};
}

Variations slopes_rule(const Engine& engine, const Clues&) {
  const auto* alibi = std::get_if<Alibi>(&engine.spec);
  if (alibi == nullptr || !engine.bias.slopes.empty()) return {};
  const bool geometric = alibi->rule == SlopeRule::geometric;
  return changed<Alibi>(engine,
                        geometric ? "the authors' interleaved rule instead of the formula of the paper"
                                  : "the formula of the paper instead of the authors' interleaved rule",
                        [&](Alibi& a) { a.rule = geometric ? SlopeRule::interleaved : SlopeRule::geometric; });
}

Variations slopes_exponent(const Engine& engine, const Clues&) {
  const auto* alibi = std::get_if<Alibi>(&engine.spec);
  if (alibi == nullptr || !engine.bias.slopes.empty()) return {};
  // One step of the exponent, in both parts of the authors' rule; in the formula it is a single factor.
  Variations variations;
  for (const int step : {-1, 1}) {
    std::vector<double> shifted;
    const auto heads = static_cast<double>(alibi->heads);
    for (std::int64_t h = 0; h < alibi->heads; ++h)
      shifted.push_back(std::exp2(-alibi->bias_max * (static_cast<double>(h) + 1.0 + step) / heads));
    std::vector<double> authors = alibi_slopes(*alibi);
    double power = 1.0;
    while (2.0 * power <= heads) power *= 2.0;
    for (double& slope : authors) slope *= std::exp2(-alibi->bias_max * step / power);
    const std::string words = step < 0 ? "counted from 0, so the first slope is 1" : "counted from 2";
    for (std::vector<double>& slopes : std::vector<std::vector<double>>{authors, shifted}) {
      Variation variation{engine, words};
      variation.engine.bias.slopes = slopes;
      variations.push_back(variation);
    }
    // The authors' rule with heads counted from 0 in both of its parts.
    if (power != heads) {
      Variation variation{engine, words};
      for (std::int64_t h = 0; h < alibi->heads; ++h) {
        const double n = static_cast<double>(h);
        variation.engine.bias.slopes.push_back(
            n < power ? std::exp2(-alibi->bias_max * (n + 1.0 + step) / power)
                      : std::exp2(-alibi->bias_max * (2.0 * (n - power) + 1.0 + step) / (2.0 * power)));
      }
      variations.push_back(variation);
    }
  }
  return variations;
}

Variations bias_sign(const Engine& engine, const Clues&) {
  if (!is_bias(engine.spec)) return {};
  Variation variation{engine};
  variation.engine.bias.factor *= -1.0;
  return {variation};
}

Variations bias_missing(const Engine& engine, const Clues&) {
  if (!is_bias(engine.spec)) return {};
  Variation variation{engine};
  variation.engine.bias.factor = 0.0;
  return {variation};
}

Variations bias_scaled(const Engine& engine, const Clues& clues) {
  if (!is_bias(engine.spec) || engine.bias.factor == 0.0) return {};
  std::vector<double> tried;
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value() && clues.seen()) {
    if (clues.quick()->head_dim() > 0) {  // scores: a bias that is scaled with them
      tried.push_back(1.0 / std::sqrt(static_cast<double>(clues.quick()->head_dim())));
      tried.push_back(std::sqrt(static_cast<double>(clues.quick()->head_dim())));
    } else if (const std::optional<double> scale = clues.quick()->best_scale(engine); scale && *scale > 0.0) {
      for (const double tolerance : {1e-3, 1e-5, 0.0}) tried.push_back(plain_number(*scale, tolerance));
    }
  }
  if (tried.empty()) tried = {0.125};
  Variations variations;
  for (const double scale : tried) {
    if (std::abs(scale - 1.0) < 1e-4) continue;
    const double root = 1.0 / (scale * scale);
    const bool whole = std::abs(root - std::round(root)) < 1e-2 * root && root > 1.5;
    Variation variation{
        engine,
        "by " + short_number(scale) + (whole ? ", which is 1 / sqrt(" + short_number(std::round(root)) + ")" : ""),
        scale};
    variation.engine.bias.factor *= scale;
    variations.push_back(variation);
  }
  return variations;
}

Variations slopes_bfloat16(const Engine& engine, const Clues&) {
  const auto* alibi = std::get_if<Alibi>(&engine.spec);
  if (alibi == nullptr) return {};
  Variation slopes{engine, "the slopes are rounded"};
  slopes.engine.bias.rounded_slopes = true;
  Variations variations = {slopes};
  if (alibi->precision == AlibiPrecision::exact) {
    Variations all = changed<Alibi>(engine, "slopes, distances and their products are rounded, as in Falcon",
                                    [](Alibi& a) { a.precision = AlibiPrecision::bfloat16; });
    variations.push_back(all[0]);
  }
  return variations;
}

Variations alibi_form(const Engine& engine, const Clues& clues) {
  const auto* alibi = std::get_if<Alibi>(&engine.spec);
  if (alibi == nullptr) return {};
  Variations variations;
  for (const AlibiForm form : {AlibiForm::key_position, AlibiForm::symmetric, AlibiForm::causal}) {
    if (form == alibi->form) continue;
    const char* words = form == AlibiForm::symmetric ? "slope * -|i - j| on both sides"
                        : form == AlibiForm::causal
                            ? "0 for keys ahead of the query"
                            : "slope * j, the position of the key: the same after softmax under a causal mask";
    variations.push_back(changed<Alibi>(engine, words, [&](Alibi& a) { a.form = form; })[0]);
  }
  const std::optional<double> last = clues.quick() != nullptr ? clues.quick()->last_key() : std::nullopt;
  for (const AlibiForm form : {AlibiForm::symmetric, AlibiForm::causal}) {
    if (!last) break;
    Variation variation{
        engine,
        "every query is treated as the last one, slope * (j - last): the same after softmax under a causal mask"};
    std::get<Alibi>(variation.engine.spec).form = form;
    variation.engine.query.ids = [last = *last](std::int64_t, double) { return last; };
    variations.push_back(variation);
  }
  return variations;
}

Variations slopes_heads(const Engine& engine, const Clues&) {
  const auto* alibi = std::get_if<Alibi>(&engine.spec);
  if (alibi == nullptr || !engine.bias.slopes.empty()) return {};
  Variations variations;
  for (const std::int64_t parts : {2, 4, 8, 16}) {
    if (alibi->heads % parts != 0 || alibi->heads == parts) continue;
    Alibi part = *alibi;
    part.heads = alibi->heads / parts;
    part.biased_heads = 0;
    const std::vector<double> few = alibi_slopes(part), all = alibi_slopes(*alibi);
    Variation repeated{
        engine, "those of " + std::to_string(part.heads) + " heads, repeated " + std::to_string(parts) + " times"};
    Variation first{engine, "those of the first " + std::to_string(part.heads) + " heads, repeated " +
                                std::to_string(parts) + " times"};
    for (std::int64_t h = 0; h < alibi->heads; ++h) {
      repeated.engine.bias.slopes.push_back(few[static_cast<std::size_t>(h % part.heads)]);
      first.engine.bias.slopes.push_back(all[static_cast<std::size_t>(h % part.heads)]);
    }
    variations.push_back(repeated);
    variations.push_back(first);
  }
  Variation reversed{engine, "in reverse order"};
  const std::vector<double> all = alibi_slopes(*alibi);
  reversed.engine.bias.slopes.assign(all.rbegin(), all.rend());
  variations.push_back(reversed);
  return variations;
}

Variations bias_max(const Engine& engine, const Clues& clues) {
  const auto* alibi = std::get_if<Alibi>(&engine.spec);
  if (alibi == nullptr || !engine.bias.slopes.empty()) return {};
  std::vector<double> tried = {16.0, 4.0, 8.0};
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value() && clues.seen()) {
    const auto make = [&](double most) -> std::optional<Engine> {
      Engine changed = engine;
      std::get<Alibi>(changed.spec).bias_max = most;
      return changed;
    };
    tried = clues.fitted(make, 1.0, 64.0, engine);
  }
  Variations variations;
  for (const double most : tried) {
    if (most == alibi->bias_max) continue;
    Variations one = changed<Alibi>(engine, short_number(most) + " instead of " + short_number(alibi->bias_max),
                                    [&](Alibi& a) { a.bias_max = most; });
    one[0].value = most;
    variations.push_back(one[0]);
  }
  return variations;
}

Variations t5_direction(const Engine& engine, const Clues&) {
  const auto* t5 = std::get_if<T5>(&engine.spec);
  if (t5 == nullptr) return {};
  const bool both = t5->direction == T5Direction::bidirectional;
  if (!both && (t5->buckets % 2 != 0 || t5->buckets < 4)) return {};
  return changed<T5>(engine, both ? "causal instead of bidirectional" : "bidirectional instead of causal",
                     [&](T5& t) { t.direction = both ? T5Direction::causal : T5Direction::bidirectional; });
}

// Whether a T5 with these numbers has logarithmic buckets.
bool sound(const T5& t5) {
  const std::int64_t per_side = t5.direction == T5Direction::bidirectional ? t5.buckets / 2 : t5.buckets;
  return per_side >= 2 && t5.buckets % 2 == 0 && t5.max_distance > per_side / 2 && t5.max_distance >= 2;
}

Variations t5_buckets(const Engine& engine, const Clues& clues) {
  const auto* t5 = std::get_if<T5>(&engine.spec);
  if (t5 == nullptr) return {};
  // With an unknown table, twice as many buckets explain everything that the right number explains.
  std::vector<std::int64_t> tried = {t5->buckets / 2};
  if (!clues.options().parameters.empty()) tried.push_back(t5->buckets * 2);
  if (clues.value()) tried = {static_cast<std::int64_t>(*clues.value())};
  Variations variations;
  for (const std::int64_t buckets : tried) {
    T5 other = *t5;
    other.buckets = buckets;
    if (buckets == t5->buckets || !sound(other)) continue;
    Variation variation{engine, std::to_string(buckets) + " instead of " + std::to_string(t5->buckets),
                        static_cast<double>(buckets)};
    variation.engine.spec = other;
    variations.push_back(variation);
  }
  return variations;
}

Variations distance_sign(const Engine& engine, const Clues&) {
  if (const auto* clipped = std::get_if<Clipped>(&engine.spec)) {
    const bool key = clipped->offset == Offset::key_minus_query;
    return changed<Clipped>(engine, key ? "query minus key" : "key minus query",
                            [&](Clipped& c) { c.offset = key ? Offset::query_minus_key : Offset::key_minus_query; });
  }
  if (!std::holds_alternative<T5>(engine.spec) && !std::holds_alternative<Fire>(engine.spec) &&
      !std::holds_alternative<Kerple>(engine.spec))
    return {};
  Variation variation{engine};
  variation.engine.bias.swapped = !engine.bias.swapped;
  return {variation};
}

Variations t5_border(const Engine& engine, const Clues&) {
  if (!std::holds_alternative<T5>(engine.spec)) return {};
  Variations variations;
  for (const auto& [border, words] :
       {std::pair{BucketBorder::ceiling, "the logarithm is rounded up"},
        std::pair{BucketBorder::nearest, "the logarithm is rounded to the nearest integer"},
        std::pair{BucketBorder::one_more, "one more distance has a bucket of its own"},
        std::pair{BucketBorder::exact_of_all, "half of all buckets hold one distance each, not half per direction"},
        std::pair{BucketBorder::exact_quarter, "a quarter of the buckets hold one distance each, instead of half"}}) {
    Variation variation{engine, words};
    variation.engine.bias.border = border;
    variations.push_back(variation);
  }
  return variations;
}

Variations max_distance(const Engine& engine, const Clues& clues) {
  const auto* t5 = std::get_if<T5>(&engine.spec);
  const auto* clipped = std::get_if<Clipped>(&engine.spec);
  if (t5 == nullptr && clipped == nullptr) return {};
  const std::int64_t right = t5 != nullptr ? t5->max_distance : clipped->max_distance;
  std::vector<std::int64_t> tried = {right * 2, right / 2, right * 4, right / 4};
  for (const std::int64_t usual : {20,  32,  40,  50,  64,  80,  96,  100, 120, 128,  150,  160, 192,
                                   200, 256, 300, 384, 400, 500, 512, 640, 768, 1000, 1024, 2048}) {
    if (clues.seen()) tried.push_back(usual);
  }
  if (clues.value()) tried = {static_cast<std::int64_t>(*clues.value())};
  Variations variations;
  for (const std::int64_t most : tried) {
    if (most == right || most < 1) continue;
    Variation variation{engine, std::to_string(most) + " instead of " + std::to_string(right),
                        static_cast<double>(most)};
    if (t5 != nullptr) {
      T5 other = *t5;
      other.max_distance = most;
      if (!sound(other)) continue;
      variation.engine.spec = other;
    } else {
      if (most > right) continue;  // the table ends there
      Clipped other = *clipped;
      other.max_distance = most;
      variation.engine.spec = other;
    }
    variations.push_back(variation);
  }
  return variations;
}

Variations bias_offset(const Engine& engine, const Clues& clues) {
  if (!is_bias(engine.spec)) return {};
  std::vector<double> tried = {1.0, -1.0};
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value() && clues.seen()) {
    const Ids& ids = clues.quick()->ids();
    if (ids.at(0, 0) != 0.0) tried.push_back(-ids.at(0, 0));
    for (double k = 2.0; k <= (engine.blames.empty() ? 32.0 : 4.0); k += 1.0) tried.insert(tried.end(), {k, -k});
  }
  Variations variations;
  for (const double k : tried) {
    Variation variation{engine,
                        "query positions are " + short_number(std::abs(k)) + (k > 0 ? " too large" : " too small"), k};
    variation.engine.query.ids = [k](std::int64_t, double p) { return p + k; };
    variations.push_back(variation);
  }
  return variations;
}

constexpr FaultChange kBiasChanges[] = {
    {"slopes_rule", slopes_rule},
    {"slopes_exponent", slopes_exponent},
    {"bias_sign", bias_sign},
    {"alibi_form", alibi_form},
    {"slopes_heads", slopes_heads},
    {"bias_max", bias_max},
    {"slopes_bfloat16", slopes_bfloat16},
    {"bias_scaled", bias_scaled},
    {"bias_missing", bias_missing},
    {"t5_direction", t5_direction},
    {"distance_sign", distance_sign},
    {"max_distance", max_distance},
    {"t5_buckets", t5_buckets},
    {"t5_border", t5_border},
    {"bias_offset", bias_offset},
};

}  // namespace

std::span<const FaultChange> bias_changes() { return kBiasChanges; }

}  // namespace posenc::diagnosis
