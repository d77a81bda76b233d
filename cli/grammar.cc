#include "cli/grammar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "cli/complaints.h"
#include "cli/integers.h"
#include "cli/word_choice.h"
#include "core/text/nearest.h"
#include "posenc/error.h"
#include "posenc/position.h"

namespace posenc::cli {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::usage(const char* text) {
  option_->option_text(text);
  return *this;
}

// The description of the rule, {auto,light,dark}, is where completions find the words.
Option& Option::one_of(std::initializer_list<const char*> words,
                       std::initializer_list<std::pair<std::string_view, const char*>> others) {
  const std::vector<std::string> known(words.begin(), words.end());
  const std::map<std::string, std::string, std::less<>> meanings(others.begin(), others.end());
  const auto rule = [known, meanings](std::string& text) -> std::string {
    const std::string typed = lower_case(text);
    const auto other = meanings.find(typed);
    if (const auto found = std::find(known.begin(), known.end(), other == meanings.end() ? typed : other->second);
        found != known.end()) {
      text = *found;
      return "";
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    return fmt::format("must be {} but got '{}'{}", either(views), text, text::hint(text, views));
  };
  option_->transform(CLI::Validator(rule, fmt::format("{{{}}}", fmt::join(known, ","))));
  return value("WORD");
}

Option& Option::one_of(std::initializer_list<const char*> words) { return one_of(words, {}); }

Option& Option::within(std::int64_t least, std::int64_t most) {
  return check([least, most](const std::string& text) -> std::string {
    std::int64_t number = 0;
    if (!parse_integer(text, number)) return "";  // reported by the check of its type
    return number >= least && number <= most ? "" : fmt::format("must be {} to {} but got {}", least, most, text);
  });
}

Option& Option::between(double least, double most) {
  return check([least, most](const std::string& text) -> std::string {
    double number = 0.0;
    if (!CLI::detail::lexical_cast(text, number)) return "";
    return number >= least && number <= most ? "" : fmt::format("must be {} to {} but got {}", least, most, text);
  });
}

Option& Option::not_empty() {
  return check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; });
}

Option& Option::not_negative() {
  return check([](const std::string& text) { return text.starts_with('-') ? "must not be negative" : ""; });
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::value(const char* name) {
  option_->type_name(name);
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

Option& Option::formerly(const char* name) {
  session_->former_names.push_back({command_, name, "--" + option_->get_lnames().at(0)});
  return *this;
}

// x.npy or x.safetensors:tensor.
static bool is_array_name(std::string_view text) {
  return text.ends_with(".npy") || text.find(".safetensors") != std::string_view::npos;
}

Option& Option::positions() {
  return value("POSITIONS").check([](const std::string& text) -> std::string {
    if (text.starts_with('@')) return "";
    if (is_array_name(text)) return fmt::format("'{0}': to read positions from a file, write @{0}", text);
    try {
      parse_positions(text);
      return "";
    } catch (const Error& error) {
      return for_command_line(error.what());
    }
  });
}

Option& Option::check(const std::function<std::string(const std::string&)>& rule) {
  option_->check(rule);
  return *this;
}

namespace {

std::string not_whole(const std::string& text) {
  std::int64_t number = 0;
  return parse_integer(text, number) ? "" : fmt::format("must be a whole number but got '{}'", text);
}

std::string not_number(const std::string& text) {
  double number = 0.0;
  return CLI::detail::lexical_cast(text, number) ? "" : fmt::format("must be a number but got '{}'", text);
}

}  // namespace

template <class Value>
Option Command::add(const char* names, Value& value, const std::string& help) {
  if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, std::optional<std::uint64_t>>) {
    const auto read = [names, &value](const std::string& text) { value = whole_number(text, names); };
    return Option(app_->add_option_function<std::string>(names, read, help), app_, session_).not_empty().value("N");
  } else {
    Option option(app_->add_option(names, value, help), app_, session_);
    if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::optional<std::int64_t>>) {
      option.check(not_whole);
    } else if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>) {
      option.check(not_number);
    }
    return option;
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
  return Option(app_->add_flag(names, value, help), app_, session_);
}

Command Command::command(const char* name, const char* summary, const char* examples) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->footer(examples);
  command->group(heading_);
  return Command(*command, *session_);
}

void Command::needs_command() { app_->require_subcommand(1); }

void Command::runs(std::function<int()> run) {
  app_->callback([run = std::move(run), app = app_, session = session_] {
    if (app->get_subcommands().empty()) session->exit_code = run();  // else the command below it has run
  });
}

}  // namespace posenc::cli
