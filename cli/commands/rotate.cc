#include "posenc/rotate.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/rotary_table.h"
#include "cli/shared_options.h"
#include "cli/token_positions.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/pope.h"
#include "posenc/query_temperature.h"
#include "posenc/rerotate.h"
#include "posenc/workers.h"
#include "posenc/xpos.h"

namespace posenc::cli {
namespace {

struct RotateCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string input;      // queries or keys: file.npy or file.safetensors:tensor
  std::string positions;  // empty: 0 to N; @ids.npy may have a row per batch row
  bool inverse = false;
  bool backward = false;
  bool keys = false;    // of pope and xpos: the input are keys
  std::string delta;    // of pope: the learned angles, a file
  std::string to;       // positions that rotated keys move to; empty: none, or with to_spec where they are
  std::string to_spec;  // the encoding that they move to; empty: the same
  std::string scale = "1";
  std::int64_t threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

const Rotary& rotary_of(const Spec& spec) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return *rotary;
  refuse_attention_kind(spec);
  fail(ErrorKind::usage, fmt::format("queries and keys are turned by rotary encodings; {} is added to embeddings: see "
                                     "posenc add --help",
                                     kind_of(spec)));
}

// Of a temperature any width fits.
std::optional<std::int64_t> head_dim_of(const Spec& spec) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return rotary->head_dim;
  if (const auto* pope = std::get_if<Pope>(&spec)) return pope->head_dim;
  if (const auto* xpos = std::get_if<Xpos>(&spec)) return xpos->head_dim;
  return std::nullopt;
}

Array load_input(const std::string& file, const Encoding& encoding) {
  Array input = load_heads(file, "queries or keys, ");
  const std::int64_t width = input.shape.back();
  const std::int64_t head_dim = head_dim_of(encoding.spec()).value_or(width);
  if (width == head_dim) return input;
  const std::string hint =
      width > head_dim && width % head_dim == 0
          ? fmt::format("; {} heads side by side are [N, {}, {}]", width / head_dim, width / head_dim, head_dim)
          : "";
  fail(ErrorKind::bad_input, fmt::format("{}: expected heads of {} channels, the head_dim of '{}', but got [{}]{}",
                                         file, head_dim, encoding.text(), fmt::join(input.shape, ", "), hint));
}

bool moves(const RotateCommand& options) { return !options.to.empty() || !options.to_spec.empty(); }

void check_options(const RotateCommand& options, const std::string& format) {
  if (!options.tensor.empty() && format != "safetensors") {
    fail(ErrorKind::usage, "--tensor names a tensor in a safetensors file");
  }
  if (options.inverse && options.backward) {
    fail(ErrorKind::usage,
         "--inverse and --backward exclude each other: one undoes the rotation, the other is its gradient");
  }
  if (moves(options) && (options.inverse || options.backward)) {
    fail(ErrorKind::usage, fmt::format("--to and --to-spec move what is rotated already: {} goes without them",
                                       options.inverse ? "--inverse" : "--backward"));
  }
}

// What is turned and where it stands: the input, and one or two placements of its tokens.
struct Rotation {
  Rotary spec;
  TokenPositions positions;
  std::optional<Rotary> to_spec = {};
  std::optional<TokenPositions> to = {};
};

TokenPositions fitting(const PositionText& given, const Spec& spec, const std::string& file, TokenCount count) {
  const std::int64_t axes = axes_of(spec);
  if (given.text.empty() && axes > 1) {
    fail(ErrorKind::usage,
         fmt::format("--positions are needed: the spec has {} axes, and only one can be counted", axes));
  }
  TokenPositions positions = token_positions(given, axes, count);
  check_axes(spec, positions.view, positions.text);
  positions.check_count(file, count);
  return positions;
}

TokenCount tokens_of(const Array& input) {
  const std::size_t rank = input.shape.size();
  return {rank == 4 ? input.shape[0] : 0, input.shape[rank == 4 ? 1 : 0]};
}

