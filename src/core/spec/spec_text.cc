#include <algorithm>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "core/text/number_text.h"
#include "posenc/list_reader.h"
#include "posenc/spec.h"

namespace posenc {
namespace {

// One `field=value` of a spec text.
struct Item {
  std::string_view name;
  std::string_view value;
};

[[noreturn]] void fail_text(std::string_view text, const std::string& message) {
  base::refuse_input("parse_spec", "'", text, "': ", message);
}

std::vector<Item> split_items(std::string_view text, std::string_view list) {
  std::vector<Item> items;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      fail_text(text, "expected field=value but got '" + std::string(item) + "'");
    }
    items.push_back({item.substr(0, equals), item.substr(equals + 1)});
    if (comma != std::string_view::npos && comma + 1 == list.size()) fail_text(text, "nothing follows the last comma");
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return items;
}

const Item* find(const std::vector<Item>& items, std::string_view name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

// Every name once, and of a field with two names one; from here on, that under which it is printed.
void check_repeats(std::string_view text, const std::vector<spec::Field>& fields, std::vector<Item>& items) {
  for (const Item& item : items) {
    if (find(items, item.name) != &item) fail_text(text, std::string(item.name) + " is given twice");
  }
  for (Item& item : items) {
    const std::string_view printed = spec::printed_name(fields, item.name);
    if (printed != item.name && find(items, printed)) {
      fail_text(text, std::string(item.name) + " is the same as " + std::string(printed) + ", which is given too");
    }
    item.name = printed;
  }
}

// Sets a field from its text; `kind` opens the messages.
struct FieldReader {
  std::string_view kind;
  const spec::Field& field;
  std::string_view text;
  const ListReader& read_list;

  [[noreturn]] void fail_type() const {
    base::refuse_input(kind, field.shown(), " must be ", spec::wanted_text(field), " but got '", text, "'");
  }

  void operator()(std::int64_t* value) const {
    const auto number = text::parse_integer(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(double* value) const {
    const auto number = text::parse_number(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(bool* value) const {
    if (text != "true" && text != "false") fail_type();
    *value = text == "true";
  }
  void operator()(std::optional<double>* value) const {
    value->reset();
    if (text == "none") return;
    double number = 0.0;
    (*this)(&number);
    *value = number;
  }
  void operator()(std::optional<std::int64_t>* value) const {
    if (text == "none") {
      value->reset();
      return;
    }
    const auto number = text::parse_integer(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(std::vector<double>* value) const {
    value->clear();
    if (text == "none") return;
    if (text.starts_with('@')) {
      if (!read_list) base::refuse("parse_spec", "'", text, "' names a file: use load_spec");
      *value = read_list(std::string(text.substr(1)));
      return;
    }
    each_item([&](std::string_view item) {
      const auto number = text::parse_number(item);
      if (!number) fail_type();
      value->push_back(*number);
    });
  }
  void operator()(std::vector<std::int64_t>* value) const {
    value->clear();
    if (text == "none") return;
    each_item([&](std::string_view item) {
      const auto number = text::parse_integer(item);
      if (!number) fail_type();
      value->push_back(*number);
    });
  }
  void operator()(const spec::EnumField& value) const { value.set(spec::word_index(kind, field, text)); }

  // What stands between the slashes.
  template <class Visit>
  void each_item(const Visit& visit) const {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t slash = std::min(text.find('/', start), text.size());
      visit(text.substr(start, slash - start));
      start = slash + 1;
    }
  }
};

Spec default_spec_of(std::string_view text, std::string_view kind) {
  std::optional<Spec> spec = spec::default_spec(kind);
  if (!spec) fail_text(text, "there is no kind '" + std::string(kind) + "'" + spec::kind_hint(kind));
  return *std::move(spec);
}

// What stands in for a value in the message about a field that is missing.
std::string example_of(const spec::Field& field) {
  if (const auto* words = std::get_if<spec::EnumField>(&field.value)) {
    return std::string(words->words[0]) + " (or another of " + spec::type_text(field) + ")";
  }
  if (std::holds_alternative<std::vector<double>*>(field.value)) return "1/0.5";
  return field.high < 512.0 ? text::number_text(field.low) : "512";
}

void make_parts(Spec& spec, const std::vector<Item>& items) {
  std::size_t count = 0;
  for (const Item& item : items) {
    if (const auto part = spec::part_number(item.name)) count = std::max(count, *part + 1);
  }
  spec::make_parts(spec, count, [&](std::size_t part) {
    const Item* kind = find(items, std::to_string(part) + ".kind");
    return kind == nullptr ? std::string_view() : kind->value;
  });
}

void read_shorthands(std::string_view text, Spec& spec, const std::vector<Item>& items) {
  const auto number_given = [&](std::string_view name) -> std::optional<double> {
    const Item* item = find(items, name);
    if (item == nullptr) return std::nullopt;
    const auto number = text::parse_number(item->value);
    if (!number) fail_text(text, std::string(name) + " must be a number but got '" + std::string(item->value) + "'");
    return number;
  };
  const auto is_given = [&](std::string_view name) { return find(items, name) != nullptr; };
  spec::apply_shorthands(spec, number_given, is_given, "[parse_spec] '" + std::string(text) + "':");
}

}  // namespace

Spec parse_spec(std::string_view text) { return parse_spec(text, ListReader()); }

Spec parse_spec(std::string_view text, const ListReader& read_list) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  Spec spec = default_spec_of(text, kind);
  std::vector<Item> items =
      split_items(text, colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
  make_parts(spec, items);
  for (const spec::Field& field : spec::fields_of(spec)) {
    const Item* item = field.selects ? find(items, field.name) : nullptr;
    if (item) std::visit(FieldReader{kind, field, item->value, read_list}, field.value);
  }
  const std::vector<spec::Field> fields = spec::fields_of(spec);
  check_repeats(text, fields, items);
  for (const Item& item : items) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == item.name; });
    if (field != fields.end()) {
      if (field->selects) continue;  // set before: setting it again would begin anew
      std::visit(FieldReader{kind, *field, item.value, read_list}, field->value);
    } else if (!spec::is_shorthand(spec, item.name)) {
      spec::fail_unknown_field(spec, item.name, "[parse_spec]");
    }
  }
  for (const spec::Field& field : fields) {
    if (field.required && find(items, field.name) == nullptr) {
      if (!field.group.empty()) {
        fail_text(text, field.name + " must be given beside " + std::string(field.group) + "=" +
                            std::string(find(items, field.group)->value));
      }
      fail_text(text,
                field.name + " must be given, as in " + std::string(kind) + ":" + field.name + "=" + example_of(field));
    }
  }
  read_shorthands(text, spec, items);
  validate(spec);
  return spec;
}

std::string to_text(const Spec& spec) {
  Spec copy = spec;
  Spec fallback = spec::blank_like(spec);
  spec::adopt_selections(copy, fallback);
  const std::vector<spec::Field> fields = spec::fields_of(copy);
  const std::vector<spec::Field> defaults = spec::fields_of(fallback);
  std::string text(kind_of(spec));
  char separator = ':';
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string value = spec::field_text(fields[i]);
    // What selects is left out where it selects nothing: its first word is the default.
    const std::string unsaid = fields[i].selects ? "none" : spec::field_text(defaults[i]);
    if (!fields[i].required && value == unsaid) continue;
    text += separator + std::string(fields[i].name) + "=" + value;
    separator = ',';
  }
  return text;
}

}  // namespace posenc
