// The text of --help, and what `posenc` alone prints.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace posenc::cli {

// Tells new users where to begin: printed by `posenc` without a command.
extern const std::string_view kWelcome;

// The help of posenc lists its commands in groups, a line each. The help of a command begins with its examples.
std::shared_ptr<CLI::FormatterBase> help_formatter();

// What a figure shows, and which options of `plot` it uses. Throws if there is no such figure.
std::string figure_help(const CLI::App& plot, const std::string& figure);

}  // namespace posenc::cli
