// What `posenc show` prints for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/shared_options.h"
#include "posenc/models/model.h"

namespace posenc::cli {

// A block per group of layers, then what was guessed, warned of and read in one of two ways.
std::string model_text(const Model& model, std::optional<std::int64_t> sequence_length);

// The models of the catalog, or the types of models that are known, a line each; only those that use a kind, scaling,
// layout, part or type of this name, unless it is empty.
void write_model_list(const OutputOptions& output, bool types, const std::string& used);

// "rotary, llama3, half": one encoding in a few words.
std::string encoding_words(const ModelGroup& group);

// "0 to 31", "0, 6, 12 to 14".
std::string ranges_text(const std::vector<std::int64_t>& numbers, std::string_view to = " to ");

}  // namespace posenc::cli
