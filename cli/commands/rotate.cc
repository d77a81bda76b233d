#include "posenc/rotate.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "cli/array_output.h"
#include "cli/array_report.h"
#include "cli/arrays.h"
#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/random_input.h"
#include "cli/rotary_table.h"
#include "cli/shared_options.h"
#include "cli/sized_spec.h"
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
  std::string input;                  // queries or keys: file.npy or file.safetensors:tensor
  std::string random;                 // instead of a file: a shape
  std::optional<std::uint64_t> seed;  // with random; 0
  std::string positions;              // empty: 0 to N; @ids.npy may have a row per batch row
  bool inverse = false;
  bool backward = false;
  bool keys = false;    // pope and xpos only: the input is keys
  std::string delta;    // pope only: the learned angles, a file
  std::string to;       // the new positions of rotated keys; empty: none, or with to_spec the old ones
  std::string to_spec;  // their new encoding; empty: the old one
  std::string scale = "1";
  std::int64_t threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

// The width of heads; none for a temperature, which fits any width.
std::optional<std::int64_t> head_dim_of(const Spec& spec) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return rotary->head_dim;
  if (const auto* pope = std::get_if<Pope>(&spec)) return pope->head_dim;
  if (const auto* xpos = std::get_if<Xpos>(&spec)) return xpos->head_dim;
  return std::nullopt;
}

std::string missing_input(const RotateCommand& options) {
  const bool given = !options.input.empty() || !options.random.empty();
  return given ? "" : "queries or keys are missing: --input q.npy or --random 2x10x4x16";
}

Input load_input(const RotateCommand& options, const Encoding& encoding) {
  if (const std::string missing = missing_input(options); !missing.empty()) fail(ErrorKind::usage, missing);
  if (!options.input.empty() && !options.random.empty()) fail(ErrorKind::usage, "give --input or --random, not both");
  if (options.seed && options.random.empty()) fail(ErrorKind::usage, "--seed needs --random");
  Input input{.array = {}, .name = options.input};
  if (options.random.empty()) {
    input.array = load_heads(options.input, "queries or keys, ");
  } else {
    input = random_input(options.random, {"N, D", "N, H, D", "B, N, H, D"}, 1.0, options.seed.value_or(0));
  }
  const std::int64_t width = input.array.shape.back();
  const std::int64_t head_dim = head_dim_of(encoding.spec()).value_or(width);
  if (width == head_dim) return input;
  const std::string hint = width > head_dim && width % head_dim == 0
                               ? fmt::format("; {} heads must have an axis of their own, [N, {}, {}]", width / head_dim,
                                             width / head_dim, head_dim)
                               : "";
  fail(ErrorKind::bad_input,
       fmt::format("{}: expected [N, H, {}], because '{}' rotates heads of {} channels, but got {}{}", input.name,
                   head_dim, encoding.text(), head_dim, shape_text(input.array.view()), hint));
}

bool moves(const RotateCommand& options) { return !options.to.empty() || !options.to_spec.empty(); }

// `found` has the encoding and, if it is given, that of --to-spec.
void check_options(const RotateCommand& options, const std::vector<Encoding>& found) {
  const Spec& spec = found.front().spec();
  check_place(spec, {Place::rotation, Place::query});
  if (options.inverse && options.backward) {
    fail(ErrorKind::usage,
         "give --inverse or --backward, not both: one undoes the rotation, the other computes its gradient");
  }
  if (moves(options) && (options.inverse || options.backward)) {
    fail(ErrorKind::usage,
         fmt::format("--to-positions and --to-spec move rotated keys to other positions: leave out {}",
                     options.inverse ? "--inverse" : "--backward"));
  }
  const bool rotary = std::holds_alternative<Rotary>(spec), xpos = std::holds_alternative<Xpos>(spec),
             pope = std::holds_alternative<Pope>(spec);
  const auto refuse = [&](bool given, const char* option) {
    if (given) fail(ErrorKind::usage, fmt::format("{} does not take {}", kind_of(spec), option));
  };
  refuse(!options.to.empty() && !rotary, "--to-positions");
  refuse(!options.to_spec.empty() && !rotary, "--to-spec");
  refuse(options.inverse && !rotary && !xpos, "--inverse");
  refuse(options.backward && !rotary && !xpos, "--backward");
  refuse(options.keys && !xpos && !pope, "--as-keys");
  refuse(!options.delta.empty() && !pope, "--delta");
  refuse(options.scale != "1" && !rotary && !xpos, "--output-scale");
  const Spec& to = found.back().spec();
  if (rotary && !std::holds_alternative<Rotary>(to)) {
    fail(ErrorKind::usage, fmt::format("--to-spec must be a rotary encoding but is {}", kind_of(to)));
  }
}

