// The text output of `posenc show`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/shared_options.h"
#include "posenc/models/model.h"

namespace posenc::cli {

// A block per group of layers, then guesses, warnings and keys that can be read in two ways.
std::string model_text(const Model& model, std::optional<std::int64_t> sequence_length);

// Writes the catalog or the known model types, one per line. Unless `used` is empty, only those that use a kind,
// scaling, layout, part or model type of that name.
void write_model_list(const OutputOptions& output, bool types, const std::string& used);

// An encoding in a few words: "rotary, llama3 scaling, interleaved layout".
std::string encoding_words(const ModelGroup& group);

// "0 to 31", "0, 6, 12 to 14".
std::string ranges_text(const std::vector<std::int64_t>& numbers, std::string_view to = " to ");

}  // namespace posenc::cli
