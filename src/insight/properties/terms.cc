#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/float_types.h"
#include "insight/properties/attend_measure.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"

namespace posenc::properties {
namespace {

KindFacts shaw_facts(const Spec& any) {
  const auto& spec = std::get<Shaw>(any);
  const bool key_first = spec.offset == Offset::key_minus_query;
  const std::string left = std::to_string(spec.left), right = std::to_string(spec.right);
  KindFacts facts;
  facts.users =
      "the relative Transformer of Shaw et al. (2018), Music Transformer, VITS and BERT's relative_key variants";
  facts.represents = "distances";
  facts.prefers = "nothing: all of it is learned";
  facts.past_length = spec.past == PastTable::clip
                          ? "Offsets past " + left + " back and " + right + " ahead share the vectors at the ends."
                          : "Offsets past " + left + " back and " + right + " ahead have no vector.";
  facts.order_of_terms = key_first
                             ? "The offset is j - i; BERT's variants have i - j, which mirrors the table."
                             : "The offset is i - j, as in BERT's variants; Shaw has j - i, which mirrors the table.";
  return facts;
}

KindFacts xl_facts(const Spec& any) {
  const auto& spec = std::get<TransformerXl>(any);
  KindFacts facts;
  facts.users = "Transformer-XL (Dai et al., 2019), XLNet and the conformers of speech recognition";
  facts.represents = "distances";
  facts.prefers = "nothing: all of it is learned";
  facts.past_length =
      spec.clamp_distance > 0
          ? "Distances past " + std::to_string(spec.clamp_distance) + " are read at it."
          : "Its sinusoidal rows are defined at every distance, but W was trained on those that occurred.";
  facts.order_of_terms = spec.order == Order::halves
                             ? "Sines fill the first half of s and cosines the second; conformers alternate them."
                             : "Sines and cosines alternate in s, as in conformers; Transformer-XL has halves.";
  return facts;
}

std::int64_t term_parameters(const Encoding& numbers) {
  std::int64_t count = 0;
  for (const Parameter& parameter : numbers.parameters()) count += parameter.value.size();
  return count;
}

Property relative(const Encoding& numbers, const CheckOptions& options, double room) {
  const auto first = static_cast<std::int64_t>(std::floor(options.positions.real(0, 0)));
  const std::int64_t by = first > 0 ? -1000 : 1000;  // either way there are positions
  const double difference = moved_difference(*numbers.term(), first, by, options.seed);
  return {.name = "relative",
          .title = "scores depend on the distance alone",
          .verdict = judge(true, difference <= room),
          .finding = "weights of 8 tokens change by " + residual_text(difference) + " when all move by 1,000 positions",
          .numbers = {{"difference", difference}}};
}

// The lengths of the rows of a parameter, [.., rows, D].
Property norms(const Parameter& parameter) {
  ConstView rows = parameter.value;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  while (rows.rank > 2) rows = rows[0];
  std::vector<double> row(static_cast<std::size_t>(rows.shape[1]));
  for (std::int64_t n = 0; n < rows.shape[0]; ++n) {
    double squares = 0.0;
    base::load_row(rows[n], row.data());
    for (const double value : row) squares += value * value;
    smallest = std::min(smallest, std::sqrt(squares));
    largest = std::max(largest, std::sqrt(squares));
  }
  return {.name = "norms",
          .title = "its vectors are of one length",
          .verdict = largest - smallest <= 1e-6 * largest ? Verdict::holds : Verdict::does_not_hold,
          .finding = "rows of " + std::string(parameter.name) + " have lengths from " + short_text(smallest) + " to " +
                     short_text(largest),
          .numbers = {{"smallest", smallest}, {"largest", largest}}};
}

Property past_length(std::int64_t last, const std::string& finding) {
  return {.name = "past_length",
          .title = "every distance has a vector of its own",
          .verdict = last > 0 ? Verdict::holds_to : Verdict::holds,
          .until = last > 0 ? std::optional<double>(static_cast<double>(last)) : std::nullopt,
          .finding = finding};
}

std::vector<Property> shaw_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Shaw>(numbers.spec());
  const std::int64_t last = std::min(spec.left, spec.right);
  Property past = past_length(last, shaw_facts(numbers.spec()).past_length);
  past.verdict = Verdict::holds_to;
  past.until = static_cast<double>(last);
  past.numbers = {{"left", static_cast<double>(spec.left)}, {"right", static_cast<double>(spec.right)}};
  std::vector<Property> list;
  // A table that refuses offsets may be too short for eight tokens.
  if (spec.past != PastTable::error || last >= 7) list.push_back(relative(numbers, options, 1e-12));
  list.push_back(std::move(past));
  list.push_back(norms(numbers.parameters().front()));
  list.push_back(parameters(term_parameters(numbers)));
  list.push_back(memory(numbers.spec(), options.positions.count, term_parameters(numbers)));
  return list;
}

std::vector<Property> xl_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<TransformerXl>(numbers.spec());
  return {relative(numbers, options, 1e-9), past_length(spec.clamp_distance, xl_facts(numbers.spec()).past_length),
          parameters(term_parameters(numbers)),
          memory(numbers.spec(), options.positions.count, term_parameters(numbers))};
}

}  // namespace

KindFormula formula_of(const Shaw& spec) {
  const Formula i = "i", j = "j", q = "q_i", k = "k_j";
  const Formula offset = spec.offset == Offset::key_minus_query ? j - i : i - j;
  const Formula row = element("r", {call("clip", {offset, -spec.left, spec.right})});
  const Formula content = dot(q, k) + dot(q, row);
  const Formula score = spec.term == ShawTerm::query_and_key ? content + dot(k, row) : content;
  return {.lines = {equation(call("score", {i, j}), Formula("scale") * score)}};
}

KindFormula formula_of(const TransformerXl& spec) {
  const Formula i = "i", j = "j", q = "q_i";
  const Formula score = dot(q + "u", "k_j") + dot(q + "v", Formula("W") * call("s", {i - j}));
  return {
      .lines = {equation(call("score", {i, j}), Formula("scale") * score)},
      .note = ", s a sinusoidal row of width " + std::to_string(spec.width) + ", base " + text::number_text(spec.base)};
}

const KindInsight& kind_insight(const Shaw&) {
  static const KindInsight insight{shaw_facts, shaw_properties, {"attention"}};
  return insight;
}

const KindInsight& kind_insight(const TransformerXl&) {
  static const KindInsight insight{xl_facts, xl_properties, {"attention"}};
  return insight;
}

}  // namespace posenc::properties
