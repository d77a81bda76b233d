#include "cli/complaints.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/output.h"
#include "core/text/nearest.h"
#include "posenc/insight/figure.h"
#include "posenc/models/catalog.h"
#include "posenc/spec.h"

namespace posenc::cli {
namespace {

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const KindInfo* find_kind(const std::vector<KindInfo>& all, const std::string& word) {
  const std::optional<std::string> name = kind_called(word.substr(0, word.find(':')));
  const auto found = std::find_if(all.begin(), all.end(), [&](const KindInfo& kind) { return name == kind.name; });
  return found == all.end() ? nullptr : &*found;
}

// The field of a kind that a word means, which may have '-' instead of '_'.
const FieldInfo* find_field(const KindInfo& kind, std::string word) {
  std::replace(word.begin(), word.end(), '-', '_');
  for (const FieldInfo& field : kind.fields) {
    if (field.name == word || std::find(field.also.begin(), field.also.end(), word) != field.also.end()) return &field;
  }
  return nullptr;
}

// A spec with one more field.
std::string with_field(const std::string& spec, const std::string& field) {
  return spec + (spec.find(':') == std::string::npos ? ":" : ",") + field;
}

// A field of the encoding that was given as an option: "; width is a field of the SPEC: sinusoidal:width=4".
std::string field_hint(const std::string& option, const std::string& value, const std::vector<std::string>& words) {
  const std::vector<KindInfo> all = kinds();
  for (const std::string& word : words) {
    const KindInfo* kind = find_kind(all, word);
    const FieldInfo* field = kind == nullptr ? nullptr : find_field(*kind, option.substr(2));
    if (field == nullptr) continue;
    return fmt::format("; {} is a field of the SPEC: {}", field->name,
                       with_field(word, field->name + "=" + (value.empty() ? "..." : value)));
  }
  return "";
}

// An option that `command` does not have; CLI11 may have complained about another that is missing first.
std::string unknown_option(const CLI::App& command, const std::vector<std::string>& words) {
  const std::vector<std::string> names = long_options(command), strays = command.remaining();
  for (const std::string& stray : strays) {
    if (stray.size() > 1 && stray[0] == '-' && std::isalpha(static_cast<unsigned char>(stray[1])) != 0) {
      return fmt::format("there is no option '{}'", stray.substr(0, 2));
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i] == "--") continue;
    const std::size_t equals = words[i].find('=');
    const std::string option = words[i].substr(0, equals);
    if (option == "--help" || option == "--version") continue;
    if (command.get_option_no_throw(option) != nullptr) continue;
    std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (value.empty() && i + 1 < words.size() && !words[i + 1].starts_with('-')) value = words[i + 1];
    const std::string field = field_hint(option, value, words);
    return fmt::format("there is no option '{}'{}", option, field.empty() ? text::hint(option, names) : field);
  }
  return "";
}

// The first example of a command, and in it the value of an option.
std::string first_example(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const std::string line = footer.substr(0, footer.find('\n'));
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// A word that the command does not take. CLI11 may have complained about an option that is missing first.
std::string stray_word(const CLI::App& command, const std::vector<std::string>& words) {
  const std::vector<KindInfo> all = kinds();
  for (const std::string& stray : command.remaining()) {
    const auto found = std::find(words.begin(), words.end(), stray);
    if (stray.starts_with('-') || found == words.end() || found == words.begin()) continue;
    const std::size_t equals = stray.find('=');
    const bool field = equals != std::string::npos && stray.find(':') > equals;
    for (auto before = words.begin(); field && before != found; ++before) {
      if (find_kind(all, *before) == nullptr) continue;
      return fmt::format("'{}' is not part of the SPEC; write {}, without a space", stray, with_field(*before, stray));
    }
    return fmt::format("unexpected '{}' after '{}'", stray, *(found - 1));
  }
  return "";
}

// A word that means something, but not as a command; empty if it does not.
std::string meant(const std::string& word) {
  static constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {{"draw", "plot"},
                                                                                  {"figure", "plot"},
                                                                                  {"inspect", "show"},
                                                                                  {"info", "show"},
                                                                                  {"diff", "compare"},
                                                                                  {"debug", "diagnose"},
                                                                                  {"verify", "check"},
                                                                                  {"test", "check"},
                                                                                  {"teach", "lesson"},
                                                                                  {"learn", "lesson"},
                                                                                  {"worksheet", "exercises"},
                                                                                  {"quiz", "exercises"},
                                                                                  {"encode", "table"},
                                                                                  {"print", "table"},
                                                                                  {"apply", "rotate"},
                                                                                  {"attention", "attend"},
                                                                                  {"commands", "help"},
                                                                                  {"models", "list models"},
                                                                                  {"figures", "list figures"},
                                                                                  {"kinds", "list"},
                                                                                  {"encodings", "list"},
                                                                                  {"scalings", "list scalings"},
                                                                                  {"version", "--version"}};
  for (const auto& [other, command] : kOtherWords) {
    if (word == other) return fmt::format("did you mean 'posenc {}'?", command);
  }
  for (const FigureInfo& figure : figures()) {
    if (word == figure.name) return fmt::format("{0} is a figure: posenc plot {0}", word);
  }
  const std::string kind = word.substr(0, word.find(':'));
  if (kind_called(kind)) {
    return fmt::format("{} is an encoding: posenc explain {}, or posenc list {}", kind, word, kind);
  }
  if (scaling_called(kind)) {
    return fmt::format("{} is a context scaling: posenc explain {}, or posenc list {}", kind, word, kind);
  }
  if (const std::vector<std::string_view> several = kinds_called(kind); !several.empty()) {
    return fmt::format("{} may mean several encodings: posenc explain {}", kind,
                       fmt::join(several, " or posenc explain "));
  }
  if (find_in_catalog(word) != nullptr) return fmt::format("{0} is a model: posenc show {0}", word);
  if (is_there(word)) return fmt::format("{0} is a file: posenc show {0}", word);
  return "";
}

}  // namespace

NamedCommand command_named(const CLI::App& app, const std::vector<std::string>& words) {
  NamedCommand found{&app, "posenc", 0};
  while (found.words < words.size()) {
    const CLI::App* next = nullptr;
    for (const CLI::App* below : found.command->get_subcommands({})) {
      if (below->get_name() == words[found.words]) next = below;
    }
    if (next == nullptr) break;
    found.command = next;
    found.typed += " " + words[found.words++];
  }
  return found;
}

std::string unknown_command(const NamedCommand& found, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* below : found.command->get_subcommands({})) names.push_back(below->get_name());
  const std::string asked = found.typed == "posenc" ? word : found.typed.substr(7) + " " + word;
  const std::string opening = "there is no command '" + asked + "'; ";
  if (found.typed == "posenc") {
    if (const std::string other = meant(word); !other.empty()) return opening + other;
  }
  const std::string_view near = text::nearest(word, {names.begin(), names.end()});
  if (!near.empty()) return fmt::format("{}did you mean '{} {}'?", opening, found.typed, near);
  return opening + (found.typed == "posenc" ? "posenc help lists all" : fmt::format("see {} --help", found.typed));
}

