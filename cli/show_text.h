// What `posenc show` prints for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "posenc/models/model.h"

namespace posenc::cli {

// A block per group of layers, then what was guessed, warned of and read in one of two ways.
std::string model_text(const Model& model, std::optional<std::int64_t> sequence_length);

// "rotary, llama3, half": one encoding in a few words.
std::string encoding_words(const ModelGroup& group);

// "0 to 31", "0, 6, 12 to 14".
std::string layers_text(const std::vector<std::int64_t>& layers);

}  // namespace posenc::cli
