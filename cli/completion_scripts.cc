#include "cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace posenc::cli {
namespace {

using Commands = std::vector<CompletedCommand>;

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<const CompletedCommand*> commands_below(const Commands& commands, const std::vector<std::string>& path) {
  std::vector<const CompletedCommand*> below;
  for (const CompletedCommand& command : commands) {
    const bool starts =
        command.path.size() == path.size() + 1 && std::equal(path.begin(), path.end(), command.path.begin());
    if (starts) below.push_back(&command);
  }
  return below;
}

std::vector<std::string> names_below(const Commands& commands, const std::vector<std::string>& path) {
  std::vector<std::string> names;
  for (const CompletedCommand* command : commands_below(commands, path)) names.push_back(command->path.back());
  return names;
}

std::vector<std::string> option_names(const CompletedCommand& command, bool with_value_only) {
  std::vector<std::string> names;
  for (const CompletedOption& option : command.options) {
    if (with_value_only && !option.takes_value) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Words that bash has cut at ':' and '=' are parts of the one before.
constexpr const char* kBashBegin = R"(# bash completion of posenc: source <(posenc completions bash)
_posenc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous= path= place=0 word values= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      : | =) continue ;;
    esac
    case ${COMP_WORDS[i - 1]} in
      : | =) continue ;;
    esac
    if [[ -n $previous && " $values " == *" $previous "* ]]; then
      previous=
      continue
    fi
    previous=$word
    case "$path/$word" in
      */-*) ;;
)";
constexpr const char* kBashMiddle = R"(      *) place=$((place + 1)) ;;
    esac
    case $path in
)";
constexpr const char* kBashEnd = R"(  esac
  [[ $current == [:=] ]] && current=
  COMPREPLY=($(compgen -W "$list" -- "$current"))
  if [[ $files == yes && ${#COMPREPLY[@]} == 0 ]]; then
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _posenc posenc
)";

std::string bash_path(const CompletedCommand& command) { return fmt::format("{}", fmt::join(command.path, "/")); }

std::string bash_choices(const CompletedCommand& command) {
  std::string text;
  for (const CompletedOption& option : command.options) {
    for (const std::string& name : option.names) {
      if (option.choices.empty()) continue;
      text +=
          fmt::format("    '{}|{}') list={} files=no ;;\n", bash_path(command), name, quoted(joined(option.choices)));
    }
  }
  return text;
}

// After what the options take: the names of options, of commands below, or what stands at this place.
std::string bash_words(const Commands& commands, const CompletedCommand& command) {
  const std::string path = bash_path(command);
  const std::vector<std::string> below = names_below(commands, command.path);
  std::string text = fmt::format("    '{}')\n      if [[ $current == -* ]]; then\n        list={}\n", path,
                                 quoted(joined(option_names(command, false))));
  if (!below.empty()) return text + fmt::format("      else\n        list={}\n      fi ;;\n", quoted(joined(below)));
  text += "      else\n        case $place in\n";
  for (std::size_t place = 0; place < command.positionals.size(); ++place) {
    const CompletedOption& positional = command.positionals[place];
    text += fmt::format("          {}) list={} files={} ;;\n", positional.repeated ? "*" : std::to_string(place),
                        quoted(joined(positional.choices)), positional.files ? "yes" : "no");
  }
  return text + "        esac\n      fi ;;\n";
}

std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const CompletedOption& option) {
  if (option.choices.empty()) return "_files";
  return fmt::format("({})", fmt::join(option.choices, " "));
}

std::string zsh_arguments(const CompletedCommand& command, const std::string& indent) {
  std::string text = indent + "_arguments";
  for (const CompletedOption& option : command.options) {
    for (const std::string& name : option.names) {
      const std::string value = option.takes_value ? fmt::format(":value:{}", zsh_action(option)) : "";
      text += fmt::format(" \\\n{}  {}", indent, quoted(fmt::format("{}[{}]{}", name, zsh_text(option.help), value)));
    }
  }
  for (std::size_t place = 0; place < command.positionals.size(); ++place) {
    const CompletedOption& positional = command.positionals[place];
    text += fmt::format(" \\\n{}  {}", indent,
                        quoted(fmt::format("{}:{}:{}", place + 1, positional.names.front(), zsh_action(positional))));
  }
  return text + "\n";
}

// One function per command that has others below it, as zsh counts words anew for each.
std::string zsh_level(const Commands& commands, const CompletedCommand& command) {
  const std::vector<const CompletedCommand*> below = commands_below(commands, command.path);
  std::string text = fmt::format(
      "_posenc{}() {{\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
      "    local -a commands=(\n",
      command.path.empty() ? "" : fmt::format("_{}", fmt::join(command.path, "_")));
  for (const CompletedCommand* each : below) {
    text += "      " + quoted(each->path.back() + ":" + zsh_text(each->help)) + "\n";
  }
  text += "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n";
  text += "  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CompletedCommand* each : below) {
    const bool nested = !commands_below(commands, each->path).empty();
    text += fmt::format("    {})\n", each->path.back());
    text += nested ? fmt::format("      _posenc_{}\n", fmt::join(each->path, "_")) : zsh_arguments(*each, "      ");
    text += "      ;;\n";
  }
  return text + "  esac\n}\n";
}

