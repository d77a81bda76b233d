// What there is to say about a kind, and to show of it: one page, which src/insight/about/ has a file for. Checks,
// figures, worked examples, exercises and costs follow from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "insight/properties/cost.h"
#include "insight/properties/formula.h"
#include "posenc/insight/analysis.h"
#include "posenc/insight/check.h"
#include "posenc/insight/kind_facts.h"

namespace posenc {
struct Step;
struct ExplainOptions;
}  // namespace posenc
namespace posenc::explanation {
struct BiasPair;
}
namespace posenc::teaching {
class Sheet;
}

namespace posenc::properties {

struct KindPage {
  KindFacts (*facts)(const Spec& spec) = nullptr;  // without formulas
  KindFormula (*formula)(const Spec& spec) = nullptr;
  // In the order in which they are told.
  std::vector<Property> (*properties)(const Encoding& numbers, const CheckOptions& options) = nullptr;
  // Those that fit it, by name, in the order in which a report shows them, with spaces between.
  std::string_view figures = {};
  Cost (*cost)(const Spec& spec, const CostQuestion& of) = nullptr;
  // Its worked example at a position; null: it depends on two.
  std::vector<Step> (*explain)(const Spec& spec, std::span<const double> position,
                               const ExplainOptions& options) = nullptr;
  // Of a bias, in its worked example: what its formula leaves out, and how the number of a pair comes about. Null:
  // nothing, and the offset.
  std::vector<std::string> (*rule)(const Spec& spec, const explanation::BiasPair& pair) = nullptr;
  std::string (*derive)(const Spec& spec, const explanation::BiasPair& pair) = nullptr;
  void (*questions)(const Spec& spec, teaching::Sheet& sheet) = nullptr;
};

inline constexpr std::string_view kBiasFigures = "bias bias_distance attention entropy";

const KindPage& page_of(const Spec& spec);
std::vector<std::string_view> figures_of(const Spec& spec);

}  // namespace posenc::properties
