#include <algorithm>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "core/text/folded.h"
#include "core/text/number_text.h"
#include "posenc/list_reader.h"
#include "posenc/spec.h"

namespace posenc {
namespace {

// One `field=value` of a spec text.
struct Item {
  std::string name;  // folded
  std::string value;
  std::string typed = {};  // the name as it was given
};

[[noreturn]] void fail_text(std::string_view text, const std::string& message) {
  base::refuse_input("parse_spec", "'", text, "': ", message);
}

// Spaces around a field are not part of it: "width=4, base=100".
std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// "base=10,000": a comma inside a number.
bool is_rest_of_number(std::string_view text, std::string_view item) {
  const auto before = static_cast<std::size_t>(item.data() - text.data());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return item.size() == 3 && std::all_of(item.begin(), item.end(), is_digit) && before > 1 && text[before - 1] == ',' &&
         is_digit(text[before - 2]);
}

[[noreturn]] void fail_item(std::string_view text, std::string_view item) {
  if (is_rest_of_number(text, item)) fail_text(text, "write numbers without a comma: fields are separated by commas");
  const std::string meant = spec::repaired(text);
  fail_text(text,
            "expected field=value but got '" + std::string(item) + "'" + (meant.empty() ? "" : "; write " + meant));
}

std::vector<Item> split_items(std::string_view text, std::string_view list) {
  std::vector<Item> items;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view item = without_spaces(list.substr(0, comma));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) fail_item(text, item);
    const std::string_view name = without_spaces(item.substr(0, equals));
    const std::string_view value = without_spaces(item.substr(equals + 1));
    if (!value.starts_with('@') && value.find_first_of(" ;:()=") != std::string_view::npos) fail_item(text, item);
    items.push_back({text::folded(name), std::string(value), std::string(name)});
    if (comma != std::string_view::npos && comma + 1 == list.size()) fail_text(text, "nothing follows the last comma");
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return items;
}

const Item* find(const std::vector<Item>& items, std::string_view name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

// Checks that no field is given twice, under any of its names, and gives each item the name under which its field is
// printed.
void check_repeats(std::string_view text, const std::vector<spec::Field>& fields, std::vector<Item>& items) {
  std::vector<Item> printed;
  for (const Item& item : items) {
    const std::string name(spec::printed_name(fields, item.name));
    const Item* same = find(printed, name);
    if (same == nullptr) {
      printed.push_back({name, item.value, item.typed});
      continue;
    }
    const Item& other = items[static_cast<std::size_t>(same - printed.data())];
    if (other.name == item.name) fail_text(text, item.name + " is given twice");
    fail_text(text, other.typed + " and " + item.typed + " are the same field: give one of them");
  }
  items = std::move(printed);
}

Spec default_spec_of(std::string_view text, std::string_view kind) {
  std::optional<Spec> spec = spec::default_spec(kind);
  if (!spec) fail_text(text, "there is no kind '" + std::string(kind) + "'" + spec::kind_hint(kind));
  return *std::move(spec);
}

void make_parts(Spec& spec, const std::vector<Item>& items) {
  std::size_t count = 0;
  for (const Item& item : items) {
    if (const auto part = spec::part_number(item.name)) count = std::max(count, *part + 1);
  }
  spec::make_parts(spec, count, [&](std::size_t part) {
    const Item* kind = find(items, std::to_string(part) + ".kind");
    return kind == nullptr ? std::string_view() : std::string_view(kind->value);
  });
}

void read_shorthands(std::string_view text, Spec& spec, const std::vector<Item>& items) {
  const auto number_given = [&](std::string_view name) -> std::optional<double> {
    const Item* item = find(items, name);
    if (item == nullptr) return std::nullopt;
    const auto number = text::parse_number(item->value);
    if (!number) fail_text(text, std::string(name) + " must be a number but got '" + item->value + "'");
    return number;
  };
  const auto is_given = [&](std::string_view name) { return find(items, name) != nullptr; };
  spec::apply_shorthands(spec, number_given, is_given, "[parse_spec] '" + std::string(text) + "':");
}

std::string joined_text(std::string_view kind, const std::vector<Item>& items) {
  std::string text(kind);
  char separator = ':';
  for (const Item& item : items) {
    text += separator + item.name + "=" + item.value;
    separator = ',';
  }
  return text;
}

struct SpecText {
  Spec spec;
  std::vector<Item> items;  // with the names that are printed
};

SpecText read_given(std::string_view text, const ListReader& read_list) {
  const std::size_t colon = text.find(':');
  SpecText given{default_spec_of(text, text.substr(0, colon)),
                 split_items(text, colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1))};
  auto& [spec, items] = given;
  const std::string_view kind = kind_of(spec);
  make_parts(spec, items);
  for (const spec::Field& field : spec::fields_of(spec)) {
    if (!field.selects) continue;
    const auto item = std::find_if(items.begin(), items.end(), [&](const Item& i) { return field.answers_to(i.name); });
    if (item != items.end()) spec::set_from_text(kind, field, item->value, read_list);
  }
  const std::vector<spec::Field> fields = spec::fields_of(spec);
  check_repeats(text, fields, items);
  for (const Item& item : items) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == item.name; });
    if (field != fields.end()) {
      if (field->selects) continue;  // already set; setting it again would reset the fields that it selects
      spec::set_from_text(kind, *field, item.value, read_list);
    } else if (!spec::is_shorthand(spec, item.name)) {
      spec::fail_unknown_field(spec, item.typed, item.value, "[parse_spec]");
    }
  }
  return given;
}

