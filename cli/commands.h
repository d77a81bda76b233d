// The subcommands: what each was asked for, as plain data, and the function that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace posenc::cli {

// Where results go and in what form; every command has these.
struct OutputOptions {
  std::string format;  // empty: by the name of `path`, else text
  std::string path;    // empty or "-": standard output
};

// Where the table of a learned encoding comes from.
struct WeightOptions {
  std::vector<std::string> files;  // file.npy or file.safetensors:tensor; several for the parts of a concat
  std::string init;                // normal or uniform; empty: not made
  std::optional<double> std = {};  // 0.02
  std::string seed;                // 0

  bool given() const { return !files.empty() || !init.empty(); }
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
  std::string tiling;  // of a rotary encoding: per_pair, halves, pairs or cos_sin; empty: per_pair, in npy cos_sin
  std::string only;    // of a rotary encoding: cos or sin; empty: both
  std::int64_t max_bytes = 16'000'000'000;
  WeightOptions weights;
  OutputOptions output;
};

struct ExplainOptions {
  std::string spec;
  std::string position;       // or queries
  std::string queries, keys;  // keys empty: as the queries
  std::string scores;         // 0.2/0.2/0.2
  std::int64_t head = 0;      // these five only with queries
  bool causal = false;
  std::vector<std::string> parameters;
  std::string values;
  std::string shift;  // empty: none
  bool derivative = false;
  std::string color = "auto";
  WeightOptions weights;
  OutputOptions output;
};

struct AddOptions {
  std::string spec;
  std::string input;      // the embeddings: file.npy or file.safetensors:tensor
  std::string positions;  // empty: 0 to N; @ids.npy may be [B, N]
  std::string join = "add";
  std::string scale = "1";  // a number, or sqrt
  std::optional<double> dropout = {};
  std::string dropout_seed;  // 0; these four only with dropout
  std::string step;
  std::string first_row;
  std::string first_token;
  int threads = 1;
  std::string tensor;  // empty: values
  WeightOptions weights;
  OutputOptions output;
};

