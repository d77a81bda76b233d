// What a message suggests instead of a kind or field that does not exist, or of a spec with wrong punctuation.
#include <algorithm>
#include <cctype>
#include <string>

#include "core/spec/kind_row.h"
#include "core/spec/scaling_fields.h"
#include "core/text/folded.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::spec {
namespace {

// Names of methods that are near to names of kinds, but are others.
constexpr std::string_view kOtherMethods = "cope dape fope prope liere comrope vrope videorope";
constexpr std::string_view kBetweenWords = " ,:;=()[]{}\"'";

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t space = std::min(list.find(' ', start), list.size());
    if (list.substr(start, space - start) == word) return true;
    start = space + 1;
  }
  return false;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// An answer whose examples are complete specs with `value`; nothing if one of them does not accept it.
std::optional<std::string> answer_with(const UnclearField& unclear, std::string_view kind, std::string_view value) {
  std::string text(unclear.answer);
  if (value.find_first_of("<>") != std::string_view::npos) return std::nullopt;
  replace_all(text, "{}", value);
  if (text.find("{-1}") != std::string::npos) {
    const auto number = text::parse_integer(value);
    if (!number || *number < 1) return std::nullopt;
    replace_all(text, "{-1}", std::to_string(*number - 1));
  }
  for (std::size_t open = 0; (open = text.find('<', open)) != std::string::npos;) {
    const std::size_t close = text.find('>', open);
    const std::string fields = text.substr(open + 1, close - open - 1);
    const bool of_kind = fields.find(':') == std::string::npos;
    const auto example = example_with(of_kind ? std::string(kind) + ":" + fields : fields);
    if (!example) return std::nullopt;
    text.replace(open, close + 1 - open, *example);
  }
  return text;
}

std::string answer_of(const UnclearField& unclear, std::string_view kind, std::string_view value) {
  const auto answer = answer_with(unclear, kind, value);
  return answer ? *answer : *answer_with(unclear, kind, unclear.usual);
}

// The name of a field in its part: "width" of "0.width".
std::string_view name_in_part(std::string_view name) { return name.substr(name.find('.') + 1); }

// What `name` is near to, or else all fields.
std::string nearest_field(Spec& spec, std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  const auto add = [&](const std::string& printed, const std::string& also) {
    if (!also.empty()) names.push_back(also);  // before the other: of two that are as near, the clearer one
    names.push_back(printed);
    list += " " + printed + (also.empty() ? "" : "|" + also);
  };
  for (const Field& field : fields_of(spec)) {
    add(field.name, field.also);
    names.insert(names.end(), field.aliases.begin(), field.aliases.end());
  }
  for (const Shorthand& shorthand : shorthands_of(spec)) {
    for (const Shorthand::Name& short_name : shorthand.names) add(short_name.name, "");
  }
  if (names.empty()) return "; it has no fields";
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::string_view near = text::nearest(name, known);
  for (const std::string_view field : known) {
    if (near.empty() && field.ends_with("." + std::string(name))) near = field;  // without the name of its part
  }
  return near.empty() ? "; the fields are:" + list : "; did you mean '" + std::string(near) + "'?";
}

// Takes the next word off the front of `text`, and what separates it from the one after.
struct WordBefore {
  std::string_view word, separator;
};
WordBefore next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(kBetweenWords), text.size());
  const std::size_t next = std::min(text.find_first_not_of(kBetweenWords, end), text.size());
  const WordBefore taken{text.substr(0, end), text.substr(end, next - end)};
  text.remove_prefix(next);
  return taken;
}

// The first field that must be given and is not in `items`, "width=4,base=100".
std::string first_missing(const std::vector<Field>& fields, const std::string& items) {
  for (const Field& field : fields) {
    if (field.required && ("," + items).find("," + field.name + "=") == std::string::npos) return field.name;
  }
  return "";
}

