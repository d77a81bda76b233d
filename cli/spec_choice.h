// What a spec depends on that is not part of an encoding: the length of the sequence, and the layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace posenc::cli {

struct SpecChoice {
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> layer;
};

// The spec as text with these fields set; as it was where nothing is chosen. Both are for rotary specs.
std::string with_choice(const std::string& spec, const SpecChoice& choice);

}  // namespace posenc::cli