// Whether no field is given, or a scaling without its fields: then example values are those of all fields that have
// one.
bool only_chosen(SpecText& given) {
  bool chosen = given.items.empty();
  for (const spec::Field& field : spec::fields_of(given.spec)) {
    const bool found = find(given.items, field.name) != nullptr;
    if (found && !field.group.empty()) return false;
    chosen = chosen || (found && field.selects);
  }
  return chosen;
}

// Adds the fields that are missing to `given`; returns them as text, "width=8".
std::string fill_in(SpecText& given, ExampleSize size, bool sizes) {
  auto& [spec, items] = given;
  const bool alone = only_chosen(given);
  if (items.empty()) spec::make_parts(spec, 2, [](std::size_t) { return std::string_view(); });
  const std::size_t before = items.size(), count = spec::fields_of(spec).size();
  for (std::size_t i = 0; i < count; ++i) {
    const spec::Field field = std::move(spec::fields_of(spec)[i]);  // an example depends on the fields before it
    const bool wanted = !field.example_for(size).empty() && (field.required || alone) &&
                        (sizes || std::holds_alternative<spec::EnumField>(field.value));
    if (!wanted || find(items, field.name) != nullptr) continue;
    items.push_back({field.name, std::string(field.example_for(size))});
    spec::set_from_text(kind_of(spec), field, items.back().value, ListReader());
  }
  const std::string added = joined_text("", {items.begin() + static_cast<std::ptrdiff_t>(before), items.end()});
  return added.empty() ? added : added.substr(1);
}

void check_required(std::string_view text, SpecText& given) {
  for (const spec::Field& field : spec::fields_of(given.spec)) {
    if (!field.required || find(given.items, field.name) != nullptr) continue;
    if (!field.group.empty() && field.examples.picture.empty()) {
      fail_text(text, field.name + " must be given beside " + std::string(field.group) + "=" +
                          find(given.items, field.group)->value);
    }
    SpecText example = given;
    fill_in(example, ExampleSize::picture, true);
    const bool words = std::holds_alternative<spec::EnumField>(field.value);
    fail_text(text, field.name + " must be given, as in " + joined_text(kind_of(example.spec), example.items) +
                        (words ? " (or another of " + spec::type_text(field) + ")" : ""));
  }
}

}  // namespace

std::optional<std::string> spec::example_with(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::optional<Spec> spec = default_spec(text.substr(0, colon));
  if (!spec) return std::nullopt;
  SpecText given{*std::move(spec), {}};
  for (std::string_view list = text.substr(std::min(colon + 1, text.size())); !list.empty();) {
    const std::string_view item = list.substr(0, list.find(','));
    const std::size_t equals = std::min(item.find('='), item.size());
    given.items.push_back(
        {std::string(item.substr(0, equals)), std::string(item.substr(std::min(equals + 1, item.size())))});
    list.remove_prefix(std::min(item.size() + 1, list.size()));
  }
  posenc::make_parts(given.spec, given.items);
  for (const bool selecting : {true, false}) {  // those that select decide which others there are
    const std::vector<Field> fields = fields_of(given.spec);
    for (Item& item : given.items) {
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const Field& f) { return !item.name.empty() && f.answers_to(item.name); });
      if (field == fields.end() ? !selecting : field->selects == selecting && !fits(*field, item.value))
        return std::nullopt;
      if (field == fields.end() || field->selects != selecting) continue;
      item.name = field->name;
      set_from_text("", *field, item.value, ListReader());
    }
  }
  for (const Item& item : given.items) {
    if (item.name.empty() || find(given.items, item.name) != &item) return std::nullopt;  // given twice
  }
  fill_in(given, ExampleSize::picture, true);
  return joined_text(kind_of(given.spec), given.items);
}

Spec parse_spec(std::string_view text) { return complete_spec(text).spec; }

Spec parse_spec(std::string_view text, const ListReader& read_list) { return complete_spec(text, {}, read_list).spec; }

NamedSpec complete_spec(std::string_view text, const FillIn& wanted) {
  return complete_spec(text, wanted, ListReader());
}

NamedSpec complete_spec(std::string_view text, const FillIn& wanted, const ListReader& read_list) {
  SpecText given = read_given(text, read_list);
  std::string assumed;
  if (wanted.example) assumed = fill_in(given, *wanted.example, wanted.sizes);
  check_required(text, given);
  read_shorthands(text, given.spec, given.items);
  validate(given.spec);
  std::string named = joined_text(kind_of(given.spec), given.items);
  return {std::move(given.spec), std::move(named), std::move(assumed)};
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
    // `defaults` has the same selections as `fields`, so a selecting field is compared with its first word instead.
    const std::string unsaid = fields[i].selects ? "none" : spec::field_text(defaults[i]);
    if (!fields[i].required && value == unsaid) continue;
    text += separator + std::string(fields[i].name) + "=" + value;
    separator = ',';
  }
  return text;
}

}  // namespace posenc
