#include "insight/properties/kind_page.h"

#include <variant>

#include "insight/properties/formulas.h"

namespace posenc {

const properties::KindPage& properties::page_of(const Spec& spec) {
  return std::visit([](const auto& kind) -> const KindPage& { return kind.page; }, spec);
}

std::vector<std::string_view> properties::figures_of(const Spec& spec) {
  std::vector<std::string_view> names;
  for (std::string_view rest = page_of(spec).figures; !rest.empty();) {
    names.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(names.back().size() == rest.size() ? rest.size() : names.back().size() + 1);
  }
  return names;
}

properties::KindFormula properties::formula_of(const Spec& spec) { return page_of(spec).formula(spec); }

KindFacts kind_facts(const Spec& spec) {
  validate(spec);
  KindFacts facts = properties::page_of(spec).facts(spec);
  const properties::KindFormula formula = properties::formula_of(spec);
  facts.formula = properties::plain_text(formula);
  facts.formula_mathml = properties::mathml(formula);
  return facts;
}

}  // namespace posenc
