#include "insight/properties/bias_properties.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

KindFacts clipped_facts(const Spec& any) {
  const auto& spec = std::get<Clipped>(any);
  const bool key_first = spec.offset == Offset::key_minus_query;
  const std::string most = std::to_string(spec.max_distance);
  KindFacts facts;
  facts.users = "tutorials, Swin (a number per offset of a window) and speech models; often mistaken for T5's buckets";
  facts.represents = "distances";
  facts.prefers = "nothing: all of it is learned";
  facts.past_length = "Every distance beyond " + most + " gets the number of " + most +
                      ": near and far can be told apart, far "
                      "and farther cannot.";
  facts.order_of_terms = key_first
                             ? "The offset is j - i, the key's position minus the query's: a positive one lies ahead."
                             : "The offset is i - j, the query's position minus the key's: a positive one lies behind.";
  return facts;
}

KindFacts t5_facts(const Spec& any) {
  const auto& spec = std::get<T5>(any);
  const std::string most = std::to_string(spec.max_distance);
  KindFacts facts;
  facts.users = "T5, mT5, FLAN-T5 and UL2 (Raffel et al., 2020)";
  facts.represents = "distances";
  facts.prefers = "nothing: all of it is learned";
  facts.past_length = "Every distance from about " + most +
                      " on shares the last bucket: trained on 512 tokens, perplexity "
                      "was 19.65 at 512, 18.79 at 1012 and 22.91 at 3512 (Press et al., 2022).";
  facts.order_of_terms =
      "The bias is added to scores that are not divided by sqrt(D), for T5 has no such scale, and one "
      "table serves all layers of a stack.";
  return facts;
}

BiasTraits table_traits(std::int64_t most) {
  return {.falls = false,
          .past_title = "every distance has a number of its own",
          .past = Verdict::holds_to,
          .past_until = static_cast<double>(most),
          .past_finding = "distances beyond get one number for all of them: far and farther cannot be told apart"};
}

std::vector<Property> clipped_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(numbers, options, table_traits(std::get<Clipped>(numbers.spec()).max_distance));
}

// Buckets end a little before max_distance: at the first distance of the last one.
std::vector<Property> t5_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<T5>(numbers.spec());
  std::int64_t last = spec.max_distance;
  while (last > 1 && t5_bucket(spec, -(last - 1)) == t5_bucket(spec, -spec.max_distance)) --last;
  std::int64_t shared = 0;  // the first distance whose number the next one has too
  while (shared < last && t5_bucket(spec, -shared) != t5_bucket(spec, -(shared + 1))) ++shared;
  BiasTraits traits = table_traits(last - 1);
  traits.past_title = "far distances can be told from farther ones";
  traits.past_finding = "distances below " + count_text(shared) +
                        " have a number each, then more and more share one; from " + count_text(last) +
                        " on all have the same";
  return bias_properties(numbers, options, traits);
}

}  // namespace

KindFormula formula_of(const Clipped& spec) {
  const Formula i = "i", j = "j", most = spec.max_distance;
  const Formula offset = spec.offset == Offset::key_minus_query ? j - i : i - j;
  const Formula row = call("clip", {offset, -most, most}) + most;
  return {.lines = {equation(call("bias_h", {i, j}), element("table", {row, "h"}))}};
}

T5Side t5_side(const T5& spec) {
  const std::int64_t buckets = spec.direction == T5Direction::bidirectional ? spec.buckets / 2 : spec.buckets;
  return {buckets, buckets / 2};
}

Formula t5_far_bucket(const T5& spec, const Formula& d) {
  const T5Side side = t5_side(spec);
  const Formula near = side.near;
  return near + call("floor", {Formula(side.buckets - side.near) * call("ln", {d / near}) /
                               call("ln", {spec.max_distance / near})});
}

KindFormula formula_of(const T5& spec) {
  const Formula i = "i", j = "j", x = "x", d = "d", near = "near", bucket = call("bucket", {x});
  const T5Side side = t5_side(spec);
  const Formula far = call("min", {t5_far_bucket(spec, d), side.buckets - 1});
  const Formula behind(Formula::Form::cases, "", {d, relation("<", {d, side.near}), far});
  const Formula ahead(Formula::Form::cases, "", {side.buckets, relation("<", {0, x}), 0});
  const bool both = spec.direction == T5Direction::bidirectional;
  KindFormula formula{.lines = {equation(call("bias_h", {i, j}), element("table", {call("bucket", {j - i}), "h"}))}};
  formula.note = ", " + std::to_string(spec.buckets) + " buckets: one per distance at first, then logarithmic up to " +
                 std::to_string(spec.max_distance) +
                 (both ? "; half of them for each side" : "; what lies ahead is in bucket 0");
  if (both) {
    formula.details = {equation(bucket, near + ahead), equation(near, behind), equation(d, call("abs", {x}))};
  } else {
    formula.details = {equation(bucket, behind), equation(d, call("max", {-x, 0}))};
  }
  return formula;
}

const KindInsight& kind_insight(const Clipped&) {
  static const KindInsight insight{
      clipped_facts, clipped_properties, {"bias", "bias_distance", "buckets", "attention", "entropy"}};
  return insight;
}

const KindInsight& kind_insight(const T5&) {
  static const KindInsight insight{
      t5_facts, t5_properties, {"bias", "bias_distance", "buckets", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
