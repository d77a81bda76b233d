#include <algorithm>

#include "insight/properties/bias_properties.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

KindFacts matrix_facts(const Spec&) {
  KindFacts facts;
  facts.users = "whoever has a matrix of their own: trees, graphs, windows of images, masks with -inf";
  facts.represents = "pairs of places, one by one";
  facts.prefers = "whatever its numbers say";
  facts.past_length = "It ends with its matrix: positions past it are refused.";
  facts.order_of_terms = "Rows are queries and columns keys, both counted from 0.";
  return facts;
}

std::vector<Property> matrix_properties(const Encoding& numbers, const CheckOptions& options) {
  const ConstView& values = numbers.parameters().front().value;
  const auto rank = static_cast<std::size_t>(values.rank);
  const std::int64_t side = std::min(values.shape[rank - 2], values.shape[rank - 1]);
  return bias_properties(numbers, options,
                         {.relative = std::nullopt,
                          .falls = false,
                          .past_title = "every pair of positions has a number",
                          .past = Verdict::holds_to,
                          .past_until = static_cast<double>(side - 1),
                          .past_finding = "the matrix is " + shape_text(values) + ": positions past it are refused"});
}

}  // namespace

KindFormula formula_of(const MatrixBias&) {
  return {.lines = {equation(call("bias_h", {"i", "j"}), element("values", {"h", "i", "j"}))}};
}

const KindInsight& kind_insight(const MatrixBias&) {
  static const KindInsight insight{matrix_facts, matrix_properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
