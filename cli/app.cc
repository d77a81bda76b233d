#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/figure_text.h"
#include "cli/help.h"
#include "cli/output.h"
#include "posenc/version.h"

namespace posenc::cli {
namespace {

// Replaces former names of options by the current ones, and says so on standard error.
void rename_former(std::vector<std::string>& words, const NamedCommand& found, const Session& session) {
  for (std::string& word : words) {
    for (const Session::FormerName& each : session.former_names) {
      if (each.command != found.command || word.substr(0, word.find('=')) != each.former) continue;
      std::fprintf(stderr, "posenc: %s is now called %s; the old name goes away in the next release\n",
                   each.former.c_str(), each.name.c_str());
      word.replace(0, each.former.size(), each.name);
      break;
    }
  }
}

// posenc plot heatmap --help
bool asks_about_figure(const NamedCommand& found, const std::vector<std::string>& words) {
  const auto is_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
  return found.typed == "posenc plot" && words.size() > found.words && find_figure(words[found.words]) != nullptr &&
         std::any_of(words.begin(), words.end(), is_help);
}

int refuse_usage(const std::string& message) {
  std::fprintf(stderr, "posenc: %s\n", message.c_str());
  return 2;
}

}  // namespace

int run_app(int argc, char** argv) {
  CLI::App app("posenc: the positional encodings of transformers, exact and explained", "posenc");
  app.formatter(help_formatter());  // subcommands inherit it
  app.set_version_flag("--version", std::string("posenc ") + version(), "print the version");
  app.set_help_flag("-h,--help", "print this help");
  Session session;
  Command posenc(app, session);
  posenc.needs_command();
  add_commands(posenc);

  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    write_text({}, kWelcome);
    return 0;
  }
  if (words[0] == "help") {
    words.erase(words.begin());
    const NamedCommand asked = command_named(app, words);
    const std::string next = asked.words < words.size() ? words[asked.words] : "--help";
    if (asked.typed == "posenc plot" && !next.starts_with('-')) {
      write_text({}, figure_help(*asked.command, next));
      return 0;
    }
    if (next != "--help") {
      return refuse_usage(next.starts_with('-') ? "help takes the name of a command, not '" + next + "'"
                                                : unknown_command(asked, next));
    }
    words.push_back("--help");
  }
  const NamedCommand found = command_named(app, words);
  if (asks_about_figure(found, words)) {
    write_text({}, figure_help(*found.command, words[found.words]));
    return 0;
  }
  rename_former(words, found, session);
  if (const std::string wrong = single_dash(found, words); !wrong.empty()) return refuse_usage(wrong);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // runs the command; CLI11 wants them backwards
  } catch (const CLI::ParseError& error) {
    // CLI11 has exit codes of its own: help and version are 0, everything else is wrong use.
    if (error.get_exit_code() != 0) return refuse_usage(complaint(found, words, error));
    std::ostringstream text;
    app.exit(error, text, text);
    write_text({}, text.str());
    return 0;
  }
  return session.exit_code;
}

}  // namespace posenc::cli
