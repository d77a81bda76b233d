#include "posenc/files/spec_json.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc {
namespace {

Json field_json(const spec::Field& field) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, spec::EnumField>) {
          const int index = value.get();  // below 0: not set yet
          return index < 0 ? Json(nullptr) : Json(value.words[static_cast<std::size_t>(index)]);
        } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>*> ||
                             std::is_same_v<Value, std::optional<double>*>) {
          return value->has_value() ? Json(**value) : Json(nullptr);
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>*>) {
          return Json(Json::Array(value->begin(), value->end()));
        } else {
          return *value;
        }
      },
      field.value);
}

Json selected_json(const spec::Field& selector, const std::vector<spec::Field>& fields) {
  Json json;
  json.set("kind", field_json(selector));
  for (const spec::Field& field : fields) {
    if (field.group == selector.name) json.set(field.name, field_json(field));
  }
  return json;
}

// "factor", or "scaling.factor" if the field is inside an object.
std::string path_of(const spec::Field& field) {
  return field.group.empty() ? field.shown() : std::string(field.group) + "." + field.name;
}

// Sets a field from its JSON value. Ranges are checked later, when all fields are set.
struct FieldReader {
  std::string_view kind;  // begins messages about the words of an enum
  const spec::Field& field;
  const Json& json;
  std::string where;  // begins messages about types: "my.json: width"

  void operator()(std::int64_t* value) const { *value = json.integer(where); }
  void operator()(double* value) const { *value = json.number(where); }
  void operator()(bool* value) const { *value = json.boolean(where); }
  void operator()(std::optional<double>* value) const {
    value->reset();
    if (!json.is_null()) *value = json.number(where);
  }
  void operator()(std::optional<std::int64_t>* value) const {
    value->reset();
    if (!json.is_null()) *value = json.integer(where);
  }
  void operator()(std::vector<double>* value) const {
    value->clear();
    for (const Json& member : json.array(where)) {
      value->push_back(member.number(where + "[" + std::to_string(value->size()) + "]"));
    }
  }
  void operator()(std::vector<std::int64_t>* value) const {
    value->clear();
    for (const Json& member : json.array(where)) {
      value->push_back(member.integer(where + "[" + std::to_string(value->size()) + "]"));
    }
  }
  void operator()(const spec::EnumField& value) const { value.set(spec::word_index(kind, field, json.string(where))); }
};

Spec default_spec_of(const Json& json, const std::string& source) {
  if (const Json* schema = json.find("schema"); schema && schema->string(source + ": schema") != kSchema) {
    fail(ErrorKind::unsupported,
         source + ": schema: expected \"" + std::string(kSchema) + "\" but got \"" + schema->string() + "\"");
  }
  const Json* kind = json.find("kind");
  base::require_file(kind, source, "kind: expected the kind of encoding but it is missing");
  std::optional<Spec> spec = spec::default_spec(kind->string(source + ": kind"));
  if (spec) return *std::move(spec);
  base::refuse_file(source, "kind: there is no kind '", kind->string(), "'", spec::kind_hint(kind->string()));
}

// Members by the name of their field. A member inside the object of a part has the part's name and a dot as prefix.
using Members = std::vector<std::pair<std::string, const Json*>>;

const Json* find(const Members& members, std::string_view name) {
  for (const auto& [key, member] : members) {
    if (key == name) return member;
  }
  return nullptr;
}

bool is_part(const std::vector<spec::Field>& fields, const std::string& key) {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.name.starts_with(key + "."); });
}

// A part may be the printed JSON of a whole spec: its schema and kind must then match the part.
bool is_heading(const std::string& name, const Json& value, const std::string& part, const std::string& source) {
  if (name != "schema" && name != "kind") return false;
  const std::string wanted = name == "schema" ? std::string(kSchema) : part == "fixed" ? "sinusoidal" : part;
  const std::string where = source + ": " + part + "." + name;
  if (value.string(where) == wanted) return true;
  base::refuse_file(where, "expected \"", wanted, "\" but got \"", value.string(), "\"");
}

// Returns the object {"kind": "yarn", ...} of a field that selects, or null if nothing is selected.
const Json* selection_in(const Json& json, const spec::Field& field, const std::string& source) {
  const Json* object = field.selects ? json.find(field.name) : nullptr;
  if (!object || object->is_null()) return nullptr;
  object->object(source + ": " + field.name);  // throws for any other type
  const Json* kind = object->find("kind");
  base::require_file(kind, source, field.name, ".kind: must be given but is missing");
  return kind;
}

void add_selected(Members& members, const Json& object, const spec::Field& field,
                  const std::vector<spec::Field>& fields, const std::string& source) {
  if (object.is_null()) return;
  for (const auto& [key, member] : object.object(source + ": " + field.name)) {
    if (key == "kind") continue;
    const std::string& name = key;
    const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.answers_to(name); });
    base::require_file(known == fields.end() || known->group == field.name, source, field.name, ".", key,
                       ": belongs beside ", field.name, ", not in it");
    if (known == fields.end()) {
      std::string names;
      for (const spec::Field& one : fields) names += one.group == field.name ? " " + one.name : "";
      base::refuse_file(source, field.name, ".", key,
                        ": unknown field; the fields are:", (names.empty() ? " none" : names));
    }
    members.emplace_back(key, &member);
  }
}

bool has_numbered_parts(const std::vector<spec::Field>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const auto& f) { return spec::part_number(f.name); });
}

// A member inside the list of a concat's parts has the part's number and a dot as prefix.
void add_numbered(const Json& list, Members& members, const std::string& source) {
  std::size_t part = 0;
  for (const Json& item : list.array(source + ": parts")) {
    for (const auto& [inner, value] : item.object(source + ": parts[" + std::to_string(part) + "]")) {
      if (inner != "schema") members.emplace_back(std::to_string(part) + "." + inner, &value);
    }
    ++part;
  }
}

