// Questions about biases that are functions of the distance: KERPLE, FIRE, Sandwich.
#include <cmath>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"

namespace posenc::teaching {
namespace {

using Numbers = std::vector<reference::Numbers>;
using properties::Formula;

void add_zero_distance(Sheet& sheet, const std::string& why) {
  Draw draw = sheet.draw("zero distance");
  const std::int64_t p = draw.between(3, 900);
  sheet.ask_choice("functions/zero distance", draw, {{"p", p}, {"why", why}});
}

}  // namespace

namespace {

std::string kernel_text(const Kerple& spec) { return plain_text(properties::kerple_bias(spec, "p", "a", "d")); }

void add_kerple_value(Sheet& sheet, const Kerple& spec, const Numbers& numbers, double p, double a) {
  Draw draw = sheet.draw("kerple value");
  const std::int64_t d = draw.between(1, 30), i = d + draw.between(0, 30);
  const double bias = reference::bias(spec, numbers, 0, static_cast<double>(i), static_cast<double>(i - d));
  const Formula worked =
      with(properties::kerple_bias(spec, "p", "a", "d"), {{"p", p}, {"a", a}, {"d", static_cast<double>(d)}});
  sheet.ask("functions/kerple",
            {{"kernel", kernel_text(spec)},
             {"p", p},
             {"a", a},
             {"i", i},
             {"j", i - d},
             {"d", d},
             {"worked", plain_text(worked)}},
            {bias});
}

void add_kerple_reach(Sheet& sheet, const Kerple& spec, double p, double a) {
  const double depth = sheet.draw("kerple reach").real(1, 3);
  const bool log = spec.kernel == KerpleKernel::log;
  const double d = log ? std::expm1(depth / p) / a : std::pow(depth / a, 1.0 / p);
  sheet.ask(log ? "functions/log reach" : "functions/power reach",
            {{"kernel", kernel_text(spec)}, {"p", p}, {"a", a}, {"depth", depth}}, {d});
}

}  // namespace

void add_questions(Sheet& sheet, const Kerple& given) {
  const Kerple spec = {.heads = 1, .kernel = given.kernel, .direction = given.direction};
  sheet.set_note(plain_note(given, {"heads", "kernel", "direction"}));
  Draw draw = sheet.draw("kerple");
  const std::vector<double> p = {draw.tenths(5, 15)}, a = {draw.tenths(1, 9)};
  const Numbers numbers = {{"p", {1}, p}, {"a", {1}, a}};
  add_kerple_value(sheet, spec, numbers, p[0], a[0]);
  add_zero_distance(sheet, kernel_text(spec) + " is 0 at d = 0, whatever p and a are.");
  add_softmax_of(sheet, spec, numbers,
                 "KERPLE adds " + kernel_text(spec) + " with p = " + text::number_text(p[0]) +
                     " and a = " + text::number_text(a[0]) + ".");
  add_kerple_reach(sheet, spec, p[0], a[0]);
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

namespace {

struct FireNumbers {
  std::vector<double> c, factor = {1.0}, in_weight, in_bias, out_weight, out_bias;
  Numbers list() const {
    return {{"c", {1}, c},
            {"length_factor", {1}, factor},
            {"in_weight", {1, 1}, in_weight},
            {"in_bias", {1}, in_bias},
            {"out_weight", {1, 1}, out_weight},
            {"out_bias", {1}, out_bias}};
  }
};

// What goes into the network, without the eps below it.
std::string fire_text() {
  const Formula i = "i", place = properties::call("max", {i, "L"});
  return plain_text(equation("x", properties::fire_log("c", i - "j") / properties::fire_log("c", place)));
}

void add_fire_input(Sheet& sheet, const Fire& spec, double c) {
  Draw draw = sheet.draw("fire input");
  const std::int64_t d = draw.between(1, 20), i = d + draw.between(1, 30);
  // With an mlp that passes its input on, the bias is the input.
  const FireNumbers identity = {{c}, {1.0}, {1.0}, {0.0}, {1.0}, {0.0}};
  const double x = reference::bias(spec, identity.list(), 0, static_cast<double>(i), static_cast<double>(i - d));
  const double normaliser = std::max(static_cast<double>(i), spec.length);
  sheet.ask("functions/fire input",
            {{"formula", fire_text()},
             {"c", c},
             {"length", spec.length},
             {"i", i},
             {"j", i - d},
             {"larger", normaliser},
             {"worked", plain_text(properties::fire_log(c, d) / properties::fire_log(c, normaliser))}},
            {x});
}

void add_fire_network(Sheet& sheet, const Fire& spec, double c) {
  Draw draw = sheet.draw("fire network");
  const FireNumbers numbers = {
      {c}, {1.0}, {draw.tenths(5, 20)}, {draw.tenths(-3, 3)}, {-draw.tenths(5, 30)}, {draw.tenths(0, 9)}};
  const FireNumbers identity = {{c}, {1.0}, {1.0}, {0.0}, {1.0}, {0.0}};
  const double i = draw.real(10, 40), j = draw.real(0, 9);
  const double x = std::round(reference::bias(spec, identity.list(), 0, i, j) * 100.0) / 100.0;
  // The input is given rounded, so the answer follows from what the text says and not from the positions.
  double hidden = 0.0, bias = 0.0;
  reference::linear({&x, 1}, numbers.in_weight, numbers.in_bias, &hidden);
  hidden = std::max(hidden, 0.0);
  reference::linear({&hidden, 1}, numbers.out_weight, numbers.out_bias, &bias);
  sheet.ask("functions/fire network",
            {{"out", numbers.out_weight[0]},
             {"in", numbers.in_weight[0]},
             {"in_bias", in_formula(numbers.in_bias[0])},
             {"out_bias", numbers.out_bias[0]},
             {"x", x},
             {"hidden", decimals_text(hidden, 4)}},
            {bias});
}

}  // namespace

void add_questions(Sheet& sheet, const Fire& given) {
  const Fire spec = {.heads = 1, .width = 1, .length = given.length <= 1e6 ? given.length : 512.0};
  const double c = sheet.draw("fire c").tenths(1, 9);
  sheet.set_note(plain_note(given, {"heads", "width", "length"}));
  add_fire_input(sheet, spec, c);
  Draw depends = sheet.draw("fire depends");
  sheet.ask_choice("functions/fire depends", depends, {{"formula", fire_text()}});
  add_fire_network(sheet, spec, c);
  const FireNumbers falling = {{c}, {1.0}, {1.0}, {0.0}, {-sheet.draw("fire slope").real(2, 6)}, {0.0}};
  add_softmax_of(sheet, spec, falling.list(),
                 "FIRE's network gives " + text::number_text(falling.out_weight[0]) +
                     " x, with c = " + text::number_text(c) + " and L = " + text::number_text(spec.length) + ".");
  sheet.set_note({});
  sheet.ask("functions/fire parameters",
            {{"spec", to_text(Spec(given))}, {"width", given.width}, {"heads", given.heads}}, {parameter_count(given)});
  add_distance_zero_question(sheet);
}

namespace {

void add_sandwich_value(Sheet& sheet, const Sandwich& spec) {
  Draw draw = sheet.draw("sandwich value");
  const std::int64_t d = draw.between(1, 9), i = d + draw.between(0, 20);
  const double bias = reference::bias(spec, {}, 0, static_cast<double>(i), static_cast<double>(i - d));
  const std::string formula = plain_text(expanded(properties::sandwich_bias(spec, d, 1)));
  const Places places = {{"base", spec.base},
                         {"heads", spec.heads},
                         {"d", d},
                         {"formula", plain_text(properties::sandwich_bias(spec, "d", "h"))},
                         {"first", spec.first},
                         {"second", spec.first + 1},
                         {"worked", formula}};
  sheet.ask("functions/sandwich", places, {bias});
  Question symbols = stored_question("functions/sandwich symbols", places, {bias});
  symbols.answer = formula;
  sheet.add(symbols);
}

}  // namespace

void add_questions(Sheet& sheet, const Sandwich& given) {
  const Sandwich spec = {.heads = given.heads <= 128 ? given.heads : 8,
                         .width = 4,
                         .base = 10.0,  // with 10000 a distance of a few positions would hardly show
                         .first = given.first,
                         .direction = given.direction};
  sheet.ask("functions/sandwich parameters", {{"spec", to_text(Spec(given))}}, {parameter_count(given)});
  add_zero_distance(sheet, "Every cosine is 1 at distance 0; their number is taken off, which leaves 0.");
  add_sandwich_value(sheet, spec);
  add_softmax_of(sheet, spec, {},
                 "The bias is that of Sandwich, width 4, base " + text::number_text(spec.base) + ", k = " +
                     text_of(spec.first) + ", " + text_of(spec.first + 1) + ", head 1 of " + text_of(spec.heads) + ".");
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
