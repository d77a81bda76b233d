// The sizes of an encoding that is given without fields, from the input that it acts on: `sinusoidal` with embeddings
// of width 64 is sinusoidal:width=64.
#pragma once

#include <cstdint>
#include <string>

namespace posenc::cli {

// 0: not known.
struct InputSizes {
  std::int64_t width = 0;     // of embeddings
  std::int64_t heads = 0;     // of attention
  std::int64_t head_dim = 0;  // channels of a head
  std::int64_t rows = 0;      // of a learned table
};

struct SizedSpec {
  std::string text;     // as given, unless it is a kind alone
  std::string assumed;  // the fields that were filled in, "width=64"
  bool has_table = false;
};

SizedSpec sized_spec(const std::string& text, const InputSizes& sizes);

// The same for random embeddings, "2x10x64", or for random heads, "2x10x4x16"; an empty shape gives no sizes. Prints
// the fields that were filled in.
std::string spec_for_embeddings(const std::string& text, const std::string& shape);
std::string spec_for_heads(const std::string& text, const std::string& shape);

}  // namespace posenc::cli
