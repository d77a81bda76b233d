// The option --scale: the factor on embeddings before an encoding is added.
#pragma once

#include <cstdint>
#include <string>

#include "cli/grammar.h"

namespace posenc::cli {

struct EmbeddingScale {
  double factor = 1.0;
  std::string text;  // as written in formulas: "sqrt(64)", "0.5"

  // "sqrt(64) * x"; only "x" if the factor is 1.
  std::string times(const std::string& x) const;
};

// Reads a number, or "sqrt" of the width.
EmbeddingScale embedding_scale(const std::string& typed, std::int64_t width);
void add_embedding_scale(Command& command, std::string& typed);

}  // namespace posenc::cli
