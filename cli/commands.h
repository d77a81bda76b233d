// The subcommands: what each was asked for, as plain data, and the function that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace posenc::cli {

// Where results go and in what form; every command has these.
struct OutputOptions {
  std::string format;  // empty: by the name of `path`, else text
  std::string path;    // empty or "-": standard output
};

struct ListOptions {
  std::string kind;  // empty: all
  OutputOptions output;
};

struct TableOptions {
  std::string spec;
  std::string positions;
  std::string dtype;  // empty: f64 where numbers are text, f32 in files of numbers
  bool derivative = false;
  std::int64_t max_bytes = 16'000'000'000;
  OutputOptions output;
};

struct ExplainOptions {
  std::string spec;
  std::string position;
  std::string shift;  // empty: none
  bool derivative = false;
  std::string color = "auto";
  OutputOptions output;
};

struct PlotOptions {
  std::string figure;
  std::string spec;
  std::string positions = "0:100";
  std::string style = "auto";
  std::string color = "auto";
  std::int64_t columns = 0;  // 0: what the terminal has
  std::int64_t lines = 0;
  OutputOptions output;
};

struct BenchOptions {
  std::string filter;
  double seconds = 0.4;
  OutputOptions output;
};

struct ResizeOptions {
  std::string spec;  // may be left out
  std::string file;
  std::string from;  // empty: what --to and --square admit
  std::string to;
  std::int64_t kept = 0;
  bool square = false;
  std::string method;  // empty: cubic
  std::string align;   // empty: centers
  bool antialias = false;
  std::optional<double> cubic_a;
  std::optional<double> extra_size;
  std::string like;    // a preset of the five above; empty: none
  std::string dtype;   // empty: as in the file
  std::string tensor;  // in safetensors; empty: as in the file
  std::int64_t max_bytes = 16'000'000'000;
  OutputOptions output;
};

// Each returns the exit code: 0, or 1 if a check found a difference. Everything else is an exception.
int run_list(const ListOptions& options);
int run_table(const TableOptions& options);
int run_explain(const ExplainOptions& options);
int run_plot(const PlotOptions& options);
int run_resize(const ResizeOptions& options);
int run_bench(const BenchOptions& options);

// Reads the command line and runs the command.
int run_app(int argc, char** argv);

}  // namespace posenc::cli
