#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/model_source.h"
#include "cli/output.h"
#include "cli/show_text.h"
#include "posenc/catalog.h"
#include "posenc/error.h"
#include "posenc/model.h"
#include "posenc/spec_json.h"

namespace posenc::cli {
namespace {

Model catalog_model(const CatalogEntry& entry) {
  const std::string name(entry.name);
  return model_from_json(parse_json(entry.config, name), name);
}

// Whether a model has this kind, scaling, layout or model type in any group.
bool uses(const Model& model, const std::string& word) {
  if (word == model.model_type) return true;
  return std::any_of(model.groups.begin(), model.groups.end(), [&](const ModelGroup& group) {
    const auto* rotary = std::get_if<Rotary>(&group.spec);
    if (word == group.kind() || word == group.part) return true;
    return rotary && (word == kind_of(rotary->scaling) || word == to_json(group.spec).find("layout")->string());
  });
}

std::string words_of(const Model& model) {
  std::vector<std::string> words;
  for (const ModelGroup& group : model.groups) {
    const std::string part = group.part == "text" ? "" : group.part + ": ";
    const std::string word = part + encoding_words(group);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

int show_catalog(const ShowOptions& options) {
  const bool json = choose_format(options.output, {"text", "json"}) == "json";
  std::string text;
  Json::Array entries;
  for (const CatalogEntry& entry : catalog()) {
    const Model model = catalog_model(entry);
    if (!options.uses.empty() && !uses(model, options.uses)) continue;
    text += fmt::format("{:<28} {:<16} {}\n", entry.name, model.model_type, words_of(model));
    Json item = Json::Object{};
    entries.push_back(
        item.set("name", entry.name).set("model_type", model.model_type).set("encodings", words_of(model)));
  }
  if (entries.empty()) {
    fail(ErrorKind::usage,
         fmt::format("no model of the catalog uses '{}': kinds, scalings, layouts, parts and model types "
                     "are looked for (posenc list)",
                     options.uses));
  }
  if (json) {
    write_json(options.output, {{"catalog", std::move(entries)}});
  } else {
    write_text(options.output, text);
  }
  return 0;
}

void keep_only(Model& model, const ShowOptions& options) {
  if (options.layer) {
    model.groups = {ModelGroup(group_of_layer(model, *options.layer, options.part))};
  } else if (!options.part.empty()) {
    check_part(model, options.part);
    std::erase_if(model.groups, [&](const ModelGroup& group) { return group.part != options.part; });
  }
}

}  // namespace

int run_show(const ShowOptions& options) {
  if (options.catalog) return show_catalog(options);
  if (!options.uses.empty()) fail(ErrorKind::usage, "--uses goes with --catalog");
  if (options.spec.empty()) {
    fail(ErrorKind::usage,
         "say which model: a config.json, a GGUF file or a name of the catalog (posenc show --catalog)");
  }
  Model model = load_model_source(options.spec,
                                  {.lenient = options.lenient, .other_readings = options.readings, .as = options.as});
  keep_only(model, options);
  const bool json = choose_format(options.output, {"text", "json"}) == "json";
  write_text(options.output,
             json ? to_text(to_json(model, options.sequence_length)) : model_text(model, options.sequence_length));
  return 0;
}

}  // namespace posenc::cli
