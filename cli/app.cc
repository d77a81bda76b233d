#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "core/text/nearest.h"
#include "posenc/version.h"

namespace posenc::cli {
namespace {

// Help begins with the examples; CLI11 keeps them as the footer.
struct ExamplesFirst : CLI::Formatter {
  std::string make_description(const CLI::App* app) const override {
    return "Examples:\n" + app->get_footer() + "\n\n" + CLI::Formatter::make_description(app);
  }
  std::string make_footer(const CLI::App*) const override { return ""; }
};

// An option that `command` does not have; CLI11 may have complained about another that is missing first.
std::string unknown_option(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string option = word.substr(0, word.find('='));
    return "there is no option '" + option + "'" + text::hint(option, names);
  }
  return "";
}

std::string unknown_command(const std::string& word, const std::string& path,
                            const std::vector<std::string_view>& names) {
  const std::string_view near = text::nearest(word, names);
  const std::string asked = path == "posenc" ? word : path.substr(7) + " " + word;
  return "there is no command '" + asked + "'; " +
         (near.empty() ? "see " + path + " --help" : "did you mean '" + path + " " + std::string(near) + "'?");
}

// What CLI11 found wrong, and what may have been meant.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* command = &app;
  std::string path = "posenc";
  for (int i = 1; !command->get_subcommands({}).empty(); ++i) {
    if (i == argc) return "a command is needed\nposenc: see " + path + " --help";
    if (argv[i][0] == '-') break;
    std::vector<std::string_view> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* one : command->get_subcommands({})) {
      if (one->get_name() == argv[i]) next = one;
      names.push_back(one->get_name());
    }
    if (next == nullptr) return unknown_command(argv[i], path, names);
    command = next;
    path += " " + command->get_name();
  }
  const std::string unknown = unknown_option(*command);
  return (unknown.empty() ? std::string(error.what()) : unknown) + "\nposenc: see " + path + " --help";
}

}  // namespace

int run_app(int argc, char** argv) {
  CLI::App app("Positional encodings of transformers: exact numbers, explained.", "posenc");
  app.formatter(std::make_shared<ExamplesFirst>());  // subcommands inherit it
  app.footer(
      "  posenc explain sinusoidal:width=4 --position 1\n"
      "  posenc table sinusoidal:width=512 --positions 0:5000 -o table.npy\n"
      "  posenc plot heatmap sinusoidal:width=128\n"
      "  posenc table --help");
  app.set_version_flag("--version", std::string("posenc ") + version());
  int exit_code = 0;
  Command posenc(app, exit_code);
  posenc.needs_command();
  add_commands(posenc);
  try {
    app.parse(argc, argv);  // runs the command
  } catch (const CLI::ParseError& error) {
    // CLI11 has exit codes of its own: help and version are 0, everything else is wrong use.
    if (error.get_exit_code() == 0) {
      std::ostringstream text;
      app.exit(error, text, text);
      write_text({}, text.str());
      return 0;
    }
    std::fprintf(stderr, "posenc: %s\n", complaint(app, error, argc, argv).c_str());
    return 2;
  }
  return exit_code;
}

}  // namespace posenc::cli