// The fields of a text with wrong punctuation: each name with the word that follows it. A word alone is the value of
// the field that must be given.
std::string repaired_items(const std::vector<Field>& fields, std::string_view rest) {
  std::string items;
  while (!rest.empty()) {
    WordBefore item = next_word(rest);
    const std::string name(printed_name(fields, text::folded(item.word)));
    const bool known =
        std::any_of(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
    if (known || item.separator.find_first_of("=:") != std::string_view::npos) {
      items += name + "=" + std::string(next_word(rest).word) + ",";
    } else {
      items += first_missing(fields, items) + "=" + std::string(item.word) + ",";
    }
  }
  if (!items.empty()) items.pop_back();
  return items;
}

}  // namespace

std::string kind_candidates(std::string_view word) {
  const std::vector<std::string_view> meant = kinds_called(word);
  if (meant.size() < 2) return "";
  std::vector<std::string> examples;
  for (const std::string_view kind : meant) {
    examples.push_back(complete_spec(kind, {.example = ExampleSize::picture}).text);
  }
  const std::string last = examples.back();
  examples.pop_back();
  return text::joined(examples, ", ") + " or " + last;
}

std::string form_hint(std::string_view word) {
  const std::string name = text::folded(word);
  for (const std::string_view kind : kind_names()) {
    for (const NamedForm& form : row_of(*default_spec(kind)).forms) {
      if (has_word(form.words, name)) return " is a form of " + std::string(kind) + "; write " + std::string(form.spec);
    }
  }
  return has_word(kOtherMethods, name) ? " is a method that posenc does not have" : "";
}

std::string kind_hint(std::string_view kind) {
  if (const std::string candidates = kind_candidates(kind); !candidates.empty()) {
    return "; several have that name: write " + candidates;
  }
  if (const std::string scaling = scaling_hint(kind); !scaling.empty()) return "; it" + scaling;
  if (const std::string form = form_hint(kind); !form.empty()) return "; it" + form;
  const std::string near(nearest_kind(kind));
  return (near.empty() ? "." : "; did you mean '" + near + "'?") + " Known kinds: " + text::joined(kind_names(), " ");
}

std::optional<std::string> with_scaling(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon + 1 < text.size() && text.find('=') == std::string_view::npos) return std::nullopt;  // llama3:70b
  const std::optional<std::string> scaling = scaling_called(text.substr(0, colon));
  if (!scaling || *scaling == NoScaling::kind) return std::nullopt;
  std::string result(Rotary::kind);
  result += ":scaling=" + *scaling;
  if (colon + 1 < text.size()) result += "," + std::string(text.substr(colon + 1));
  return result;
}

std::string scaling_hint(std::string_view text) {
  const std::optional<std::string> rotary = with_scaling(text);
  if (!rotary) return "";
  std::optional<std::string> example = example_with(*rotary);
  if (!example) example = example_with(*with_scaling(text.substr(0, text.find(':'))));
  return " is a context scaling of rotary encodings; write " + *example;
}

std::string repaired(std::string_view text) {
  const WordBefore kind = next_word(text);
  std::optional<Spec> spec = default_spec(kind.word);
  if (!spec) return "";
  const std::string items = repaired_items(fields_of(*spec), text);
  const std::string kind_name(kind_of(*spec));
  return example_with(kind_name + (items.empty() ? "" : ":" + items)).value_or("");
}

void fail_unknown_field(Spec& spec, std::string_view typed, std::string_view value, std::string_view where) {
  const std::string name = text::folded(typed);
  const std::string kind(kind_of(spec));
  const std::string message = std::string(where) + " " + kind + " has no field '" + std::string(typed) + "'";
  for (const UnclearField& unclear : row_of(spec).unclear) {
    if (!has_word(unclear.words, name_in_part(name))) continue;
    fail(ErrorKind::bad_input, message + ": " + answer_of(unclear, kind, value));
  }
  if (const std::string others = scalings_with(name); std::holds_alternative<Rotary>(spec) && !others.empty()) {
    fail(ErrorKind::bad_input, message + " without a scaling that has it: scaling=" + others);
  }
  fail(ErrorKind::bad_input, message + nearest_field(spec, name));
}

}  // namespace posenc::spec
