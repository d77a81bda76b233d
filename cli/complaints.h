// Messages for a command line that cannot be read: what is wrong, and what was probably meant.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace posenc::cli {

// The command that `words` begin with, and how it is typed: "posenc demo order".
struct NamedCommand {
  const CLI::App* command;
  std::string typed;
  std::size_t words;  // how many of the words name it
};
NamedCommand command_named(const CLI::App& app, const std::vector<std::string>& words);

// The message about a word that is not a command; `found` is the command before it.
std::string unknown_command(const NamedCommand& found, const std::string& word);
// The message about "-positions" if "--positions" is meant: CLI11 would read it as -p with the value "ositions". Empty
// if there is no such word.
std::string single_dash(const NamedCommand& found, const std::vector<std::string>& words);
// The errors of CLI11 in plain words.
std::string complaint(const NamedCommand& found, const std::vector<std::string>& words, const CLI::ParseError& error);

// A message of the library without the C++ function that opens it. The name of a kind stays, because the user typed it:
// "[sinusoidal] width must be ..." becomes "sinusoidal: width must be ...". So does the name of a file.
std::string for_command_line(const std::string& message);

// Throws the error again. A message that begins with an input of the library then begins with the file that the user
// gave for it: "sinks must be [2] but is [3]" becomes "s.npy: sinks must be [2] but is [3]". An option replaces the
// input: "--picture-height must be ...". Pairs of input and file or option.
[[noreturn]] void fail_naming(const Error& error, const std::vector<std::pair<std::string, std::string>>& names);

}  // namespace posenc::cli