// `found` is the encoding, and that of --to-spec where there is one.
Rotation load_rotation(const RotateCommand& options, const std::vector<Encoding>& found, const Array& input) {
  const Rotary& spec = rotary_of(found.front().spec());
  const TokenCount count = tokens_of(input);
  const PositionText positions(options.positions);
  Rotation rotation{spec, fitting(positions, spec, options.input, count)};
  if (!moves(options)) return rotation;
  rotation.to_spec = rotary_of(found.back().spec());
  rotation.to =
      fitting(options.to.empty() ? positions : PositionText(options.to), *rotation.to_spec, options.input, count);
  return rotation;
}

void apply(const RotateCommand& options, const Rotation& rotation, const View& x, double scale) {
  const Workers workers(static_cast<int>(options.threads));
  const RotateOptions rotate_options{.output_scale = scale, .workers = &workers};
  // Each position is used once here, so that a table would save nothing.
  const RotaryAngles angles(rotation.spec);
  const PositionView& positions = rotation.positions.view;
  if (rotation.to) {
    const RotaryAngles after(*rotation.to_spec);
    rerotate(x, {angles, positions}, {after, rotation.to->view}, rotate_options);
  } else if (options.inverse) {
    rotate_inverse(x, positions, angles, rotate_options);
  } else if (options.backward) {
    rotate_backward(x, positions, angles, rotate_options);
  } else {
    rotate(x, positions, angles, rotate_options);
  }
}

// Everything that the numbers depend on but the input.
Json::Object head_of(const RotateCommand& options, const Rotation& rotation, double scale) {
  const char* direction = rotation.to        ? "move"
                          : options.inverse  ? "inverse"
                          : options.backward ? "backward"
                                             : "forward";
  return {{"spec", to_json(rotation.spec)},
          {"positions", Json(rotation.positions.text)},
          {"direction", Json(direction)},
          {"to", rotation.to ? Json(rotation.to->text) : Json()},
          {"to_spec", options.to_spec.empty() ? Json() : to_json(*rotation.to_spec)},
          {"scale", Json(scale)}};
}

int write_result(const RotateCommand& options, const std::string& format, const Array& result, Json::Object head) {
  const Metadata metadata = {{"posenc", to_text(Json(head))}};
  head.emplace_back("dtype", to_text(result.dtype));
  write_array(result.view(), {format, options.tensor.empty() ? "values" : options.tensor, head, metadata},
              options.output);
  return 0;
}

// What pope, xpos and temperature do not do.
void check_other_options(const RotateCommand& options, const Spec& spec) {
  const bool xpos = std::holds_alternative<Xpos>(spec), pope = std::holds_alternative<Pope>(spec);
  const auto refuse = [&](bool given, const char* option) {
    if (given) fail(ErrorKind::usage, fmt::format("{} is not for {}", option, kind_of(spec)));
  };
  refuse(!options.to.empty(), "--to");
  refuse(!options.to_spec.empty(), "--to-spec");
  refuse(options.inverse && !xpos, "--inverse");
  refuse(options.backward && !xpos, "--backward");
  refuse(options.keys && !xpos && !pope, "--keys");
  refuse(!options.delta.empty() && !pope, "--delta");
  refuse(options.scale != "1" && !xpos, "--scale");
}

Array expanded(const RotateCommand& options, const Pope& spec, Array& input, const PositionView& positions,
               const Workers& workers) {
  const PopeAngles angles(spec);
  std::vector<std::int64_t> shape = input.shape;
  shape.back() = angles.out_dim();
  Array out = make_array(input.dtype, shape);
  Array delta;
  PopeOptions made{.workers = &workers};
  if (!options.delta.empty()) {
    delta = load_array(options.delta);
    made.delta = delta.view();
  }
  (options.keys ? pope_keys : pope_queries)(heads_of(input), positions, angles, heads_of(out), made);
  return out;
}

void turn_xpos(const RotateCommand& options, const Xpos& spec, const View& x, const PositionView& positions,
               const Workers& workers) {
  const XposAngles angles(spec);
  const XposOptions made{.output_scale = finite_number(options.scale, "--scale"), .workers = &workers};
  if (options.backward) {
    (options.keys ? xpos_keys_backward : xpos_queries_backward)(x, positions, angles, x, made);
  } else if (options.inverse) {
    (options.keys ? xpos_queries_backward : xpos_keys_backward)(x, positions, angles, x, made);
  } else {
    (options.keys ? xpos_keys : xpos_queries)(x, positions, angles, x, made);
  }
}

