#include "posenc/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "cli/attend_mask.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
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

// What the encodings of a command are made of; the options point into it.
struct Attention {
  std::vector<Encoding> encodings;
  std::vector<Spec> masks;  // those of them that hide keys by their positions
  Array sinks;
  MaskMemory mask_memory;
  TokenPositions query_positions, key_positions;
  AttendOptions options;
};

// Windows and chunks, one of each, become part of the mask, which can skip whole blocks of keys: a bias cannot.
bool add_mask_spec(const Spec& spec, std::vector<Spec>& masks) {
  if (!std::holds_alternative<Window>(spec) && !std::holds_alternative<Chunked>(spec)) return false;
  for (const Spec& mask : masks) {
    if (mask.index() != spec.index()) continue;
    fail(ErrorKind::usage, fmt::format("an attention has one {} mask, but two were given", kind_of(spec)));
  }
  masks.push_back(spec);
  return true;
}

void add_encodings(const AttendCommand& options, std::vector<Encoding> found, Attention& attention) {
  for (const Encoding& encoding : found) {
    if (found.size() > 1 && encoding.place() == Place::nowhere) {
      fail(ErrorKind::usage, "none says that there is no encoding: it stands alone");
    }
  }
  for (const Encoding& encoding : found) {
    check_place(encoding.spec(), {Place::rotation, Place::query, Place::bias, Place::term, Place::nowhere});
  }
  attention.encodings = with_learned(std::move(found), options.encoding);
  for (const Encoding& encoding : attention.encodings) {
    if (!add_mask_spec(encoding.spec(), attention.masks)) add_encoding(attention.options, encoding);
  }
}

void add_numbers(const AttendCommand& options, Attention& attention) {
  AttendOptions& made = attention.options;
  if (!options.scale.empty()) made.softmax_scale = finite_number(options.scale, "--scale");
  if (!options.softcap.empty()) made.softcap = finite_number(options.softcap, "--softcap");
  if (!options.sinks.empty()) {
    attention.sinks = load_array(options.sinks);
    made.sinks = attention.sinks.view();
  }
  if (options.dropout) {
    made.dropout.p = *options.dropout;
    made.dropout.seed = options.dropout_seed.value_or(0);
    made.dropout.step = options.step.value_or(0);
  } else if (options.dropout_seed || options.step) {
    fail(ErrorKind::usage, "--dropout-seed and --step are for --dropout");
  }
}

void add_positions(const AttendCommand& options, const Array& q, const Array& k, Attention& attention) {
  std::int64_t axes = 1;
  for (const Encoding& encoding : attention.encodings) axes = std::max(axes, axes_of(encoding.spec()));
  const auto place = [&](const PositionText& given, const std::string& file, const Array& heads, TokenPositions& to) {
    const TokenCount count = tokens_of(heads, 4);
    to = token_positions(given, axes, count);
    to.check_count(file, count);
    return to.view;
  };
  AttendOptions& made = attention.options;
  const PositionText queries(options.positions);
  if (!options.positions.empty()) made.query_positions = place(queries, options.q, q, attention.query_positions);
  const PositionText keys = options.key_positions.empty() ? queries : PositionText(options.key_positions);
  if (!keys.text.empty()) made.key_positions = place(keys, options.k, k, attention.key_positions);
}

// No file may be written twice, by whatever name.
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
      fail(ErrorKind::usage, fmt::format("{} is to be written twice: give every output a file of its own",
                                         file == "-" ? "standard output" : file));
    }
    files.push_back(file);
  }
}

MaskGrid grid_of(const ConstView& q, const ConstView& k) {
  const std::size_t first = q.rank == 4 ? 1 : 0;
  return {first == 1 ? q.shape[0] : 1, q.shape[first], k.shape[k.rank == 4 ? 1 : 0]};
}

// An array for the softmax weights or the log of their sums, where a file is asked for.
View extra_output(const std::string& file, const ConstView& q, std::int64_t keys, Array& array) {
  if (file.empty()) return {};
  const std::size_t first = q.rank == 4 ? 1 : 0;
  std::vector<std::int64_t> shape;
  if (first == 1) shape.push_back(q.shape[0]);
  shape.push_back(q.shape[first + 1]);
  shape.push_back(q.shape[first]);
  if (keys > 0) shape.push_back(keys);
  array = make_array(q.dtype == DType::f64 ? DType::f64 : DType::f32, shape);
  return writable(array);
}

// Of a file beside the output: by its name alone.
std::string extra_format(const std::string& file) {
  const std::string extension = file == "-" ? "" : std::filesystem::path(file).extension().string();
  for (const char* known : {"json", "npy", "safetensors"}) {
    if (extension == std::string(".") + known) return known;
  }
  if (extension.empty() || extension == ".txt") return "text";
  fail(ErrorKind::unsupported,
       fmt::format("'{}': names of --weights and --log-sum-exp end in .npy, .safetensors, .json or .txt", file));
}

