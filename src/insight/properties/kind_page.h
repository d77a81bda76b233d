// Everything that posenc says about a kind: its page, one file in src/insight/about/. Checks, figures, worked examples,
// exercises and costs follow from it.
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
  // In the order in which check prints them.
  std::vector<Property> (*properties)(const Encoding& numbers, const CheckOptions& options) = nullptr;
  // Names of the figures that fit it, separated by spaces, in the order in which a report shows them.
  std::string_view figures = {};
  Cost (*cost)(const Spec& spec, const CostQuestion& of) = nullptr;
  // Its worked example at a position; null if it depends on two positions.
  std::vector<Step> (*explain)(const Spec& spec, std::span<const double> position,
                               const ExplainOptions& options) = nullptr;
  // For the worked example of a bias: lines that the formula leaves out, and how the number of a pair is computed.
  // Null: no such lines, and only the offset is shown.
  std::vector<std::string> (*rule)(const Spec& spec, const explanation::BiasPair& pair) = nullptr;
  // For the same: the learned numbers of the head, by the names that the formula has, so that its result can be
  // computed by hand. Null: the example shows each number where it is used.
  std::vector<std::string> (*numbers)(const Spec& spec, const explanation::BiasPair& pair) = nullptr;
  std::string (*derive)(const Spec& spec, const explanation::BiasPair& pair) = nullptr;
  // Corrections of common mistakes in texts about it, a sentence or two each. Null: only the order_of_terms of its
  // facts.
  std::vector<std::string> (*mistakes)(const Spec& spec) = nullptr;
  void (*questions)(const Spec& spec, teaching::Sheet& sheet) = nullptr;
};

inline constexpr std::string_view kBiasFigures = "bias bias_distance attention entropy";

const KindPage& page_of(const Spec& spec);
std::vector<std::string_view> figures_of(const Spec& spec);

}  // namespace posenc::properties
