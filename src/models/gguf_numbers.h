// The numbers of a GGUF file that all layers share, as llama.cpp reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/gguf_keys.h"

namespace posenc::models::gguf {

// Widths of heads and of their rotated part, in layers that see all keys and in layers with a sliding window.
struct HeadWidths {
  Sourced<std::int64_t> head;    // attention.key_length
  Sourced<std::int64_t> whole;   // of queries and keys before compression (latent attention), else head
  Sourced<std::int64_t> rotary;  // rope.dimension_count
};

struct ModelSize {
  std::int64_t layers = 0;  // without those that predict additional tokens
  std::int64_t context = 0;
  std::int64_t embedding = 0;
  std::vector<std::int64_t> heads;      // one per layer; 0: the layer has no attention
  std::vector<std::int64_t> key_heads;  // likewise
  HeadWidths full;
  HeadWidths sliding;

  // The heads of the first layer with attention; 0 if no layer has attention.
  std::int64_t first_heads() const;
};

ModelSize read_size(GgufKeys& keys, const GgufArchitecture& row);

// The scaling of the frequencies.
struct Stretch {
  Sourced<std::string> type;  // "none", "linear", "yarn", "longrope"
  Sourced<double> factor{1.0, {}};
  double extrapolation = 0.0;  // how much of YaRN's blend is used: 0 or 1, except for Grok
  Sourced<std::int64_t> original;
  Sourced<double> beta_fast;
  Sourced<double> beta_slow;
  double magnitude = 1.0;       // YaRN's factor on cos and sin
  double log_multiplier = 0.0;  // mscale_all_dim
  double attention = 1.0;       // another factor on cos and sin
  std::string attention_from;
  double alpha = 0.0;  // of a fixed NTK scaling; 0: none

  bool is_yarn() const noexcept { return extrapolation != 0.0; }
  // The factor on cos and sin in layers whose frequencies are divided by `factor_there`: llama.cpp passes one number to
  // all layers, and its operation multiplies it by 1 + 0.1 ln of the layer's factor.
  double attention_factor(double factor_there) const noexcept;
  // For multi-head latent attention: the factor on q.k besides 1 / sqrt(head), before it is squared.
  double latent_magnitude() const noexcept;
};

Stretch read_stretch(GgufKeys& keys, const GgufArchitecture& row, std::int64_t context);

}  // namespace posenc::models::gguf