struct RotateOptions {
  std::string spec;
  std::string input;      // queries or keys: file.npy or file.safetensors:tensor
  std::string positions;  // empty: 0 to N; @ids.npy may have a row per batch row
  bool inverse = false;
  bool backward = false;
  bool keys = false;    // of pope and xpos: the input are keys
  std::string delta;    // of pope: the learned angles, a file
  std::string to;       // positions that rotated keys move to; empty: none, or with to_spec where they are
  std::string to_spec;  // the encoding that they move to; empty: the same
  std::string scale = "1";
  int threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

struct BiasOptions {
  std::string spec;
  std::string queries;
  std::string keys;                     // empty: the positions of the queries
  std::string file;                     // the first parameter, or a safetensors file with all of them by name
  std::vector<std::string> parameters;  // name=file.npy, name=file.safetensors:tensor or name=0.5/0
  std::string values;                   // of the first parameter, 0.5/0/-0.5
  bool causal = false;
  std::string dtype;  // empty: f64 where numbers are text, f32 in files of numbers
  std::int64_t max_bytes = 16'000'000'000;
  OutputOptions output;
};

struct AttendOptions {
  std::vector<std::string> specs;  // at most one rotary, one bias, one score term; masks
  std::string q, k, v;             // file.npy or file.safetensors:tensor
  std::string positions;           // of queries, and of keys unless they have their own; empty: counted
  std::string key_positions;
  std::string file;  // as in BiasOptions
  std::vector<std::string> parameters;
  std::string values;
  bool causal = false;
  std::string align;  // end or start; empty: end
  std::optional<std::int64_t> query_offset;
  std::optional<std::int64_t> window;
  std::int64_t sink_keys = 0;
  std::string key_mask, mask, documents;  // files
  std::string scale, softcap, sinks;
  std::optional<double> dropout;
  std::string dropout_seed, step;
  std::string weights, log_sum_exp;  // files to write
  int threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

struct PlotOptions {
  std::string figure;
  std::string spec;                                    // empty: none, where the figure needs none
  std::string positions, channels, sentence, content;  // empty, as the next five: as the figure likes
  std::optional<double> position, shift;
  std::optional<std::int64_t> train, head;
  std::string random_seed;  // 0
  std::string theme = "auto";
  std::optional<double> width, height;  // in points
  std::optional<double> scale;          // pixels per point
  std::string style = "auto";
  std::string color = "auto";
  std::int64_t columns = 0;  // 0: what the terminal has
  std::int64_t lines = 0;
  WeightOptions weights;
  std::vector<std::string> parameters;
  std::string values;
  OutputOptions output;
};

// Of the sources, the first nine, exactly one is given; the others say more about it.
// Positions of pictures: patches of a tower, or the ids of text with pictures in it.
struct VisionOptions {
  std::optional<std::int64_t> merge;
  std::string axes, coordinates;  // with patches
  std::string images, videos;     // with token_types: 1x4x4,1x2x4
  std::string resume, frame_step, seconds_per_grid;
  std::optional<double> tokens_per_second;
  bool split_frames = false;
};

struct PositionsOptions {
  std::string mask, tokens, lengths, bounds, segments, after, grid, image, packed_ids;
  std::string patches;      // HxW or TxHxW
  std::string token_types;  // 0 text, 1 image, 2 video
  std::optional<std::int64_t> pad_token;
  std::string pads;        // an id, "previous" or "counted"
  std::string convention;  // instead of pads and first
  std::optional<std::int64_t> first, past, last;
  std::optional<std::int64_t> count;  // with after
  std::string at;                     // with grid: ids whose places are asked for
  std::optional<std::int64_t> side;   // with image
  std::string fraction;               // with image
  std::string by;                     // with packed_ids
  VisionOptions vision;
  OutputOptions output;
};

struct PermutationOptions {
  std::string sentence = "the cat sat on the mat";
  std::string other;        // the same words in another order; empty: "the mat sat on the cat", else as permuted
  std::string permutation;  // token permutation[n] comes to place n; empty: by the number of tokens
  std::int64_t width = 32;
  std::int64_t heads = 4;
  std::string seed;                    // 0
  std::vector<std::string> encodings;  // empty: one of every sort
  OutputOptions output;
};

struct OrderOptions {
  std::int64_t width = 4;
  std::string seed;  // 0
  OutputOptions output;
};

struct ReportCommandOptions {
  std::vector<std::string> specs;
  bool lesson = false;
  std::string sentence;  // with lesson
  bool advise = false;
  std::optional<std::int64_t> train;  // none: what the scaling of a spec was trained on, else 2048
  std::optional<std::int64_t> infer;  // with advise; 8 times the training length
  std::string draws_seed;             // 0
  bool overwrite = false;
  WeightOptions weights;  // of the only encoding
  std::vector<std::string> parameters;
  std::string values;
  OutputOptions output;
};

struct CompletionOptions {
  std::string shell;
};

struct BenchOptions {
  std::string filter;
  double seconds = 0.4;
  OutputOptions output;
};

struct ExercisesOptions {
  std::string spec;
  std::string seed;  // 0
  bool answers = false;
  std::string grade;  // a file of answers; empty: write the worksheet
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

// Of another engine's numbers, one kind is given: files with what belongs to them.
struct DiagnoseCommandOptions {
  std::string spec;
  std::optional<std::int64_t> sequence_length, layer;
  std::string part;
  std::string inv_freq;
  std::string cos, sin;
  std::string input, rotated;
  std::string scores, q, k;
  std::string bias;
  std::string table;
  std::string positions;      // of tables, vectors and rows; empty: counted from 0
  std::string queries, keys;  // of scores and biases; empty: counted from 0
  std::optional<double> scale;
  std::string file;  // the learned table of the encoding itself
  std::vector<std::string> parameters;
  bool faults = false;  // list what is known
  std::string inject;   // show what a mistake would do
  std::string picture;  // an SVG of it
  OutputOptions output;
};

struct CheckCommandOptions {
  std::string spec;
  std::string positions;              // empty: as the library chooses, or the rows of the table from 0
  std::optional<std::int64_t> train;  // none: what the scaling of the spec was trained on, else 2048
  std::string table;                  // of another engine: file.npy or file.safetensors:tensor; empty: none
  WeightOptions weights;
  std::vector<std::string> parameters;
  std::string values;
  OutputOptions output;
};

struct PlanOptions {
  std::string spec;
  std::int64_t trained = 0;
  std::int64_t target = 0;
  OutputOptions output;
};

struct ShowOptions {
  std::string spec;      // a config.json, a GGUF, a name of the catalog
  bool catalog = false;  // instead: what the catalog has
  bool types = false;    // instead: the model types that are known
  std::string uses;      // with either: only those that use this kind, scaling or layout
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> layer;
  std::string part;
  bool lenient = false;
  std::vector<std::string> readings;  // where the other way is wanted
  std::string as;                     // a model type, whatever the file says
  OutputOptions output;
};

struct CompareCommandOptions {
  std::string a, b;
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> positions;
  std::optional<std::int64_t> layer;
  std::string part;
  double tolerance = 1e-6;
  OutputOptions output;
};

// Each returns the exit code: 0, or 1 if a check found a difference. Everything else is an exception.
int run_list(const ListOptions& options);
int run_table(const TableOptions& options);
int run_add(const AddOptions& options);
int run_rotate(const RotateOptions& options);
int run_bias(const BiasOptions& options);
int run_attend(const AttendOptions& options);
int run_explain(const ExplainOptions& options);
int run_plot(const PlotOptions& options);
int run_positions(const PositionsOptions& options);
int run_resize(const ResizeOptions& options);
int run_demo_permutation(const PermutationOptions& options);
int run_demo_order(const OrderOptions& options);
int run_bench(const BenchOptions& options);
int run_check(const CheckCommandOptions& options);
int run_plan(const PlanOptions& options);
int run_diagnose(const DiagnoseCommandOptions& options);
int run_compare(const CompareCommandOptions& options);
int run_exercises(const ExercisesOptions& options);
int run_report(const ReportCommandOptions& options);
int run_show(const ShowOptions& options);
int run_show_list(const ShowOptions& options);  // with catalog or types

// Reads the command line and runs the command.
int run_app(int argc, char** argv);

}  // namespace posenc::cli
