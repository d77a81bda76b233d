// The description of a resize, as plain data. posenc/resize.h applies it and has an example.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace posenc {

enum class Interpolation : int {
  nearest,  // row floor(i * from / to), computed in float32 as in torch
  linear,
  cubic,  // four taps, shaped by cubic_a
  area,   // the mean of rows floor(i * from / to) to ceil((i + 1) * from / to), end excluded
};

// How the coordinate of output row i is computed.
enum class Align : int {
  centers,  // (i + 0.5) * from / to - 0.5: half-pixel centres, align_corners=False
  corners,  // i * (from - 1) / (to - 1): keeps the first and last row, align_corners=True; row 0 if `to` is 1
};

struct Resize {
  std::vector<std::int64_t> from;  // {rows} or {height, width} of the table without its kept rows; each at least 1
  std::vector<std::int64_t> to;    // as many numbers as `from`; each at least 1
  std::int64_t kept = 0;           // leading rows that are copied: class and distillation tokens
  Interpolation method = Interpolation::cubic;
  Align align = Align::centers;        // corners: only linear and cubic
  bool antialias = false;              // only linear and cubic with centers: widens taps when shrinking, and at the
                                       // border renormalises weights instead of repeating the edge (torch, PIL, timm)
  std::optional<double> cubic_a = {};  // only cubic; default: as torch, -0.75, or -0.5 with antialias
  double extra_size = 0.0;             // 0 to below 1; only linear and cubic with centers: makes the ratio
                                       // from / (to + extra_size). 0.1 in the code of DINO and DINOv2
};

}  // namespace posenc
