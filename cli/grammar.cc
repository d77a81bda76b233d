#include "cli/grammar.h"

#include <CLI/CLI.hpp>
#include <type_traits>
#include <utility>

#include "cli/integers.h"

namespace posenc::cli {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::one_of(std::initializer_list<const char*> words) {
  option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
  return *this;
}

Option& Option::within(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::not_empty() {
  return check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; });
}

Option& Option::not_negative() {
  return check([](const std::string& text) { return text.starts_with('-') ? "must not be negative" : ""; });
}

Option& Option::natural() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::group(const char* heading) {
  option_->group(heading);
  return *this;
}

Option& Option::one_value() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::check(const std::function<std::string(const std::string&)>& rule) {
  option_->check(rule);
  return *this;
}

template <class Value>
Option Command::add(const char* names, Value& value, const std::string& help) {
  if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, std::optional<std::uint64_t>>) {
    const auto read = [names, &value](const std::string& text) { value = whole_number(text, names); };
    return Option(app_->add_option_function<std::string>(names, read, help)).not_empty();
  } else {
    return Option(app_->add_option(names, value, help));
  }
}

template Option Command::add(const char*, std::string&, const std::string&);
template Option Command::add(const char*, std::vector<std::string>&, const std::string&);
template Option Command::add(const char*, std::int64_t&, const std::string&);
template Option Command::add(const char*, double&, const std::string&);
template Option Command::add(const char*, std::uint64_t&, const std::string&);
template Option Command::add(const char*, std::optional<std::int64_t>&, const std::string&);
template Option Command::add(const char*, std::optional<double>&, const std::string&);
template Option Command::add(const char*, std::optional<std::uint64_t>&, const std::string&);

Option Command::flag(const char* names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Command Command::command(const char* name, const char* summary, const char* examples) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->footer(examples);
  return Command(*command, *exit_code_);
}

void Command::needs_command() { app_->require_subcommand(1); }

void Command::runs(std::function<int()> run) {
  app_->callback([run = std::move(run), exit_code = exit_code_] { *exit_code = run(); });
}

}  // namespace posenc::cli
