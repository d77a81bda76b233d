// Models from GGUF files: which encoding llama.cpp uses for them, layer by layer.
#pragma once

#include <memory>

#include "files/read_file.h"
#include "posenc/models/model.h"

namespace posenc::models {

// Takes the numbers of the file. Where it has none, takes those that llama.cpp uses (gguf_table.h) and lists them in
// Model::guesses.
Model model_from_gguf(std::shared_ptr<const files::FileReader> file, const ModelOptions& options);

}  // namespace posenc::models
