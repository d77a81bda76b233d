// FIRE.
#include <algorithm>
#include <cmath>

#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts fire_facts(const Spec&) {
  return {.users = "research models of Li et al. (2024); no well-known released model",
          .represents = "distances, and the position of the query",
          .prefers = "nothing: everything is learned",
          .past_length =
              "Distances are divided by the query's position, so that all are between 0 and 1. Even so, trained on 512 "
              "tokens, perplexity was 4.70 at 1024 and 309 at 8192 (DAPE, 2024).",
          .order_of_terms = "It does not depend on distance only: the same distance counts less at a later query."};
}

std::vector<Property> fire_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(
      numbers, options,
      {.relative = false,
       .falls = false,
       .past_finding = "distances are divided by the query's position, so that all are between 0 and 1"});
}

Formula fire_log(const Formula& c, const Formula& x) { return call("ln", {call("abs", {c * x}) + 1}); }

KindFormula fire_formula(const Fire& spec) {
  const Formula i = "i", x = "x", k = "k";
  const auto psi = [](const Formula& of) { return call("psi", {of}); };
  const Formula hidden = call("max", {element("in_weight", {k}) * x + element("in_bias", {k}), 0});
  return {.lines = {equation(bias_of_pair(), call("mlp_h", {psi(i - "j") / (psi(call("max", {i, "L"})) + spec.eps)})),
                    equation(psi(x), fire_log("c", x))},
          .note = ", L = " + text::number_text(spec.length) + " times a learned factor; mlp 1 - " +
                  std::to_string(spec.width) + " - " + std::to_string(spec.heads),
          .details = {
              equation("L", call("abs", {spec.length * Formula("length_factor")})),
              equation(call("mlp_h", {x}), series("k", 0, spec.width - 1, element("out_weight", {"h", k}) * hidden) +
                                               element("out_bias", {"h"}))}};
}

Cost fire_cost(const Fire& spec, const CostQuestion& of) {
  return matrix_cost(of, spec.heads, spec.width * (spec.heads + 2), 5.0 + 5.0 * static_cast<double>(spec.width));
}

std::vector<std::string> fire_numbers(const Fire& spec, const BiasPair& pair) {
  const std::string head = "[" + std::to_string(pair.head) + "]";
  const auto of = [&](const char* name) { return numbers_of(pair, name); };
  const std::vector<double> weights = of("out_weight"), biases = of("out_bias");
  const auto first = static_cast<std::size_t>(pair.head);
  const auto width = static_cast<std::size_t>(spec.width);
  return {named_numbers("c", of("c")) + ", " + named_numbers("length_factor", of("length_factor")) + ", " +
              named_numbers("out_bias" + head, {&biases[first], 1}),
          named_numbers("in_weight", of("in_weight")), named_numbers("in_bias", of("in_bias")),
          named_numbers("out_weight" + head, {&weights[first * width], width})};
}

// The input of the network: its products are one per hidden unit, too many for a line.
std::string derive_fire(const Fire& spec, const BiasPair& pair) {
  const double c = numbers_of(pair, "c")[0], offset = pair.query - pair.key;
  const double length = std::fabs(spec.length * numbers_of(pair, "length_factor")[0]);
  const auto psi = [&](double x) { return std::log(std::fabs(c * x) + 1.0); };
  const double place = std::max(pair.query, length);
  const std::string text = "x = psi(" + text::number_text(offset) + ") / (psi(" + text::general_text(place, 6) +
                           ") + " + text::number_text(spec.eps) + ")";
  return text + " = " + five_decimals(psi(offset)) + " / " + five_decimals(psi(place) + spec.eps) + " = " +
         five_decimals(psi(offset) / (psi(place) + spec.eps)) + ", mlp(x)";
}

using Numbers = std::vector<reference::Numbers>;

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

// The formula of the network's input, without eps.
std::string fire_text() {
  const Formula i = "i", place = call("max", {i, "L"});
  return plain_text(equation("x", fire_log("c", i - "j") / fire_log("c", place)));
}

