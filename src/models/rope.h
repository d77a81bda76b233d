// The rope parameters of a config.json, however they are spelled, as one dictionary per type of layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/config.h"

namespace posenc::models {

struct RopeDict {
  std::vector<std::pair<std::string, Found>> members;
  bool nested = false;  // of one layer type

  // Null if the key is missing or its value is null.
  const Found* find(std::string_view key) const noexcept;
  Found get(std::string_view key) const;
  void set(const std::string& key, Found found);
  void set_default(const std::string& key, Found found);  // if the key is missing
  std::string type() const;                               // rope_type, with the row's synonyms replaced
  Json object() const;                                    // for formulas
};

// A layer type and its first layer.
struct RopeLabel {
  std::string name;
  std::int64_t layer = 0;
};

struct LabelledRope {
  std::string label;             // the layer type; empty if all layers are alike
  std::optional<RopeDict> dict;  // none: these layers have no rotary encoding
};

// One entry per label, in the same order. `labels` is empty if all layers are alike. Keys have the precedence of
// Hugging Face; the remarks report contradictions.
std::vector<LabelledRope> resolve_rope(const Config& config, const std::vector<RopeLabel>& labels);

}  // namespace posenc::models
