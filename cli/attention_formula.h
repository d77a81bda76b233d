// The formula of attention with the encodings inside it: "softmax(q k^T / sqrt(8) + B)".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/models/encoding.h"

namespace posenc::cli {

struct AttentionFormula {
  std::string weights;             // "softmax(q' k'^T / sqrt(8))"
  std::string output;              // "weights v"
  std::vector<std::string> where;  // a sentence per encoding: what the letters in both mean
};

// For heads of `channels` channels.
AttentionFormula attention_formula(const std::vector<Encoding>& encodings, std::int64_t channels, bool causal);

}  // namespace posenc::cli
