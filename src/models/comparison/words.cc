// The sentences of a comparison.
#include <algorithm>
#include <cmath>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "core/text/number_text.h"
#include "models/comparison/rule.h"
#include "posenc/position.h"

namespace posenc::comparison {
namespace {

std::string opening(Agreement verdict) {
  switch (verdict) {
    case Agreement::equal:
      return "equal";
    case Agreement::equal_up_to_permutation:
      return "equal up to a permutation";
    case Agreement::equal_in_scores:
      return "equal in scores only";
    case Agreement::different:
      break;
  }
  return "different";
}

// How many significant digits distinguish the two numbers, at least four: 0.002616 and 0.002167.
int digits_of(const Difference& difference) {
  int digits = 4;
  if (!difference.a.is_number() || !difference.b.is_number()) return digits;
  const double a = difference.a.number(), b = difference.b.number();
  while (digits < 17 && text::general_text(a, digits) == text::general_text(b, digits)) ++digits;
  return digits;
}

std::string value_text(const Json& value, int digits) {
  if (value.is_null()) return "none";
  if (value.is_string()) return value.string();
  const double number = value.number();
  return number == std::floor(number) ? text::number_text(number) : text::general_text(number, digits);
}

Json field_value(const std::string& text) {
  if (text == "none") return {};
  const std::optional<double> number = text::parse_number(text);
  return number ? Json(*number) : Json(text);
}

}  // namespace

Limits limits_of(const CompareOptions& options, std::int64_t trained) {
  base::require(options.tolerance > 0.0 && options.tolerance <= 1.0, "compare",
                "tolerance must be above 0 and at most 1 but got ", options.tolerance);
  const std::int64_t positions = options.positions.value_or(trained > 0 ? trained : 4096);
  base::require(positions >= 1 && positions <= kMaxPosition, "compare",
                "positions must be from 1 to 2147483647 but got ", positions);
  return {options.tolerance, positions};
}

std::int64_t trained_of(const Spec& spec) {
  const auto* rotary = std::get_if<Rotary>(&spec);
  return rotary == nullptr ? 0 : trained_length(rotary->scaling).value_or(0);
}

std::string difference_text(const Difference& difference) {
  const std::string place =
      difference.place.empty() ? "" : difference.place + " " + std::to_string(difference.index) + " has ";
  const int digits = digits_of(difference);
  return place + difference.what + " " + value_text(difference.a, digits) + " in A and " +
         value_text(difference.b, digits) + " in B";
}

std::string positions_text(const Limits& limits) { return "positions 0 to " + std::to_string(limits.positions - 1); }

Comparison same(Agreement verdict, const Limits& limits, const std::string& why) {
  Comparison result{.verdict = verdict, .positions = limits.positions};
  const bool plain = verdict == Agreement::equal && why.empty();
  result.sentence = opening(verdict) + ": " + (plain ? "the same numbers at " + positions_text(limits) : why);
  return result;
}

Comparison same_if(const Limits& limits, const std::string& condition) {
  Comparison result = same(Agreement::equal, limits, "the same rule, " + condition);
  result.condition = condition;
  return result;
}

Comparison different(const Limits& limits, std::int64_t position, const Difference& what, const std::string& why) {
  Comparison result{
      .verdict = Agreement::different, .first_position = position, .differs = what, .positions = limits.positions};
  result.sentence = "different from position " + std::to_string(position) + " on: " + difference_text(what) +
                    (why.empty() ? "" : "; " + why);
  return result;
}

std::optional<Difference> first_field(const Spec& a, const Spec& b) {
  Spec one = a, other = b;
  const std::vector<spec::Field> fields_a = spec::fields_of(one), fields_b = spec::fields_of(other);
  for (std::size_t i = 0; i < std::min(fields_a.size(), fields_b.size()); ++i) {
    const std::string text_a = spec::field_text(fields_a[i]), text_b = spec::field_text(fields_b[i]);
    if (fields_a[i].name == fields_b[i].name && text_a == text_b) continue;
    return Difference{.what = fields_a[i].name, .a = field_value(text_a), .b = field_value(text_b)};
  }
  return std::nullopt;
}

}  // namespace posenc::comparison
