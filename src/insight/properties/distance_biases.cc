#include "insight/properties/bias_properties.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

KindFacts kerple_facts(const Spec& any) {
  const auto& spec = std::get<Kerple>(any);
  const bool log = spec.kernel == KerpleKernel::log;
  KindFacts facts;
  facts.users = "research models of Chi et al. (2022); no well-known released model";
  facts.represents = "distances";
  facts.prefers = "near keys, from the start";
  facts.past_length =
      log ? "The penalty grows ever more slowly: trained on 512 tokens, perplexity was 4.35 at 1024 and "
            "13.4 at 8192, where rotary had 45.2 and 265 (DAPE, 2024)."
          : "The penalty grows as a power of the distance that training chose.";
  facts.order_of_terms = "Parameters are used as at least `smallest`, as the authors clamp them after every step.";
  return facts;
}

KindFacts fire_facts(const Spec&) {
  KindFacts facts;
  facts.users = "research models of Li et al. (2024); no well-known released model";
  facts.represents = "distances, and the place of the query";
  facts.prefers = "nothing: all of it is learned";
  facts.past_length =
      "Distances are divided by the query's place, so that all stay within 0 to 1; trained on 512 tokens, "
      "perplexity was 4.70 at 1024 and 309 at 8192 nevertheless (DAPE, 2024).";
  facts.order_of_terms =
      "It is not a function of the distance alone: the same distance counts for less at a later query.";
  return facts;
}

KindFacts sandwich_facts(const Spec&) {
  KindFacts facts;
  facts.users = "research models of Chi et al. (2023) and NeMo's option of that name";
  facts.represents = "distances";
  facts.prefers = "near keys, from the start";
  facts.past_length =
      "It is the position-position product of sinusoidal rows without the content: it falls at first, then "
      "waves, and stays within bounds.";
  facts.order_of_terms = "NeMo's sum begins at k = 1; a sinusoidal table begins at 0, with the fastest frequency.";
  return facts;
}

std::vector<Property> kerple_properties(const Encoding& numbers, const CheckOptions& options) {
  const bool log = std::get<Kerple>(numbers.spec()).kernel == KerpleKernel::log;
  return bias_properties(
      numbers, options,
      {.bounded = false,
       .past_finding = log ? "the penalty goes on as a logarithm: twice the distance adds about p ln 2"
                           : "the penalty goes on as a power of the distance"});
}

std::vector<Property> fire_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(numbers, options,
                         {.relative = false,
                          .falls = false,
                          .past_finding = "distances are divided by the query's place: none leaves 0 to 1"});
}

std::vector<Property> sandwich_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(
      numbers, options,
      {.falls = false, .past_finding = "cosines of the distance go on for ever: defined, bounded and not monotone"});
}

Formula distance_of(DistanceRule rule) {
  const Formula offset = Formula("i") - "j";
  return equation("d", rule == DistanceRule::causal ? call("max", {offset, 0}) : call("abs", {offset}));
}

const Formula& bias_of_pair() {
  static const Formula bias = call("bias_h", {"i", "j"});
  return bias;
}

}  // namespace

Formula kerple_bias(const Kerple& spec, const Formula& p, const Formula& a, const Formula& d) {
  return spec.kernel == KerpleKernel::log ? -p * call("ln", {1 + a * d}) : -a * power(d, p);
}

KindFormula formula_of(const Kerple& spec) {
  return {.lines = {equation(bias_of_pair(), kerple_bias(spec, "p_h", "a_h", "d")), distance_of(spec.direction)},
          .note = ", numbers of at least " + text::number_text(spec.smallest)};
}

Formula fire_log(const Formula& c, const Formula& x) { return call("ln", {call("abs", {c * x}) + 1}); }

KindFormula formula_of(const Fire& spec) {
  const Formula i = "i", x = "x", k = "k";
  const auto psi = [](const Formula& of) { return call("psi", {of}); };
  const Formula hidden = call("max", {element("in_weight", {k}) * x + element("in_bias", {k}), 0});
  return {.lines = {equation(bias_of_pair(), call("mlp_h", {psi(i - "j") / (psi(call("max", {i, "L"})) + spec.eps)})),
                    equation(psi(x), fire_log("c", x))},
          .note = ", L = " + text::number_text(spec.length) + " times a learned factor; mlp 1 - " +
                  std::to_string(spec.width) + " - " + std::to_string(spec.heads),
          .details = {
              equation("L", call("abs", {spec.length * Formula("length_factor")})),
              equation(call("mlp_h", {x}), series("k", 0, spec.width - 1, element("out_weight", {"h", k}) * hidden) +
                                               element("out_bias", {"h"}))}};
}

Formula sandwich_bias(const Sandwich& spec, const Formula& d, const Formula& h) {
  const Formula angle = d / power(spec.base, 2 * Formula("k") / spec.width);
  const Formula sum = series("k", spec.first, spec.first + spec.width / 2 - 1, call("cos", {angle}));
  return (sum - spec.width / 2) / (8 * h / spec.heads);
}

KindFormula formula_of(const Sandwich& spec) {
  return {.lines = {equation(bias_of_pair(), sandwich_bias(spec, "d", "h")), distance_of(spec.direction),
                    range("h", 1, spec.heads)}};
}

const KindInsight& kind_insight(const Kerple&) {
  static const KindInsight insight{kerple_facts, kerple_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

const KindInsight& kind_insight(const Fire&) {
  static const KindInsight insight{fire_facts, fire_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

const KindInsight& kind_insight(const Sandwich&) {
  static const KindInsight insight{
      sandwich_facts, sandwich_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
