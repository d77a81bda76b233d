// Models from GGUF files: which encoding llama.cpp uses for them, layer by layer.
#pragma once

#include <memory>

#include "files/read_file.h"
#include "posenc/models/model.h"

namespace posenc::models {

// The file's own numbers, and what llama.cpp takes where it says nothing (gguf_table.h), which Model::guesses tells.
Model model_from_gguf(std::shared_ptr<const files::FileReader> file, const ModelOptions& options);

}  // namespace posenc::models
