// Texts of config.json files for tests, and helpers to look at the resulting models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "posenc/models/model.h"
#include "support/expect_error.h"

namespace posenc {

// A config of a model type with additional members.
inline std::string of_type(const std::string& type, const std::string& members) {
  return R"({"model_type": ")" + type + "\"" + (members.empty() ? "" : ", " + members) + "}";
}

// Four layers with heads of 64.
inline std::string llama(const std::string& members) {
  return of_type("llama", R"("hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 4, )"
                          R"("max_position_embeddings": 8192)" +
                              (members.empty() ? "" : ", " + members));
}

inline std::string list_of(const std::string& entry, int count) {
  std::string list = "[" + entry;
  for (int i = 1; i < count; ++i) list += "," + entry;
  return list + "]";
}

inline std::string spec_of(const Model& model, std::size_t group = 0) { return to_text(model.groups.at(group).spec); }

inline bool has(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

struct Case {
  std::string config;
  std::string expected;  // the text of the first spec, or part of a message
  std::string warning;   // a part of the warning; empty: no warning
};

inline void expect_refusals(const std::vector<Case>& cases, ErrorKind kind = ErrorKind::bad_input) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.config);
    expect_error(kind, c.expected, [&] { load_model(c.config); });
  }
}

}  // namespace posenc
