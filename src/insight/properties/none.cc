#include "insight/properties/attend_measure.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

KindFacts none_facts(const Spec&) {
  KindFacts facts;
  facts.users = "every fourth layer of Llama 4 and SmolLM3, and decoders that leave order to their causal mask";
  facts.represents = "nothing";
  facts.prefers = "nothing";
  facts.past_length = "Nothing runs out, but weights spread over ever more keys.";
  facts.order_of_terms =
      "Attention without positions is permutation equivariant: outputs are permuted with the tokens. Only "
      "a pooled output is invariant.";
  return facts;
}

std::vector<Property> none_properties(const Encoding& numbers, const CheckOptions& options) {
  const double difference = permuted_difference(options.seed);
  return {{.name = "equivariant",
           .title = "permuted tokens give permuted outputs: order is not seen",
           .verdict = judge(true, difference <= 1e-12),
           .finding = "outputs of 8 permuted tokens, put back in order, differ by " + residual_text(difference),
           .numbers = {{"difference", difference}},
           .command = "posenc demo permutation"},
          {.name = "past_length",
           .title = "positions past the trained length are like trained ones",
           .verdict = Verdict::holds,
           .finding = "there are none to tell apart"},
          entropy(numbers, options),
          parameters(0)};
}

}  // namespace

KindFormula formula_of(const NoPosition&) {
  return {.lines = {equation(call("score", {"i", "j"}), dot("q_i", "k_j"))}, .note = ": no position is in it"};
}

const KindInsight& kind_insight(const NoPosition&) {
  static const KindInsight insight{none_facts, none_properties, {"attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
