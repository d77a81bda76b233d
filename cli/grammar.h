// How a command describes itself: its name, its options, and what it runs. Only grammar.cc, app.cc, help.cc,
// complaints.cc and commands/completions.cc know CLI11, which takes seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace posenc::cli {

// The state of a run that all commands share.
struct Session {
  struct FormerName {
    const CLI::App* command;
    std::string former, name;  // "--train", "--trained"
  };

  int exit_code = 0;
  std::vector<FormerName> former_names;
};

// An option of a command. Every function adds a rule and returns the option.
class Option {
 public:
  Option(CLI::Option* option, const CLI::App* command, Session* session)
      : option_(option), command_(command), session_(session) {}

  Option& required();
  Option& usage(const char* text);  // in the usage line: "FIGURE" for an argument whose command refuses to run without
  // One of these words, in any case; the variable gets the word as it is written here.
  Option& one_of(std::initializer_list<const char*> words);
  // The same; `others` are pairs of another name and the word that it means.
  Option& one_of(std::initializer_list<const char*> words,
                 std::initializer_list<std::pair<std::string_view, const char*>> others);
  Option& within(std::int64_t least, std::int64_t most);
  Option& between(double least, double most);
  Option& not_empty();  // an empty value is probably a shell variable that was not set
  Option& not_negative();
  Option& show_default();
  Option& value(const char* name);  // in the help: FILE instead of TEXT
  Option& group(const char* heading);
  Option& one_value();  // one value each time the option is given; without it a list takes all words that follow
  // A former name of the option. It works, with a note on standard error, and is not in the help.
  Option& formerly(const char* name);
  // Positions, typed or in a file after '@'. Typed positions are checked at once, so that the message names the option.
  Option& positions();
  // `rule` returns what is wrong with the text, or nothing.
  Option& check(const std::function<std::string(const std::string&)>& rule);

 private:
  CLI::Option* option_;
  const CLI::App* command_;
  Session* session_;
};

// A command, or posenc itself. The variables that options write to must outlive the parsing: the function given to
// runs() keeps them alive.
class Command {
 public:
  Command(CLI::App& app, Session& session) : app_(&app), session_(&session) {}

  // `names` are "--positions,-p", or a word such as SPEC for an argument without a dash. A value is a std::string, a
  // list of them, an std::int64_t or double or an std::optional of these; std::uint64_t, for seeds and steps, is any
  // whole number that 64 bits hold.
  template <class Value>
  Option add(const char* names, Value& value, const std::string& help);
  Option flag(const char* names, bool& value, const std::string& help);
  // A text that must not be empty.
  Option text(const char* names, std::string& value, const std::string& help) {
    return add(names, value, help).not_empty();
  }

  // A command below this one. `examples` are lines that begin with two spaces.
  Command command(const char* name, const char* summary, const char* examples) const;
  // Commands that are added from now on are listed below this heading.
  void heading(const char* heading) { heading_ = heading; }
  void needs_command();  // the user must name one of the commands below it
  // `run` returns the exit code: 0, or 1 if a check found a difference. Errors are exceptions.
  void runs(std::function<int()> run);

  const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
  Session* session_;
  std::string heading_ = "Commands";
};

}  // namespace posenc::cli