std::string single_dash(const NamedCommand& found, const std::vector<std::string>& words) {
  const std::vector<std::string> names = long_options(*found.command);
  for (const std::string& word : words) {
    if (word.size() < 3 || word[0] != '-' || !std::isalpha(static_cast<unsigned char>(word[1]))) continue;
    const std::string option = "-" + word.substr(0, word.find('='));
    if (std::find(names.begin(), names.end(), option) == names.end()) continue;
    return fmt::format("there is no option '{}'; did you mean '{}'?", option.substr(1), option);
  }
  return "";
}

std::string complaint(const NamedCommand& found, const std::vector<std::string>& words, const CLI::ParseError& error) {
  const CLI::App& command = *found.command;
  const std::string see = "\nposenc: see " + found.typed + " --help";
  if (!command.get_subcommands({}).empty()) {
    if (found.words < words.size() && !words[found.words].starts_with('-')) {
      return unknown_command(found, words[found.words]);
    }
    std::vector<std::string> names;
    for (const CLI::App* below : command.get_subcommands({})) names.push_back(found.typed + " " + below->get_name());
    if (found.words == words.size()) return fmt::format("choose one of: {}", fmt::join(names, ", ")) + see;
  }
  const std::string unknown = unknown_option(command, words);
  if (!unknown.empty()) return unknown + see;
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(" :"));
  const std::string stray = stray_word(command, words);
  if (!stray.empty()) return stray + see;
  if (error.get_name() == "RequiredError") {
    return fmt::format("{} is missing; for example: {}", name, first_example(command)) + see;
  }
  if (error.get_name() == "ArgumentMismatch") {
    return name + (text.find(": At Most") == std::string::npos ? " needs a value" : " is given more than once") + see;
  }
  // "--width: must be ..." is one sentence.
  const std::size_t must = text.find(": must");
  return (must == std::string::npos ? text : text.substr(0, must) + text.substr(must + 1)) + see;
}

std::string for_command_line(const std::string& message) {
  if (!message.starts_with('[')) return message;
  const std::size_t end = message.find("] ");
  if (end == std::string::npos) return message;
  const std::string name = message.substr(1, end - 1);
  struct stat status {};
  const bool file = ::stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (file) return name + ": " + message.substr(end + 2);
  const auto part_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; };
  if (!std::all_of(name.begin(), name.end(), part_of_name)) return message;
  const std::string rest = message.substr(end + 2);
  for (const std::vector<KindInfo>& list : {kinds(), scaling_kinds()}) {
    for (const KindInfo& kind : list) {
      if (kind.name == name && !rest.starts_with(name)) return name + ": " + rest;
    }
  }
  return rest;
}

}  // namespace posenc::cli
