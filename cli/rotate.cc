#include "posenc/rotate.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "cli/array_output.h"
#include "cli/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/rotary_table.h"
#include "cli/token_positions.h"
#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/rerotate.h"
#include "posenc/spec_json.h"
#include "posenc/workers.h"

namespace posenc::cli {
namespace {

Rotary load_rotary(const std::string& text) {
  const Spec spec = load_spec(text);
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return *rotary;
  refuse_attention_kind(spec);
  fail(ErrorKind::usage, fmt::format("queries and keys are turned by rotary encodings; {} is added to embeddings: see "
                                     "posenc add --help",
                                     kind_of(spec)));
}

std::string shape_of(const Array& array) { return fmt::format("[{}]", fmt::join(array.shape, ", ")); }

Array load_heads(const std::string& file, const std::string& spec_text, std::int64_t head_dim) {
  Array input = load_array(file);
  const std::size_t rank = input.shape.size();
  if (rank < 2 || rank > 4 || !is_float(input.dtype)) {
    fail(ErrorKind::bad_input,
         fmt::format("{}: expected queries or keys, [N, D], [N, H, D] or [B, N, H, D] of floats, but got {} {}", file,
                     shape_of(input), to_text(input.dtype)));
  }
  const std::int64_t width = input.shape[rank - 1];
  if (width == head_dim) return input;
  const std::string hint =
      width > head_dim && width % head_dim == 0
          ? fmt::format("; {} heads side by side are [N, {}, {}]", width / head_dim, width / head_dim, head_dim)
          : "";
  fail(ErrorKind::bad_input, fmt::format("{}: expected heads of {} channels, the head_dim of '{}', but got {}{}", file,
                                         head_dim, spec_text, shape_of(input), hint));
}

// The array as [N, H, D] or [B, N, H, D]; [N, D] has one head.
View heads_of(Array& array) {
  const ConstView view = array.view();
  if (view.rank > 2) return {array.data.data(), view.dtype, view.rank, view.shape, view.strides};
  return make_view(static_cast<void*>(array.data.data()), view.dtype, {view.shape[0], 1, view.shape[1]});
}

double scale_of(const std::string& text) {
  double scale = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, scale);
  if (error == std::errc() && rest == end && std::isfinite(scale)) return scale;
  fail(ErrorKind::usage, fmt::format("--scale must be a number but got '{}'", text));
}

bool moves(const RotateOptions& options) { return !options.to.empty() || !options.to_spec.empty(); }

void check_options(const RotateOptions& options, const std::string& format) {
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

TokenPositions load_fitting(const std::string& text, const Rotary& spec, const std::string& file, TokenCount count) {
  const std::int64_t axes = make_schedule(spec).axes;
  if (text.empty() && axes > 1) {
    fail(ErrorKind::usage,
         fmt::format("--positions are needed: the spec has {} axes, and only one can be counted", axes));
  }
  TokenPositions positions = load_token_positions(text, axes, count);
  check_axes(spec, positions.view, positions.text);
  positions.check_count(file, count);
  return positions;
}

Rotation load_rotation(const RotateOptions& options, const Rotary& spec, const Array& input) {
  const std::size_t rank = input.shape.size();
  const TokenCount count{rank == 4 ? input.shape[0] : 0, input.shape[rank == 4 ? 1 : 0]};
  Rotation rotation{spec, load_fitting(options.positions, spec, options.input, count)};
  if (!moves(options)) return rotation;
  rotation.to_spec = options.to_spec.empty() ? spec : load_rotary(options.to_spec);
  rotation.to =
      load_fitting(options.to.empty() ? options.positions : options.to, *rotation.to_spec, options.input, count);
  return rotation;
}

void apply(const RotateOptions& options, const Rotation& rotation, const View& x, double scale) {
  const Workers workers(options.threads);
  const posenc::RotateOptions rotate_options{.scale = scale, .workers = &workers};
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
Json::Object head_of(const RotateOptions& options, const Rotation& rotation, double scale) {
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

}  // namespace

int run_rotate(const RotateOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "npy", "safetensors"});
  check_options(options, format);
  const double scale = scale_of(options.scale);
  const Rotary spec = load_rotary(options.spec);
  Array input = load_heads(options.input, options.spec, spec.head_dim);
  const Rotation rotation = load_rotation(options, spec, input);
  apply(options, rotation, heads_of(input), scale);
  Json::Object head = head_of(options, rotation, scale);
  const Metadata metadata = {{"posenc", to_text(Json(head))}};
  head.emplace_back("dtype", to_text(input.dtype));
  write_array(input.view(), {format, options.tensor.empty() ? "values" : options.tensor, head, metadata},
              options.output);
  return 0;
}

}  // namespace posenc::cli
