// The numbers of a GGUF file that all layers share, as llama.cpp reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/gguf_keys.h"

namespace posenc::models::gguf {

// Widths of heads, and of the part that turns: of layers that see all keys, and of those that slide.
struct HeadWidths {
  Sourced<std::int64_t> head;    // attention.key_length
  Sourced<std::int64_t> whole;   // of queries and keys before compression: that of latent attention, else head
  Sourced<std::int64_t> rotary;  // rope.dimension_count
};

struct ModelSize {
  std::int64_t layers = 0;  // without those that predict further tokens
  std::int64_t context = 0;
  std::int64_t embedding = 0;
  std::vector<std::int64_t> heads;      // one per layer; 0: it has no attention
  std::vector<std::int64_t> key_heads;  // likewise
  HeadWidths full;
  HeadWidths sliding;

  // Of the first layer that has any; 0 where none has.
  std::int64_t first_heads() const;
};

ModelSize read_size(GgufKeys& keys, const GgufArchitecture& row);

// What is done to the ladder of frequencies.
struct Stretch {
  Sourced<std::string> type;  // "none", "linear", "yarn", "longrope"
  Sourced<double> factor{1.0, {}};
  double extrapolation = 0.0;  // how much of YaRN's mixture there is: 0 or 1, but for Grok
  Sourced<std::int64_t> original;
  Sourced<double> beta_fast;
  Sourced<double> beta_slow;
  double magnitude = 1.0;       // what YaRN multiplies cos and sin by
  double log_multiplier = 0.0;  // mscale_all_dim
  double attention = 1.0;       // what else multiplies them
  std::string attention_from;
  double alpha = 0.0;  // of a fixed NTK step; 0: none

  bool is_yarn() const noexcept { return extrapolation != 0.0; }
  // What multiplies cos and sin in layers whose frequencies are divided by `factor_there`: llama.cpp hands one number
  // to all layers, which its operation multiplies by 1 + 0.1 ln of the layer's own factor.
  double attention_factor(double factor_there) const noexcept;
  // Of multi-head latent attention: what q.k is multiplied by beside 1 / sqrt(head), before it is squared.
  double latent_magnitude() const noexcept;
};

Stretch read_stretch(GgufKeys& keys, const GgufArchitecture& row, std::int64_t context);

}  // namespace posenc::models::gguf
