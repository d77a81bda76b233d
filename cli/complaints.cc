#include "cli/complaints.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "cli/figure_text.h"
#include "cli/output.h"
#include "core/text/nearest.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/insight/figure.h"
#include "posenc/models/catalog.h"
#include "posenc/position.h"
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

// The kind of the SPEC that a figure has by default, or of one in the command's examples that has this field.
const KindInfo* kind_for_example(const std::vector<KindInfo>& all, const CLI::App& command, const std::string& field,
                                 const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const FigureInfo* figure = find_figure(word);
    if (figure != nullptr) return find_kind(all, std::string(figure->default_spec));
  }
  std::istringstream examples(command.get_footer());
  for (std::string word; examples >> word;) {
    const KindInfo* kind = find_kind(all, word);
    if (kind != nullptr && find_field(*kind, field) != nullptr) return kind;
  }
  return nullptr;
}

// "; width is a field of the SPEC: sinusoidal:width=4", if `option` is a field of the kind.
std::string field_of(const KindInfo* kind, const std::string& spec, const std::string& option,
                     const std::string& value) {
  const FieldInfo* field = kind == nullptr ? nullptr : find_field(*kind, option.substr(2));
  if (field == nullptr) return "";
  return fmt::format("; {} is a field of the SPEC: {}", field->name,
                     with_field(spec, field->name + "=" + (value.empty() ? "..." : value)));
}

// A field of the encoding that was given as an option.
std::string field_hint(const std::string& option, const std::string& value, const std::vector<std::string>& words) {
  const std::vector<KindInfo> all = kinds();
  for (const std::string& word : words) {
    if (std::string hint = field_of(find_kind(all, word), word, option, value); !hint.empty()) return hint;
  }
  return "";
}

// The same if no encoding is given.
std::string example_field_hint(const CLI::App& command, const std::string& option, const std::string& value,
                               const std::vector<std::string>& words) {
  const std::vector<KindInfo> all = kinds();
  const auto is_kind = [&](const std::string& word) { return find_kind(all, word) != nullptr; };
  if (std::any_of(words.begin(), words.end(), is_kind)) return "";
  const KindInfo* kind = kind_for_example(all, command, option.substr(2), words);
  return field_of(kind, kind == nullptr ? "" : kind->name, option, value);
}

// The word that follows an option, if it may be its value.
std::string value_after(const std::vector<std::string>& words, std::ptrdiff_t option) {
  const auto next = static_cast<std::size_t>(option) + 1;
  return next < words.size() && !words[next].starts_with('-') ? words[next] : "";
}

// What people type for an option, without the dashes, and what to type instead; '{}' is the value that they gave. Of
// several answers to a word the first is given whose option the command has: an option, or a format of --format.
struct OtherOption {
  std::string_view words;
  std::string_view needs;  // empty: every command
  std::string_view instead;
};

constexpr std::string_view kFormats = "json csv svg png pdf npy safetensors md html";

constexpr OtherOption kOtherOptions[] = {
    {"num-heads n-heads nheads", "--heads", "--heads {}"},
    {"d-model hidden-size embed-dim dim", "--width", "--width {}"},
    {"dims columns cols channel", "--channels", "--channels {}"},
    {"k distance offset delta", "--shift", "--shift {}"},
    {"text sentence word prompt", "--words", "--words {}"},
    {"solutions solution key answer", "--answers", "--answers"},
    {"position pos ids position-ids range", "--positions", "--positions {}"},
    {"positions position pos p", "--queries", "--queries {} --keys {}"},
    {"length len n num seq-len seqlen seq-length num-positions rows", "--positions", "--positions 0:{}"},
    {"length len n num seq-len seqlen seq-length size", "--queries", "--queries 0:{}"},
    {"length len n seq-len seqlen seq-length max-len context", "--target", "--target {}"},
    {"train-length trained-length original-length", "--trained", "--trained {}"},
    {"query", "--q", "--q {}"},
    {"key", "--k", "--k {}"},
    {"queries q", "--positions", "--positions {}"},
    {"query", "--queries", "--queries {}"},
    {"value values", "--v", "--v {}"},
    {"key key-positions", "--keys", "--keys {}"},
    {"x in file", "--input", "--input {}"},
    {"input in", "--table", "--table {}"},
    {"input in", "--file", "--file {}"},
    {"force replace", "--overwrite", "--overwrite"},
    {"out save to outfile output-file", "--output", "-o {}"},
    {"o", "--output", "-o {}"},
    {"size length rows", "--to", "--to {}"},
    {"table weights embeddings", "--file", "--file {}"},
    {"type", "--dtype", "--dtype {}"},
    {"rng random-state manual-seed s", "--seed", "--seed {}"},
    {"mask", "--causal", "--causal"},
    {"colors colour", "--color", "--color {}"},
    {"dark light", "--theme", "--theme {word}"},
    {kFormats, "--format", "--format {word}"},
    {"numpy", "--format npy", "--format npy"},
    {"markdown", "--format md", "--format md"},
    {"output-format fmt type", "--format", "--format {}"},
    {"encoding kind method spec", "SPEC", "{}, without an option"},
    {"model config", "SPEC", "{}, without an option"},
    {"model config", "MODEL", "{}, without an option"},
    {"figure kind type", "FIGURE", "{}, without an option"},
    {"help-all usage", "", "{command} --help"},
    {"v V", "", "posenc --version"},
};

