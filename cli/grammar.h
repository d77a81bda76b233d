// What the files share that describe commands to CLI11. Others stay clear of it: it takes long to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.h"

namespace posenc::cli {

// An empty value is a variable that was not set, not a wish.
std::string not_empty(const std::string& value);

void add_output(CLI::App& command, OutputOptions& options, const char* formats);
CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* examples);

// The commands of attention, in app_attention.cc.
struct AttentionCommands {
  PermutationOptions permutation;
  OrderOptions order;
};
void add_attention_commands(CLI::App& app, AttentionCommands& commands);
// Runs the one that was given.
int run_attention_command(const CLI::App& app, const AttentionCommands& commands);

}  // namespace posenc::cli
