// Models from GGUF files: which encoding llama.cpp uses for them, layer by layer.
#pragma once

#include <memory>

#include "files/read_file.h"
#include "posenc/models/model.h"

namespace posenc::models {

// The numbers of the file, and those that llama.cpp uses if the file has none (gguf_table.h), which Model::guesses
// lists.
Model model_from_gguf(std::shared_ptr<const files::FileReader> file, const ModelOptions& options);

}  // namespace posenc::models
