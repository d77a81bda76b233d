#include "insight/properties/kinds.h"

#include <variant>

namespace posenc {

const properties::KindInsight& properties::insight_of(const Spec& spec) {
  return std::visit([](const auto& kind) -> const KindInsight& { return kind_insight(kind); }, spec);
}

KindFacts kind_facts(const Spec& spec) {
  validate(spec);
  return properties::insight_of(spec).facts(spec);
}

}  // namespace posenc
