#include <cmath>

#include "insight/properties/bias_properties.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"
#include "posenc/bias.h"

namespace posenc::properties {
namespace {

KindFacts alibi_facts(const Spec&) {
  KindFacts facts;
  facts.users = "BLOOM, MPT, Falcon's refined-web models and Jina's BERT (Press et al., 2022)";
  facts.represents = "distances";
  facts.prefers = "near keys, from the start";
  facts.past_length =
      "The penalty keeps growing in a straight line: trained on 512 tokens, perplexity went from 19.73 to 18.40 at "
      "3512 and 18.31 at 15512; what is far away is hardly seen, though.";
  facts.order_of_terms =
      "It is added after the scores are scaled; Falcon adds it before, so that 1/sqrt(D) shrinks it. "
      "BLOOM adds m_h j, which is the same under a causal mask.";
  return facts;
}

std::vector<Property> alibi_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Alibi>(numbers.spec());
  BiasTraits traits{.bounded = false};
  // Rounding positions to bfloat16 moves them by different amounts; distances all alike.
  if (spec.precision != AlibiPrecision::exact) traits.relative = std::nullopt;
  traits.falls = numbers.parameters().empty();
  const std::vector<double> slopes = alibi_slopes(spec);
  traits.past_finding = "the penalty goes on in a straight line: " + short_text(slopes.front()) +
                        " per position in head 0, " + short_text(slopes.back()) + " in the last";
  return bias_properties(numbers, options, traits);
}

}  // namespace

Formula alibi_slope(double bias_max, const Formula& h, const Formula& heads) { return power(2, -bias_max * h / heads); }

KindFormula formula_of(const Alibi& spec) {
  const Formula i = "i", j = "j", m = "m_h";
  const Formula bias = spec.form == AlibiForm::key_position ? m * j
                       : spec.form == AlibiForm::causal     ? -m * call("max", {i - j, 0})
                                                            : -m * call("abs", {i - j});
  KindFormula formula{.lines = {equation(call("bias_h", {i, j}), bias)}};
  const bool power_of_two = (spec.heads & (spec.heads - 1)) == 0;
  if (power_of_two || spec.rule == SlopeRule::geometric) {
    formula.lines.push_back(equation(m, alibi_slope(spec.bias_max, "h", spec.heads)));
    formula.lines.push_back(range("h", 1, spec.heads));
  } else {
    formula.note = ", the slopes m_h of the next power of two below " + std::to_string(spec.heads) +
                   ", then every other one of twice that power";
  }
  return formula;
}

const KindInsight& kind_insight(const Alibi&) {
  static const KindInsight insight{alibi_facts, alibi_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
