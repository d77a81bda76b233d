#include "insight/properties/kinds.h"

#include <variant>

#include "insight/properties/formulas.h"

namespace posenc {

const properties::KindInsight& properties::insight_of(const Spec& spec) {
  return std::visit([](const auto& kind) -> const KindInsight& { return kind_insight(kind); }, spec);
}

properties::KindFormula properties::formula_of(const Spec& spec) {
  return std::visit([](const auto& kind) { return formula_of(kind); }, spec);
}

KindFacts kind_facts(const Spec& spec) {
  validate(spec);
  KindFacts facts = properties::insight_of(spec).facts(spec);
  const properties::KindFormula formula = properties::formula_of(spec);
  facts.formula = properties::plain_text(formula);
  facts.formula_mathml = properties::mathml(formula);
  return facts;
}

}  // namespace posenc