void add_fire_input(Sheet& sheet, const Fire& spec, double c) {
  Draw draw = sheet.draw("fire input");
  const std::int64_t d = draw.between(1, 20), i = d + draw.between(1, 30);
  // If the mlp passes its input on, the bias is the input.
  const FireNumbers identity = {{c}, {1.0}, {1.0}, {0.0}, {1.0}, {0.0}};
  const double x = reference::bias(spec, identity.list(), 0, static_cast<double>(i), static_cast<double>(i - d));
  const double normaliser = std::max(static_cast<double>(i), spec.length);
  const auto log_of = [&](double distance) { return std::log1p(c * distance); };
  std::vector<Mistake> mistakes =
      distance_mistakes([&](double distance) { return log_of(distance) / log_of(normaliser); }, static_cast<double>(d));
  mistakes.push_back({"the logarithms were left out", {static_cast<double>(d) / normaliser}});
  mistakes.push_back(
      {"1 + was left out of the logarithms", {std::log(c * static_cast<double>(d)) / std::log(c * normaliser)}});
  mistakes.push_back({"c was left out", {std::log1p(static_cast<double>(d)) / std::log1p(normaliser)}});
  mistakes.push_back({"the denominator has the larger of i and L",
                      {log_of(static_cast<double>(d)) / log_of(std::min(static_cast<double>(i), spec.length))}});
  mistakes.push_back(
      {"the numerator has the distance i - j, not i", {log_of(static_cast<double>(i)) / log_of(normaliser)}});
  mistakes.push_back(
      {"this is the logarithm of the distance, without the denominator", {log_of(static_cast<double>(d))}});
  mistakes.push_back({"numerator and denominator are swapped", {1.0 / x}});
  sheet.ask("functions/fire input",
            {{"formula", fire_text()},
             {"c", c},
             {"length", spec.length},
             {"i", i},
             {"j", i - d},
             {"larger", normaliser},
             {"worked", plain_text(fire_log(c, d) / fire_log(c, normaliser))}},
            {x}, mistakes);
}

void add_fire_network(Sheet& sheet, const Fire& spec, double c) {
  Draw draw = sheet.draw("fire network");
  const FireNumbers numbers = {
      {c}, {1.0}, {draw.tenths(5, 20)}, {draw.tenths(-3, 3)}, {-draw.tenths(5, 30)}, {draw.tenths(0, 9)}};
  const FireNumbers identity = {{c}, {1.0}, {1.0}, {0.0}, {1.0}, {0.0}};
  const double i = draw.real(10, 40), j = draw.real(0, 9);
  const double x = std::round(reference::bias(spec, identity.list(), 0, i, j) * 100.0) / 100.0;
  // The text gives the input rounded, so the answer must follow from that number, not from the positions.
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
            {bias},
            {{"this is the hidden unit; the second layer is missing", {hidden}},
             {"the bias of the first layer was left out",
              {numbers.out_weight[0] * std::max(numbers.in_weight[0] * x, 0.0) + numbers.out_bias[0]}},
             {"the bias of the second layer was left out", {numbers.out_weight[0] * hidden}},
             {"the weight of the second layer was left out", {hidden + numbers.out_bias[0]}},
             {"relu was left out",
              {numbers.out_weight[0] * (numbers.in_weight[0] * x + numbers.in_bias[0]) + numbers.out_bias[0]}}});
}

void fire_questions(const Fire& given, Sheet& sheet) {
  const Fire spec = {.heads = 1, .width = 1, .length = given.length <= 1e6 ? given.length : 512.0};
  const double c = sheet.draw("fire c").tenths(1, 9);
  sheet.leave_out(given, {"heads", "width", "length"});
  add_fire_input(sheet, spec, c);
  Draw depends = sheet.draw("fire depends");
  sheet.ask_choice("functions/fire depends", depends, {{"formula", fire_text()}});
  add_fire_network(sheet, spec, c);
  const FireNumbers falling = {{c}, {1.0}, {1.0}, {0.0}, {-sheet.draw("fire slope").real(2, 6)}, {0.0}};
  add_softmax_of(sheet, spec, falling.list(),
                 "FIRE's network gives " + text::number_text(falling.out_weight[0]) +
                     " x, with c = " + text::number_text(c) + " and L = " + text::number_text(spec.length) + ".");
  sheet.ask("functions/fire parameters",
            {{"spec", to_text(Spec(given))}, {"width", given.width}, {"heads", given.heads}}, {parameter_count(given)},
            {{"c and the factor of L were not counted", {parameter_count(given) - 2.0}},
             {"the biases of the layers were not counted",
              {parameter_count(given) - static_cast<double>(given.width) - static_cast<double>(given.heads)}},
             {"the weights of the second layer are " + text_of(given.heads) + " for each hidden unit",
              {parameter_count(given) - static_cast<double>(given.width * (given.heads - 1))}}});
  add_distance_zero_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Fire::page = {.facts = about::fire_facts,
                                                   .formula = spec::of_kind<about::fire_formula>,
                                                   .properties = about::fire_properties,
                                                   .figures = properties::kBiasFigures,
                                                   .cost = spec::of_kind<about::fire_cost>,
                                                   .numbers = spec::of_kind<about::fire_numbers>,
                                                   .derive = spec::of_kind<about::derive_fire>,
                                                   .questions = spec::of_kind<about::fire_questions>};

}  // namespace posenc
