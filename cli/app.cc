// The command line's grammar: the only file that knows CLI11.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "cli/commands.h"
#include "cli/output.h"
#include "posenc/nearest.h"
#include "posenc/version.h"

namespace posenc::cli {
namespace {

constexpr const char* kSpecHelp = "what to encode: kind:field=value,..., or a file with a posenc spec";
constexpr const char* kPositionsHelp =
    "0:100 (end excluded), 0:100:10, 0,5,17, 2.5, -3:4, @ids.npy, @f.safetensors:ids";

// An empty value is a variable that was not set, not a wish.
std::string not_empty(const std::string& value) { return value.empty() ? "must not be empty" : ""; }

void add_output(CLI::App& command, OutputOptions& options, const char* formats) {
  command.add_option("--format", options.format, std::string(formats) + " (default: by the name of -o, else text)")
      ->check(not_empty);
  command.add_option("-o,--output", options.path, "write to this file, whole or not at all (default: standard output)")
      ->check(not_empty);
}

void add_color(CLI::App& command, std::string& color) {
  command.add_option("--color", color, "escape codes: auto (only on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

// Help begins with the examples; CLI11 keeps them as the footer.
struct ExamplesFirst : CLI::Formatter {
  std::string make_description(const CLI::App* app) const override {
    return "Examples:\n" + app->get_footer() + "\n\n" + CLI::Formatter::make_description(app);
  }
  std::string make_footer(const CLI::App*) const override { return ""; }
};

CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* examples) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(examples);
  return command;
}

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* command = add_command(app, "list", "The kinds of encodings with their fields, and the figures.",
                                  "  posenc list\n  posenc list sinusoidal\n  posenc list --format json");
  command->add_option("KIND", options.kind, "only this kind");
  add_output(*command, options.output, "text, json");
}

void add_table(CLI::App& app, TableOptions& options) {
  CLI::App* command = add_command(app, "table", "The numbers of an encoding at positions.",
                                  "  posenc table sinusoidal:width=4 --positions 0:4\n"
                                  "  posenc table sinusoidal:width=512 --positions 0:5000 -o table.npy\n"
                                  "  posenc table sinusoidal:width=8,order=halves --positions 0,7,2.5 --format json");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--positions,-p", options.positions, kPositionsHelp)->required();
  command->add_option("--dtype", options.dtype, "f64, f32, f16 or bf16 (default: f64 in text, json and csv, else f32)")
      ->check(CLI::IsMember({"f64", "f32", "f16", "bf16"}));
  command->add_flag("--derivative", options.derivative, "the derivative by the position instead");
  command->add_option("--max-bytes", options.max_bytes, "refuse tables larger than this")
      ->check([](const std::string& bytes) { return bytes.starts_with('-') ? "must not be negative" : ""; })
      ->capture_default_str();
  add_output(*command, options.output, "text, json, csv, npy, safetensors");
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = add_command(app, "explain", "The worked example, step by step.",
                                  "  posenc explain sinusoidal:width=4 --position 1\n"
                                  "  posenc explain sinusoidal:width=4 --position 1 --shift 2 --derivative");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--position,-p", options.position, "the position, an integer or a real number")->required();
  command->add_option("--shift", options.shift, "also derive the row this many positions on from this one")
      ->check(not_empty);
  command->add_flag("--derivative", options.derivative, "also the derivative by the position");
  add_color(*command, options.color);
  add_output(*command, options.output, "text, json");
}

void add_plot(CLI::App& app, PlotOptions& options) {
  CLI::App* command = add_command(app, "plot", "A figure in the terminal, or its data.",
                                  "  posenc plot heatmap sinusoidal:width=128\n"
                                  "  posenc plot heatmap sinusoidal:width=64 --positions 0:50 --style ascii\n"
                                  "  posenc plot heatmap sinusoidal:width=64 --format json -o heatmap.json");
  command->add_option("FIGURE", options.figure, "heatmap")->required();
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--positions,-p", options.positions, kPositionsHelp)->capture_default_str();
  command->add_option("--style", options.style, "auto, truecolor, color256 or ascii")
      ->check(CLI::IsMember({"auto", "truecolor", "color256", "ascii"}))
      ->capture_default_str();
  command->add_option("--columns", options.columns, "cells across at most (default: what the terminal has)")
      ->check(CLI::Range(1, 100000));
  command->add_option("--lines", options.lines, "lines at most (default: what the terminal has)")
      ->check(CLI::Range(1, 100000));
  add_color(*command, options.color);
  add_output(*command, options.output, "text, json");
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command =
      add_command(app, "bench", "Our time beside the machine's limit and a peer's, answers checked first.",
                  "  posenc bench\n  posenc bench --filter table --format json -o bench.json");
  command->add_option("--filter", options.filter, "only cases whose name contains this");
  command->add_option("--seconds", options.seconds, "time per case")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  add_output(*command, options.output, "text, json");
}

// An option that `command` does not have; CLI11 may have complained about another that is missing first.
std::string unknown_option(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string option = word.substr(0, word.find('='));
    const std::string_view near = nearest(option, {names.begin(), names.end()});
    return "there is no option '" + option + "'" + (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?");
  }
  return "";
}

// What CLI11 found wrong, and what may have been meant.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (argc < 2) return "a command is needed\nposenc: see posenc --help";
  if (argv[1][0] == '-') {
    const std::string unknown = unknown_option(app);
    return (unknown.empty() ? std::string(error.what()) : unknown) + "\nposenc: see posenc --help";
  }
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) {
      const std::string unknown = unknown_option(*command);
      return (unknown.empty() ? std::string(error.what()) : unknown) + "\nposenc: see posenc " + command->get_name() +
             " --help";
    }
    names.push_back(command->get_name());
  }
  const std::string_view near = nearest(argv[1], names);
  return "there is no command '" + std::string(argv[1]) + "'; " +
         (near.empty() ? "see posenc --help" : "did you mean 'posenc " + std::string(near) + "'?");
}

}  // namespace

int run_app(int argc, char** argv) {
  CLI::App app("Positional encodings of transformers: exact numbers, explained.", "posenc");
  app.formatter(std::make_shared<ExamplesFirst>());  // subcommands inherit it
  app.footer(
      "  posenc explain sinusoidal:width=4 --position 1\n"
      "  posenc table sinusoidal:width=512 --positions 0:5000 -o table.npy\n"
      "  posenc plot heatmap sinusoidal:width=128\n"
      "  posenc table --help");
  app.set_version_flag("--version", std::string("posenc ") + version());
  app.require_subcommand(1);
  ListOptions list;
  TableOptions table;
  ExplainOptions explain;
  PlotOptions plot;
  BenchOptions bench;
  add_list(app, list);
  add_table(app, table);
  add_explain(app, explain);
  add_plot(app, plot);
  add_bench(app, bench);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has exit codes of its own: help and version are 0, everything else is wrong use.
    if (error.get_exit_code() == 0) {
      std::ostringstream text;
      app.exit(error, text, text);
      write_text({}, text.str());
      return 0;
    }
    std::fprintf(stderr, "posenc: %s\n", complaint(app, error, argc, argv).c_str());
    return 2;
  }
  if (app.got_subcommand("list")) return run_list(list);
  if (app.got_subcommand("table")) return run_table(table);
  if (app.got_subcommand("explain")) return run_explain(explain);
  if (app.got_subcommand("plot")) return run_plot(plot);
  return run_bench(bench);
}

}  // namespace posenc::cli
