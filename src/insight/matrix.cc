#include <algorithm>

#include "insight/bias_properties.h"
#include "insight/kinds.h"
#include "insight/mathml.h"
#include "insight/property.h"

namespace posenc::detail {
namespace {

KindFacts facts(const Spec&) {
  KindFacts facts;
  facts.formula = "bias_h(i, j) = values[h][i][j]";
  facts.formula_mathml =
      math(msub(mi("b"), mi("h")), mo("="), msub(mi("V"), mrow(mi("h"), mo(","), mi("i"), mo(","), mi("j"))));
  facts.users = "whoever has a matrix of their own: trees, graphs, windows of images, masks with -inf";
  facts.represents = "pairs of places, one by one";
  facts.prefers = "whatever its numbers say";
  facts.past_length = "It ends with its matrix: positions past it are refused.";
  facts.order_of_terms = "Rows are queries and columns keys, both counted from 0.";
  return facts;
}

std::vector<Property> properties(const SubjectNumbers& numbers, const CheckOptions& options) {
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

const KindInsight& kind_insight(const MatrixBias&) {
  static const KindInsight insight{facts, properties, {"bias", "bias_distance", "attention", "entropy"}};
  return insight;
}

}  // namespace posenc::detail
