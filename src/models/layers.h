// The layers of one part of a model: how many, of which types, and which of them turn queries and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/config.h"

namespace posenc::models {

// As GGUF files have at most. Rules are tried for every layer, so this bounds the time that a file takes.
constexpr std::int64_t kMostLayers = 4096;
// Of which each has a group of its own, with all its frequencies.
constexpr std::size_t kMostKindsOfLayers = 128;

struct LayerFacts {
  std::string type;   // of the layer; empty where layers are not told apart
  std::string label;  // of its rope parameters
  bool rotates = true;
  bool plain = false;           // without the scaling of the others
  std::optional<double> theta;  // of this layer, where layers have their own
};

std::vector<LayerFacts> find_layers(const Config& config);

// What formulas may name of a layer: i, L, layer_type.
Json layer_names(std::int64_t layer, std::int64_t layers, const std::string& type);

}  // namespace posenc::models
