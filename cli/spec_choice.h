// What a spec depends on that is not part of an encoding: the length of the sequence, and which layer of which part of
// a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace posenc::cli {

struct SpecChoice {
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> layer;
  std::string part;
};

// The spec as text with these fields set; as it was where it is a spec and nothing is chosen. Of a model (a
// config.json, a GGUF, a name of the catalog) the spec of that layer; what is guessed or warned of is said on standard
// error.
std::string with_choice(const std::string& spec, const SpecChoice& choice);
// Of several, the choice is for what turns: a bias or a mask beside it depends on none of it.
std::vector<std::string> with_choice(std::vector<std::string> specs, const SpecChoice& choice);

}  // namespace posenc::cli
