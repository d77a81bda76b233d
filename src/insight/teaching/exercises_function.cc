// Questions about biases that are functions of the distance: KERPLE, FIRE, Sandwich.
#include <cmath>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/reference.h"

namespace posenc::teaching {
namespace {

using Numbers = std::vector<reference::Numbers>;
using properties::Formula;

std::vector<double> last_query_biases(const Spec& spec, const Numbers& numbers) {
  std::vector<double> biases;
  for (int j = 0; j < 4; ++j) biases.push_back(reference::bias(spec, numbers, 0, 3.0, j));
  return biases;
}

void add_softmax(Sheet& sheet, const Spec& spec, const Numbers& numbers, const std::string& origin) {
  const double score = sheet.draw("softmax scores").tenths(1, 9);
  add_softmax_question(sheet, origin + " The query stands at 3, the keys at 0, 1, 2, 3.", {score, score, score, score},
                       last_query_biases(spec, numbers));
}

void add_zero_distance(Sheet& sheet, const std::string& why) {
  Draw draw = sheet.draw("zero distance");
  const std::string p = text_of(draw.between(3, 900));
  sheet.add_choice({.level = Level::easy,
                    .text = "Query and key both stand at position " + p + ". Which bias do they get?",
                    .hint = "What is the distance?",
                    .choices = {"0, the largest of all.", "The smallest of all.",
                                "It depends on the position " + p + ".", "A random number until it is trained."},
                    .solution = {why, "Keys before the query get less: near keys are favoured."}},
                   draw);
}

}  // namespace

namespace {

std::string kernel_text(const Kerple& spec) { return plain_text(properties::kerple_bias(spec, "p", "a", "d")); }

void add_kerple_value(Sheet& sheet, const Kerple& spec, const Numbers& numbers, double p, double a) {
  Draw draw = sheet.draw("kerple value");
  const std::int64_t d = draw.between(1, 30), i = d + draw.between(0, 30);
  const double bias = reference::bias(spec, numbers, 0, static_cast<double>(i), static_cast<double>(i - d));
  sheet.add({.level = Level::easy,
             .text = "KERPLE adds " + kernel_text(spec) + " to a score, with p = " + text::number_text(p) +
                     " and a = " + text::number_text(a) + ". Which bias do a query at " + text_of(i) +
                     " and a key at " + text_of(i - d) + " get? To five decimals, with its sign.",
             .hint = "d is the distance " + text_of(d) + ".",
             .values = {bias},
             .decimals = 5,
             .solution = {plain_text(with(properties::kerple_bias(spec, "p", "a", "d"),
                                          {{"p", p}, {"a", a}, {"d", static_cast<double>(d)}})) +
                          " = " + decimals_text(bias, 5)}});
}

void add_kerple_reach(Sheet& sheet, const Kerple& spec, double p, double a) {
  const double depth = sheet.draw("kerple reach").real(1, 3);
  const bool log = spec.kernel == KerpleKernel::log;
  const double d = log ? std::expm1(depth / p) / a : std::pow(depth / a, 1.0 / p);
  sheet.add(
      {.level = Level::medium,
       .text = "At which distance has the bias " + kernel_text(spec) + " with p = " + text::number_text(p) +
               " and a = " + text::number_text(a) + " fallen to -" + text::number_text(depth) + "? To two decimals.",
       .hint = "Solve for d.",
       .values = {d},
       .decimals = 2,
       .solution = {log ? "d = (exp(" + text::number_text(depth) + "/p) - 1) / a"
                        : "d = (" + text::number_text(depth) + "/a)^(1/p)",
                    "= " + decimals_text(d, 2),
                    log ? "A straight line (ALiBi) would need far less for the next step down: a logarithm flattens."
                        : "With p below 1 it flattens with the distance, with p = 1 it is the line of ALiBi."}});
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
  add_softmax(sheet, spec, numbers,
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
  sheet.add(
      {.level = Level::easy,
       .text = "FIRE gives " + fire_text() + " to a small network. c = " + text::number_text(c) +
               ", L = " + text::number_text(spec.length) + ", the query stands at i = " + text_of(i) +
               " and the key at j = " + text_of(i - d) + ". What is x? To four decimals.",
       .hint = "First the larger of i and L.",
       .values = {x},
       .decimals = 4,
       .solution = {
           "max(" + text_of(i) + ", " + text::number_text(spec.length) + ") = " + text::number_text(normaliser),
           plain_text(properties::fire_log(c, d) / properties::fire_log(c, normaliser)) + " = " + decimals_text(x, 4),
           "(an eps of 1e-6 below the fraction changes nothing that is asked for)"}});
}

void add_fire_depends(Sheet& sheet) {
  Draw draw = sheet.draw("fire depends");
  sheet.add_choice(
      {.level = Level::easy,
       .text = "On what does the bias of FIRE depend?",
       .hint = "Which letters stand in " + fire_text() + "?",
       .choices = {"On the distance and on the query's place, once that is past L.", "On the distance alone.",
                   "On the key's content.", "On the query's place alone."},
       .solution = {"The normaliser holds max(i, L): below L it is constant, past it the query's place counts.",
                    "So x stays between 0 and 1 at every length, and nothing untrained is read."}},
      draw);
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
  sheet.add({.level = Level::medium,
             .text = "The network of FIRE has one hidden unit: bias = " + text::number_text(numbers.out_weight[0]) +
                     " x relu(" + text::number_text(numbers.in_weight[0]) + " x + " + in_formula(numbers.in_bias[0]) +
                     ") + " + text::number_text(numbers.out_bias[0]) +
                     ". What is the bias at x = " + text::number_text(x) + "? To four decimals.",
             .hint = "relu(y) is y where y is positive, else 0.",
             .values = {bias},
             .decimals = 4,
             .solution = {"relu(...) = " + decimals_text(hidden, 4), "bias = " + decimals_text(bias, 4)}});
}

}  // namespace

void add_questions(Sheet& sheet, const Fire& given) {
  const Fire spec = {.heads = 1, .width = 1, .length = given.length <= 1e6 ? given.length : 512.0};
  const double c = sheet.draw("fire c").tenths(1, 9);
  sheet.set_note(plain_note(given, {"heads", "width", "length"}));
  add_fire_input(sheet, spec, c);
  add_fire_depends(sheet);
  add_fire_network(sheet, spec, c);
  const FireNumbers falling = {{c}, {1.0}, {1.0}, {0.0}, {-sheet.draw("fire slope").real(2, 6)}, {0.0}};
  add_softmax(sheet, spec, falling.list(),
              "FIRE's network gives " + text::number_text(falling.out_weight[0]) +
                  " x, with c = " + text::number_text(c) + " and L = " + text::number_text(spec.length) + ".");
  sheet.set_note({});
  const double count = parameter_count(given);
  sheet.add({.level = Level::medium,
             .text = "How many learned numbers has " + to_text(Spec(given)) +
                     ": c, the factor of L, and a network 1 -> " + text_of(given.width) + " -> " +
                     text_of(given.heads) + " with biases?",
             .hint = "Count weights and biases of both layers, then the two single numbers.",
             .values = {count},
             .solution = {text_of(given.width) + " + " + text_of(given.width) + " + " + text_of(given.heads) + " x " +
                          text_of(given.width) + " + " + text_of(given.heads) + " + 2 = " + whole(count)}});
  add_distance_zero_question(sheet);
}

namespace {

void add_sandwich_value(Sheet& sheet, const Sandwich& spec) {
  Draw draw = sheet.draw("sandwich value");
  const std::int64_t d = draw.between(1, 9), i = d + draw.between(0, 20);
  const double bias = reference::bias(spec, {}, 0, static_cast<double>(i), static_cast<double>(i - d));
  const std::string base = text::number_text(spec.base), distance = text_of(d);
  const std::string formula = plain_text(expanded(properties::sandwich_bias(spec, d, 1)));
  sheet.add({.level = Level::medium,
             .text = "Sandwich of width 4, base " + base + " and " + text_of(spec.heads) +
                     " heads: which bias does head 1 (counted from 1) give at distance " + distance +
                     "? The bias of head h is " + plain_text(properties::sandwich_bias(spec, "d", "h")) +
                     ". To five decimals.",
             .hint = "Two cosines, minus what they are at distance 0.",
             .values = {bias},
             .decimals = 5,
             .solution = {formula, "= " + decimals_text(bias, 5)}});
  sheet.add({.level = Level::medium,
             .kind = AnswerKind::symbolic,
             .text = "Sandwich of width 4, base " + base + ", head 1 of " + text_of(spec.heads) +
                     ": write its bias at distance " + distance + " as one expression in symbols, with k = " +
                     text_of(spec.first) + ", " + text_of(spec.first + 1) + " in the cosines.",
             .hint = "cos(...) + cos(...), minus 2, divided by 8/" + text_of(spec.heads) + ".",
             .answer = formula,
             .values = {bias},
             .solution = {formula}});
}

}  // namespace

void add_questions(Sheet& sheet, const Sandwich& given) {
  const Sandwich spec = {.heads = given.heads <= 128 ? given.heads : 8,
                         .width = 4,
                         .base = 10.0,  // with 10000 a distance of a few positions would hardly show
                         .first = given.first,
                         .direction = given.direction};
  const double learned = parameter_count(given);
  sheet.add({.level = Level::easy,
             .text = "How many learned numbers has " + to_text(Spec(given)) + "?",
             .hint = "What in its formula could be trained?",
             .values = {learned},
             .solution = {"None: base, width and heads are fixed, everything else follows."}});
  add_zero_distance(sheet, "Every cosine is 1 at distance 0; their number is taken off, which leaves 0.");
  add_sandwich_value(sheet, spec);
  add_softmax(sheet, spec, {},
              "The bias is that of Sandwich, width 4, base " + text::number_text(spec.base) + ", k = " +
                  text_of(spec.first) + ", " + text_of(spec.first + 1) + ", head 1 of " + text_of(spec.heads) + ".");
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
