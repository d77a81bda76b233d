#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "posenc/error.h"
#include "posenc/insight/figure.h"
#include "posenc/models/catalog.h"
#include "posenc/parameters.h"
#include "posenc/spec.h"

namespace posenc::cli {
namespace {

struct ListCommand {
  std::string kind;  // empty: all
  OutputOptions output;
};

std::vector<KindInfo> chosen_kinds(const std::string& kind) {
  std::vector<KindInfo> all = kinds();
  if (kind.empty()) return all;
  for (const KindInfo& info : all) {
    if (info.name == kind) return {info};
  }
  const std::string hint = text::hint(kind, all, &KindInfo::name);
  fail(ErrorKind::usage,
       fmt::format("there is no kind '{}'{}", kind, hint.empty() ? "; `posenc list` shows all" : hint));
}

// A spec of that kind with nothing but defaults: its parameters have no lengths yet, but names.
template <std::size_t index = 0>
std::vector<ParameterInfo> parameters_of_kind(const std::string& name) {
  if constexpr (index < std::variant_size_v<Spec>) {
    const Spec spec(std::in_place_index<index>);
    return kind_of(spec) == name ? parameters_of(spec) : parameters_of_kind<index + 1>(name);
  } else {
    return {};
  }
}

std::string field_lines(const FieldInfo& field, std::size_t column) {
  const std::string fallback = field.fallback.empty() ? "must be given" : "default " + field.fallback;
  const std::string unit = field.unit.empty() ? "" : ", " + field.unit;
  const std::string also = field.also.empty() ? "" : "; also called " + field.also;
  return fmt::format("  {:<{}} {}\n  {:<{}} {}{}; {}{}\n", field.name, column, field.help, "", column, field.type, unit,
                     fallback, also);
}

std::string scalings_text() {
  std::string text = "\nScalings (rotary:..,scaling=NAME, with its fields):\n";
  for (const KindInfo& scaling : scaling_kinds()) {
    const std::string fields = text::joined(scaling.fields, ", ", &FieldInfo::name);
    text += fmt::format("  {:<20} {}\n", scaling.name, scaling.summary);
    if (!fields.empty()) text += fmt::format("  {:<20} {}\n", "", fields);
  }
  return text;
}

std::string kind_text(const KindInfo& kind) {
  std::size_t column = 16;
  for (const auto* list : {&kind.fields, &kind.shorthands}) {
    for (const FieldInfo& field : *list) column = std::max(column, field.name.size());
  }
  std::string text = fmt::format("{}: {}\n", kind.name, kind.summary);
  for (const FieldInfo& field : kind.fields) text += field_lines(field, column);
  if (!kind.shorthands.empty()) text += "  Also accepted:\n";
  for (const FieldInfo& field : kind.shorthands) text += field_lines(field, column);
  const std::vector<ParameterInfo> parameters = parameters_of_kind(kind.name);
  if (!parameters.empty()) text += "  Learned:\n";
  for (const ParameterInfo& parameter : parameters) {
    text +=
        fmt::format("  {:<{}} {}{}\n", parameter.name, column, parameter.help, parameter.optional ? "; optional" : "");
  }
  return text;
}

Json fields_json(const std::vector<FieldInfo>& fields) {
  Json::Array list;
  for (const FieldInfo& field : fields) {
    Json item;
    item.set("name", field.name).set("type", field.type).set("unit", field.unit).set("help", field.help);
    item.set("default", field.fallback.empty() ? Json() : Json(field.fallback));
    item.set("required", field.fallback.empty());
    if (!field.also.empty()) item.set("also", field.also);
    list.push_back(std::move(item));
  }
  return list;
}

Json kind_json(const KindInfo& kind) {
  Json item;
  item.set("name", kind.name).set("summary", kind.summary);
  item.set("fields", fields_json(kind.fields)).set("shorthands", fields_json(kind.shorthands));
  Json::Array parameters;
  for (const ParameterInfo& parameter : parameters_of_kind(kind.name)) {
    Json each;
    each.set("name", parameter.name).set("help", parameter.help).set("optional", parameter.optional);
    parameters.push_back(std::move(each));
  }
  return item.set("parameters", std::move(parameters));
}

std::string figures_text() {
  std::string text = "\nFigures (posenc plot FIGURE SPEC):\n";
  for (const FigureInfo& info : figures()) {
    text += fmt::format("  {:<16} {}\n  {:<16} look for: {}\n", info.name, info.summary, "", info.look_for);
  }
  return text;
}

Json figures_json() {
  Json::Array list;
  for (const FigureInfo& info : figures()) {
    Json item;
    item.set("name", std::string(info.name)).set("summary", std::string(info.summary));
    list.push_back(std::move(item.set("look_for", std::string(info.look_for))));
  }
  return list;
}

Json catalog_json() {
  Json::Array list;
  for (const CatalogEntry& entry : catalog()) list.emplace_back(entry.name);
  return list;
}

int run(const ListCommand& options) {
  const std::vector<KindInfo> chosen = chosen_kinds(options.kind);
  if (choose_format(options.output, {"text", "json"}) == "json") {
    Json::Array list;
    for (const KindInfo& kind : chosen) list.push_back(kind_json(kind));
    Json::Array scaling_list;
    for (const KindInfo& scaling : scaling_kinds()) {
      Json item;
      item.set("name", scaling.name).set("summary", scaling.summary).set("fields", fields_json(scaling.fields));
      scaling_list.push_back(std::move(item));
    }
    write_json(options.output,
               {{"kinds", list}, {"scalings", scaling_list}, {"catalog", catalog_json()}, {"figures", figures_json()}});
    return 0;
  }
  std::string text;
  for (const KindInfo& kind : chosen) text += kind_text(kind);
  if (options.kind.empty() || options.kind == "rotary") text += scalings_text();
  if (options.kind.empty()) text += figures_text();
  if (options.kind.empty()) {
    text += fmt::format("\nModels: {} by name wherever a SPEC is taken, listed by posenc show --catalog\n",
                        catalog().size());
  }
  write_text(options.output, text);
  return 0;
}

}  // namespace

void add_list(Command& app) {
  const auto options = std::make_shared<ListCommand>();
  Command command = app.command("list", "The kinds of encodings with their fields, and the figures.",
                                "  posenc list\n  posenc list sinusoidal\n  posenc list --format json");
  command.add("KIND", options->kind, "only this kind");
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
