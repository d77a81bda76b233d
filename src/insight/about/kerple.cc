// KERPLE.
#include <algorithm>
#include <cmath>

#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts kerple_facts(const Kerple& spec) {
  const bool log = spec.kernel == KerpleKernel::log;
  return {.users = "research models of Chi et al. (2022); no well-known released model",
          .represents = "distances",
          .prefers = "near keys, from the start",
          .past_length =
              log ? "The penalty grows more and more slowly: trained on 512 tokens, perplexity was 4.35 at 1024 and "
                    "13.4 at 8192, where rotary had 45.2 and 265 (DAPE, 2024)."
                  : "The penalty grows as a learned power of the distance.",
          .order_of_terms =
              "Parameters below `smallest` count as `smallest`, because the authors clamp them after every step."};
}

std::vector<Property> kerple_properties(const Encoding& numbers, const CheckOptions& options) {
  const bool log = std::get<Kerple>(numbers.spec()).kernel == KerpleKernel::log;
  return bias_properties(numbers, options,
                         {.bounded = false,
                          .past_finding = log ? "the penalty grows as a logarithm: twice the distance adds about p ln 2"
                                              : "the penalty grows as a power of the distance"});
}

Formula kerple_bias(const Kerple& spec, const Formula& p, const Formula& a, const Formula& d) {
  return spec.kernel == KerpleKernel::log ? -p * call("ln", {1 + a * d}) : -a * power(d, p);
}

KindFormula kerple_formula(const Kerple& spec) {
  const std::string smallest = text::number_text(spec.smallest);
  return {.lines = {equation(bias_of_pair(), kerple_bias(spec, "p_h", "a_h", "d")), distance_of(spec.direction)},
          .note = "; parameters below " + smallest + " count as " + smallest +
                  (spec.kernel == KerpleKernel::power ? ", p_h above 2 as 2" : "")};
}

// What the formula has for a head: after the clamp, as it is used.
struct KerpleHead {
  double p, a;
};

KerpleHead kerple_head(const Kerple& spec, const BiasPair& pair) {
  const auto head = static_cast<std::size_t>(pair.head);
  const double most = spec.kernel == KerpleKernel::power ? 2.0 : HUGE_VAL;
  return {std::clamp(numbers_of(pair, "p")[head], spec.smallest, most),
          std::max(numbers_of(pair, "a")[head], spec.smallest)};
}

std::vector<std::string> kerple_numbers(const Kerple& spec, const BiasPair& pair) {
  const KerpleHead head = kerple_head(spec, pair);
  const std::string at = "_" + std::to_string(pair.head);
  std::vector<std::string> lines = {named_numbers("p" + at, {&head.p, 1}) + ", " +
                                    named_numbers("a" + at, {&head.a, 1})};
  if (pair.has("exponent")) {
    lines[0] +=
        ", " + named_numbers("exponent" + at, {&numbers_of(pair, "exponent")[static_cast<std::size_t>(pair.head)], 1});
  }
  return lines;
}

std::string derive_kerple(const Kerple& spec, const BiasPair& pair) {
  const KerpleHead head = kerple_head(spec, pair);
  const double d = distance(spec.direction, pair.query, pair.key);
  if (pair.has("exponent")) return derive_distance(spec, pair);
  return derive_distance(spec, pair) + ": " +
         plain_text(with(kerple_bias(spec, "p", "a", "d"), {{"p", head.p}, {"a", head.a}, {"d", d}}));
}

Cost kerple_cost(const Kerple& spec, const CostQuestion& of) {
  // Five operations: two for 1 + a d, its logarithm, times p, and the sum.
  return matrix_cost(of, spec.heads, 2, 5.0);
}

using Numbers = std::vector<reference::Numbers>;

std::string kernel_text(const Kerple& spec) { return plain_text(kerple_bias(spec, "p", "a", "d")); }

