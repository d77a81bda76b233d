#include "posenc/models/model.h"

#include <algorithm>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/nearest.h"
#include "models/config.h"
#include "models/gguf.h"
#include "models/model_part.h"
#include "models/source_file.h"
#include "models/table.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using models::Config;
using models::know_row;
using models::Remarks;

Json known_row(const std::string& model_type, const std::string& source, const std::string& path) {
  Json row = model_type == "*" ? Json() : models::row_of(model_type);  // the row of keys that every type accepts
  if (row.is_object()) return row;
  fail(ErrorKind::unsupported, source + ": " + path + "model_type: posenc does not know '" + model_type + "'" +
                                   text::hint(model_type, models::table_model_types()) +
                                   " (--as TYPE reads the file as that type)");
}

std::string type_in(const Json& object, const std::string& source, const std::string& path) {
  const Json* type = object.find("model_type");
  if (!type || type->is_null()) return {};
  if (!type->is_string())
    base::refuse_file(source, path, "model_type: expected a word but got ", models::value_text(*type));
  return type->string();
}

// A member of a row's `parts`: an object in the file that is a model itself.
struct Part {
  Part(const Json& member, const Config& whole)
      : entry(&member),
        key(member.find("key")->string()),
        name(member.find("part")->string()),
        usual_type(member.find("model_type")->string()),
        main(!whole.row().find("kind") && (name == "text" || member.find("main"))) {}

  const Json* entry;
  std::string key;
  std::string name;
  std::string usual_type;
  bool main;  // present even if the file does not name it
};

enum class PartPlace : int {
  own_object,    // under its key
  whole_object,  // its keys are at the top level, as in old files
  defaults,      // missing from the file: the defaults of its class are used
  missing,       // missing from the file, and skipped
};

// Where the keys of a part are, and their path in messages.
struct PartKeys {
  PartPlace place;
  const Json* object;
  std::string path;
};

bool has_other_part(const Config& whole, const std::string& key) {
  for (const Json& entry : whole.row().find("parts")->array()) {
    const std::string& other = entry.find("key")->string();
    const Json* found = whole.object().find(other);
    if (other != key && found && found->is_object()) return true;
  }
  return false;
}

PartKeys find_part(const Config& whole, const Part& part) {
  static const Json kEmpty = Json::Object{};
  const Json& object = whole.object();
  const Json* inner = object.find(part.key);
  if (inner && !inner->is_null()) {
    if (!inner->is_object()) whole.refuse(part.key, "expected an object but got ", models::value_text(*inner));
    return {PartPlace::own_object, inner, whole.path() + part.key + "."};
  }
  if (part.main && (object.find("hidden_size") || object.find("num_hidden_layers"))) {
    return {PartPlace::whole_object, &object, whole.path()};
  }
  const bool meant = part.main && !has_other_part(whole, part.key);
  return {meant ? PartPlace::defaults : PartPlace::missing, &kEmpty, whole.path()};
}

// Adds the defaults of the class to the row of a missing part. Some classes also fill in incomplete parts with them.
void fill_up(Json& row, const Json& defaults) {
  if (const Json* rope = defaults.find("rope_parameters"); rope && rope->is_object()) {
    row.set("rope_parameters", *rope);
  }
  Json joined = row.find("defaults") ? *row.find("defaults") : Json(Json::Object{});
  for (const auto& [field, value] : defaults.object()) joined.set(field, value);
  row.set("defaults", std::move(joined));
}

class Reader {
 public:
  Reader(const std::string& source, const ModelOptions& options, Model& model)
      : source_(source), remarks_{options, model} {}

  void read(const Json& object, const std::string& path, const Json& row, const std::string& part) const {
    const Config whole(object, source_, path, row, remarks_);
    const Json* parts = row.find("parts");
    if (!parts) return resolve_part(whole, part);
    for (const Json& entry : parts->array()) whole.know(entry.find("key")->string());
    const bool is_model = row.find("kind") != nullptr;  // it has an encoding in addition to those of its parts
    if (is_model) resolve_part(whole, part);
    bool flat = false;
    for (const Json& entry : parts->array()) {
      flat = read_part(whole, Part(entry, whole), part) == PartPlace::whole_object || flat;
    }
    if (is_model || flat) return;
    tell_outside(whole);
    know_row(whole);
    whole.refuse_unknown();
  }

