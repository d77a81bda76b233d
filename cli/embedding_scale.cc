#include "cli/embedding_scale.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/arrays.h"

namespace posenc::cli {

std::string EmbeddingScale::times(const std::string& x) const { return factor == 1.0 ? x : text + " * " + x; }

EmbeddingScale embedding_scale(const std::string& typed, std::int64_t width) {
  if (typed == "sqrt") return {std::sqrt(static_cast<double>(width)), fmt::format("sqrt({})", width)};
  const double factor = finite_number(typed, "--scale", "a number or 'sqrt'");
  return {factor, fmt::format("{:g}", factor)};
}

void add_embedding_scale(Command& command, std::string& typed) {
  command.add("--scale", typed, "multiply the embeddings first by a number, or by sqrt of their width").show_default();
}

}  // namespace posenc::cli
