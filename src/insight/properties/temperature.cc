#include <cmath>

#include "insight/properties/formulas.h"
#include "insight/properties/kinds.h"
#include "insight/properties/property.h"
#include "posenc/error.h"
#include "posenc/query_temperature.h"

namespace posenc::properties {
namespace {

KindFacts temperature_facts(const Spec& any) {
  const auto& spec = std::get<QueryTemperature>(any);
  const bool power = spec.form == TemperatureForm::power;
  KindFacts facts;
  facts.users = power ? "Beam" : "Llama 4 in its layers without positions, Ministral 3 and Mistral 4 in all";
  facts.represents = "how long the text is so far";
  facts.prefers = "nothing: it makes a query's preferences sharper";
  facts.past_length = "The factor grows slowly: scores that a model saw in training are never far.";
  facts.order_of_terms = "It multiplies queries only, after any rotation; Llama 4 counts positions from 1.";
  return facts;
}

Property grows(const QueryTemperature& spec) {
  const auto length = static_cast<double>(spec.length);
  const double at_start = query_factor(spec, 0.0);
  const double later = query_factor(spec, std::min(16.0 * length, static_cast<double>(kMaxPosition)));
  return {.name = "grows",
          .title = "later queries are sharper",
          .verdict = judge(spec.scale > 0.0, later > at_start),
          .finding = "the factor is " + short_text(at_start) + " at position 0 and " + short_text(later) +
                     " after 16 times " + count_text(spec.length),
          .numbers = {{"at_0", at_start}, {"at_16_lengths", later}}};
}

std::vector<Property> temperature_properties(const Encoding& numbers, const CheckOptions& options) {
  if (options.observed.rank != 0) fail(ErrorKind::usage, "[check] temperature has no table to compare");
  return {grows(std::get<QueryTemperature>(numbers.spec())),
          {.name = "order",
           .title = "the order of keys is seen",
           .verdict = Verdict::does_not_hold,
           .finding = "all scores of a query are multiplied by the same number"},
          entropy(numbers, options),
          parameters(0)};
}

}  // namespace

Formula temperature_factor(const QueryTemperature& spec, const Formula& p) {
  const Formula share = (p + spec.first) / spec.length;
  return spec.form == TemperatureForm::power ? power(1 + share, spec.scale)
                                             : 1 + spec.scale * call("ln", {1 + call("floor", {share})});
}

KindFormula formula_of(const QueryTemperature& spec) {
  return {.lead = "q at p is multiplied by ", .lines = {equation("f", temperature_factor(spec, "p"))}};
}

const KindInsight& kind_insight(const QueryTemperature&) {
  static const KindInsight insight{temperature_facts, temperature_properties, {"attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
