// Scripts that complete commands in a shell, from a plain list of what there is to complete.
#pragma once

#include <string>
#include <vector>

namespace posenc::cli {

struct CompletedOption {
  std::vector<std::string> names;  // with their dashes; of a positional, its name
  std::string help;                // one line
  std::vector<std::string> choices;
  bool takes_value = false;
  bool files = false;     // besides the choices
  bool repeated = false;  // of a positional: all that follow are the same
};

struct CompletedCommand {
  std::vector<std::string> path;  // empty: posenc itself
  std::string help;
  std::vector<CompletedOption> options;
  std::vector<CompletedOption> positionals;
};

// Commands with those above them first.
std::string bash_script(const std::vector<CompletedCommand>& commands);
std::string zsh_script(const std::vector<CompletedCommand>& commands);
std::string fish_script(const std::vector<CompletedCommand>& commands);

}  // namespace posenc::cli