// "text, json, csv".
std::string formats_of(const CLI::Option& format) {
  const std::string help = format.get_description();
  return help.substr(0, help.find(" (default"));
}

// Whether a command knows a word of --format, or it has an option or argument.
bool takes(const CLI::App& command, std::string_view needs, std::string_view word) {
  if (needs.empty()) return true;
  const std::string name(needs.substr(0, needs.find(' ')));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr || option->get_group().empty()) return false;
  if (name != "--format") return true;
  const std::string format(needs == name ? word : needs.substr(name.size() + 1));
  return fmt::format(", {}", formats_of(*option)).find(", " + format) != std::string::npos;
}

std::string below_option(const NamedCommand& found, const std::string& option, const std::string& value);

// The answer to an option that other programs have; empty if there is none.
std::string other_option(const NamedCommand& found, const std::string& option, const std::string& value) {
  const std::string word = option.substr(option.find_first_not_of('-'));
  const auto is_one_of = [&](std::string_view words) {
    return fmt::format(" {} ", words).find(" " + word + " ") != std::string::npos;
  };
  const auto replaced = [](std::string text, std::string_view what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
      text.replace(at, what.size(), by);
    }
    return text;
  };
  if (is_one_of("verbose quiet debug silent")) {
    return "; results go to standard output, and remarks to standard error: 2>/dev/null hides them";
  }
  const bool model_file = value.ends_with(".json") || value.ends_with(".gguf");
  if (model_file && is_one_of("file f path model config input")) {
    return fmt::format("; did you mean {}, without an option?", text::shell_word(value));
  }
  for (const OtherOption& other : kOtherOptions) {
    if (!is_one_of(other.words) || !takes(*found.command, other.needs, word)) continue;
    const std::string text = replaced(replaced(std::string(other.instead), "{word}", word), "{command}", found.typed);
    return fmt::format("; did you mean {}?", replaced(text, "{}", value.empty() ? "..." : text::shell_word(value)));
  }
  const CLI::Option* format = found.command->get_option_no_throw("--format");
  if (!is_one_of(kFormats) || format == nullptr) return below_option(found, option, value);
  return "; --format takes " + formats_of(*format);
}

// An option of a command below this one.
std::string below_option(const NamedCommand& found, const std::string& option, const std::string& value) {
  for (const CLI::App* below : found.command->get_subcommands({})) {
    if (found.command->get_parent() == nullptr) break;
    const NamedCommand longer{below, found.typed + " " + below->get_name(), 0};
    if (below->get_option_no_throw(option) != nullptr) return fmt::format("; it is an option of {}", longer.typed);
    const std::string other = other_option(longer, option, value);
    if (!other.empty()) return fmt::format("{}, an option of {}?", other.substr(0, other.size() - 1), longer.typed);
  }
  return "";
}

// Which other commands have the option; empty if none has.
std::string option_elsewhere(const CLI::App& command, const std::string& option) {
  const CLI::App* root = &command;
  while (root->get_parent() != nullptr) root = root->get_parent();
  std::vector<std::string> others;
  for (const CLI::App* other : root->get_subcommands({})) {
    if (other->get_option_no_throw(option) != nullptr) others.push_back("posenc " + other->get_name());
  }
  constexpr std::size_t kMost = 3;
  return others.empty() || others.size() > kMost ? "" : fmt::format("; it is an option of {}", fmt::join(others, ", "));
}

// "; it is a field of alibi, t5, ..., not of the SPEC", if `option` is a field of some kinds.
std::string field_elsewhere(const std::string& option) {
  std::vector<std::string> others;
  for (const KindInfo& kind : kinds()) {
    if (find_field(kind, option.substr(2)) != nullptr) others.push_back(kind.name);
  }
  return others.empty() ? "" : fmt::format("; it is a field of {}", fmt::join(others, ", "));
}

// An option that looks like a misspelling: one letter in four may be wrong.
std::string misspelt_option(const std::string& option, const std::vector<std::string>& names) {
  constexpr std::size_t kDashes = 2;
  const std::string word = option.substr(kDashes);
  std::vector<std::string_view> known;
  for (const std::string& name : names) {
    if (name != "--help") known.push_back(std::string_view(name).substr(kDashes));
  }
  const std::string_view near = text::nearest(word, known);
  const bool alike =
      near.starts_with(word) || text::edits_between(word, near) * 4 <= std::max<std::size_t>(word.size(), 4);
  return near.empty() || !alike ? "" : fmt::format("; did you mean '--{}'?", near);
}

