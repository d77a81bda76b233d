#include "insight/properties/bias_properties.h"
#include "insight/properties/kinds.h"
#include "insight/properties/mathml.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

std::string distance_text(DistanceRule rule) { return rule == DistanceRule::causal ? "max(i - j, 0)" : "|i - j|"; }

KindFacts kerple_facts(const Spec& any) {
  const auto& spec = std::get<Kerple>(any);
  const std::string d = mi("d"), p = msub(mi("p"), mi("h")), a = msub(mi("a"), mi("h"));
  const bool log = spec.kernel == KerpleKernel::log;
  KindFacts facts;
  facts.formula = std::string("bias_h(i, j) = ") + (log ? "-p_h ln(1 + a_h d)" : "-a_h d^p_h") +
                  ", d = " + distance_text(spec.direction) + ", numbers of at least " +
                  text::number_text(spec.smallest);
  facts.formula_mathml =
      log ? math(msub(mi("b"), mi("h")), mo("="), mo("-"), p, mcall(mi("ln"), mn(std::int64_t{1}), mo("+"), a, d))
          : math(msub(mi("b"), mi("h")), mo("="), mo("-"), a, msup(d, p));
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

KindFacts fire_facts(const Spec& any) {
  const auto& spec = std::get<Fire>(any);
  const std::string length = text::number_text(spec.length);
  const auto psi = [](const std::string& x) { return mcall(mi("\xcf\x88"), x); };
  KindFacts facts;
  facts.formula = "bias_h(i, j) = mlp_h(psi(i - j) / psi(max(i, L))), psi(x) = ln(|c x| + 1), L = " + length +
                  " times a learned factor; mlp 1 - " + std::to_string(spec.width) + " - " + std::to_string(spec.heads);
  facts.formula_mathml = math(msub(mi("b"), mi("h")), mo("="),
                              mcall(mi("mlp"), mfrac(psi(mrow(mi("i"), mo("-"), mi("j"))),
                                                     psi(mcall(mi("max"), mi("i"), mo(","), mn(spec.length))))));
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

KindFacts sandwich_facts(const Spec& any) {
  const auto& spec = std::get<Sandwich>(any);
  const std::string half = std::to_string(spec.width / 2), heads = std::to_string(spec.heads);
  const std::string base = text::number_text(spec.base), width = std::to_string(spec.width);
  KindFacts facts;
  facts.formula = "bias_h(i, j) = (sum over k = " + std::to_string(spec.first) + " .. " +
                  std::to_string(spec.width / 2 - 1 + spec.first) + " of cos(d / " + base + "^(2k/" + width + ")) - " +
                  half + ") / (8 h / " + heads + "), d = " + distance_text(spec.direction);
  const std::string angle =
      mfrac(mi("d"), msup(mn(spec.base), mrow(mn(std::int64_t{2}), mi("k"), mo("/"), mn(spec.width))));
  facts.formula_mathml =
      math(msub(mi("b"), mi("h")), mo("="),
           mfrac(mrow(msub(mo("\xe2\x88\x91"), mi("k")), mcall(mi("cos"), angle), mo("-"), mn(spec.width / 2)),
                 mrow(mn(std::int64_t{8}), mi("h"), mo("/"), mn(spec.heads))));
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

}  // namespace

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
