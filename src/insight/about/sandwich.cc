// Sandwich.
#include <cmath>
#include <numbers>

#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts sandwich_facts(const Spec&) {
  return {.users = "research models of Chi et al. (2023) and NeMo's option of that name",
          .represents = "distances",
          .prefers = "near keys, from the start",
          .past_length =
              "It is the dot product of two sinusoidal rows without the content: it falls at first, then oscillates, "
              "and stays bounded.",
          .order_of_terms = "NeMo's sum begins at k = 1; a sinusoidal table begins at 0, with the fastest frequency."};
}

std::vector<Property> sandwich_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(
      numbers, options,
      {.falls = false, .past_finding = "cosines of the distance continue: defined and bounded, but not monotone"});
}

Formula sandwich_bias(const Sandwich& spec, const Formula& d, const Formula& h) {
  const Formula angle = d / power(spec.base, 2 * Formula("k") / spec.width);
  const Formula sum = series("k", spec.first, spec.first + spec.width / 2 - 1, call("cos", {angle}));
  return (sum - spec.width / 2) / (8 * h / spec.heads);
}

std::string derive_sandwich(const Sandwich& spec, const BiasPair& pair) {
  const double d = distance(spec.direction, pair.query, pair.key);
  return derive_distance(spec, pair) + ": " + plain_text(sandwich_bias(spec, d, pair.head + 1));
}

KindFormula sandwich_formula(const Sandwich& spec) {
  return {.lines = {equation(bias_of_pair(), sandwich_bias(spec, "d", "h")), distance_of(spec.direction),
                    range("h", 1, spec.heads)}};
}

Cost sandwich_cost(const Sandwich& spec, const CostQuestion& of) {
  return matrix_cost(of, spec.heads, spec.width / 2, 2.0 * static_cast<double>(spec.width / 2) + 2.0);
}

// "k = 0, 1": the terms of the sum.
std::string terms_text(const Sandwich& spec) {
  std::string text = "k = " + text_of(spec.first);
  for (std::int64_t k = 1; k < spec.width / 2; ++k) text += ", " + text_of(spec.first + k);
  return text;
}

void add_sandwich_value(Sheet& sheet, const Sandwich& spec) {
  Draw draw = sheet.draw("sandwich value");
  // With a large base, a few positions hardly change a number.
  const std::int64_t d = spec.base < 100.0 ? draw.between(1, 9) : draw.between(10, 60), i = d + draw.between(0, 20);
  const double bias = reference::bias(spec, {}, 0, static_cast<double>(i), static_cast<double>(i - d));
  const std::string formula = plain_text(expanded(sandwich_bias(spec, d, 1)));
  const Places places = {{"base", spec.base},
                         {"heads", spec.heads},
                         {"d", d},
                         {"formula", plain_text(sandwich_bias(spec, "d", "h"))},
                         {"width", spec.width},
                         {"terms", terms_text(spec)},
                         {"half", spec.width / 2},
                         {"worked", formula}};
  const auto sum_at = [&](double distance, std::int64_t first, double unit) {
    double sum = 0.0;
    for (std::int64_t k = first; k < first + spec.width / 2; ++k) {
      const double exponent = 2.0 * static_cast<double>(k) / static_cast<double>(spec.width);
      sum += std::cos(unit * distance / std::pow(spec.base, exponent)) - 1.0;
    }
    return sum * static_cast<double>(spec.heads) / 8.0;
  };
  std::vector<Mistake> mistakes =
      distance_mistakes([&](double distance) { return sum_at(distance, spec.first, 1.0); }, static_cast<double>(d));
  mistakes.push_back({"angles were taken in degrees; they are in radians",
                      {sum_at(static_cast<double>(d), spec.first, std::numbers::pi / 180.0)}});
  const std::int64_t other = spec.first == 0 ? 1 : 0;
  mistakes.push_back({"the sum begins at k = " + text_of(other) + "; here it begins at k = " + text_of(spec.first),
                      {sum_at(static_cast<double>(d), other, 1.0)}});
  const double heads = static_cast<double>(spec.heads), half = static_cast<double>(spec.width) / 2.0;
  mistakes.push_back({"the sum at distance 0 was not subtracted", {bias + half * heads / 8.0}});
  mistakes.push_back({"the sum was not divided by 8/" + text_of(spec.heads), {bias * 8.0 / heads}});
  mistakes.push_back(
      {"the sum is divided by 8/" + text_of(spec.heads) + ", not multiplied", {bias * 64.0 / heads / heads}});
  mistakes.push_back({"this is the bias of head 2; here heads count from 1", {bias / 2.0}});
  sheet.ask("functions/sandwich", places, {bias}, mistakes);
  Question symbols = stored_question("functions/sandwich symbols", places, {bias});
  symbols.mistakes = mistakes;
  symbols.answer = formula;
  sheet.add(symbols);
}

void sandwich_questions(const Sandwich& given, Sheet& sheet) {
  const bool usual = given.base >= 2.0 && given.base <= 1e9;
  const Sandwich spec = {.heads = given.heads <= 128 ? given.heads : 8,
                         .width = given.width <= 8 ? given.width : 4,  // every two channels add a cosine
                         .base = usual ? given.base : 10000.0,
                         .first = given.first,
                         .direction = given.direction};
  if (spec.width != given.width) sheet.remark("Some questions use width=" + text_of(spec.width) + ".");
  if (spec.heads != given.heads) sheet.remark("Some questions use heads=" + text_of(spec.heads) + ".");
  if (!usual) sheet.remark("Some questions use base=10000.");
  sheet.ask("functions/sandwich parameters", {{"spec", to_text(Spec(given))}}, {parameter_count(given)});
  add_zero_distance(sheet, "Every cosine is 1 at distance 0; their number is taken off, which leaves 0.");
  add_sandwich_value(sheet, spec);
  add_softmax_of(sheet, spec, {},
                 "The bias is that of Sandwich, width " + text_of(spec.width) + ", base " +
                     text::number_text(spec.base) + ", " + terms_text(spec) + ", head 1 of " + text_of(spec.heads) +
                     ".");
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Sandwich::page = {.facts = about::sandwich_facts,
                                                       .formula = spec::of_kind<about::sandwich_formula>,
                                                       .properties = about::sandwich_properties,
                                                       .figures = properties::kBiasFigures,
                                                       .cost = spec::of_kind<about::sandwich_cost>,
                                                       .derive = spec::of_kind<about::derive_sandwich>,
                                                       .questions = spec::of_kind<about::sandwich_questions>};

}  // namespace posenc