// An option that `command` does not have; CLI11 may have complained about another that is missing first.
std::string unknown_option(const NamedCommand& found, const std::vector<std::string>& words) {
  const CLI::App& command = *found.command;
  const std::vector<std::string> names = long_options(command), strays = command.remaining();
  for (const std::string& stray : strays) {
    if (stray.size() > 1 && stray[0] == '-' && std::isalpha(static_cast<unsigned char>(stray[1])) != 0) {
      const auto at = std::find(words.begin(), words.end(), stray);
      const std::string value = stray.size() > 2 ? stray.substr(2) : value_after(words, at - words.begin());
      return fmt::format("there is no option '{0}'{1}", stray.substr(0, 2),
                         other_option(found, stray.substr(0, 2), value));
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i] == "--") continue;
    const std::size_t equals = words[i].find('=');
    const std::string option = words[i].substr(0, equals);
    if (option == "--help" || option == "--version") continue;
    if (command.get_option_no_throw(option) != nullptr) continue;
    std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (value.empty()) value = value_after(words, static_cast<std::ptrdiff_t>(i));
    std::string hint = field_hint(option, value, words);
    if (hint.empty()) hint = other_option(found, option, value);
    if (hint.empty()) hint = example_field_hint(command, option, value, words);
    if (hint.empty()) hint = misspelt_option(option, names);
    if (hint.empty()) hint = field_elsewhere(option);
    if (hint.empty()) hint = option_elsewhere(command, option);
    return fmt::format("there is no option '{}'{}", option, hint);
  }
  return "";
}

// Every argument and option that must be given and is not: "SPEC and --positions are missing".
std::string what_is_missing(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_required() && option->count() == 0) names.push_back(option->get_name());
  }
  return fmt::format("{} {} missing", fmt::join(names, " and "), names.size() == 1 ? "is" : "are");
}

// The first example of a command.
std::string first_example(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const std::string line = footer.substr(0, footer.find('\n'));
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

bool is_positions(const std::string& text) {
  try {
    parse_positions(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string positions_list_hint(const std::string& list) {
  return is_positions(list) ? "; separate positions with commas: " + list : "; give all positions as one range or list";
}

// Positions without their option, or behind others with a space between them.
std::string positions_hint(const CLI::App& command, const std::string& before, const std::string& stray) {
  if (!is_positions(stray)) return "";
  if (is_positions(before)) return positions_list_hint(before + "," + stray);
  const CLI::Option* positions = command.get_option_no_throw("--positions");
  if (positions != nullptr) return fmt::format("; positions need their option: --positions {}", stray);
  const CLI::Option* queries = command.get_option_no_throw("--queries");
  return queries == nullptr ? "" : fmt::format("; positions need their option: --queries {0} --keys {0}", stray);
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
    const bool encoding = find_kind(all, stray) != nullptr && command.get_option_no_throw("--encoding") != nullptr;
    return fmt::format(
        "unexpected '{}' after '{}'{}", stray, *(found - 1),
        encoding ? "; did you mean --encoding " + stray + "?" : positions_hint(command, *(found - 1), stray));
  }
  return "";
}

// A hint for a word that is not a command but has a meaning; empty if it has none.
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
  const std::string unknown = unknown_option(found, words);
  if (!unknown.empty()) return unknown + see;
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(" :"));
  const std::string stray = stray_word(command, words);
  if (!stray.empty()) return stray + see;
  if (error.get_name() == "RequiredError") {
    return fmt::format("{}; for example: {}", what_is_missing(command), first_example(command)) + see;
  }
  if (error.get_name() == "ArgumentMismatch") {
    return name + (text.find(": At Most") == std::string::npos ? " needs a value" : " is given more than once") + see;
  }
  // Make one sentence of "--width: must be ...".
  const std::size_t must = text.find(": must");
  return (must == std::string::npos ? text : text.substr(0, must) + text.substr(must + 1)) + see;
}

namespace {

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::string for_command_line(const std::string& message) {
  if (!message.starts_with('[')) return message;
  const std::size_t end = message.find("] ");
  if (end == std::string::npos) return message;
  const std::string name = message.substr(1, end - 1);
  if (is_file(name)) return name + ": " + message.substr(end + 2);
  const std::size_t colon = name.rfind(": ");
  if (colon != std::string::npos && is_file(name.substr(0, colon))) return name + ": " + message.substr(end + 2);
  const auto part_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; };
  if (!std::all_of(name.begin(), name.end(), part_of_name)) return message;
  std::string rest = message.substr(end + 2);
  if (rest.find(" needs the parameter ") != std::string::npos) {
    rest += "; give it with --file or --parameter, or draw random numbers with --init normal";
  }
  for (const std::vector<KindInfo>& list : {kinds(), scaling_kinds()}) {
    for (const KindInfo& kind : list) {
      if (kind.name == name && !rest.starts_with(name)) return name + ": " + rest;
    }
  }
  return rest;
}

void fail_naming(const Error& error, const std::vector<std::pair<std::string, std::string>>& names) {
  const std::string message = for_command_line(error.what());
  for (const auto& [input, name] : names) {
    const bool begins = message.starts_with(input + " ") || message.starts_with(input + "[");
    if (name.empty() || !begins) continue;
    const bool option = name.starts_with("--");
    fail(error.kind(), option ? name + message.substr(input.size()) : fmt::format("{}: {}", name, message));
  }
  throw error;
}

}  // namespace posenc::cli
