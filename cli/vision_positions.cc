#include "cli/vision_positions.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "cli/integers.h"
#include "cli/word_choice.h"
#include "posenc/axial.h"
#include "posenc/error.h"
#include "posenc/models/encoding.h"
#include "posenc/vision_positions.h"

namespace posenc::cli {
namespace {

PatchGrid grid_of(const std::string& text, const std::string& option) {
  const std::vector<std::int64_t> lengths = read_grid(text, option);
  if (lengths.size() == 2) return {.frames = 1, .height = lengths[0], .width = lengths[1]};
  if (lengths.size() == 3) return {.frames = lengths[0], .height = lengths[1], .width = lengths[2]};
  fail(ErrorKind::usage,
       fmt::format("{} must be rows x columns, such as 4x6, or frames x rows x columns, such as 2x4x6, but got '{}'",
                   option, text));
}

std::vector<PatchGrid> grids_of(const std::string& text, const std::string& option) {
  std::vector<PatchGrid> grids;
  if (text.empty()) return grids;
  for (const std::string_view grid : split(text, ',')) grids.push_back(grid_of(std::string(grid), option));
  return grids;
}

std::vector<double> seconds_of(std::string text) {
  if (text.empty()) return {};
  std::replace(text.begin(), text.end(), ',', '/');
  return slashed_numbers(text, "--seconds-per-grid");
}

// Replaces the index on each axis by the coordinate that it has there.
std::vector<double> coordinates_of(const std::vector<std::int64_t>& ids, const PatchGrid& grid, PatchAxes axes,
                                   bool centers) {
  const auto along = [&](std::int64_t count) { return centers ? centred_axis(count) : linspace_axis(count); };
  std::vector<std::vector<double>> lookup = {along(grid.height), along(grid.width)};
  if (axes == PatchAxes::xy) std::swap(lookup[0], lookup[1]);
  if (axes == PatchAxes::tyx) lookup.insert(lookup.begin(), along(grid.frames));
  std::vector<double> values;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    values.push_back(lookup[i % lookup.size()][static_cast<std::size_t>(ids[i])]);
  }
  return values;
}

MropeRule rule_of(const VisionOptions& vision, const std::string& pads) {
  constexpr std::array<std::string_view, 2> kResume = {"extent", "largest"};
  constexpr std::array<std::string_view, 2> kSteps = {"frame", "seconds"};
  MropeRule rule{.merge = vision.merge.value_or(2),
                 .tokens_per_second = vision.tokens_per_second.value_or(0.0),
                 .split_frames = vision.split_frames};
  if (!vision.resume.empty()) rule.after = choose<AfterVision>(vision.resume, "--resume", kResume);
  if (!vision.frame_step.empty()) rule.frame_step = choose<FrameStep>(vision.frame_step, "--frame-step", kSteps);
  if (!vision.tokens_per_second && !(vision.seconds_per_grid + vision.frame_step).empty()) {
    fail(ErrorKind::usage, "--seconds-per-grid and --frame-step need --tokens-per-second N");
  }
  if (pads.empty() || parse_integer(pads, rule.pad_id)) return rule;
  fail(ErrorKind::usage, fmt::format("--pads must be a number with --token-types but got '{}'", pads));
}

}  // namespace

