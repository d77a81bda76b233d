#include "cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/figure_text.h"
#include "cli/output.h"
#include "cli/word_choice.h"

namespace posenc::cli {

const std::string_view kWelcome =
    R"(posenc computes, explains and checks the positional encodings of transformers.

  posenc explain sinusoidal                         work through an example by hand
  posenc plot heatmap                               draw a figure, here in the terminal
  posenc show meta-llama/Llama-3.1-8B               say which encoding a model uses; a config.json works too
  posenc table sinusoidal:width=4 --positions 0:4   print the numbers
  posenc diagnose rope --help                       find out what another engine does wrong
  posenc lesson                                     write the whole subject as a page for the browser

posenc list shows the encodings, posenc help the commands.
)";

namespace {

constexpr std::size_t kColumn = 28;  // where descriptions begin
constexpr std::size_t kWidth = 110;

std::string two_columns(const std::string& left, const std::string& right) {
  std::string text = "  " + left;
  std::size_t used = text.size();
  if (used + 1 > kColumn) {
    text += "\n";
    used = 0;
  }
  std::size_t begin = 0;
  while (begin <= right.size()) {  // a description may have line breaks of its own
    const std::size_t end = std::min(right.find('\n', begin), right.size());
    for (const std::string& line : wrapped(right.substr(begin, end - begin), kWidth - kColumn)) {
      text += std::string(kColumn - used, ' ') + line + "\n";
      used = 0;
    }
    begin = end + 1;
  }
  return text;
}

// The name of an option's value: N for a whole number, X for a real one, or what the command calls it.
std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));  // CLI11 appends the descriptions of rules
  std::string name = type.starts_with("INT") || type.starts_with("UINT") ? " N"
                     : type.starts_with("FLOAT")                         ? " X"
                                                                         : " " + type;
  if (option.get_items_expected_max() > 1) name += " ...";
  return name;
}

std::string description(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string fallback = option.get_default_str();
  if (!fallback.empty()) text += " (default: " + fallback + ")";
  return text;
}

std::string option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string command_list(const CLI::App& app) {
  const std::vector<const CLI::App*> commands = commands_of(app);
  std::vector<std::string> groups;
  for (const CLI::App* command : commands) {
    if (std::find(groups.begin(), groups.end(), command->get_group()) == groups.end()) {
      groups.push_back(command->get_group());
    }
  }
  std::string text;
  for (const std::string& group : groups) {
    text += "\n" + group + ":\n";
    for (const CLI::App* command : commands) {
      if (command->get_group() == group)
        text += fmt::format("  {:<12} {}\n", command->get_name(), command->get_description());
    }
  }
  return text;
}

// Options with a heading of their own come first.
std::string options_text(const CLI::App& app) {
  const std::string general = app.get_help_ptr()->get_group();
  std::vector<std::string> headings;
  std::string arguments, options;
  for (const CLI::Option* option : app.get_options()) {
    const std::string heading = option->get_group();
    if (heading.empty()) continue;
    if (option->get_positional()) {
      arguments += two_columns(option->get_name(true), description(*option));
    } else if (heading != general && std::find(headings.begin(), headings.end(), heading) == headings.end()) {
      headings.push_back(heading);
    }
  }
  headings.push_back(general);
  for (const std::string& heading : headings) {
    options += "\n" + (heading == general ? "Options" : heading) + ":\n";
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != heading) continue;
      options += two_columns(option_names(*option) + value_name(*option), description(*option));
    }
  }
  return (arguments.empty() ? "" : "\nArguments:\n" + arguments) + options;
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string text = "Usage: " + name;
  if (!commands_of(app).empty()) text += " COMMAND";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string word = option->get_name(true) + (option->get_items_expected_max() > 1 ? " ..." : "");
    const std::string shown = option->get_option_text();
    text += " " + (!shown.empty() ? shown : option->get_required() ? word : "[" + word + "]");
  }
  return text + " [OPTIONS]\n";
}

struct Help : CLI::FormatterBase {
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    const std::string examples = "Examples:\n" + app->get_footer() + "\n";
    if (app->get_parent() == nullptr) {
      return app->get_description() + "\n\n" + usage(*app, name) + command_list(*app) +
             "\nposenc help COMMAND shows the options and examples of a command, posenc list the encodings.\n" +
             options_text(*app);
    }
    const std::string commands = command_list(*app);
    return examples + "\n" + app->get_description() + "\n" + usage(*app, name) + commands + options_text(*app);
  }
};

}  // namespace

std::string figure_help(const CLI::App& plot, const std::string& figure) {
  const FigureInfo& info = figure_named(lower_case(figure));
  const std::string spec(info.default_spec);
  std::string text = fmt::format("Examples:\n  posenc plot {0}\n", info.name);
  if (!spec.empty()) text += fmt::format("  posenc plot {} {} -o {}.svg\n", info.name, spec, info.name);
  text += fmt::format("\n{}: {}\nWhat to look for: {}\n", info.name, info.summary, info.look_for);
  const std::string kinds = kinds_of_figure(info);
  if (!kinds.empty()) {
    text += "\nArguments:\n" + two_columns("SPEC", kinds + (spec.empty() ? "" : fmt::format(" (default: {})", spec)));
  }
  std::string options;
  for (const std::string& name : options_of_figure(info)) {
    const CLI::Option& option = *plot.get_option(name);
    options += two_columns(option_names(option) + value_name(option), description(option));
  }
  if (!options.empty()) text += "\nOptions of this figure:\n" + options;
  return text +
         "\nposenc plot --help shows the options that all figures have: formats, sizes, colors, learned numbers.\n";
}

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<Help>(); }

}  // namespace posenc::cli