TokenPositions fitting(const PositionText& given, const Spec& spec, const std::string& file, TokenCount count) {
  const std::int64_t axes = axes_of(spec);
  if (given.text.empty() && axes > 1) {
    fail(ErrorKind::usage,
         fmt::format("--positions is needed because {} has {} axes; for example --positions 3x5", kind_of(spec), axes));
  }
  TokenPositions positions = token_positions(given, axes, count);
  check_axes(spec, positions.view.axes, positions.text);
  positions.check_count(file, count);
  return positions;
}

// The positions of the input's tokens, and the positions that they move to.
struct TokenPlaces {
  TokenPositions positions;
  std::optional<TokenPositions> to = {};
};

TokenPlaces load_places(const RotateCommand& options, const std::vector<Encoding>& found, const Input& input) {
  const TokenCount count = tokens_of(input.array, 4);
  const PositionText positions(options.positions);
  TokenPlaces places{fitting(positions, found.front().spec(), input.name, count)};
  if (!moves(options)) return places;
  places.to =
      fitting(options.to.empty() ? positions : PositionText(options.to), found.back().spec(), input.name, count);
  return places;
}

void rotate_rotary(const RotateCommand& options, const std::vector<Encoding>& found, const TokenPlaces& places,
                   const View& x, const RotateOptions& made) {
  // Each position is used once, so a table would save nothing.
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
    delta = load_filled(options.delta, 2, "angles, [H, R]");
    made.delta = delta.view();
  }
  try {
    (options.keys ? pope_keys : pope_queries)(heads_of(input), positions, angles, heads_of(out), made);
  } catch (const Error& error) {
    fail_naming(error, {{"delta", options.delta}});
  }
  return out;
}