void add_kerple_value(Sheet& sheet, const Kerple& spec, const Numbers& numbers, double p, double a) {
  Draw draw = sheet.draw("kerple value");
  const std::int64_t d = draw.between(1, 30), i = d + draw.between(0, 30);
  const double bias = reference::bias(spec, numbers, 0, static_cast<double>(i), static_cast<double>(i - d));
  const Formula worked = with(kerple_bias(spec, "p", "a", "d"), {{"p", p}, {"a", a}, {"d", static_cast<double>(d)}});
  const auto at = [&](double distance) {
    return reference::bias(spec, numbers, 0, static_cast<double>(i), static_cast<double>(i) - distance);
  };
  std::vector<Mistake> mistakes = distance_mistakes(at, static_cast<double>(d));
  if (spec.kernel == KerpleKernel::log) {
    mistakes.push_back({"ln is the natural logarithm, not that of base 10", {bias / std::log(10.0)}});
    mistakes.push_back({"1 + was left out of the logarithm", {-p * std::log(a * static_cast<double>(d))}});
    mistakes.push_back({"p and a are swapped", {-a * std::log1p(p * static_cast<double>(d))}});
    mistakes.push_back({"p was left out", {bias / p}});
  } else {
    mistakes.push_back({"p and a are swapped", {-p * std::pow(static_cast<double>(d), a)}});
    mistakes.push_back({"only the distance is raised to the power p", {-std::pow(a * static_cast<double>(d), p)}});
    mistakes.push_back({"the power p was left out", {-a * static_cast<double>(d)}});
    mistakes.push_back({"a was left out", {bias / a}});
  }
  sheet.ask("functions/kerple",
            {{"kernel", kernel_text(spec)},
             {"p", p},
             {"a", a},
             {"i", i},
             {"j", i - d},
             {"d", d},
             {"worked", plain_text(worked)}},
            {bias}, mistakes);
}

void add_kerple_reach(Sheet& sheet, const Kerple& spec, double p, double a) {
  const double depth = sheet.draw("kerple reach").real(1, 3);
  const bool log = spec.kernel == KerpleKernel::log;
  const double d = log ? std::expm1(depth / p) / a : std::pow(depth / a, 1.0 / p);
  sheet.ask(log ? "functions/log reach" : "functions/power reach",
            {{"kernel", kernel_text(spec)}, {"p", p}, {"a", a}, {"depth", depth}}, {d},
            log ? std::vector<Mistake>{{"1 was not subtracted", {std::exp(depth / p) / a}},
                                       {"the division by a was left out", {d * a}},
                                       {"the depth was multiplied by p; it is divided", {std::expm1(depth * p) / a}},
                                       {"ln is the natural logarithm, not that of base 10",
                                        {(std::pow(10.0, depth / p) - 1.0) / a}},
                                       {"this is the distance of a straight line", {depth / (a * p)}}}
                : std::vector<Mistake>{{"the power is 1/p, not p", {std::pow(depth / a, p)}},
                                       {"the depth was multiplied by a; it is divided", {std::pow(depth * a, 1.0 / p)}},
                                       {"this is the distance of a straight line", {depth / a}}});
}

void kerple_questions(const Kerple& given, Sheet& sheet) {
  const Kerple spec = {.heads = 1, .kernel = given.kernel, .direction = given.direction};
  sheet.leave_out(given, {"heads", "kernel", "direction"});
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
  add_identity_question(sheet,
                        "A head has learned such a bias, 0 at distance 0, that it is strongly negative at all other "
                        "distances.");
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Kerple::page = {.facts = spec::of_kind<about::kerple_facts>,
                                                     .formula = spec::of_kind<about::kerple_formula>,
                                                     .properties = about::kerple_properties,
                                                     .figures = properties::kBiasFigures,
                                                     .cost = spec::of_kind<about::kerple_cost>,
                                                     .numbers = spec::of_kind<about::kerple_numbers>,
                                                     .derive = spec::of_kind<about::derive_kerple>,
                                                     .questions = spec::of_kind<about::kerple_questions>};

}  // namespace posenc
