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

// `found` is the encoding, and that of --to-spec where there is one.
void check_options(const RotateCommand& options, const std::vector<Encoding>& found) {
  const Spec& spec = found.front().spec();
  check_place(spec, {Place::rotation, Place::query});
  if (options.inverse && options.backward) {
    fail(ErrorKind::usage,
         "--inverse and --backward exclude each other: one undoes the rotation, the other is its gradient");
  }
  if (moves(options) && (options.inverse || options.backward)) {
    fail(ErrorKind::usage, fmt::format("--to and --to-spec move what is rotated already: {} goes without them",
                                       options.inverse ? "--inverse" : "--backward"));
  }
  const bool rotary = std::holds_alternative<Rotary>(spec), xpos = std::holds_alternative<Xpos>(spec),
             pope = std::holds_alternative<Pope>(spec);
  const auto refuse = [&](bool given, const char* option) {
    if (given) fail(ErrorKind::usage, fmt::format("{} is not for {}", option, kind_of(spec)));
  };
  refuse(!options.to.empty() && !rotary, "--to");
  refuse(!options.to_spec.empty() && !rotary, "--to-spec");
  refuse(options.inverse && !rotary && !xpos, "--inverse");
  refuse(options.backward && !rotary && !xpos, "--backward");
  refuse(options.keys && !xpos && !pope, "--keys");
  refuse(!options.delta.empty() && !pope, "--delta");
  refuse(options.scale != "1" && !rotary && !xpos, "--scale");
  const Spec& to = found.back().spec();
  if (rotary && !std::holds_alternative<Rotary>(to)) {
    fail(ErrorKind::usage, fmt::format("--to-spec must be a rotary encoding but is {}", kind_of(to)));
  }
}

TokenPositions fitting(const PositionText& given, const Spec& spec, const std::string& file, TokenCount count) {
  const std::int64_t axes = axes_of(spec);
  if (given.text.empty() && axes > 1) {
    fail(ErrorKind::usage,
         fmt::format("--positions are needed: the spec has {} axes, and only one can be counted", axes));
  }
  TokenPositions positions = token_positions(given, axes, count);
  check_axes(spec, positions.view.axes, positions.text);
  positions.check_count(file, count);
  return positions;
}

// Where the tokens of the input stand, and where they move to.
struct TokenPlaces {
  TokenPositions positions;
  std::optional<TokenPositions> to = {};
};

TokenPlaces load_places(const RotateCommand& options, const std::vector<Encoding>& found, const Array& input) {
  const TokenCount count = tokens_of(input, 4);
  const PositionText positions(options.positions);
  TokenPlaces places{fitting(positions, found.front().spec(), options.input, count)};
  if (!moves(options)) return places;
  places.to =
      fitting(options.to.empty() ? positions : PositionText(options.to), found.back().spec(), options.input, count);
  return places;
}

void turn_rotary(const RotateCommand& options, const std::vector<Encoding>& found, const TokenPlaces& places,
                 const View& x, const RotateOptions& made) {
  // Each position is used once here, so that a table would save nothing.
  const RotaryAngles angles(std::get<Rotary>(found.front().spec()));
  const PositionView& positions = places.positions.view;
  if (places.to) {
    const RotaryAngles after(std::get<Rotary>(found.back().spec()));
    rerotate(x, {angles, positions}, {after, places.to->view}, made);
  } else if (options.inverse) {
    rotate_inverse(x, positions, angles, made);
  } else if (options.backward) {
    rotate_backward(x, positions, angles, made);
  } else {
    rotate(x, positions, angles, made);
  }
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
               const XposOptions& made) {
  const XposAngles angles(spec);
  if (options.backward) {
    (options.keys ? xpos_keys_backward : xpos_queries_backward)(x, positions, angles, x, made);
  } else if (options.inverse) {
    (options.keys ? xpos_queries_backward : xpos_keys_backward)(x, positions, angles, x, made);
  } else {
    (options.keys ? xpos_keys : xpos_queries)(x, positions, angles, x, made);
  }
}

// Everything that the numbers depend on but the input.
Json::Object head_of(const RotateCommand& options, const std::vector<Encoding>& found, const TokenPlaces& places,
                     double scale) {
  const char* direction = places.to ? "move" : options.inverse ? "inverse" : options.backward ? "backward" : "forward";
  Json::Object head = {{"spec", to_json(found.front().spec())},
                       {"positions", Json(places.positions.text)},
                       {"direction", Json(direction)}};
  if (std::holds_alternative<Rotary>(found.front().spec())) {
    head.emplace_back("to", places.to ? Json(places.to->text) : Json());
    head.emplace_back("to_spec", options.to_spec.empty() ? Json() : to_json(found.back().spec()));
  } else {
    head.emplace_back("side", options.keys ? "key" : "query");
  }
  head.emplace_back("scale", scale);
  return head;
}

int run(const RotateCommand& options) {
  std::vector<std::string> specs = {options.spec};
  if (!options.to_spec.empty()) specs.push_back(options.to_spec);
  const std::vector<Encoding> found = find_with_remarks(specs, options.encoding);
  const Spec& spec = found.front().spec();
  const std::string format = choose_array_format(options.output, options.tensor);
  check_options(options, found);
  const double scale = finite_number(options.scale, "--scale");
  Array input = load_input(options.input, found.front());
  const TokenPlaces places = load_places(options, found, input);
  const PositionView& positions = places.positions.view;
  const Workers workers(static_cast<int>(options.threads));
  const View x = heads_of(input);
  if (std::holds_alternative<Rotary>(spec)) {
    turn_rotary(options, found, places, x, {.output_scale = scale, .workers = &workers});
  } else if (const auto* pope = std::get_if<Pope>(&spec)) {
    input = expanded(options, *pope, input, positions, workers);
  } else if (const auto* xpos = std::get_if<Xpos>(&spec)) {
    turn_xpos(options, *xpos, x, positions, {.output_scale = scale, .workers = &workers});
  } else {
    scale_queries(x, positions, std::get<QueryTemperature>(spec), x, {&workers});
  }
  start_result(input.view(), format, options.tensor, head_of(options, found, places, scale), options.output).finish();
  return 0;
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
