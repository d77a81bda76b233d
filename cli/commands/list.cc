#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/show_text.h"
#include "cli/word_choice.h"
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
  std::string topic;  // empty: the kinds, a line each
  std::string used;   // with the topic models
  OutputOptions output;
};

// Uses a spec with default fields, so the parameters have names, but no lengths yet.
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
  const std::string also = field.also.empty() ? "" : fmt::format("; also called {}", fmt::join(field.also, ", "));
  return fmt::format("  {:<{}} {}\n  {:<{}} {}{}; {}{}\n", field.name, column, field.help, "", column, field.type, unit,
                     fallback, also);
}

std::string kind_text(const KindInfo& kind) {
  std::size_t column = 16;
  for (const auto* list : {&kind.fields, &kind.shorthands}) {
    for (const FieldInfo& field : *list) column = std::max(column, field.name.size());
  }
  std::string text = fmt::format("{}: {}\n", kind.name, kind.summary);
  if (!kind.also.empty()) text += fmt::format("  also called {}\n", fmt::join(kind.also, ", "));
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
    if (!field.also.empty()) item.set("also", Json(Json::Array(field.also.begin(), field.also.end())));
    list.push_back(std::move(item));
  }
  return list;
}

Json kind_json(const KindInfo& kind) {
  Json item;
  item.set("name", kind.name).set("summary", kind.summary);
  if (!kind.also.empty()) item.set("also", Json(Json::Array(kind.also.begin(), kind.also.end())));
  item.set("fields", fields_json(kind.fields)).set("shorthands", fields_json(kind.shorthands));
  Json::Array parameters;
  for (const ParameterInfo& parameter : parameters_of_kind(kind.name)) {
    Json each;
    each.set("name", parameter.name).set("help", parameter.help).set("optional", parameter.optional);
    parameters.push_back(std::move(each));
  }
  return item.set("parameters", std::move(parameters));
}

// The kinds, or other things with a name and a sentence, a line each.
template <class List>
std::string summaries(const List& list) {
  std::size_t column = 0;
  for (const auto& each : list) column = std::max(column, each.name.size());
  std::string text;
  for (const auto& each : list) text += fmt::format("  {:<{}}  {}\n", each.name, column, each.summary);
  return text;
}

std::string overview_text() {
  return "Encodings:\n" + summaries(kinds()) +
         fmt::format(
             "\nposenc list rotary      fields of a kind, with defaults and other names\n"
             "posenc list scalings    {} context scalings of rotary\n"
             "posenc list figures     {} figures for posenc plot\n"
             "posenc list models      {} models by name; posenc show MODEL says which encoding each uses\n"
             "posenc explain KIND     a worked example\n",
             scaling_kinds().size(), figures().size(), catalog().size());
}

