// Learned tables, alone and added to a sinusoidal encoding.
#include <algorithm>
#include <limits>

#include "insight/about/about.h"
#include "insight/properties/input_properties.h"
#include "insight/properties/walk_rows.h"

namespace posenc {
namespace about {
namespace {

std::string past_text(const Learned& spec, bool hybrid) {
  switch (spec.past_end) {
    case PastEnd::clamp:
      return hybrid
                 ? "Positions past the last row all get the last learned row: only the fixed part distinguishes them."
                 : "Positions past the last row all get the last row and cannot be distinguished.";
    case PastEnd::interpolate:
      return "The table is stretched, so that neighbouring rows are more similar than in training.";
    default:
      return "The table ends there: posenc refuses later positions.";
  }
}

KindFacts learned_facts(const Spec& any) {
  const Learned& spec = *learned_part(any);
  KindFacts facts;
  facts.users = "BERT, GPT-2, GPT-3, OPT, BART and vision transformers";
  facts.represents = "absolute positions";
  facts.prefers = "nothing: everything is learned";
  facts.past_length = past_text(spec, std::holds_alternative<Hybrid>(any));
  facts.order_of_terms = "Position p reads row p + first: OPT and BART have first=2, so that position 0 is row 2.";
  if (const auto* hybrid = std::get_if<Hybrid>(&any)) {
    const KindFacts fixed = page_of(hybrid->fixed).facts(hybrid->fixed);
    facts.users = "experiments that let a table correct the fixed rows; no well-known model";
    facts.past_length += " The fixed part continues, the learned one does not.";
    facts.order_of_terms = fixed.order_of_terms;
  }
  return facts;
}

// The range of a number that would be constant if rows followed a formula.
struct Spreads {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
};

Spreads neighbour_products(const InputLook& look) {
  Spreads spread;
  std::vector<double> last(static_cast<std::size_t>(look.width));
  walk_rows(look.rows, look.walk, "check", [&](std::int64_t n, const double* row) {
    const double product = dot(last.data(), row, look.width);
    std::copy_n(row, look.width, last.data());
    if (n == 0) return;
    spread.smallest = std::min(spread.smallest, product);
    spread.largest = std::max(spread.largest, product);
  });
  return spread;
}

void add_irregular(const InputLook& look, std::vector<Property>& list) {
  if (look.walk.count < 2) return;
  const StepNorms steps = step_norms(look.rows, look.walk);
  const auto [shortest, longest] = told_apart(steps.smallest, steps.largest);
  list.push_back({.name = "smooth",
                  .title = "all steps have the same length",
                  .verdict = Verdict::does_not_hold,
                  .finding = "a step to the next row is " + short_text(steps.mean) + " long on average, from " +
                             shortest + " to " + longest + ": training decides",
                  .numbers = {{"smallest", steps.smallest}, {"largest", steps.largest}, {"mean", steps.mean}}});
  if (!look.observed) {
    list.push_back({.name = "shift_linear",
                    .title = "a shift by k is the same matrix everywhere: PE(p + k) = M_k PE(p)",
                    .verdict = Verdict::does_not_hold,
                    .finding = "rows are learned one by one: no rule connects a row with the one k positions later"});
  }
  const Spreads dots = neighbour_products(look);
  const auto [least, most] = told_apart(dots.smallest, dots.largest);
  list.push_back({.name = "distance_only",
                  .title = "the dot product of two rows depends only on their distance",
                  .verdict = Verdict::does_not_hold,
                  .finding = "for neighbours it ranges from " + least + " to " + most,
                  .numbers = {{"smallest", dots.smallest}, {"largest", dots.largest}}});
}

Property past_length(const Encoding& numbers) {
  const auto last = static_cast<double>(*numbers.positions() - 1);
  const bool hybrid = std::holds_alternative<Hybrid>(numbers.spec());
  return {.name = "past_length",
          .title = hybrid ? "every position has its own learned row" : "every position has its own row",
          .verdict = Verdict::holds_to,
          .until = last,
          .finding = "the last row is that of position " + place_text(last) + ". " +
                     past_text(*learned_part(numbers.spec()), hybrid),
          .numbers = {{"last", last}, {"rows", static_cast<double>(numbers.table().shape[0])}}};
}

Spec sized_table(const Encoding& numbers) {
  Spec spec = numbers.spec();
  Learned& learned = std::holds_alternative<Hybrid>(spec) ? std::get<Hybrid>(spec).learned : std::get<Learned>(spec);
  learned.rows = numbers.table().shape[0];
  learned.width = numbers.width();
  return spec;
}

std::vector<Property> learned_properties(const Encoding& numbers, const CheckOptions& options) {
  const InputLook look = look_at(numbers, options);
  std::vector<Property> list;
  if (look.observed) list.push_back(matching_rows(look, numbers));
  list.push_back(bounded(look, numbers, std::nullopt));
  list.push_back(unique_rows(look, numbers));
  add_irregular(look, list);
  if (!look.observed) list.push_back(past_length(numbers));
  list.push_back(mixing_property(look, std::holds_alternative<Hybrid>(numbers.spec()) ? 1.0 : 0.02));
  if (look.observed) return list;
  const std::int64_t learned = numbers.table().shape[0] * numbers.table().shape[1];
  list.push_back(parameters(learned));
  list.push_back(memory(sized_table(numbers), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

std::vector<std::string> learned_mistakes(const Spec& spec) {
  return {
      learned_facts(spec).order_of_terms,
      "Positions past the rows that were trained have no trained row, whatever past_end returns for them.",
      "The formula cumsum(mask) * mask - 1 gives padding tokens the position -1, not 0: a lookup then fails, or reads "
      "the last row of the table."};
}

Formula learned_row(const Learned& spec) {
  const Formula row = element("table", {Formula("p") + spec.first});
  return spec.normalize == Normalize::l2 ? spec.multiplier * row / call("abs", {row}) : spec.multiplier * row;
}

std::string stretched_note(const Learned& spec) {
  if (spec.past_end != PastEnd::interpolate) return "";
  return ", between rows of the table, which is stretched to " + std::to_string(*spec.length) + " positions";
}

KindFormula learned_formula(const Learned& spec) {
  return {.lines = {equation(call("PE", {"p"}), learned_row(spec))}, .note = stretched_note(spec)};
}

KindFormula hybrid_formula(const Hybrid& spec) {
  KindFormula formula{.lines = {equation(call("PE", {"p"}), call("S", {"p"}) + learned_row(spec.learned))},
                      .note = stretched_note(spec.learned)};
  for (Formula& line : formula_of(spec.fixed).lines) {
    line.parts[0].name = "S";
    formula.lines.push_back(line);
  }
  return formula;
}

Cost learned_cost(const Learned& spec, const CostQuestion& of) {
  if (spec.width < 1) fail(ErrorKind::usage, "[cost_of] width must be given: the spec leaves it to its table");
  const std::int64_t rows = spec.rows > 0 ? spec.rows : of.positions + spec.first;
  // Learned numbers cannot be recomputed, so the table is always in memory.
  return {product({of.positions, spec.width, of.size}), product({rows, spec.width, of.size}),
          product({rows, spec.width}), static_cast<double>(spec.width)};
}

Cost hybrid_cost(const Hybrid& spec, const CostQuestion& of) {
  Learned table = spec.learned;
  table.width = spec.fixed.width;
  const Cost learned = learned_cost(table, of);
  Cost cost = Sinusoidal::page.cost(spec.fixed, of);
  cost.parameters = learned.parameters;
  cost.stream_bytes += learned.stream_bytes;
  cost.flops_per_token *= 2.0;
  return cost;
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Learned::page = {
    .facts = about::learned_facts,
    .formula = spec::of_kind<about::learned_formula>,
    .properties = about::learned_properties,
    .figures = "heatmap cells learned similarity distance mixing angle same_word parts attention",
    .cost = spec::of_kind<about::learned_cost>,
    .explain = spec::of_kind<explanation::explain_learned>,
    .mistakes = about::learned_mistakes,
    .questions = spec::of_kind<teaching::learned_questions>};

constinit const properties::KindPage Hybrid::page = {
    .facts = about::learned_facts,
    .formula = spec::of_kind<about::hybrid_formula>,
    .properties = about::learned_properties,
    .figures = "heatmap cells waves learned similarity distance mixing angle same_word parts attention",
    .cost = spec::of_kind<about::hybrid_cost>,
    .explain = spec::of_kind<explanation::explain_hybrid>,
    .mistakes = about::learned_mistakes,
    .questions = spec::of_kind<teaching::hybrid_questions>};

}  // namespace posenc
