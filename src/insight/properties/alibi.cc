#include <cmath>

#include "insight/properties/bias_properties.h"
#include "insight/properties/kinds.h"
#include "insight/properties/mathml.h"
#include "insight/properties/property.h"
#include "posenc/bias.h"

namespace posenc::properties {
namespace {

std::string distance_text(AlibiForm form) {
  switch (form) {
    case AlibiForm::causal:
      return "-m_h max(i - j, 0)";
    case AlibiForm::key_position:
      return "m_h j";
    case AlibiForm::symmetric:
      break;
  }
  return "-m_h |i - j|";
}

std::string distance_mathml(AlibiForm form) {
  const std::string slope = msub(mi("m"), mi("h"));
  const std::string offset = mrow(mi("i"), mo("-"), mi("j"));
  if (form == AlibiForm::key_position) return mrow(slope, mi("j"));
  if (form == AlibiForm::causal) return mrow(mo("-"), slope, mcall(mi("max"), offset, mo(","), mn(std::int64_t{0})));
  return mrow(mo("-"), slope, mo("|"), offset, mo("|"));
}

KindFacts alibi_facts(const Spec& any) {
  const auto& spec = std::get<Alibi>(any);
  const std::string heads = std::to_string(spec.heads), most = text::number_text(spec.bias_max);
  KindFacts facts;
  facts.formula = "bias_h(i, j) = " + distance_text(spec.form) + ", m_h = 2^(-" + most + " h / " + heads +
                  ") for h = 1 .. " + heads;
  const bool power_of_two = (spec.heads & (spec.heads - 1)) == 0;
  if (!power_of_two && spec.rule == SlopeRule::interleaved) {
    facts.formula = "bias_h(i, j) = " + distance_text(spec.form) + ", the slopes m_h of the next power of two below " +
                    heads + ", then every other one of twice that power";
  }
  const bool by_rule = power_of_two || spec.rule == SlopeRule::geometric;
  const std::string slope =
      msup(mn(std::int64_t{2}), mrow(mo("-"), mn(spec.bias_max), mi("h"), mo("/"), mn(spec.heads)));
  const std::string slopes = by_rule ? mrow(mo(","), msub(mi("m"), mi("h")), mo("="), slope) : "";
  facts.formula_mathml = math(msub(mi("b"), mi("h")), mo("="), distance_mathml(spec.form), slopes);
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

const KindInsight& kind_insight(const Alibi&) {
  static const KindInsight insight{alibi_facts, alibi_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
