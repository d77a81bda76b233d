#include "insight/properties/bias_properties.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

KindFacts window_facts(const Spec&) {
  KindFacts facts;
  facts.users = "Mistral 7B, Gemma 2 and 3, and Longformer, mostly in some of their layers";
  facts.represents = "distances";
  facts.prefers = "near keys: others are hidden";
  facts.past_length =
      "A query always sees as many keys as in training, so that nothing new is met; what lies before the "
      "window reaches it only through other layers.";
  facts.order_of_terms = "left = 4095 and right = 0 are a causal window of 4096 keys: the query's own is counted.";
  return facts;
}

KindFacts chunked_facts(const Spec&) {
  KindFacts facts;
  facts.users = "Llama 4 in its layers with rotary encodings";
  facts.represents = "distances within a chunk";
  facts.prefers = "keys of its own chunk: others are hidden";
  facts.past_length = "A query never sees further than its chunk began: the first of a chunk sees itself alone.";
  facts.order_of_terms = "Chunks count from position 0, not from the query.";
  return facts;
}

std::vector<Property> window_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Window>(numbers.spec());
  BiasTraits traits{.past_title = "keys at any distance are seen", .hides = true};
  traits.past_finding = "nothing behind a query is hidden";
  if (spec.left) {
    traits.past = Verdict::holds_to;
    traits.past_until = static_cast<double>(*spec.left);
    traits.past_finding = several(*spec.left + 1, "key") + " up to the query's own are seen, those before them are not";
  }
  return bias_properties(numbers, options, traits);
}

std::vector<Property> chunked_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Chunked>(numbers.spec());
  const BiasTraits traits{.relative = false,
                          .past_title = "keys at any distance are seen",
                          .past = Verdict::holds_to,
                          .past_until = static_cast<double>(spec.size - 1),
                          .past_finding = "at most, by the last of a chunk; the first sees no key behind it",
                          .hides = true};
  return bias_properties(numbers, options, traits);
}

constexpr const char* kSeen = "query i sees key j where ";

}  // namespace

KindFormula formula_of(const Window& spec) {
  const Formula i = "i", j = "j";
  const Formula inf = "inf";
  if (!spec.left && !spec.right) return {.lead = kSeen, .lines = {relation("<", {-inf, j, inf})}};
  std::vector<Formula> sides;
  if (spec.left) sides.push_back(i - *spec.left);
  sides.push_back(j);
  if (spec.right) sides.push_back(i + *spec.right);
  return {.lead = kSeen, .lines = {relation("<=", sides)}};
}

KindFormula formula_of(const Chunked& spec) {
  const Formula i = "i", j = "j";
  const auto chunk = [&](const Formula& at) { return call("floor", {at / spec.size}); };
  KindFormula formula{.lead = kSeen, .lines = {relation("=", {chunk(j), chunk(i)})}};
  if (spec.direction == DistanceRule::causal) formula.lines.push_back(relation("<=", {j, i}));
  return formula;
}

const KindInsight& kind_insight(const Window&) {
  static const KindInsight insight{window_facts, window_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

const KindInsight& kind_insight(const Chunked&) {
  static const KindInsight insight{
      chunked_facts, chunked_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
