#include "core/spec/fields.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "core/base/refuse.h"
#include "core/spec/kind_row.h"
#include "core/spec/scaling_fields.h"
#include "core/text/folded.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::spec {
namespace {

[[noreturn]] void fail_value(std::string_view kind, const Field& field, const std::string& condition,
                             const std::string& got) {
  base::refuse_input(kind, field.shown(), " must be ", condition, " but got ", got);
}

void check_number(std::string_view kind, const Field& field, double value) {
  const std::string got = text::number_text(value);
  if (!std::isfinite(value)) fail_value(kind, field, "finite", got);
  if (field.above_low && value <= field.low) fail_value(kind, field, "above " + text::number_text(field.low), got);
  if (value < field.low) fail_value(kind, field, "at least " + text::number_text(field.low), got);
  if (value > field.high) fail_value(kind, field, "at most " + text::general_text(field.high, 17), got);
}

}  // namespace

void check_field(std::string_view kind, const Field& field) {
  const auto check = [&](double value) { check_number(kind, field, value); };
  std::visit(
      [&](const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::int64_t*> || std::is_same_v<Value, double*>) {
          check(static_cast<double>(*value));
        } else if constexpr (std::is_same_v<Value, bool*>) {
          return;
        } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>*> ||
                             std::is_same_v<Value, std::optional<double>*>) {
          if (value->has_value()) check(static_cast<double>(**value));
        } else if constexpr (std::is_same_v<Value, std::vector<double>*> ||
                             std::is_same_v<Value, std::vector<std::int64_t>*>) {
          for (const auto number : *value) check(static_cast<double>(number));
        } else if (field.required && value.get() == -1) {
          base::refuse_input(kind, field.name, " must be chosen: ", wanted_text(field));
        } else if (value.get() < 0 || value.get() >= static_cast<int>(value.words.size())) {
          fail_value(kind, field, wanted_text(field), std::to_string(value.get()));
        }
      },
      field.value);
}

std::string field_text(const Field& field) {
  return std::visit(
      [](const auto& value) -> std::string {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::int64_t*>) {
          return std::to_string(*value);
        } else if constexpr (std::is_same_v<Value, double*>) {
          return text::number_text(*value);
        } else if constexpr (std::is_same_v<Value, bool*>) {
          return *value ? "true" : "false";
        } else if constexpr (std::is_same_v<Value, std::optional<double>*>) {
          return value->has_value() ? text::number_text(**value) : "none";
        } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>*>) {
          return value->has_value() ? std::to_string(**value) : "none";
        } else if constexpr (std::is_same_v<Value, std::vector<double>*>) {
          return value->empty() ? "none" : text::joined(*value, "/");
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>*>) {
          return value->empty() ? "none" : text::joined(*value, "/");
        } else {
          const int index = value.get();  // below 0: not chosen yet
          return index < 0 ? "none" : std::string(value.words[static_cast<std::size_t>(index)]);
        }
      },
      field.value);
}

std::string type_text(const Field& field) {
  if (std::holds_alternative<std::int64_t*>(field.value)) return "integer";
  if (std::holds_alternative<double*>(field.value)) return "number";
  if (std::holds_alternative<bool*>(field.value)) return "true|false";
  if (std::holds_alternative<std::optional<std::int64_t>*>(field.value)) return "integer or none";
  if (std::holds_alternative<std::optional<double>*>(field.value)) return "number or none";
  if (std::holds_alternative<std::vector<double>*>(field.value)) return "list of numbers";
  if (std::holds_alternative<std::vector<std::int64_t>*>(field.value)) return "list of integers";
  return text::joined(std::get<EnumField>(field.value).words, "|");
}

std::string wanted_text(const Field& field) {
  if (!std::holds_alternative<EnumField>(field.value)) {
    const std::string type = type_text(field);
    if (std::holds_alternative<bool*>(field.value)) return "true or false";
    return (type.starts_with("integer") ? "an " : "a ") + type;
  }
  return "one of " + text::joined(std::get<EnumField>(field.value).words, ", ");
}

std::optional<int> word_found(const EnumField& field, std::string_view word) {
  const std::string typed = text::folded(word);
  std::string_view meant = typed;
  for (const OtherWord& other : field.others) {
    if (other.word == typed) meant = other.means;
  }
  const auto found = std::find(field.words.begin(), field.words.end(), meant);
  if (found == field.words.end()) return std::nullopt;
  return static_cast<int>(found - field.words.begin());
}

int word_index(std::string_view kind, const Field& field, std::string_view word) {
  const auto& value = std::get<EnumField>(field.value);
  if (const std::optional<int> found = word_found(value, word)) return *found;
  fail_value(kind, field, wanted_text(field),
             "'" + std::string(word) + "'" + text::hint(text::folded(word), value.words));
}

void adopt_selections(Spec& spec, Spec& other) {
  const std::vector<Field> theirs = fields_of(other);
  for (const Field& field : fields_of(spec)) {
    if (!field.selects) continue;
    const auto same = std::find_if(theirs.begin(), theirs.end(), [&](const Field& f) { return f.name == field.name; });
    std::get<EnumField>(same->value).set(std::get<EnumField>(field.value).get());
  }
}

std::string_view printed_name(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.answers_to(name)) return field.name;
  }
  return name;
}

bool is_shorthand(Spec& spec, std::string_view name) {
  for (const Shorthand& shorthand : shorthands_of(spec)) {
    for (const Shorthand::Name& item : shorthand.names) {
      if (item.name == name) return true;
    }
  }
  return false;
}

void apply_shorthands(Spec& spec, const std::function<std::optional<double>(std::string_view)>& number_given,
                      const std::function<bool(std::string_view)>& is_given, std::string_view where) {
  for (const Shorthand& shorthand : shorthands_of(spec)) {
    std::vector<double> values;
    std::string_view used;
    for (const Shorthand::Name& name : shorthand.names) {
      const std::optional<double> number = number_given(name.name);
      if (number.has_value()) used = name.name;
      values.push_back(number.value_or(name.fallback));
    }
    if (used.empty()) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] > 0.0 && std::isfinite(values[i])) continue;
      fail(ErrorKind::bad_input, std::string(where) + " " + std::string(shorthand.names[i].name) +
                                     " must be finite and above 0 but got " + text::number_text(values[i]));
    }
    for (const std::string_view field : shorthand.replaces) {
      if (!is_given(field)) continue;
      fail(ErrorKind::bad_input, std::string(where) + " " + std::string(used) + " and " + std::string(field) +
                                     " say the same thing: give one of them");
    }
    shorthand.apply(values);
  }
}

}  // namespace posenc::spec
