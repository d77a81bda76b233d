// What a resize is, as plain data: posenc/resize.h does it, and shows how to write one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace posenc {

enum class Interpolation : int {
  nearest,  // row floor(i * from / to), with the float32 quotient and product that torch has
  linear,
  cubic,  // four taps, cubic_a
  area,   // the mean of the rows floor(i * from / to) to ceil((i + 1) * from / to), the end excluded
};

// Where an output row stands among the input rows.
enum class Align : int {
  centers,  // (i + 0.5) * from / to - 0.5: half-pixel centres, align_corners=False
  corners,  // i * (from - 1) / (to - 1): the first and the last row stay, align_corners=True; row 0 where `to` is 1
};

struct Resize {
  std::vector<std::int64_t> from;  // {rows} or {height, width} of the table without its kept rows, each at least 1
  std::vector<std::int64_t> to;    // as many numbers as `from`, each at least 1
  std::int64_t kept = 0;           // rows in front that are copied: class and distillation tokens
  Interpolation method = Interpolation::cubic;
  Align align = Align::centers;        // corners: for linear and cubic
  bool antialias = false;              // for linear and cubic with centers: taps widen when shrinking, weights are
                                       // renormalised at the border instead of repeating the edge (torch, PIL, timm)
  std::optional<double> cubic_a = {};  // for cubic; none: what torch has, -0.75, and -0.5 with antialias
  double extra_size = 0.0;             // from 0 to below 1, for linear and cubic with centers: the ratio is
                                       // from / (to + extra_size). 0.1 in DINO and DINOv2's own code
};

}  // namespace posenc
