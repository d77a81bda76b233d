// The steps of a transformer layer without its feed-forward part, each with its numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "posenc/files/array.h"
#include "posenc/layer.h"
#include "posenc/models/encoding.h"

namespace posenc::cli {

struct LayerCall {
  MultiHeadAttention weights;
  std::optional<Encoding> input;  // what is added to x
  AttendOptions attend = {};      // encodings inside attention, and the mask
  double scale = 1.0;             // of x; only with an encoding at the input
  double dropout = 0.0;           // of x + PE
  std::uint64_t seed = 0;
};

// x is [B, N, M]; H heads of D channels.
struct LayerSteps {
  Array encoding;   // PE, [N, M]; empty without an encoding at the input
  Array h;          // [B, N, M]
  Array weights;    // [B, H, N, N]
  Array average;    // of the heads, [B, N, N]
  Array attention;  // [B, N, M]
  Array encoded;    // norm(h + attention(h)), [B, N, M]
  Array bare;       // norm(x + attention(h)), [B, N, M]
};

// x is [B, N, M] of f32 or f64.
LayerSteps run_layer(const ConstView& x, const LayerCall& call);

struct Difference {
  double largest = 0.0;
  double mean = 0.0;
};
// The largest and the mean of |a - b|. Both arrays must have the same shape.
Difference difference_of(const Array& a, const Array& b);

// How well a layer distinguishes positions: the mean distance between the rows of its output if every token is the
// first of x.
struct Spread {
  double encoded = 0.0;
  double bare = 0.0;
};
Spread spread_of(const ConstView& x, const LayerCall& call);

}  // namespace posenc::cli
