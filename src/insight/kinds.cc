#include "insight/kinds.h"

#include <variant>

namespace posenc {

const detail::KindInsight& detail::insight_of(const Spec& spec) {
  return std::visit([](const auto& kind) -> const KindInsight& { return kind_insight(kind); }, spec);
}

KindFacts kind_facts(const Spec& spec) {
  validate(spec);
  return detail::insight_of(spec).facts(spec);
}

}  // namespace posenc
