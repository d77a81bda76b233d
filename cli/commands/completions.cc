// Completions are read from the grammar itself, so that they cannot miss an option.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "cli/commands/commands.h"
#include "cli/completion_scripts.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "posenc/insight/figure.h"
#include "posenc/spec.h"

namespace posenc::cli {
namespace {

// Whether an argument is a SPEC. `posenc compare` has two, A and B.
bool is_spec(const std::string& name) { return name == "SPEC" || name == "A" || name == "B"; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Words separated by commas, with or without spaces.
std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string_view word : split(list, ',')) words.emplace_back(word.substr(word.starts_with(' ') ? 1 : 0));
  return words;
}

// CLI11 keeps the words of a choice only as text: "TEXT:{auto,light,dark}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string name = option.get_name(true);
  if (name == "FIGURE") {
    std::vector<std::string> names;
    for (const FigureInfo& info : figures()) names.emplace_back(info.name);
    return names;
  }
  if (is_spec(name) || name == "TOPIC") {
    std::vector<std::string> names;
    if (name == "TOPIC") names = {"scalings", "figures", "models"};
    for (const KindInfo& kind : kinds()) names.push_back(kind.name);
    return names;
  }
  if (option.check_lname("format")) {
    const std::string help = option.get_description();
    return words_of(help.substr(0, help.find(" (")));
  }
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return words_of(type.substr(begin + 1, end - begin - 1));
}

// Quotes a text; single quotes work in all three shells.
std::string in_quotes(std::string_view text) { return fmt::format("{}", fmt::join(split(text, '\''), "'\\''")); }

// Escapes a text for the brackets of zsh's _arguments.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return in_quotes(result);
}

Json help_json(const std::string& description) {
  const std::string help = first_line(description);
  return Json().set("help", in_quotes(help)).set("zsh_help", zsh_text(help));
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

// An option, or an argument without a dash, which is known by its place.
Json option_json(const CLI::Option& option, std::size_t place) {
  const std::string label = option.get_name(true);
  const std::vector<std::string> choices = choices_of(option);
  Json::Array names;
  for (const std::string& flag : flags_of(option)) {
    const bool word = flag.starts_with("--");
    names.push_back(Json().set("flag", flag).set("fish_flag", word ? "-l " + flag.substr(2) : "-s " + flag.substr(1)));
  }
  return help_json(option.get_description())
      .set("names", names)
      .set("label", label)
      .set("index", fmt::format("{}", place))
      .set("place", fmt::format("{}", place + 1))
      .set("choices", in_quotes(fmt::format("{}", fmt::join(choices, " "))))
      .set("takes_value", option.get_items_expected_max() > 0)
      .set("files", choices.empty() || is_spec(label))  // a spec may be a file
      .set("repeated", option.get_items_expected_max() > 1);
}

std::string fish_condition(const std::vector<std::string>& path) {
  return path.empty() ? "true" : fmt::format("__posenc_at {}", fmt::join(path, " "));
}

Json command_json(const CLI::App& app, const std::vector<std::string>& path) {
  std::vector<std::string> flags, values, below_names;
  Json::Array options, positionals, below;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden: a former name
    Json::Array& list = option->get_positional() ? positionals : options;
    list.push_back(option_json(*option, list.size()));
    for (const std::string& flag : flags_of(*option)) {
      flags.push_back(flag);
      if (option->get_items_expected_max() > 0) values.push_back(flag);
    }
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> longer = path;
    longer.push_back(below_names.emplace_back(command->get_name()));
    below.push_back(command_json(*command, longer));
  }
  const std::vector<std::string> above(path.begin(), path.end() - (path.empty() ? 0 : 1));
  const auto joined = [](const std::vector<std::string>& words, const char* separator = " ") {
    return fmt::format("{}", fmt::join(words, separator));
  };
  return help_json(app.get_description())
      .set("root", path.empty())
      .set("name", path.empty() ? "" : path.back())
      .set("path", joined(path, "/"))
      .set("above", joined(above, "/"))
      .set("function", path.empty() ? "" : "_" + joined(path, "_"))
      .set("depth", fmt::format("{}", path.size()))
      .set("at", fish_condition(path))
      .set("above_at", fish_condition(above))
      .set("flags", joined(flags))
      .set("values", joined(values))
      .set("below_names", joined(below_names))
      .set("leaf", below.empty())
      .set("options", options)
      .set("positionals", positionals)
      .set("below", below);
}

// A command, and then those below it.
void collect(const Json& command, Json::Array& commands) {
  commands.push_back(command);
  for (const Json& below : command.find("below")->array()) collect(below, commands);
}

}  // namespace

void add_completions(Command& app) {
  const auto shell = std::make_shared<std::string>();
  Command command = app.command("completions", "Print a script that completes posenc's commands in your shell",
                                "  source <(posenc completions bash)\n"
                                "  posenc completions zsh > ~/.zfunc/_posenc\n"
                                "  posenc completions fish > ~/.config/fish/completions/posenc.fish");
  command.add("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  command.runs([shell, posenc = app] {
    Json::Array commands;
    collect(command_json(posenc.app(), {}), commands);
    write_text({}, completion_script(*shell, Json().set("commands", commands)));
    return 0;
  });
}

}  // namespace posenc::cli