 private:
  PartPlace read_part(const Config& whole, const Part& part, const std::string& outer) const {
    const auto [place, object, path] = find_part(whole, part);
    if (place == PartPlace::missing) {
      remarks_.warn(path + part.key + " is missing: part '" + part.name + "' is skipped");
      return place;
    }
    std::string type = place == PartPlace::own_object ? type_in(*object, source_, path) : "";
    if (type.empty()) type = part.usual_type;
    if (!part.main && !models::row_of(type).is_object()) {
      remarks_.warn(path + "model_type: posenc does not know '" + type + "': part '" + part.name + "' is skipped");
      return place;
    }
    const bool same = type == whole.model_type();  // old files repeat the type of the whole model in its parts
    Json row = known_row(same ? part.usual_type : type, source_, path);
    const Json* defaults = part.entry->find("defaults");
    if (defaults && (place != PartPlace::own_object || part.entry->find("filled_up"))) fill_up(row, *defaults);
    read(*object, path, row, outer == "text" ? part.name : outer + "." + part.name);
    return place;
  }

  // Warns about a base that is not read, because a reader would think that it is used.
  void tell_outside(const Config& whole) const {
    for (const char* key : {"rope_theta", "rope_scaling", "rope_parameters"}) {
      const Json* value = whole.object().find(key);
      if (!value || value->is_null()) continue;
      remarks_.warn(whole.path() + key + " is outside the parts of " + whole.model_type() + " and is not read there");
    }
  }

  std::string source_;
  Remarks remarks_;
};

}  // namespace

std::string_view ModelGroup::kind() const noexcept {
  return other_kind.empty() ? kind_of(spec) : std::string_view(other_kind);
}

Model model_from_json(const Json& config, const std::string& source, const ModelOptions& options) {
  Model model;
  model.source = source;
  model.format = "config.json";
  base::require_file(config.is_object(), source, "expected a JSON object, as in the config.json of a model");
  model.model_type = options.as.empty() ? type_in(config, source, "") : options.as;
  const Json* type = config.find("model_type");
  if (model.model_type.empty() && type && type->is_string()) {
    model.model_type = "llama";
    model.guesses.push_back("model_type is empty: the file is read as llama, which has the plainest encoding");
  }
  base::require_file(
      !model.model_type.empty(), source,
      "model_type: expected the type of the model, such as {\"model_type\": \"llama\", ...}, but the key "
      "is missing (--as TYPE reads the file as that type)");
  const Json row = known_row(model.model_type, source, "");
  const Json* part = row.find("part");
  Reader(source, options, model).read(config, "", row, part ? part->string() : "text");
  for (const std::string& wanted : options.other_readings) {
    const bool there = std::any_of(model.readings.begin(), model.readings.end(),
                                   [&](const Reading& reading) { return reading.name == wanted; });
    if (!there) fail(ErrorKind::usage, source + ": this file has no reading called '" + wanted + "'");
  }
  return model;
}

Model load_model(const std::string& path_or_text, const ModelOptions& options) {
  const std::size_t first = path_or_text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && path_or_text[first] == '{') {
    return model_from_json(parse_json(path_or_text, "config"), "config", options);
  }
  const models::SourceFile file = models::open_source(path_or_text);
  return file.gguf ? models::model_from_gguf(file.reader, options) : model_from_json(file.json, path_or_text, options);
}

std::vector<std::string> known_model_types() {
  std::vector<std::string> types;
  for (const std::string_view type : models::table_model_types()) {
    if (type != "*") types.emplace_back(type);
  }
  std::sort(types.begin(), types.end());
  return types;
}

const ModelGroup& group_of_layer(const Model& model, std::int64_t layer, std::string_view part) {
  if (model.groups.empty()) fail(ErrorKind::usage, model.source + ": the model has no layers");
  const std::string_view wanted = part.empty() ? std::string_view(model.groups.front().part) : part;
  for (const ModelGroup& group : model.groups) {
    if (group.part != wanted) continue;
    if (std::find(group.layers.begin(), group.layers.end(), layer) != group.layers.end()) return group;
  }
  fail(ErrorKind::usage, model.source + ": part '" + std::string(wanted) + "' has no layer " + std::to_string(layer));
}

}  // namespace posenc
