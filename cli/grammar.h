// How a command describes itself: its name, its options, and what it runs. Only grammar.cc, app.cc and
// commands/completions.cc know CLI11, which takes seconds to parse.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace posenc::cli {

// An option that was added to a command. Every function adds a rule and returns the option again.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& one_of(std::initializer_list<const char*> words);
  Option& within(std::int64_t least, std::int64_t most);
  Option& between(double least, double most);
  Option& not_empty();  // an empty value is a variable that was not set, not a wish
  Option& not_negative();
  Option& natural();  // the same, and the help says so
  Option& show_default();
  Option& group(const char* heading);
  Option& one_value();  // each time it is given; without it a list takes all that follow
  // `rule` returns what is wrong with the text, or nothing.
  Option& check(const std::function<std::string(const std::string&)>& rule);

 private:
  CLI::Option* option_;
};

// A command, or posenc itself. What options are written to must live as long as the command line is read: runs() keeps
// what its function holds.
class Command {
 public:
  // Who runs writes its exit code.
  Command(CLI::App& app, int& exit_code) : app_(&app), exit_code_(&exit_code) {}

  // `names` are "--positions,-p", or a word such as SPEC for what stands without a dash. A value is a std::string, a
  // list of them, an std::int64_t or double or an std::optional of these; std::uint64_t, for seeds and steps, is any
  // whole number that 64 bits hold.
  template <class Value>
  Option add(const char* names, Value& value, const std::string& help);
  Option flag(const char* names, bool& value, const std::string& help);
  // A text that must not be empty: nearly all are.
  Option text(const char* names, std::string& value, const std::string& help) {
    return add(names, value, help).not_empty();
  }

  // A command below this one.
  Command command(const char* name, const char* summary, const char* examples) const;
  void needs_command();  // one of those below it must be given
  // What the command does, with the exit code: 0, or 1 if a check found a difference. Everything else is an exception.
  void runs(std::function<int()> run);

  const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
  int* exit_code_;
};

}  // namespace posenc::cli
