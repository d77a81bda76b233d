// No positions at all.
#include <cmath>

#include "insight/about/about.h"
#include "insight/properties/attend_measure.h"
#include "posenc/learned.h"

namespace posenc {
namespace about {
namespace {

KindFacts none_facts(const Spec&) {
  return {.users = "every fourth layer of Llama 4 and SmolLM3, and decoders that rely on their causal mask",
          .represents = "nothing",
          .prefers = "nothing",
          .past_length = "There is no limit, but the weights spread over more and more keys.",
          .order_of_terms =
              "Attention without positions is permutation equivariant, not invariant: outputs are permuted with the "
              "tokens. Only a pooled output is invariant."};
}

std::vector<Property> none_properties(const Encoding& numbers, const CheckOptions& options) {
  const double difference = permuted_difference(options.seed);
  return {{.name = "equivariant",
           .title = "permuted tokens give permuted outputs: attention ignores the order",
           .verdict = judge(true, difference <= 1e-12),
           .finding = "outputs of 8 permuted tokens, put back in order, differ by " + residual_text(difference),
           .numbers = {{"difference", difference}},
           .command = "posenc demo permutation"},
          {.name = "past_length",
           .title = "positions past the trained length behave like trained ones",
           .verdict = Verdict::holds,
           .finding = "no number depends on a position"},
          entropy(numbers, options),
          parameters(0)};
}

KindFormula none_formula(const NoPosition&) {
  return {.lines = {equation(call("score", {"i", "j"}), dot("q_i", "k_j"))}, .note = ", without positions"};
}

Cost none_cost(const NoPosition&, const CostQuestion&) { return {}; }

void none_questions(const NoPosition&, Sheet& sheet) {
  const std::int64_t p = sheet.draw("causal average").between(2, 30), words = sheet.draw("orders").between(4, 9);
  Draw pooling = sheet.draw("pooling");
  add_permutation_question(sheet);
  sheet.ask("none/causal average", {{"p", p}, {"keys", p + 1}}, {1.0 / static_cast<double>(p + 1)},
            {{"the token itself was not counted", {1.0 / static_cast<double>(p)}},
             {"one key too many: positions count from 0", {1.0 / static_cast<double>(p + 2)}}});
  sheet.ask("none/orders", {{"words", words}}, {std::round(std::tgamma(static_cast<double>(words + 1)))},
            {{"the sentence itself counts too", {std::round(std::tgamma(static_cast<double>(words + 1))) - 1.0}},
             {"each word is used once", {std::pow(static_cast<double>(words), static_cast<double>(words))}},
             {"this is the number of pairs of words", {static_cast<double>(words * (words - 1) / 2)}}});
  sheet.ask_choice("none/pooling", pooling);
  sheet.ask("none/decoder");
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage NoPosition::page = {.facts = about::none_facts,
                                                         .formula = spec::of_kind<about::none_formula>,
                                                         .properties = about::none_properties,
                                                         .figures = "attention entropy",
                                                         .cost = spec::of_kind<about::none_cost>,
                                                         .explain = explanation::explain_none,
                                                         .questions = spec::of_kind<about::none_questions>};

}  // namespace posenc
