#include "posenc/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/array_output.h"
#include "cli/array_report.h"
#include "cli/arrays.h"
#include "cli/attend_mask.h"
#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/random_input.h"
#include "cli/shared_options.h"
#include "cli/sized_spec.h"
#include "cli/token_positions.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/workers.h"

namespace posenc::cli {
namespace {

struct AttendCommand {
  std::vector<std::string> specs;  // at most one rotary, one bias, one score term; masks
  EncodingOptions encoding;
  std::string q, k, v;    // file.npy or file.safetensors:tensor
  std::string random;     // instead of files: a shape
  std::string positions;  // of queries, and of keys unless they have their own; empty: counted
  std::string key_positions;
  MaskOptions mask;
  std::string scale, softcap, sinks;
  std::optional<double> dropout;
  std::optional<std::uint64_t> dropout_seed, step;
  std::string weights, log_sum_exp;  // files to write
  std::int64_t threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

// Everything that the options of attention point to.
struct Attention {
  std::vector<Encoding> encodings;
  std::vector<Spec> masks;  // the specs that hide keys by their positions
  Array sinks;
  MaskMemory mask_memory;
  TokenPositions query_positions, key_positions;
  AttendOptions options;
};

struct Heads {
  Input q, k, v;
};

// Windows and chunks, at most one of each, become part of the mask, because a mask can skip whole blocks of keys and a
// bias cannot.
bool add_mask_spec(const Spec& spec, std::vector<Spec>& masks) {
  if (!std::holds_alternative<Window>(spec) && !std::holds_alternative<Chunked>(spec)) return false;
  for (const Spec& mask : masks) {
    if (mask.index() != spec.index()) continue;
    fail(ErrorKind::usage, fmt::format("only one {} mask can be used but two were given", kind_of(spec)));
  }
  masks.push_back(spec);
  return true;
}

void add_encodings(const AttendCommand& options, std::vector<Encoding> found, Attention& attention) {
  for (const Encoding& encoding : found) {
    if (found.size() > 1 && encoding.place() == Place::nowhere) {
      fail(ErrorKind::usage, "'none' means no encoding: leave it out, or leave out the others");
    }
  }
  for (const Encoding& encoding : found) {
    check_place(encoding.spec(), {Place::rotation, Place::query, Place::bias, Place::term, Place::nowhere});
  }
  attention.encodings = with_learned(std::move(found), learned_options(options.encoding, !options.random.empty()));
  for (const Encoding& encoding : attention.encodings) say_untrained(encoding);
  for (const Encoding& encoding : attention.encodings) {
    if (!add_mask_spec(encoding.spec(), attention.masks)) add_encoding(attention.options, encoding);
  }
}

void add_numbers(const AttendCommand& options, Attention& attention) {
  AttendOptions& made = attention.options;
  if (!options.scale.empty()) made.softmax_scale = finite_number(options.scale, "--softmax-scale");
  if (!options.softcap.empty()) made.softcap = finite_number(options.softcap, "--softcap");
  if (!options.sinks.empty()) {
    attention.sinks = load_filled(options.sinks, 1, "a score per head, [H]");
    made.sinks = attention.sinks.view();
  }
  if (options.dropout) {
    made.dropout.p = *options.dropout;
    made.dropout.seed = options.dropout_seed.value_or(0);
    made.dropout.step = options.step.value_or(0);
  } else if (options.dropout_seed || options.step) {
    fail(ErrorKind::usage, "--dropout-seed and --step need --dropout P, such as --dropout 0.1");
  }
}

void add_positions(const AttendCommand& options, const Heads& heads, Attention& attention) {
  std::int64_t axes = 1;
  for (const Encoding& encoding : attention.encodings) axes = std::max(axes, axes_of(encoding.spec()));
  const auto place = [&](const PositionText& given, const Input& input, TokenPositions& to) {
    const TokenCount count = tokens_of(input.array, 4);
    to = token_positions(given, axes, count);
    to.check_count(input.name, count);
    return to.view;
  };
  AttendOptions& made = attention.options;
  const PositionText queries(options.positions);
  if (!options.positions.empty()) made.query_positions = place(queries, heads.q, attention.query_positions);
  const PositionText keys = options.key_positions.empty() ? queries : PositionText(options.key_positions);
  if (!keys.text.empty()) made.key_positions = place(keys, heads.k, attention.key_positions);
}

// Throws if a file would be written twice, even under different names.
void check_outputs(const AttendCommand& options) {
  const auto place_of = [](const std::string& path) {
    if (path.empty() || path == "-") return std::filesystem::path("-");
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  std::vector<std::string> files = {options.output.path};
  for (const std::string& file : {options.weights, options.log_sum_exp}) {
    if (file.empty()) continue;
    for (const std::string& other : files) {
      if (place_of(file) != place_of(other)) continue;
      fail(ErrorKind::usage,
           fmt::format("two outputs go to {}: give each a file of its own", file == "-" ? "standard output" : file));
    }
    files.push_back(file);
  }
}

MaskGrid grid_of(const ConstView& q, const ConstView& k) {
  const std::size_t first = q.rank == 4 ? 1 : 0;
  return {first == 1 ? q.shape[0] : 1, q.shape[first], k.shape[k.rank == 4 ? 1 : 0]};
}

// An array for the softmax weights, or, without keys, for the log of their sums.
View extra_output(bool wanted, const ConstView& q, std::int64_t keys, Array& array) {
  if (!wanted) return {};
  const std::size_t first = q.rank == 4 ? 1 : 0;
  std::vector<std::int64_t> shape;
  if (first == 1) shape.push_back(q.shape[0]);
  shape.push_back(q.shape[first + 1]);
  shape.push_back(q.shape[first]);
  if (keys > 0) shape.push_back(keys);
  array = make_array(q.dtype == DType::f64 ? DType::f64 : DType::f32, shape);
  return writable(array);
}

// The format of --weights or --log-sum-exp, from the name of the file.
std::string extra_format(const std::string& file) {
  const std::string extension = file == "-" ? "" : std::filesystem::path(file).extension().string();
  for (const char* known : {"json", "npy", "safetensors"}) {
    if (extension == std::string(".") + known) return known;
  }
  if (extension.empty() || extension == ".txt") return "text";
  fail(ErrorKind::unsupported,
       fmt::format("--weights and --log-sum-exp write .npy, .safetensors, .json or .txt files but got '{}'", file));
}

Json::Object head_of(const Attention& attention, const Heads& heads) {
  Json::Array specs;
  for (const Encoding& encoding : attention.encodings) specs.push_back(to_json(encoding.spec()));
  const Mask& mask = attention.options.mask;
  const char* causal = mask.causal == Causal::none ? "none" : mask.causal == Causal::end ? "end" : "start";
  const auto source = [](const Input& input) { return input.made.empty() ? Json(input.name) : input.json; };
  return {{"specs", Json(specs)},
          {"q", source(heads.q)},
          {"k", source(heads.k)},
          {"v", source(heads.v)},
          {"causal", Json(causal)}};
}

bool has_files(const AttendCommand& options) { return !(options.q + options.k + options.v).empty(); }

// What to say if not all of q, k and v are there; else empty.
std::string missing_heads(const AttendCommand& options) {
  std::string missing;
  for (const auto& [option, file] : {std::pair{"--q", &options.q}, {"--k", &options.k}, {"--v", &options.v}}) {
    if (file->empty()) missing += fmt::format(" {} {}.npy", option, option + 2);
  }
  if (missing.empty() || !options.random.empty()) return "";
  if (has_files(options)) return "queries, keys and values are needed; add" + missing;
  return "queries, keys and values are missing:" + missing + ", or --random 2x10x4x16";
}

Heads load_all_heads(const AttendCommand& options) {
  if (const std::string missing = missing_heads(options); !missing.empty()) fail(ErrorKind::usage, missing);
  if (options.random.empty()) {
    return {{load_heads(options.q), options.q}, {load_heads(options.k), options.k}, {load_heads(options.v), options.v}};
  }
  if (has_files(options)) fail(ErrorKind::usage, "give --random or the files --q, --k and --v, not both");
  const std::uint64_t seed = options.encoding.seed.value_or(0);
  const auto made = [&](std::uint64_t stream) {
    return random_input(options.random, {"N, D", "N, H, D", "B, N, H, D"}, 1.0, seed, stream);
  };
  return {made(0), made(1), made(2)};
}

// The first sequence and head: [N, D] of the output, [N, S] of the weights.
ConstView first_head(const ConstView& heads) {
  const ConstView one = heads.rank == 4 ? heads[0] : heads;
  return one.swap(0, 1)[0];
}

ConstView first_map(const ConstView& weights) { return weights.rank == 4 ? weights[0][0] : weights[0]; }

std::string report_of(const Attention& attention, const Heads& heads, const Array& out, const ConstView& weights) {
  std::string names;
  for (const Encoding& encoding : attention.encodings) names += (names.empty() ? "" : " ") + encoding.text();
  const bool batch = out.shape.size() == 4;
  ArrayReport report;
  report.array("q", heads.q.array.view(), heads.q.made);
  report.array("k", heads.k.array.view(), "random, from the same seed");
  report.array("v", heads.v.array.view(), "random, from the same seed");
  report.array(
      "weights", weights,
      fmt::format("softmax(scores), {}{}", names, attention.options.mask.causal == Causal::none ? "" : ", causal"));
  report.array("output", out.view(), "weights * v");
  const char* first = batch ? "sequence 0, head 0" : "head 0";
  report.first_numbers(fmt::format("weights of {}; every row sums to 1", first), "query", first_map(weights));
  report.first_numbers(fmt::format("output of {}", first), "token", first_head(heads_of(out)));
  return report.text();
}

int attend_files(const AttendCommand& options) {
  std::vector<std::string> specs;
  for (const std::string& spec : options.specs) specs.push_back(spec_for_heads(spec, options.random));
  std::vector<Encoding> found = find_beside_input(specs, options.encoding, missing_heads(options));
  const OutputOptions weights_file{"", options.weights}, sums_file{"", options.log_sum_exp};
  const std::string format = choose_array_format(options.output, options.tensor),
                    weights_format = extra_format(options.weights), sums_format = extra_format(options.log_sum_exp);
  check_outputs(options);
  Attention attention;
  add_encodings(options, std::move(found), attention);
  const Heads heads = load_all_heads(options);
  AttendOptions& made = attention.options;
  made.mask = load_mask(options.mask, attention.mask_memory);
  add_numbers(options, attention);
  add_positions(options, heads, attention);
  const ConstView queries = heads_of(heads.q.array), keys = heads_of(heads.k.array);
  const MaskGrid grid = grid_of(queries, keys);
  check_mask(made.mask, grid, "attend");
  add_mask_specs(attention.masks, grid, made, attention.mask_memory);
  const Workers workers(static_cast<int>(options.threads));
  made.workers = &workers;

  std::vector<std::int64_t> shape = heads.q.array.shape;
  shape.back() = heads.v.array.shape.back();
  Array out = make_array(heads.q.array.dtype, shape), weights, sums;
  const bool reports = !options.random.empty() && wants_report(format, options.output);
  made.weights = extra_output(reports || !options.weights.empty(), queries, grid.keys, weights);
  made.log_sum_exp = extra_output(!options.log_sum_exp.empty(), queries, 0, sums);
  attend(queries, keys, heads_of(heads.v.array), heads_of(out), made);

  std::vector<Output> outputs;  // finished together, so that an error leaves no file
  if (!options.weights.empty()) {
    outputs.push_back(start_array(weights.view(), {weights_format, "weights", {}, {}}, weights_file));
  }
  if (!options.log_sum_exp.empty()) {
    outputs.push_back(start_array(sums.view(), {sums_format, "log_sum_exp", {}, {}}, sums_file));
  }
  Result result{format, options.tensor, head_of(attention, heads)};
  if (reports) result.report = report_of(attention, heads, out, weights.view());
  outputs.push_back(start_result(out.view(), result, options.output));
  for (Output& output : outputs) output.finish();
  print_report(result, options.output);
  return 0;
}

// Messages about an input name its file.
int run(const AttendCommand& options) {
  try {
    return attend_files(options);
  } catch (const Error& error) {
    fail_naming(error, {{"q", options.q},
                        {"k", options.k},
                        {"v", options.v},
                        {"sinks", options.sinks},
                        {"mask keys", options.mask.key_mask},
                        {"mask pairs", options.mask.mask},
                        {"mask documents", options.mask.documents}});
  }
}

}  // namespace

void add_attend(Command& app) {
  const auto options = std::make_shared<AttendCommand>();
  Command command = app.command(
      "attend", "Compute attention with encodings: softmax(scale q.k + bias) v",
      "  posenc attend alibi:heads=4 --random 2x10x4x16 --causal\n"
      "  posenc attend alibi:heads=8 --q q.npy --k k.npy --v v.npy --causal -o out.npy\n"
      "  posenc attend rotary:head_dim=64 --q q.npy --k k.npy --v v.npy --causal --weights w.npy -o out.npy\n"
      "  posenc attend t5:heads=8 --file bias.npy --q q.npy --k k.npy --v v.npy --softmax-scale 1 -o out.npy");
  command
      .add("SPEC", options->specs,
           "none, or encodings inside attention: a rotation (rotary, pope or xpos), a temperature, a bias, a score "
           "term, "
           "window, chunked; at most one of each")
      .required();
  add_spec_choice(command, options->encoding);
  const auto input = [&](const char* names, std::string& file, const char* help) {
    command.text(names, file, help).value("FILE").group("Input");
  };
  input("--q", options->q, "queries, [N, D], [N, H, D] or [B, N, H, D]: q.npy or m.safetensors:q");
  input("--k", options->k, "keys of the same width; H must be a multiple of their heads");
  input("--v", options->v, "values; their width may differ");
  add_random_shape(command, options->random, "use random queries, keys and values of this shape: 10x4x16 or 2x10x4x16");
  command.text("--positions,-p", options->positions, "positions of queries, and of keys unless they have their own")
      .positions()
      .formerly("--position");
  command.text("--keys", options->key_positions, std::string("positions of keys: ") + kPositionsHelp)
      .positions()
      .formerly("--key-positions");
  add_parameter_file(command, options->encoding);
  add_parameters(command, options->encoding);
  add_init(command, options->encoding, "seed of --random and of --init (default: 0)");
  add_mask_options(command, options->mask);
  command.text("--softmax-scale", options->scale, "multiply the scores by this number (default: 1/sqrt(D)); T5 uses 1")
      .value("X")
      .formerly("--scale");
  command.text("--softcap", options->softcap, "replace scores by cap * tanh(score / cap) before a bias is added");
  command
      .text("--sinks", options->sinks,
            "read a score per head, [H], that takes its share of the weights and adds nothing")
      .value("FILE");
  command.add("--dropout", options->dropout, "set weights to 0 with this probability, 0 to below 1");
  command.add("--dropout-seed", options->dropout_seed, "with --dropout: seed of the mask (default: 0)");
  command.add("--step", options->step, "with --dropout: training step; each has another mask (default: 0)");
  command.text("--weights", options->weights, "also write the softmax weights, [H, N, S], to this file").value("FILE");
  command.text("--log-sum-exp", options->log_sum_exp, "also write the log of their sums, [H, N], to this file")
      .value("FILE");
  add_threads(command, options->threads);
  add_tensor(command, options->tensor);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
