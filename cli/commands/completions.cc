// What there is to complete, read from the grammar itself.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>

#include "cli/commands/commands.h"
#include "cli/completion_scripts.h"
#include "cli/output.h"
#include "posenc/insight/figure.h"
#include "posenc/spec.h"

namespace posenc::cli {
namespace {

// `posenc compare` has two.
bool is_spec(const std::string& name) { return name == "SPEC" || name == "A" || name == "B"; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t end = text.find(separator);
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + separator.size());
  }
}

// CLI11 keeps the members of a choice only as text: "TEXT:{auto,light,dark}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string name = option.get_name(true);
  if (name == "FIGURE") {
    std::vector<std::string> names;
    for (const FigureInfo& info : figures()) names.emplace_back(info.name);
    return names;
  }
  if (is_spec(name) || name == "KIND") {
    std::vector<std::string> names;
    for (const KindInfo& kind : kinds()) names.push_back(kind.name);
    return names;
  }
  if (option.check_lname("format")) {
    const std::string help = option.get_description();
    return split(help.substr(0, help.find(" (")), ", ");
  }
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return split(std::string_view(type).substr(begin + 1, end - begin - 1), ",");
}

CompletedOption completed(const CLI::Option& option) {
  CompletedOption result{.help = first_line(option.get_description()), .choices = choices_of(option)};
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (result.names.empty()) result.names.push_back(option.get_name(true));
  result.takes_value = option.get_items_expected_max() > 0;
  result.files = result.choices.empty() || is_spec(result.names.front());  // a spec may be a file
  result.repeated = option.get_items_expected_max() > 1;
  return result;
}

void collect(const CLI::App& app, const std::vector<std::string>& path, std::vector<CompletedCommand>& commands) {
  CompletedCommand command{.path = path, .help = first_line(app.get_description())};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? command.positionals : command.options).push_back(completed(*option));
  }
  commands.push_back(std::move(command));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> longer = path;
    longer.push_back(below->get_name());
    collect(*below, longer, commands);
  }
}

}  // namespace

void add_completions(Command& app) {
  const auto shell = std::make_shared<std::string>();
  Command command = app.command("completions", "A script that completes posenc's commands in your shell.",
                                "  source <(posenc completions bash)\n"
                                "  posenc completions zsh > ~/.zfunc/_posenc\n"
                                "  posenc completions fish > ~/.config/fish/completions/posenc.fish");
  command.add("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  command.runs([shell, posenc = app] {
    std::vector<CompletedCommand> commands;
    collect(posenc.app(), {}, commands);
    const auto script = *shell == "bash" ? bash_script : *shell == "zsh" ? zsh_script : fish_script;
    write_text({}, script(commands));
    return 0;
  });
}

}  // namespace posenc::cli