// A file of fpath is run as the function itself, the first time.
constexpr const char* kZshEnd = R"(if [[ $funcstack[1] == _posenc ]]; then
  _posenc "$@"
else
  compdef _posenc posenc
fi
)";

constexpr const char* kFishBegin = R"(# fish completion of posenc: posenc completions fish | source
function __posenc_at
    set -l words (commandline -opc)
    set -e words[1]
    test (count $words) -ge (count $argv); or return 1
    for i in (seq (count $argv))
        test $words[$i] = $argv[$i]; or return 1
    end
end
# How many words stand after the command, which has `depth` words, but for options and the values of `options`.
function __posenc_place --argument-names depth options
    set -l words (commandline -opc)
    set -e words[1..(math $depth + 1)]
    set -l place 0
    set -l value no
    for word in $words
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            contains -- $word (string split ' ' -- $options); and set value yes
        else
            set place (math $place + 1)
        end
    end
    echo $place
end
complete -c posenc -f
)";

std::string fish_option(const CompletedOption& option, const std::string& condition) {
  std::string text = fmt::format("complete -c posenc -n {}", quoted(condition));
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.takes_value) text += option.choices.empty() ? " -r -F" : " -x -a " + quoted(joined(option.choices));
  return text + " -d " + quoted(option.help) + "\n";
}

std::string fish_positionals(const CompletedCommand& command, const std::string& at) {
  std::string text;
  for (std::size_t place = 0; place < command.positionals.size(); ++place) {
    const CompletedOption& positional = command.positionals[place];
    const std::string here =
        fmt::format("{}; and test (__posenc_place {} \"{}\") {} {}", at, command.path.size(),
                    joined(option_names(command, true)), positional.repeated ? "-ge" : "-eq", place);
    text += fmt::format("complete -c posenc -n {}{}", quoted(here), positional.files ? " -F" : "");
    if (!positional.choices.empty()) text += " -a " + quoted(joined(positional.choices));
    text += " -d " + quoted(positional.names.front()) + "\n";
  }
  return text;
}

std::string fish_command(const Commands& commands, const CompletedCommand& command) {
  const std::string at = command.path.empty() ? "true" : fmt::format("__posenc_at {}", fmt::join(command.path, " "));
  std::string text;
  for (const CompletedCommand* each : commands_below(commands, command.path)) {
    const std::string here = fmt::format("{}; and test (count (commandline -opc)) -eq {}", at, command.path.size() + 1);
    text +=
        fmt::format("complete -c posenc -f -n {} -a {} -d {}\n", quoted(here), each->path.back(), quoted(each->help));
  }
  for (const CompletedOption& option : command.options) {
    text += fish_option(option, command.path.empty() ? "test (count (commandline -opc)) -eq 1" : at);
  }
  return text + fish_positionals(command, at);
}

}  // namespace

std::string bash_script(const Commands& commands) {
  std::string text = kBashBegin;
  for (const CompletedCommand& command : commands) {
    if (command.path.empty()) continue;
    const std::vector<std::string> above(command.path.begin(), command.path.end() - 1);
    text += fmt::format("      '{}/{}') path='{}' place=0 previous= ;;\n", fmt::join(above, "/"), command.path.back(),
                        bash_path(command));
  }
  text += kBashMiddle;
  for (const CompletedCommand& command : commands) {
    text += fmt::format("      '{}') values={} ;;\n", bash_path(command), quoted(joined(option_names(command, true))));
  }
  text += "    esac\n  done\n  local list= files=no\n  [[ $previous == -* ]] || previous=\n";
  text += "  case \"$path|$previous\" in\n";
  for (const CompletedCommand& command : commands) text += bash_choices(command);
  text +=
      "    *)\n      if [[ -n $previous && \" $values \" == *\" $previous \"* ]]; then\n        files=yes\n      fi "
      ";;\n";
  text += "  esac\n  [[ -z $list && $files == no ]] && case $path in\n";
  for (const CompletedCommand& command : commands) text += bash_words(commands, command);
  return text + kBashEnd;
}

std::string zsh_script(const Commands& commands) {
  std::string text = "#compdef posenc\n# zsh completion of posenc: source <(posenc completions zsh)\n";
  for (const CompletedCommand& command : commands) {
    if (!commands_below(commands, command.path).empty()) text += zsh_level(commands, command);
  }
  return text + kZshEnd;
}

std::string fish_script(const Commands& commands) {
  std::string text = kFishBegin;
  for (const CompletedCommand& command : commands) text += fish_command(commands, command);
  return text;
}

}  // namespace posenc::cli