void make_parts(Spec& spec, const Json& json, const std::string& source) {
  const Json* list = json.find("parts");
  if (list == nullptr || !std::holds_alternative<Concat>(spec)) return;
  const Json::Array& parts = list->array(source + ": parts");
  base::require_file(!parts.empty() && parts.size() <= spec::kMaxParts, source, "parts: expected 1 to ",
                     spec::kMaxParts, " parts but got ", parts.size());
  spec::make_parts(spec, parts.size(), [&](std::size_t part) -> std::string_view {
    const Json* kind = parts[part].find("kind");
    return kind == nullptr ? std::string_view() : std::string_view(kind->string(source + ": parts: kind"));
  });
}

Members members_of(const Json& json, const std::vector<spec::Field>& fields, const std::string& source) {
  Members members;
  const bool numbered = has_numbered_parts(fields);
  for (const auto& [key, member] : json.object(source)) {
    if (key == "schema" || key == "kind") continue;
    if (numbered && key == "parts") {
      add_numbered(member, members, source);
      continue;
    }
    const std::string& name = key;  // clang 14 cannot capture structured bindings
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
    if (field != fields.end() && field->selects) {
      add_selected(members, member, *field, fields, source);
      continue;
    }
    if (field != fields.end() && !field->group.empty()) {
      base::refuse_file(source, key, ": belongs in the object of ", field->group);
    }
    base::require_file(!numbered || (!spec::part_number(key) && !spec::part_number(key + ".")), source, key,
                       ": expected the parts as a list, {\"parts\": [{...}, ...]}");
    if (!is_part(fields, key)) {
      if (key.find('.') != std::string::npos && is_part(fields, key.substr(0, key.find('.')))) {
        base::refuse_file(source, key, ": expected the part as an object of its own, {\"", key.substr(0, key.find('.')),
                          "\": {...}}");
      }
      members.emplace_back(key, &member);
      continue;
    }
    for (const auto& [inner, value] : member.object(source + ": " + key)) {
      if (!is_heading(inner, value, key, source)) members.emplace_back(key + "." + inner, &value);
    }
  }
  Members printed;
  for (const auto& [name, member] : members) {
    const std::string field(spec::printed_name(fields, name));
    for (std::size_t i = 0; i < printed.size(); ++i) {
      if (printed[i].first != field) continue;
      base::refuse_file(source, members[i].first, " and ", name, " are the same field: give one of them");
    }
    printed.emplace_back(field, member);
  }
  return printed;
}

void read_shorthands(Spec& spec, const Members& members, const std::string& source) {
  const auto number_given = [&](std::string_view name) -> std::optional<double> {
    const Json* member = find(members, name);
    if (!member) return std::nullopt;
    return member->number(source + ": " + std::string(name));
  };
  const auto is_given = [&](std::string_view name) { return find(members, name) != nullptr; };
  spec::apply_shorthands(spec, number_given, is_given, source + ":");
}

}  // namespace

Json to_json(const Spec& spec) {
  Spec copy = spec;  // field lists need a mutable object
  Json json;
  json.set("schema", kSchema);
  json.set("kind", kind_of(spec));
  Json part;
  Json::Array numbered;
  std::string part_name;
  const std::vector<spec::Field> fields = spec::fields_of(copy);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t point = fields[i].name.find('.');
    if (fields[i].selects) {
      json.set(fields[i].name, selected_json(fields[i], fields));
      continue;
    }
    if (point == std::string::npos) {
      if (fields[i].group.empty()) json.set(fields[i].name, field_json(fields[i]));
      continue;
    }
    part_name = fields[i].name.substr(0, point);
    part.set(fields[i].name.substr(point + 1), field_json(fields[i]));
    if (i + 1 < fields.size() && fields[i + 1].name.starts_with(part_name + ".")) continue;
    if (spec::part_number(fields[i].name)) {
      numbered.push_back(std::move(part));
      const bool last = i + 1 == fields.size() || !spec::part_number(fields[i + 1].name);
      if (last) json.set("parts", numbered);
    } else {
      json.set(part_name, std::move(part));
    }
    part = Json();
  }
  return json;
}

Spec spec_from_json(const Json& json, std::string_view source_view) {
  const std::string source(source_view);
  json.object(source);  // throws for any other type
  Spec spec = default_spec_of(json, source);
  make_parts(spec, json, source);
  const std::string kind = source + ": " + std::string(kind_of(spec));
  for (const spec::Field& field : spec::fields_of(spec)) {
    const Json* word = selection_in(json, field, source);
    if (word) std::visit(FieldReader{kind, field, *word, source + ": " + field.name + ".kind"}, field.value);
  }
  const std::vector<spec::Field> fields = spec::fields_of(spec);
  const Members members = members_of(json, fields, source);
  for (const auto& [key, member] : members) {
    const std::string& name = key;  // clang 14 cannot capture structured bindings
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
    if (field != fields.end()) {
      std::visit(FieldReader{kind, *field, *member, source + ": " + path_of(*field)}, field->value);
    } else if (!spec::is_shorthand(spec, name)) {
      const std::string value = member->is_number() ? text::number_text(member->number()) : "";
      spec::fail_unknown_field(spec, name, value, source + ":");
    }
  }
  read_shorthands(spec, members, source);
  for (const spec::Field& field : fields) {
    if (field.required && !find(members, field.name)) {
      base::refuse_file(source, path_of(field), ": must be given but is missing");
    }
  }
  spec::check_spec(spec, kind);
  return spec;
}

}  // namespace posenc
