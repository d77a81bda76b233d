#include "cli/model_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "cli/words.h"
#include "core/text/nearest.h"
#include "posenc/error.h"
#include "posenc/files/file.h"
#include "posenc/files/json.h"
#include "posenc/files/load.h"
#include "posenc/models/catalog.h"

namespace posenc::cli {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// A folder of a model has its config.json within.
std::string file_of(const std::string& text) {
  const std::string config = text + (text.ends_with('/') ? "" : "/") + "config.json";
  return is_folder(text) && exists(config) ? config : text;
}

bool is_kind(const std::string& text) {
  const std::string word = text.substr(0, text.find(':'));
  const std::vector<KindInfo> all = kinds();
  return std::any_of(all.begin(), all.end(), [&](const KindInfo& kind) { return kind.name == word; });
}

// Whether a file holds a posenc spec: an object with `kind`. What is no JSON is left to its reader.
bool holds_spec(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[64] = {};
  file.read(start, sizeof start);
  const std::string_view text(start, static_cast<std::size_t>(file.gcount()));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] != '{') return false;
  const Json json = parse_json(read_file(path, std::int64_t{1} << 28), path);
  return json.find("kind") && !json.find("model_type");
}

// What may have been meant: a kind, else models of the catalog; empty where nothing is near.
std::string nearest_name(const std::string& text) {
  const std::vector<KindInfo> all = kinds();
  std::vector<std::string_view> names;
  for (const KindInfo& kind : all) names.push_back(kind.name);
  const std::string_view kind = text::nearest(text.substr(0, text.find(':')), names);
  return kind.empty() ? fmt::format("{}", fmt::join(nearest_in_catalog(text), " or ")) : std::string(kind);
}

}  // namespace

std::variant<Spec, Model> load_spec_or_model(const std::string& text, const ModelOptions& options) {
  if (is_kind(text)) return load_spec(text);
  const std::string path = file_of(text);
  if (exists(path) && !is_folder(path)) {
    if (holds_spec(path)) return load_spec(path);
    return load_model(path, options);
  }
  if (const CatalogEntry* entry = find_in_catalog(text)) {
    Model model = model_from_json(parse_json(entry->config, text), text, options);
    model.format = "catalog";
    return model;
  }
  if (exists(path)) fail(ErrorKind::bad_input, path + ": Is a directory, and has no config.json");
  const std::string near = nearest_name(text);
  fail(ErrorKind::bad_input,
       fmt::format("expected a spec, kind:field=value,..., a file (a spec, a config.json, a GGUF) or a model of the "
                   "catalog, but '{}' is neither{}",
                   text,
                   near.empty() ? " (posenc list and posenc show --catalog have all)"
                                : fmt::format("; did you mean {}?", near)));
}

Model load_model_source(const std::string& text, const ModelOptions& options) {
  std::variant<Spec, Model> loaded = load_spec_or_model(text, options);
  if (auto* model = std::get_if<Model>(&loaded)) return std::move(*model);
  fail(ErrorKind::usage,
       fmt::format("'{}' is an encoding, not a model: see posenc list {}", text, kind_of(std::get<Spec>(loaded))));
}

void check_part(const Model& model, const std::string& part) {
  std::vector<std::string> parts;
  for (const ModelGroup& group : model.groups) {
    if (std::find(parts.begin(), parts.end(), group.part) == parts.end()) parts.push_back(group.part);
  }
  if (parts.empty()) fail(ErrorKind::usage, model.source + ": the model has no layers");
  if (part.empty() || std::find(parts.begin(), parts.end(), part) != parts.end()) return;
  fail(ErrorKind::usage,
       fmt::format("{}: there is no part '{}'; it has {}", model.source, part, fmt::join(parts, ", ")));
}

const ModelGroup& chosen_group(const Model& model, const std::optional<std::int64_t>& layer, const std::string& part) {
  const auto computed = [&](const ModelGroup& group) -> const ModelGroup& {
    if (group.other_kind.empty()) return group;
    fail(ErrorKind::unsupported,
         fmt::format("{}: the encoding of these layers, {}, is named by posenc but not computed", model.source,
                     group.other_kind));
  };
  if (layer) return computed(group_of_layer(model, *layer, part));
  check_part(model, part);
  std::vector<const ModelGroup*> groups;
  const std::string_view wanted = part.empty() ? std::string_view(model.groups.front().part) : part;
  for (const ModelGroup& group : model.groups) {
    if (group.part == wanted && !group.layers.empty()) groups.push_back(&group);
  }
  if (groups.empty()) fail(ErrorKind::usage, model.source + ": the model has no layers");
  const auto same = [&](const ModelGroup* group) {
    return group->other_kind.empty() && to_text(group->spec) == to_text(groups[0]->spec);
  };
  if (std::all_of(groups.begin() + 1, groups.end(), same)) return computed(*groups[0]);
  std::vector<std::string> examples;
  for (const ModelGroup* group : groups) {
    examples.push_back(fmt::format("--layer {} ({})", group->layers[0],
                                   group->layer_type.empty() ? std::string(group->kind()) : group->layer_type));
  }
  fail(ErrorKind::usage,
       fmt::format("{}: its layers differ, say which: {}", model.source, fmt::join(examples, " or ")));
}

Spec spec_of(const Model& model, const std::optional<std::int64_t>& layer, const std::string& part) {
  return chosen_group(model, layer, part).spec;
}

}  // namespace posenc::cli