int run_other(const RotateCommand& options, const Encoding& encoding, const std::string& format) {
  const Spec& spec = encoding.spec();
  check_other_options(options, spec);
  Array input = load_input(options.input, encoding);
  const TokenPositions positions = fitting(PositionText(options.positions), spec, options.input, tokens_of(input));
  const Workers workers(static_cast<int>(options.threads));
  if (const auto* pope = std::get_if<Pope>(&spec)) {
    input = expanded(options, *pope, input, positions.view, workers);
  } else if (const auto* xpos = std::get_if<Xpos>(&spec)) {
    turn_xpos(options, *xpos, heads_of(input), positions.view, workers);
  } else {
    const View x = heads_of(input);
    scale_queries(x, positions.view, std::get<QueryTemperature>(spec), x, {&workers});
  }
  const char* direction = options.inverse ? "inverse" : options.backward ? "backward" : "forward";
  Json::Object head = {{"spec", to_json(spec)},
                       {"positions", Json(positions.text)},
                       {"direction", Json(direction)},
                       {"side", Json(options.keys ? "key" : "query")},
                       {"scale", Json(finite_number(options.scale, "--scale"))}};
  return write_result(options, format, input, head);
}

bool is_other_turn(const Spec& spec) {
  return std::holds_alternative<Pope>(spec) || std::holds_alternative<Xpos>(spec) ||
         std::holds_alternative<QueryTemperature>(spec);
}

int run(const RotateCommand& options) {
  std::vector<std::string> specs = {options.spec};
  if (!options.to_spec.empty()) specs.push_back(options.to_spec);
  const std::vector<Encoding> found = find_with_remarks(specs, options.encoding);
  const Encoding& encoding = found.front();
  const std::string format = choose_format(options.output, {"text", "json", "npy", "safetensors"});
  check_options(options, format);
  const double scale = finite_number(options.scale, "--scale");
  if (is_other_turn(encoding.spec())) return run_other(options, encoding, format);
  if (options.keys || !options.delta.empty()) {
    fail(ErrorKind::usage, "--keys and --delta are for pope and xpos: rotary turns queries and keys alike");
  }
  rotary_of(encoding.spec());  // or an error that says where to go, before the input is read
  Array input = load_input(options.input, encoding);
  const Rotation rotation = load_rotation(options, found, input);
  apply(options, rotation, heads_of(input), scale);
  return write_result(options, format, input, head_of(options, rotation, scale));
}

}  // namespace

void add_rotate(Command& app) {
  const auto options = std::make_shared<RotateCommand>();
  Command command =
      app.command("rotate", "Queries or keys turned by their positions: [N, D], [N, H, D] or [B, N, H, D].",
                  "  posenc rotate rotary:head_dim=128,base=500000 --input q.npy -o rotated.npy\n"
                  "  posenc rotate rotary:head_dim=64 --input k.npy --positions @ids.npy --inverse -o k.npy\n"
                  "  posenc rotate rotary:head_dim=64 --input cache.npy --positions 4:12 --to 0:8 -o cache.npy\n"
                  "  posenc rotate pope:head_dim=64 --input k.npy --keys --delta delta.npy -o expanded.npy");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_input(command, options->input, "queries or keys: q.npy");
  add_token_positions(command, options->positions).not_empty();
  add_spec_choice(command, options->encoding);
  command.flag("--inverse", options->inverse, "undo the rotation instead");
  command.flag("--backward", options->backward, "the gradient by the input instead: the transpose");
  command.flag("--keys", options->keys, "of pope and xpos: the input are keys, not queries");
  command.text("--delta", options->delta, "of pope: the learned angles [H, R], delta.npy or file.safetensors:tensor");
  command.text("--to", options->to, "the input is rotated at --positions already: move it to these");
  command.text("--to-spec", options->to_spec, "the same, to another rotary encoding of these channels");
  command.add("--scale", options->scale, "multiplies every channel of the result").show_default();
  add_threads(command, options->threads);
  add_tensor(command, options->tensor);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
