// What the files share that describe commands to CLI11. Others stay clear of it: it takes long to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace posenc::cli {

inline constexpr const char* kSpecHelp =
    "what to encode: kind:field=value,..., a file (a posenc spec, a model's config.json, a GGUF), or a model of the\n"
    "catalog (posenc show --catalog)";
inline constexpr const char* kPositionsHelp =
    "0:100 (end excluded), 0:100:10, 0,5,17, 2.5, -3:4, @ids.npy, @f.safetensors:ids";

// An empty value is a variable that was not set, not a wish.
std::string not_empty(const std::string& value);

void add_output(CLI::App& command, OutputOptions& options, const char* formats);
// Asked for by bytes, so that a slip in a length is found before the memory is.
void add_max_bytes(CLI::App& command, std::int64_t& max_bytes);
void add_color(CLI::App& command, std::string& color);
// The learned table of an encoding at the input.
void add_weights(CLI::App& command, WeightOptions& weights);
// --sequence-length, --layer and --part of the command's SPEC, which becomes the text of one encoding.
void add_spec_choice(CLI::App& command, std::string& spec);
void add_spec_choice(CLI::App& command, std::vector<std::string>& specs);
CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* examples);

// The learned numbers of what acts inside attention.
void add_parameters(CLI::App& command, std::vector<std::string>& parameters, std::string& values);

void add_plot(CLI::App& app, PlotOptions& options);  // in app_plot.cc

// In completions.cc: it reads the grammar, so it is run with it.
void add_completions(CLI::App& app, CompletionOptions& options);
int run_completions(const CLI::App& app, const CompletionOptions& options);

// The commands of attention, in app_attention.cc.
struct AttentionCommands {
  BiasOptions bias;
  AttendOptions attend;
  PermutationOptions permutation;
  OrderOptions order;
};
void add_attention_commands(CLI::App& app, AttentionCommands& commands);
// Runs the one that was given.
int run_attention_command(const CLI::App& app, const AttentionCommands& commands);

// The commands that look at an encoding, in app_insight.cc.
struct InsightCommands {
  CheckCommandOptions check;
  PlanOptions plan;
};
void add_insight_commands(CLI::App& app, InsightCommands& commands);
int run_insight_command(const CLI::App& app, const InsightCommands& commands);

// The commands about models and several encodings, in app_models.cc.
struct ModelCommands {
  ShowOptions show;
  CompareCommandOptions compare;
  DiagnoseCommandOptions diagnose;
};
void add_model_commands(CLI::App& app, ModelCommands& commands);
bool got_model_command(const CLI::App& app);
int run_model_command(const CLI::App& app, const ModelCommands& commands);

// The commands for lessons, in app_lesson.cc.
struct LessonCommands {
  ExercisesOptions exercises;
  ReportCommandOptions report;
};
void add_lesson_commands(CLI::App& app, LessonCommands& commands);
bool got_lesson_command(const CLI::App& app);
int run_lesson_command(const CLI::App& app, const LessonCommands& commands);

}  // namespace posenc::cli
