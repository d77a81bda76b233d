#include "posenc/models/model.h"

#include <algorithm>
#include <utility>

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
  Json row = model_type == "*" ? Json() : models::row_of(model_type);  // the row of keys that every type has
  if (row.is_object()) return row;
  const std::string_view near = text::nearest(model_type, models::table_model_types());
  fail(ErrorKind::unsupported, source + ": " + path + "model_type: posenc does not know '" + model_type + "'" +
                                   (near.empty() ? "" : "; the nearest known is " + std::string(near)) +
                                   " (--as TYPE reads the file as that type)");
}

std::string type_in(const Json& object, const std::string& source, const std::string& path) {
  const Json* type = object.find("model_type");
  if (!type || type->is_null()) return {};
  if (!type->is_string())
    fail(ErrorKind::bad_input,
         source + ": " + path + "model_type: expected a word but got " + models::value_text(*type));
  return type->string();
}

class Reader {
 public:
  Reader(const std::string& source, const ModelOptions& options, Model& model)
      : source_(source), remarks_{options, model} {}

  void read(const Json& object, const std::string& path, const Json& row, const std::string& part) const {
    const Json* parts = row.find("parts");
    if (!parts) return resolve_part(Config(object, source_, path, row, remarks_), part);
    const Config whole(object, source_, path, row, remarks_);
    bool flat = false;
    for (const Json& entry : parts->array()) {
      whole.know(entry.find("key")->string());
      if (!row.find("kind")) flat = read_part(whole, entry, part) || flat;
    }
    if (row.find("kind")) {
      resolve_part(whole, part);
      for (const Json& entry : parts->array()) read_part(whole, entry, part);
    } else if (!flat) {
      tell_outside(whole);
      know_row(whole);
      whole.refuse_unknown();
    }
  }

 private:
  // Whether its keys stand in the whole's own object.
  bool read_part(const Config& whole, const Json& entry, const std::string& outer) const {
    const std::string key = entry.find("key")->string();
    const std::string name = entry.find("part")->string();
    whole.know(key);
    const Json* inner = whole.object().find(key);
    const bool there = inner && !inner->is_null();
    if (there && !inner->is_object()) whole.refuse(key, "expected an object but got " + models::value_text(*inner));
    const std::string usual = entry.find("model_type")->string();
    const bool main = !whole.row().find("kind") && (name == "text" || entry.find("main"));
    const bool flat =
        !there && main && (whole.object().find("hidden_size") || whole.object().find("num_hidden_layers"));
    const bool others = !there && !flat && has_other_part(whole, key);
    if (!there && !flat && (!main || others)) {
      remarks_.warn(whole.path() + key + " is not in the file: nothing is said of the part '" + name + "'");
      return false;
    }
    static const Json kEmpty = Json::Object{};
    const Json& object = there ? *inner : flat ? whole.object() : kEmpty;
    const std::string path = there ? whole.path() + key + "." : whole.path();
    std::string type = there ? type_in(object, source_, path) : "";
    if (type.empty()) type = usual;
    if (!models::row_of(type).is_object() && !main) {
      remarks_.warn(path + "model_type: posenc does not know '" + type + "': nothing is said of this part");
      return flat;
    }
    const bool same = type == whole.model_type();  // old files have the whole's type within its parts
    Json row = known_row(same ? usual : type, source_, path);
    // What the class has for a part that is not there at all; some classes fill parts up with it.
    if (const Json* defaults = !there || entry.find("filled_up") ? entry.find("defaults") : nullptr) {
      if (const Json* rope = defaults->find("rope_parameters"); rope && rope->is_object()) {
        row.set("rope_parameters", *rope);
      }
      Json joined = row.find("defaults") ? *row.find("defaults") : Json(Json::Object{});
      for (const auto& [field, value] : defaults->object()) joined.set(field, value);
      row.set("defaults", std::move(joined));
    }
    read(object, path, row, outer == "text" ? name : outer + "." + name);
    return flat;
  }

  // A base that nobody reads looks like one that holds.
  void tell_outside(const Config& whole) const {
    for (const char* key : {"rope_theta", "rope_scaling", "rope_parameters"}) {
      const Json* value = whole.object().find(key);
      if (!value || value->is_null()) continue;
      remarks_.warn(whole.path() + key + " stands outside the parts of " + whole.model_type() +
                    ", and is not read there");
    }
  }

  static bool has_other_part(const Config& whole, const std::string& key) {
    for (const Json& entry : whole.row().find("parts")->array()) {
      const std::string& other = entry.find("key")->string();
      const Json* found = whole.object().find(other);
      if (other != key && found && found->is_object()) return true;
    }
    return false;
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
  if (!config.is_object()) fail(ErrorKind::bad_input, source + ": expected an object, the config.json of a model");
  model.model_type = options.as.empty() ? type_in(config, source, "") : options.as;
  const Json* type = config.find("model_type");
  if (model.model_type.empty() && type && type->is_string()) {
    model.model_type = "llama";
    model.guesses.push_back("model_type is empty: the file is read as llama, whose encoding is the plainest");
  }
  if (model.model_type.empty()) {
    fail(ErrorKind::bad_input, source +
                                   ": model_type: expected the type of the model, but the key is missing (--as TYPE "
                                   "reads the file as that type)");
  }
  const Json row = known_row(model.model_type, source, "");
  const Json* part = row.find("part");
  Reader(source, options, model).read(config, "", row, part ? part->string() : "text");
  for (const std::string& wanted : options.other_readings) {
    const bool there = std::any_of(model.readings.begin(), model.readings.end(),
                                   [&](const Reading& reading) { return reading.name == wanted; });
    if (!there) fail(ErrorKind::usage, source + ": there is no other reading called '" + wanted + "' of this file");
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
  fail(ErrorKind::usage, model.source + ": there is no layer " + std::to_string(layer) + " in the part '" +
                             std::string(wanted) + "' of this model");
}

}  // namespace posenc