void add_vision_options(Command& command, VisionOptions& options) {
  const auto text = [&](const char* name, std::string& value, const char* help) {
    command.text(name, value, help).group("Pictures");
  };
  command
      .add("--merge", options.merge,
           "side of the block of patches that becomes one token (default: 1; with --token-types 2)")
      .group("Pictures");
  text("--axes", options.axes, "with --patches: order of the axes, yx, xy or tyx (default: yx)");
  text("--coordinates", options.coordinates,
       "with --patches: index, centers (2 (i + 0.5) / n - 1) or ends (-1 to 1) (default: index)");
  text("--images", options.images, "with --token-types: patches of each image before merging, such as 1x4x4,1x2x4");
  text("--videos", options.videos, "with --token-types: frames and patches of each video, such as 2x4x2");
  text(
      "--resume", options.resume,
      "with --token-types: continue text after a picture at its extent (transformers 5, the default) or at the largest "
      "id + 1 (transformers 4, the paper)");
  command
      .add("--tokens-per-second", options.tokens_per_second, "with --videos: ids per second (default: 1 id per frame)")
      .group("Pictures");
  text("--seconds-per-grid", options.seconds_per_grid,
       "with --tokens-per-second: seconds from frame to frame of each video, such as 1.5,2");
  text("--frame-step", options.frame_step,
       "with --tokens-per-second: what is rounded down, frame (the default, transformers 5.22) or seconds");
  command
      .flag("--split-frames", options.split_frames,
            "with --videos: treat every frame as a picture of its own (Qwen3-VL)")
      .group("Pictures");
}

void write_patches(const std::string& patches, const VisionOptions& vision, const std::optional<std::int64_t>& first,
                   const ArrayOutput& what, const OutputOptions& output) {
  constexpr std::array<std::string_view, 3> kAxes = {"yx", "xy", "tyx"};
  constexpr std::array<std::string_view, 3> kCoordinates = {"index", "centers", "ends"};
  const PatchGrid grid = grid_of(patches, "--patches");
  const auto axes = choose<PatchAxes>(vision.axes.empty() ? "yx" : vision.axes, "--axes", kAxes);
  const int kind =
      choose<int>(vision.coordinates.empty() ? "index" : vision.coordinates, "--coordinates", kCoordinates);
  if (kind != 0 && first) fail(ErrorKind::usage, "--first needs --coordinates index");
  const std::int64_t width = axes == PatchAxes::tyx ? 3 : 2;
  make_integers({grid.frames, grid.height, grid.width, width});  // refuses too many before any work
  std::vector<std::int64_t> ids;
  append_patches(ids, grid, {.merge = vision.merge.value_or(1), .axes = axes, .first = first.value_or(0)});
  const std::int64_t count = static_cast<std::int64_t>(ids.size()) / width;
  if (kind == 0) return write_array(make_view(ids.data(), {count, width}), what, output);
  const std::vector<double> values = coordinates_of(ids, grid, axes, kind == 1);
  write_array(make_view(values.data(), {count, width}), what, output);
}

void write_mixed(const MixedTokens& tokens, const VisionOptions& vision, const ArrayOutput& what,
                 const OutputOptions& output) {
  const Integers types = read_integers(tokens.types, "--token-types");
  std::optional<Integers> mask;
  if (!tokens.mask.empty()) mask = read_integers(tokens.mask, "--mask");
  const std::vector<PatchGrid> images = grids_of(vision.images, "--images");
  const std::vector<PatchGrid> videos = grids_of(vision.videos, "--videos");
  const std::vector<double> seconds = seconds_of(vision.seconds_per_grid);
  const MropeRule rule = rule_of(vision, tokens.pads);
  std::vector<std::int64_t> shape = types.shape;
  shape.push_back(3);
  Integers ids = make_integers(shape);
  const View out = shape.size() == 2 ? make_view(ids.numbers.data(), {shape[0], shape[1]})
                                     : make_view(ids.numbers.data(), {shape[0], shape[1], shape[2]});
  const std::vector<std::int64_t> deltas = mrope_positions({.token_types = types.view(),
                                                            .images = images,
                                                            .videos = videos,
                                                            .seconds_per_grid = seconds,
                                                            .mask = mask ? mask->view() : ConstView{}},
                                                           rule, out);
  const Json delta = types.shape.size() == 1 ? Json(deltas[0]) : Json(Json::Array(deltas.begin(), deltas.end()));
  ArrayOutput with_delta = what;
  with_delta.head = {{"rope_delta", delta}};
  write_array(out, with_delta, output);
}

}  // namespace posenc::cli
