#include <cmath>

#include "insight/properties/kinds.h"
#include "insight/properties/mathml.h"
#include "insight/properties/property.h"
#include "posenc/error.h"
#include "posenc/query_temperature.h"

namespace posenc::properties {
namespace {

KindFacts temperature_facts(const Spec& any) {
  const auto& spec = std::get<QueryTemperature>(any);
  const std::string scale = text::number_text(spec.scale), length = std::to_string(spec.length);
  const std::string count = spec.first == 0 ? "p" : "(p + " + std::to_string(spec.first) + ")";
  const std::string counted = mrow(mi("p"), mo("+"), mn(spec.first));
  const bool power = spec.form == TemperatureForm::power;
  KindFacts facts;
  facts.formula = power ? "q at p is multiplied by (1 + " + count + "/" + length + ")^" + scale
                        : "q at p is multiplied by 1 + " + scale + " ln(1 + floor(" + count + "/" + length + "))";
  const std::string share = mfrac(counted, mn(spec.length));
  const std::string floored = mrow(mo("\xe2\x8c\x8a"), share, mo("\xe2\x8c\x8b"));
  facts.formula_mathml =
      power ? math(mi("f"), mo("="), msup(mrow(mo("("), mn(std::int64_t{1}), mo("+"), share, mo(")")), mn(spec.scale)))
            : math(mi("f"), mo("="), mn(std::int64_t{1}), mo("+"), mn(spec.scale),
                   mcall(mi("ln"), mn(std::int64_t{1}), mo("+"), floored));
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
          .until = {},
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
           .until = {},
           .finding = "all scores of a query are multiplied by the same number"},
          entropy(numbers, options),
          parameters(0)};
}

}  // namespace

const KindInsight& kind_insight(const QueryTemperature&) {
  static const KindInsight insight{temperature_facts, temperature_properties, {"attention", "entropy"}};
  return insight;
}

}  // namespace posenc::properties