Json::Object head_of(const AttendCommand& options, const Attention& attention) {
  Json::Array specs;
  for (const Encoding& encoding : attention.encodings) specs.push_back(to_json(encoding.spec()));
  const Mask& mask = attention.options.mask;
  const char* causal = mask.causal == Causal::none ? "none" : mask.causal == Causal::end ? "end" : "start";
  return {{"specs", Json(specs)},
          {"q", Json(options.q)},
          {"k", Json(options.k)},
          {"v", Json(options.v)},
          {"causal", Json(causal)}};
}

int run(const AttendCommand& options) {
  std::vector<Encoding> found = find_with_remarks(options.specs, options.encoding);
  const OutputOptions weights_file{"", options.weights}, sums_file{"", options.log_sum_exp};
  const std::string format = choose_array_format(options.output, options.tensor),
                    weights_format = extra_format(options.weights), sums_format = extra_format(options.log_sum_exp);
  check_outputs(options);
  Attention attention;
  add_encodings(options, std::move(found), attention);
  const Array q = load_heads(options.q), k = load_heads(options.k), v = load_heads(options.v);
  AttendOptions& made = attention.options;
  made.mask = load_mask(options.mask, attention.mask_memory);
  add_numbers(options, attention);
  add_positions(options, q, k, attention);
  const ConstView queries = heads_of(q), keys = heads_of(k);
  const MaskGrid grid = grid_of(queries, keys);
  check_mask(made.mask, grid, "attend");
  add_mask_specs(attention.masks, grid, made, attention.mask_memory);
  const Workers workers(static_cast<int>(options.threads));
  made.workers = &workers;

  std::vector<std::int64_t> shape = q.shape;
  shape.back() = v.shape.back();
  Array out = make_array(q.dtype, shape), weights, sums;
  made.weights = extra_output(options.weights, queries, grid.keys, weights);
  made.log_sum_exp = extra_output(options.log_sum_exp, queries, 0, sums);
  attend(queries, keys, heads_of(v), heads_of(out), made);

  std::vector<Output> outputs;  // all are there, or none
  if (!options.weights.empty()) {
    outputs.push_back(start_array(weights.view(), {weights_format, "weights", {}, {}}, weights_file));
  }
  if (!options.log_sum_exp.empty()) {
    outputs.push_back(start_array(sums.view(), {sums_format, "log_sum_exp", {}, {}}, sums_file));
  }
  outputs.push_back(start_result(out.view(), format, options.tensor, head_of(options, attention), options.output));
  for (Output& output : outputs) output.finish();
  return 0;
}

}  // namespace

void add_attend(Command& app) {
  const auto options = std::make_shared<AttendCommand>();
  Command command = app.command(
      "attend", "Attention with encodings: softmax(scale q.k + bias) v.",
      "  posenc attend alibi:heads=8 --q q.npy --k k.npy --v v.npy --causal -o out.npy\n"
      "  posenc attend rotary:head_dim=64 --q q.npy --k k.npy --v v.npy --causal --weights w.npy -o out.npy\n"
      "  posenc attend t5:heads=8 --file bias.npy --q q.npy --k k.npy --v v.npy --scale 1 -o out.npy");
  command
      .add("SPEC", options->specs,
           "none, or what acts inside attention: rotary, pope or xpos, temperature, a bias, a score term,\n"
           "window, chunked; one of each may be given")
      .required();
  add_spec_choice(command, options->encoding);
  command.add("--q", options->q, "queries, [N, D], [N, H, D] or [B, N, H, D]: q.npy, m.safetensors:q").required();
  command.add("--k", options->k, "keys, the same; H must be a multiple of their heads").required();
  command.add("--v", options->v, "values; their width may be another").required();
  command.text("--positions", options->positions, "of queries, and of keys unless they have their own");
  command.text("--key-positions", options->key_positions, kPositionsHelp);
  add_parameter_file(command, options->encoding);
  add_parameters(command, options->encoding);
  add_mask_options(command, options->mask);
  command.text("--scale", options->scale, "of the scores (default: 1/sqrt(D)); 1 in T5");
  command.text("--softcap", options->softcap, "scores become cap * tanh(score / cap), before a bias");
  command.text("--sinks", options->sinks, "a score per head that takes its share and gives nothing, [H]");
  command.add("--dropout", options->dropout, "of the weights, 0 to below 1");
  command.add("--dropout-seed", options->dropout_seed, "with --dropout (default: 0)");
  command.add("--step", options->step, "with --dropout: another mask for every step (default: 0)");
  command.text("--weights", options->weights, "also write the softmax weights, [H, N, S]");
  command.text("--log-sum-exp", options->log_sum_exp, "also write the log of their sums, [H, N]");
  add_threads(command, options->threads);
  add_tensor(command, options->tensor);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