void rotate_xpos(const RotateCommand& options, const Xpos& spec, const View& x, const PositionView& positions,
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

// Everything that the numbers depend on, except the contents of files.
Json::Object head_of(const RotateCommand& options, const std::vector<Encoding>& found, const TokenPlaces& places,
                     const Input& input, double scale) {
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
  if (!input.made.empty()) head.emplace_back("input", input.json);
  return head;
}

// The first sequence of an array of heads, head 0: [N, D].
ConstView first_head(const Array& array) {
  ConstView heads = heads_of(array);
  if (heads.rank == 4) heads = heads[0];
  return heads.swap(0, 1)[0];
}

std::string report_of(const RotateCommand& options, const Encoding& encoding, const TokenPlaces& places,
                      const Input& before, const Array& after) {
  ArrayReport report;
  const char* name = options.keys ? "keys" : "input";
  report.array(name, before.array.view(), before.made);
  report.array("output", after.view(),
               fmt::format("{} at positions {}{}", encoding.text(), places.positions.text,
                           places.to          ? " moved to " + places.to->text
                           : options.inverse  ? ", inverse"
                           : options.backward ? ", backward"
                                              : ""));
  const std::string first = before.array.shape.size() == 4 ? " of sequence 0" : "";
  report.first_numbers(fmt::format("{}, head 0{}", name, first), "token", first_head(before.array));
  report.first_numbers(fmt::format("output, head 0{}", first), "token", first_head(after));
  return report.text();
}

int run(const RotateCommand& options) {
  std::vector<std::string> specs = {spec_for_heads(options.spec, options.random)};
  if (!options.to_spec.empty()) specs.push_back(options.to_spec);
  check_place_of_kind(options.spec, {Place::rotation, Place::query});
  const std::vector<Encoding> found = find_beside_input(specs, options.encoding, missing_input(options));
  const Spec& spec = found.front().spec();
  const std::string format = choose_array_format(options.output, options.tensor);
  check_options(options, found);
  const double scale = finite_number(options.scale, "--output-scale");
  Input given = load_input(options, found.front());
  const TokenPlaces places = load_places(options, found, given);
  const bool reports = !given.made.empty() && wants_report(format, options.output);
  Array input = reports ? given.array : std::move(given.array);
  const PositionView& positions = places.positions.view;
  const Workers workers(static_cast<int>(options.threads));
  const View x = heads_of(input);
  if (std::holds_alternative<Rotary>(spec)) {
    rotate_rotary(options, found, places, x, {.output_scale = scale, .workers = &workers});
  } else if (const auto* pope = std::get_if<Pope>(&spec)) {
    input = expanded(options, *pope, input, positions, workers);
  } else if (const auto* xpos = std::get_if<Xpos>(&spec)) {
    rotate_xpos(options, *xpos, x, positions, {.output_scale = scale, .workers = &workers});
  } else {
    scale_queries(x, positions, std::get<QueryTemperature>(spec), x, {&workers});
  }
  Result result{format, options.tensor, head_of(options, found, places, given, scale)};
  if (reports) result.report = report_of(options, found.front(), places, given, input);
  write_result(input.view(), result, options.output);
  return 0;
}

}  // namespace

void add_rotate(Command& app) {
  const auto options = std::make_shared<RotateCommand>();
  Command command = app.command(
      "rotate", "Rotate queries or keys by their positions",
      "  posenc rotate rotary:head_dim=16 --random 2x10x4x16\n"
      "  posenc rotate rotary:head_dim=128,base=500000 --input q.npy -o rotated.npy\n"
      "  posenc rotate rotary:head_dim=64 --input k.npy --positions @ids.npy --inverse -o k.npy\n"
      "  posenc rotate rotary:head_dim=64 --input cache.npy --positions 4:12 --to-positions 0:8 -o cache.npy\n"
      "  posenc rotate pope:head_dim=64 --input k.npy --as-keys --delta delta.npy -o expanded.npy");
  command.add("SPEC", options->spec, kSpecHelp).required();
  command
      .text("--input,-i", options->input,
            "read queries or keys, [N, D], [N, H, D] or [B, N, H, D], from q.npy or file.safetensors:tensor")
      .value("FILE")
      .group("Input");
  add_random_shape(command, options->random, "use random queries or keys of this shape: 10x16, 10x4x16 or 2x10x4x16");
  command.add("--seed", options->seed, "with --random: seed of the random numbers (default: 0)").group("Input");
  add_token_positions(command, options->positions).not_empty();
  add_spec_choice(command, options->encoding);
  command.flag("--inverse", options->inverse, "undo the rotation");
  command.flag("--backward", options->backward,
               "treat the input as gradients of the output, and compute those of the input");
  command.flag("--as-keys", options->keys, "pope and xpos only: treat the input as keys").formerly("--keys");
  command
      .text("--delta", options->delta,
            "pope only: read the learned angles, [H, R], from delta.npy or file.safetensors:tensor")
      .value("FILE");
  command
      .text("--to-positions", options->to, "treat the input as rotated at --positions, and move it to these positions")
      .positions()
      .formerly("--to");
  command
      .text("--to-spec", options->to_spec, "treat the input as rotated by SPEC, and change it to this rotary encoding")
      .value("SPEC");
  command.add("--output-scale", options->scale, "multiply every channel of the result by this number")
      .value("X")
      .show_default()
      .formerly("--scale");
  add_threads(command, options->threads);
  add_tensor(command, options->tensor);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
