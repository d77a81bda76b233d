// Positions of pictures: the patches of a vision tower, and the ids of text with pictures in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/array_output.h"
#include "cli/grammar.h"

namespace posenc::cli {

// The options of pictures besides their sizes.
struct VisionOptions {
  std::optional<std::int64_t> merge;
  std::string axes, coordinates;  // with patches
  std::string images, videos;     // with token_types: 1x4x4,1x2x4
  std::string resume, frame_step, seconds_per_grid;
  std::optional<double> tokens_per_second;
  bool split_frames = false;
};
void add_vision_options(Command& command, VisionOptions& options);

// Writes the patches of a grid, HxW or TxHxW; `first` is the id of the first one, or 0 if it is not given.
void write_patches(const std::string& patches, const VisionOptions& vision, const std::optional<std::int64_t>& first,
                   const ArrayOutput& what, const OutputOptions& output);

// Text with pictures in it.
struct MixedTokens {
  std::string types;  // 0 text, 1 image, 2 video
  std::string mask;   // 1 for tokens, 0 for pads; empty: all are tokens
  std::string pads;   // the id of pads; empty: the default of MropeRule
};
void write_mixed(const MixedTokens& tokens, const VisionOptions& vision, const ArrayOutput& what,
                 const OutputOptions& output);

}  // namespace posenc::cli
