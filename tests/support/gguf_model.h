// Small GGUF models for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "posenc/files/file.h"
#include "posenc/models/model.h"
#include "posenc/schedule.h"
#include "support/expect_error.h"
#include "support/gguf_writer.h"
#include "support/temporary_folder.h"

namespace posenc::models {

using Layers = std::vector<std::int64_t>;

// A model of 8 layers, 4 heads of 16 channels, and a context of 4096.
class File {
 public:
  explicit File(const std::string& architecture, std::uint32_t layers = 8) : name_(architecture) {
    writer_.text("general.architecture", architecture);
    u32("block_count", layers).u32("context_length", 4096).u32("embedding_length", 64).u32("attention.head_count", 4);
  }

  File& u32(const std::string& key, std::uint32_t value) {
    writer_.u32(name_ + "." + key, value);
    return *this;
  }
  File& f32(const std::string& key, double value) {
    writer_.f32(name_ + "." + key, static_cast<float>(value));
    return *this;
  }
  File& text(const std::string& key, const std::string& value) {
    writer_.text(name_ + "." + key, value);
    return *this;
  }
  File& flag(const std::string& key, bool value) {
    writer_.flag(name_ + "." + key, value);
    return *this;
  }
  File& list(const std::string& key, const std::vector<std::int32_t>& values) {
    writer_.i32s(name_ + "." + key, values);
    return *this;
  }
  File& flags(const std::string& key, const std::vector<bool>& values) {
    writer_.flags(name_ + "." + key, values);
    return *this;
  }
  File& tensor(const std::string& name, const std::vector<double>& values) {
    writer_.f32_tensor(name, values);
    return *this;
  }
  GgufWriter& writer() { return writer_; }

  Model model(const ModelOptions& options = {}) const {
    const TemporaryFolder folder;
    write_file(folder / "model.gguf", writer_.bytes());
    Model model = load_model(folder / "model.gguf", options);
    for (const ModelGroup& group : model.groups) EXPECT_EQ(message_of([&] { validate(group.spec); }), "");
    return model;
  }
  void expect_bad(const std::string& part, ErrorKind kind = ErrorKind::bad_input) const {
    expect_error(kind, part, [&] { model(); });
    expect_error(kind, "model.gguf: ", [&] { model(); });
  }

 private:
  std::string name_;
  GgufWriter writer_;
};

inline const Rotary& rotary(const ModelGroup& group) {
  static const Rotary kNone{};
  const Rotary* spec = std::get_if<Rotary>(&group.spec);
  EXPECT_NE(spec, nullptr) << "the spec is " << kind_of(group.spec);
  return spec == nullptr ? kNone : *spec;
}

inline std::string provenance(const ModelGroup& group, const std::string& field) {
  for (const Provenance& entry : group.provenance) {
    if (entry.field == field) return entry.from;
  }
  return "";
}

inline bool says(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

inline double plain_frequency(double base, int pair, double dim) { return std::pow(base, -2.0 * pair / dim); }

// The frequencies of the group's spec.
inline std::vector<double> frequencies(const ModelGroup& group) { return make_schedule(rotary(group)).inv_freq; }

inline void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-14 + 1e-12 * expected[i]) << i;
}

inline Layers layers_from(std::int64_t first, std::int64_t step, std::int64_t end) {
  Layers layers;
  for (std::int64_t l = first; l < end; l += step) layers.push_back(l);
  return layers;
}

}  // namespace posenc::models
