// Lists of the catalog and of the table of model types, one entry per line.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/show_text.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/models/catalog.h"
#include "posenc/models/model.h"

namespace posenc::cli {
namespace {

struct Entry {
  std::string name, model_type;
  std::vector<std::string> encodings;
  std::string problem;  // why the defaults of the type are not enough
};

// Whether a model has this kind, scaling, layout, part or model type in any group.
bool uses(const Model& model, const std::string& word) {
  if (word.empty() || word == model.model_type) return true;
  return std::any_of(model.groups.begin(), model.groups.end(), [&](const ModelGroup& group) {
    const auto* rotary = std::get_if<Rotary>(&group.spec);
    if (word == group.kind() || word == group.part) return true;
    return rotary && (word == kind_of(rotary->scaling) || word == to_json(group.spec).find("layout")->string());
  });
}

// The encodings of a model, one text per group: its part or layer type, and its encoding.
std::vector<std::string> encodings_of(const Model& model, bool exact) {
  std::vector<std::string> list;
  for (const ModelGroup& group : model.groups) {
    std::string text = group.part == "text" ? "" : group.part + ": ";
    if (!group.layer_type.empty()) text += group.layer_type + ": ";
    const bool spell = exact && group.other_kind.empty() && kind_of(group.spec) != "none";
    text += spell ? "`" + to_text(group.spec) + "`" : encoding_words(group);
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  }
  return list;
}

std::vector<Entry> catalog_entries(const std::string& used) {
  std::vector<Entry> entries;
  const std::vector<std::string_view> family = family_in_catalog(used);
  for (const CatalogEntry& entry : catalog()) {
    const std::string name(entry.name);
    const Model model = model_from_json(parse_json(entry.config, name), name);
    const bool related = std::find(family.begin(), family.end(), entry.name) != family.end();
    if (related || uses(model, used)) entries.push_back({name, model.model_type, encodings_of(model, false), ""});
  }
  return entries;
}

// The encodings of a config.json that has only the model type.
std::vector<Entry> type_entries(const std::string& used, bool exact) {
  std::vector<Entry> entries;
  for (const std::string& type : known_model_types()) {
    Json config = Json::Object{};
    try {
      const Model model = model_from_json(config.set("model_type", type), type);
      if (uses(model, used)) entries.push_back({type, type, encodings_of(model, exact), ""});
    } catch (const Error& error) {
      if (used.empty()) entries.push_back({type, type, {}, error.what()});
    }
  }
  return entries;
}

std::string markdown(const std::vector<Entry>& entries) {
  std::string text = "| model type | encoding if the file gives only the type |\n|---|---|\n";
  for (const Entry& entry : entries) {
    const std::string problem =
        entry.problem.substr(entry.problem.find(": ") == std::string::npos ? 0 : entry.problem.find(": ") + 2);
    text += fmt::format("| `{}` | {} |\n", entry.name,
                        entry.problem.empty() ? fmt::format("{}", fmt::join(entry.encodings, "; "))
                                              : "the file must say more: " + problem);
  }
  return text;
}

std::string lines(const std::vector<Entry>& entries, bool with_type) {
  std::string text;
  for (const Entry& entry : entries) {
    const std::string type = with_type ? fmt::format("{:<22} ", entry.model_type) : "";
    text += fmt::format("{:<32} {}{}\n", entry.name, type,
                        entry.problem.empty() ? fmt::format("{}", fmt::join(entry.encodings, "; ")) : entry.problem);
  }
  return text;
}

}  // namespace

void write_model_list(const OutputOptions& output, bool types, const std::string& used) {
  const std::string format =
      types ? choose_format(output, {"text", "json", "md"}) : choose_format(output, {"text", "json"});
  const std::vector<Entry> entries = types ? type_entries(used, format == "md") : catalog_entries(used);
  if (entries.empty()) {
    fail(ErrorKind::usage, fmt::format("no {} uses '{}'; give a kind, scaling, layout, part{} (posenc list)",
                                       types ? "model type" : "catalog model", used,
                                       types ? " or model type" : ", model type or family"));
  }
  if (format == "md") {
    write_text(output, markdown(entries));
  } else if (format == "text") {
    write_text(output, lines(entries, !types));
  } else {
    Json::Array list;
    for (const Entry& entry : entries) {
      Json item = Json::Object{};
      item.set("name", entry.name).set("model_type", entry.model_type);
      item.set("encodings", Json::Array(entry.encodings.begin(), entry.encodings.end()));
      list.push_back(entry.problem.empty() ? item : item.set("problem", entry.problem));
    }
    write_json(output, {{types ? "types" : "catalog", std::move(list)}});
  }
}

}  // namespace posenc::cli
