// The rotary encoding of a layer of a GGUF model.
#pragma once

#include <string>
#include <vector>

#include "models/gguf_layers.h"
#include "models/gguf_numbers.h"
#include "posenc/models/model.h"

namespace posenc::models::gguf {

// The numbers that the encodings of all layers are made from.
struct GgufRotary {
  GgufKeys& keys;
  const GgufArchitecture& row;
  const ModelSize& size;
  Stretch stretch;
  Sourced<double> base{};
  Sourced<double> local_base{};
  Sourced<double> compressed_base{};
  std::vector<std::int64_t> sections{};  // empty: one axis
  std::vector<double> divisors{};        // rope_freqs.weight
  std::vector<double> long_divisors{};   // rope_factors_long.weight
  std::vector<double> short_divisors{};
};

GgufRotary read_rotary_source(GgufKeys& keys, const GgufArchitecture& row, const ModelSize& size);

// Fills spec, latent_head, provenance and notes of the group.
void fill_rotary(const GgufRotary& source, const LayerUse& use, ModelGroup& group);

// One sentence for Model::guesses.
std::string layout_guess(const GgufRotary& source);

}  // namespace posenc::models::gguf
