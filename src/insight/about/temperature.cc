// The temperature of queries.
#include <cmath>

#include "insight/about/about.h"
#include "posenc/query_temperature.h"

namespace posenc {
namespace about {
namespace {

KindFacts temperature_facts(const QueryTemperature& spec) {
  const bool power = spec.form == TemperatureForm::power;
  return {.users = power ? "Beam" : "Llama 4 in its layers without positions, Ministral 3 and Mistral 4 in all",
          .represents = "how long the text is up to the query",
          .prefers = "nothing: it sharpens the preferences of a query",
          .past_length = "The factor grows slowly, so that scores stay close to those of training.",
          .order_of_terms =
              "It multiplies queries only, not keys, and after any rotation; Llama 4 counts positions from 1."};
}

Property grows(const QueryTemperature& spec) {
  const auto length = static_cast<double>(spec.length);
  const double at_start = query_factor(spec, 0.0);
  const double later = query_factor(spec, std::min(16.0 * length, static_cast<double>(kMaxPosition)));
  return {.name = "grows",
          .title = "the weights of later queries are sharper",
          .verdict = judge(spec.scale > 0.0, later > at_start),
          .finding = "the factor is " + short_text(at_start) + " at position 0 and " + short_text(later) +
                     " at 16 times " + count_text(spec.length),
          .numbers = {{"at_0", at_start}, {"at_16_lengths", later}}};
}

std::vector<Property> temperature_properties(const Encoding& numbers, const CheckOptions& options) {
  if (options.observed.rank != 0) fail(ErrorKind::usage, "[check] temperature has no numbers to compare a table with");
  return {grows(std::get<QueryTemperature>(numbers.spec())),
          {.name = "order",
           .title = "the order of keys matters",
           .verdict = Verdict::does_not_hold,
           .finding = "all scores of a query get the same factor"},
          entropy(numbers, options),
          parameters(0)};
}

KindFormula temperature_formula(const QueryTemperature& spec) {
  return {.lead = "q at p is multiplied by ", .lines = {equation("f", temperature_factor(spec, "p"))}};
}

Cost temperature_cost(const QueryTemperature&, const CostQuestion& of) {
  return {product({of.positions, of.size}), 0, 0, 1.0};
}

// The weight of the first of three keys with the scores 2, 1 and 0, times a factor.
double first_weight(double factor) { return 1.0 / (1.0 + std::exp(-factor) + std::exp(-2.0 * factor)); }

void temperature_questions(const QueryTemperature& given, Sheet& sheet) {
  sheet.leave_out(given, {"scale"});
  Draw draw = sheet.draw("temperature");
  const QueryTemperature spec{.scale = given.scale, .length = 1000, .first = 0};
  const std::int64_t position = 1000 * draw.between(2, 9) + draw.between(1, 999);
  sheet.ask("queries/temperature",
            {{"formula", plain_text(temperature_factor(spec, "p"))},
             {"p", position},
             {"worked", plain_text(temperature_factor(spec, position))}},
            {query_factor(spec, static_cast<double>(position))},
            {{"the floor was left out", {1.0 + spec.scale * std::log1p(static_cast<double>(position) / 1000.0)}},
             {"1 + was left out of the logarithm", {1.0 + spec.scale * std::log(std::floor(position / 1000))}},
             {"1 + was left out before the product", {spec.scale * std::log1p(std::floor(position / 1000))}},
             {"the factor " + text::number_text(spec.scale) + " was left out",
              {1.0 + std::log1p(std::floor(position / 1000))}},
             {"ln is the natural logarithm, not that of base 10",
              {1.0 + spec.scale * std::log10(1.0 + std::floor(position / 1000))}}});
  const std::int64_t length = 1024 * draw.between(1, 16);
  const QueryTemperature counted{.scale = 0.1, .length = length, .first = 1};
  sheet.ask("queries/temperature first",
            {{"formula", plain_text(temperature_factor(counted, "p"))}, {"length", length}},
            {static_cast<double>(length - 1)}, counting_mistakes(static_cast<double>(length - 1)));
  const double sharp = draw.tenths(11, 15);
  sheet.ask("queries/temperature weight",
            {{"factor", decimals_text(sharp, 1)}, {"twice", decimals_text(2.0 * sharp, 1)}}, {first_weight(sharp)},
            {{"the factor was left out", {first_weight(1.0)}},
             {"the scores were divided by the factor", {first_weight(1.0 / sharp)}},
             {"the factor multiplies the scores, not the weight", {sharp * first_weight(1.0)}},
             {"this is the weight of the second key", {first_weight(sharp) * std::exp(-sharp)}},
             {"this is the weight of the third key", {first_weight(sharp) * std::exp(-2.0 * sharp)}},
             {"this is the exponential; a softmax divides it by the sum", {std::exp(2.0 * sharp)}}});
  sheet.ask_choice("queries/temperature order", draw);
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

properties::Formula properties::temperature_factor(const QueryTemperature& spec, const Formula& p) {
  const Formula share = (p + spec.first) / spec.length;
  return spec.form == TemperatureForm::power ? power(1 + share, spec.scale)
                                             : 1 + spec.scale * call("ln", {1 + call("floor", {share})});
}

constinit const properties::KindPage QueryTemperature::page = {
    .facts = spec::of_kind<about::temperature_facts>,
    .formula = spec::of_kind<about::temperature_formula>,
    .properties = about::temperature_properties,
    .figures = "attention entropy",
    .cost = spec::of_kind<about::temperature_cost>,
    .explain = spec::of_kind<explanation::explain_temperature>,
    .questions = spec::of_kind<about::temperature_questions>};

}  // namespace posenc
