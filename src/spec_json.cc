#include "posenc/spec_json.h"

#include <algorithm>
#include <type_traits>

#include "detail/fields.h"
#include "posenc/error.h"

namespace posenc {
namespace {

Json field_json(const detail::Field& field) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, detail::EnumField>) {
          return value.words[static_cast<std::size_t>(value.get())];
        } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>*>) {
          return value->has_value() ? Json(**value) : Json(nullptr);
        } else {
          return *value;
        }
      },
      field.value);
}

// Sets a field from its JSON value. Ranges are checked later, when all fields are there.
struct FieldReader {
  std::string_view kind;  // opens the messages about an enum's words
  const detail::Field& field;
  const Json& json;
  std::string where;  // opens the messages about types: "my.json: width"

  void operator()(std::int64_t* value) const { *value = json.integer(where); }
  void operator()(double* value) const { *value = json.number(where); }
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
  void operator()(const detail::EnumField& value) const {
    value.set(detail::word_index(kind, field, json.string(where)));
  }
};

Spec default_spec_of(const Json& json, const std::string& source) {
  if (const Json* schema = json.find("schema"); schema && schema->string(source + ": schema") != kSchema) {
    fail(ErrorKind::unsupported,
         source + ": schema: expected \"" + std::string(kSchema) + "\" but got \"" + schema->string() + "\"");
  }
  const Json* kind = json.find("kind");
  if (!kind) fail(ErrorKind::bad_input, source + ": kind: expected the kind of encoding but it is missing");
  std::optional<Spec> spec = detail::default_spec(kind->string(source + ": kind"));
  if (spec) return *std::move(spec);
  fail(ErrorKind::bad_input,
       source + ": kind: there is no kind '" + kind->string() + "'" + detail::kind_hint(kind->string()));
}

void read_shorthands(Spec& spec, const Json& json, const std::string& source) {
  const auto number_given = [&](std::string_view name) -> std::optional<double> {
    const Json* member = json.find(name);
    if (!member) return std::nullopt;
    return member->number(source + ": " + std::string(name));
  };
  const auto is_given = [&](std::string_view name) { return json.find(name) != nullptr; };
  detail::apply_shorthands(spec, number_given, is_given, source + ":");
}

}  // namespace

Json to_json(const Spec& spec) {
  Spec copy = spec;  // the field list is bound to an object that may be changed
  Json json;
  json.set("schema", kSchema);
  json.set("kind", kind_of(spec));
  for (const detail::Field& field : detail::fields_of(copy)) json.set(std::string(field.name), field_json(field));
  return json;
}

Spec spec_from_json(const Json& json, std::string_view source_view) {
  const std::string source(source_view);
  const Json::Object& members = json.object(source);
  Spec spec = default_spec_of(json, source);
  const std::string kind = source + ": " + std::string(kind_of(spec));
  const std::vector<detail::Field> fields = detail::fields_of(spec);
  for (const auto& [key, member] : members) {
    const std::string& name = key;  // clang 14 cannot capture a structured binding
    if (name == "schema" || name == "kind") continue;
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
    if (field != fields.end()) {
      std::visit(FieldReader{kind, *field, member, source + ": " + name}, field->value);
    } else if (!detail::is_shorthand(spec, name)) {
      detail::fail_unknown_field(spec, name, source + ":");
    }
  }
  read_shorthands(spec, json, source);
  for (const detail::Field& field : fields) {
    if (field.required && !json.find(field.name)) {
      fail(ErrorKind::bad_input, source + ": " + std::string(field.name) + ": must be given but is missing");
    }
  }
  detail::check_spec(spec, kind);
  return spec;
}

}  // namespace posenc
