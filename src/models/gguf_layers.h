// The use of positions in each layer of a GGUF model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/gguf_keys.h"
#include "models/gguf_numbers.h"

namespace posenc::models::gguf {

struct LayerUse {
  bool attention = true;
  bool slides = false;
  bool rotated = true;
  bool compressed = false;  // DeepSeek V4: keys of several tokens merged into one, with their own base

  bool operator==(const LayerUse&) const = default;
};

struct LayerUses {
  std::vector<LayerUse> layers;
  std::optional<Sourced<std::int64_t>> window;  // of the layers with a sliding window
};

LayerUses read_layers(GgufKeys& keys, const GgufArchitecture& row, const ModelSize& size);

}  // namespace posenc::models::gguf
