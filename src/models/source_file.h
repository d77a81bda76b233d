// A file that holds a spec or a model, opened and parsed once.
#pragma once

#include <memory>
#include <string>

#include "files/read_file.h"
#include "posenc/files/json.h"

namespace posenc::models {

struct SourceFile {
  std::shared_ptr<const files::FileReader> reader;
  bool gguf = false;
  Json json;  // unless it is a GGUF file

  // Whether it is a posenc spec: an object with `kind`.
  bool holds_spec() const { return json.find("kind") != nullptr && json.find("model_type") == nullptr; }
};

// Refuses other known formats before reading them, because models are large.
SourceFile open_source(const std::string& path);

}  // namespace posenc::models
