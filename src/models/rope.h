// The rope parameters of a config.json, in whatever spelling, as one dictionary per type of layer.
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
  bool nested = false;  // of one type of layer

  // Null where there is none, or its value is null.
  const Found* find(std::string_view key) const noexcept;
  Found get(std::string_view key) const;
  void set(const std::string& key, Found found);
  void set_default(const std::string& key, Found found);  // where there is none
  std::string type() const;                               // rope_type, after the words of the row
  Json object() const;                                    // for formulas
};

// A type of layer, and the first layer of it.
struct RopeLabel {
  std::string name;
  std::int64_t layer = 0;
};

struct LabelledRope {
  std::string label;             // the type of layer; empty where layers are not told apart
  std::optional<RopeDict> dict;  // none: these layers have no rotary encoding
};

// One entry per label, in their order. `labels` is empty where layers are not told apart. The precedence of keys is
// that of Hugging Face; what it makes of a contradiction is said in the remarks.
std::vector<LabelledRope> resolve_rope(const Config& config, const std::vector<RopeLabel>& labels);

}  // namespace posenc::models