std::string figure_details(const FigureInfo& info) {
  return fmt::format("{}: {}\n  What to look for: {}\n  posenc plot {}\n", info.name, info.summary, info.look_for,
                     info.name);
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

template <class List>
auto named(const List& list, const std::string& name) {
  return std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
}

// The name of the kind or scaling that a word means: rope, RoPE and rotary are rotary. Other words stay as they are.
std::string full_name(const std::string& word) {
  const std::vector<std::string_view> kinds = kinds_called(word);
  if (kinds.size() > 1) {
    fail(ErrorKind::usage,
         fmt::format("'{}' may mean several encodings: posenc list {}", word, fmt::join(kinds, ", or posenc list ")));
  }
  return kinds.empty() ? scaling_called(word).value_or(word) : std::string(kinds[0]);
}

[[noreturn]] void fail_unknown(const std::string& topic) {
  std::vector<std::string> known = {"scalings", "figures", "models"};
  for (const KindInfo& kind : kinds()) {
    known.push_back(kind.name);
    known.insert(known.end(), kind.also.begin(), kind.also.end());
  }
  for (const KindInfo& scaling : scaling_kinds()) {
    known.push_back(scaling.name);
    known.insert(known.end(), scaling.also.begin(), scaling.also.end());
  }
  for (const FigureInfo& info : figures()) known.emplace_back(info.name);
  if (find_in_catalog(topic) != nullptr) {
    fail(ErrorKind::usage, fmt::format("'{0}' is a model: posenc show {0}", topic));
  }
  if (!family_in_catalog(topic).empty()) {
    fail(ErrorKind::usage, fmt::format("'{0}' is the name of several models: posenc list models {0}", topic));
  }
  const std::string hint = text::hint(topic, known);
  fail(ErrorKind::usage, fmt::format("'{}' is not a kind, a scaling or a figure{}", topic,
                                     hint.empty() ? "; posenc list shows the kinds" : hint));
}

// Everything about one topic.
std::string topic_text(const std::string& topic) {
  const std::vector<KindInfo> all = kinds(), scalings = scaling_kinds();
  if (topic.empty()) return overview_text();
  if (topic == "scalings") {
    return "Scalings (rotary:head_dim=128,scaling=NAME,...; posenc list NAME shows the fields):\n" +
           summaries(scalings);
  }
  if (topic == "figures") {
    return "Figures (posenc plot FIGURE [SPEC]; posenc list FIGURE says what to look for):\n" + summaries(figures());
  }
  const std::string name = full_name(topic);
  if (const auto kind = named(all, name); kind != all.end()) return kind_text(*kind);
  const auto scaling = named(scalings, name);
  if (scaling != scalings.end()) return kind_text(*scaling) + "  as in rotary:head_dim=128,scaling=" + name + ",...\n";
  for (const FigureInfo& info : figures()) {
    if (info.name == topic) return figure_details(info);
  }
  fail_unknown(topic);
}

Json topic_json(const std::string& topic) {
  Json::Array kind_list, scaling_list;
  for (const KindInfo& kind : kinds()) {
    if (topic.empty() || full_name(topic) == kind.name) kind_list.push_back(kind_json(kind));
  }
  for (const KindInfo& scaling : scaling_kinds()) {
    Json item;
    item.set("name", scaling.name).set("summary", scaling.summary).set("fields", fields_json(scaling.fields));
    scaling_list.push_back(std::move(item));
  }
  return Json()
      .set("kinds", kind_list)
      .set("scalings", scaling_list)
      .set("catalog", catalog_json())
      .set("figures", figures_json());
}

// In lower case; the kinds have no topic of their own.
std::string topic_meant(const std::string& typed) {
  const std::string topic = lower_case(typed);
  return topic == "kinds" || topic == "encodings" ? "" : topic;
}

int run(ListCommand options) {
  options.topic = topic_meant(options.topic);
  if (!options.used.empty() && options.topic != "models") {
    fail(ErrorKind::usage, fmt::format("unexpected '{}' after '{}'", options.used, options.topic));
  }
  if (options.topic == "models") {
    write_model_list(options.output, false, full_name(options.used));
    return 0;
  }
  const std::string text = topic_text(options.topic);  // an unknown topic is refused in every format
  if (choose_format(options.output, {"text", "json"}) == "json") {
    write_json(options.output, topic_json(options.topic).object());
  } else {
    write_text(options.output, text);
  }
  return 0;
}

}  // namespace

void add_list(Command& app) {
  const auto options = std::make_shared<ListCommand>();
  Command command = app.command("list", "List the encodings, and the fields of each; also figures, scalings and models",
                                "  posenc list\n"
                                "  posenc list sinusoidal\n"
                                "  posenc list figures\n"
                                "  posenc list models alibi\n"
                                "  posenc list --format json");
  command.add("TOPIC", options->topic,
              "a kind, a scaling or a figure to describe; or all scalings, figures or models (default: the kinds)");
  command.add("USED", options->used, "with models: only those with this kind, scaling, layout, model type or family");
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
