// Positions of images and videos: the patches of a vision tower, and the ids of text mixed with images (M-RoPE, Wang et
// al., 2024: Qwen2-VL and its relatives).
//
//     std::vector<std::int64_t> ids;
//     posenc::append_patches(ids, {.height = 4, .width = 6}, {.merge = 2});   // 24 x (row, column), block by block
//     std::vector<std::int64_t> deltas = posenc::mrope_positions(
//         {.token_types = types, .images = images}, {.merge = 2}, out);       // out: [N, 3] or [B, N, 3]
//
// Text has the same id on all three axes (time, row, column); an image of merged patches starts where the text stopped.
// See docs/position-ids.md. Pure functions; all arguments are checked before anything is written.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

// Patches of an image or a video, before any merging.
struct PatchGrid {
  std::int64_t frames = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

// Which coordinates the id of a patch has, in this order.
enum class PatchAxes : int {
  yx,   // row, column
  xy,   // column, row
  tyx,  // frame, row, column
};

struct PatchOptions {
  std::int64_t merge = 1;  // m: patches are ordered in blocks of m x m, which are merged later; 1: row by row
  PatchAxes axes = PatchAxes::yx;
  std::int64_t first = 0;  // the id of the first row and column: 1 in Llama 4
};

// Appends one tuple per patch in the order used by vision towers: frames, then blocks of m x m row by row, then the
// patches of a block row by row: (h / m, w / m, m, m). Height and width must be multiples of m.
POSENC_API void append_patches(std::vector<std::int64_t>& ids, const PatchGrid& grid, const PatchOptions& options = {});

// The id of the text after an image that began at `start`.
enum class AfterVision : int {
  extent,   // start + max(height, width) / merge: transformers 5. After a long video, text reuses some of its ids.
  largest,  // the largest id + 1: the Qwen2-VL paper, transformers 4
};

// How the time ids of frames are spaced in models that count seconds (Qwen2.5-VL).
enum class FrameStep : int {
  frame,    // frame t gets int(t * (tokens_per_second * seconds_per_grid)), in float32: transformers 5.18 to 5.22
  seconds,  // t * tokens_per_second * int(seconds_per_grid): transformers 4.5x to 5.14; 0.5 seconds count as 0
};

struct MropeRule {
  std::int64_t merge = 2;  // spatial_merge_size: a token is m x m patches
  AfterVision after = AfterVision::extent;
  double tokens_per_second = 0.0;  // 0: frames of videos have consecutive time ids, as in Qwen2-VL
  FrameStep frame_step = FrameStep::frame;
  bool split_frames = false;  // treat every frame of a video as a separate image, with text in between: Qwen3-VL
  std::int64_t pad_id = 0;    // the id of padded tokens on every axis: 0 in transformers 5, 1 in 4
};

// Appends the ids (time, row, column) of the merged patches of one image, row by row, starting at `start`. For a video,
// `seconds_per_grid` is the time between frames. Returns where the next piece begins. To append text, call append_text
// of posenc/position_ids.h with 3 axes.
POSENC_API std::int64_t append_vision(std::vector<std::int64_t>& ids, const PatchGrid& grid, std::int64_t start,
                                      const MropeRule& rule = {}, double seconds_per_grid = 1.0);

// A batch of text with images. Grids are used in the order of the tokens, across all rows of the batch.
struct MropeInput {
  ConstView token_types = {};                 // [N] or [B, N] of u8, i32 or i64: 0 text, 1 image, 2 video
  std::vector<PatchGrid> images = {};         // one per image
  std::vector<PatchGrid> videos = {};         // one per video
  std::vector<double> seconds_per_grid = {};  // one per video; empty: 1 for each
  ConstView mask = {};                        // shape of token_types: 0 marks pads, which are skipped; rank 0: no pads
};

// Writes the ids, [N, 3] or [B, N, 3] of i32 or i64 with any strides (so memory of [3, B, N] works), and returns the
// rope_delta of every batch row: the largest id + 1, minus the number of tokens that are not pads. A token decoded
// later at index n gets id n + rope_delta. Images must fill their runs of tokens exactly, and all grids must be used.
POSENC_API std::vector<std::int64_t> mrope_positions(const MropeInput& input, const MropeRule& rule, const View& ids);

}  // namespace posenc
