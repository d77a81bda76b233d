// The layers of one part of a model: how many, their types, and which of them rotate queries and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/config.h"

namespace posenc::models {

// The most layers of a part, as in GGUF files. Rules are evaluated per layer, so this bounds the time to read a file.
constexpr std::int64_t kMostLayers = 4096;
// The most kinds of layers: each has its own group, with all its frequencies.
constexpr std::size_t kMostKindsOfLayers = 128;

struct LayerFacts {
  std::string type;   // of the layer; empty if all layers are alike
  std::string label;  // of its rope parameters
  bool rotates = true;
  bool plain = false;           // without the scaling of the others
  std::optional<double> theta;  // the base of this layer, if layers have their own
};

std::vector<LayerFacts> find_layers(const Config& config);

// The names that formulas may use for a layer: i, L, layer_type.
Json layer_names(std::int64_t layer, std::int64_t layers, const std::string& type);

}  // namespace posenc::models
