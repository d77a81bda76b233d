// Texts that cmake/EmbedText.cmake compiles into the library.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include "posenc/models/catalog.h"

namespace posenc::models {

// The files of catalog/, sorted by name.
extern const CatalogEntry kCatalogFiles[];
extern const std::size_t kCatalogFileCount;

// The lines of catalog/hub_names.txt: the name of an entry and its names on the hub, separated by blanks.
extern const std::string_view kHubNameLines[];
extern const std::size_t kHubNameLinesCount;

// The lines of model_types.jsonl: one JSON object per model type.
extern const std::string_view kModelTypeLines[];
extern const std::size_t kModelTypeLinesCount;

// The lines of gguf_architectures.jsonl: one JSON object per architecture of llama.cpp.
extern const std::string_view kGgufArchitectureLines[];
extern const std::size_t kGgufArchitectureLinesCount;

}  // namespace posenc::models
