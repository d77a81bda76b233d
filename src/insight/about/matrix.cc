// Biases that the caller gives as a matrix.
#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts matrix_facts(const Spec&) {
  return {.users = "models with their own matrix: trees, graphs, image windows, masks with -inf",
          .represents = "pairs of positions, one by one",
          .prefers = "what its numbers say",
          .past_length = "The matrix has an end: positions past it are refused.",
          .order_of_terms = "Rows are queries and columns are keys, both counted from 0."};
}

std::vector<Property> matrix_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(numbers, options,
                         {.relative = std::nullopt,
                          .falls = false,
                          .past_title = "every pair of positions has a number",
                          .past = Verdict::holds_to,
                          .past_until = static_cast<double>(*limit_of(numbers) - 1),
                          .past_finding = "the matrix is " + shape_text(numbers.parameters().front().value) +
                                          ": positions past it are refused"});
}

KindFormula matrix_formula(const MatrixBias&) {
  return {.lines = {equation(call("bias_h", {"i", "j"}), element("values", {"h", "i", "j"}))}};
}

Cost matrix_bias_cost(const MatrixBias& spec, const CostQuestion& of) {
  Cost cost = matrix_cost(of, spec.heads, 0, 1.0);
  cost.parameters = product({spec.heads, of.positions, of.positions});
  cost.stream_bytes = cost.table_bytes;
  return cost;
}

std::vector<std::string> matrix_rule(const MatrixBias&, const BiasPair&) { return {"positions counted from 0"}; }

void matrix_questions(const MatrixBias& spec, Sheet& sheet) {
  Draw draw = sheet.draw("matrix");
  const std::int64_t n = draw.between(4, 64);
  sheet.ask("biases/matrix", {{"n", n}, {"heads", spec.heads}},
            {static_cast<double>(spec.heads) * static_cast<double>(n * n)},
            {{"this is the matrix of one head", {static_cast<double>(n * n)}},
             {"a matrix has a row for each query and a column for each key", {static_cast<double>(spec.heads * n)}},
             {"queries and keys are multiplied, not added", {static_cast<double>(spec.heads * 2 * n)}}});
  sheet.ask_choice("biases/minus infinity", draw);
  sheet.leave_out(spec, {"heads"});
  add_classic_softmax(sheet);
  sheet.ask("biases/offsets", {{"n", n}, {"last", n - 1}}, {static_cast<double>(2 * n - 1)},
            {{"offset 0 occurs only once", {static_cast<double>(2 * n)}},
             {"offset 0 counts too", {static_cast<double>(2 * n - 2)}},
             {"offsets have both signs", {static_cast<double>(n)}},
             {"this is one number per pair", {static_cast<double>(n * n)}}});
  add_distance_zero_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage MatrixBias::page = {.facts = about::matrix_facts,
                                                         .formula = spec::of_kind<about::matrix_formula>,
                                                         .properties = about::matrix_properties,
                                                         .figures = properties::kBiasFigures,
                                                         .cost = spec::of_kind<about::matrix_bias_cost>,
                                                         .rule = spec::of_kind<about::matrix_rule>,
                                                         .questions = spec::of_kind<about::matrix_questions>};

}  // namespace posenc
