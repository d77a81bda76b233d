// The keys of a config.json as its model type reads them: by every name, with the defaults of the type, and with a
// memory of what was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/refuse.h"
#include "models/formula.h"
#include "posenc/files/json.h"
#include "posenc/models/model.h"

namespace posenc::models {

// A value and where it came from.
struct Found {
  Json value;
  std::string from;  // "text_config.head_dim", "default of llama", "hidden_size // num_attention_heads"

  bool given() const noexcept { return !value.is_null(); }
};

// What is said about a file besides its answer.
struct Remarks {
  const ModelOptions& options;
  Model& model;

  void warn(const std::string& sentence) const;
  // Whether the other way of a reading is wanted; notes it in the model either way.
  bool other_reading(const std::string& name, const std::string& sentence) const;
};

class Config {
 public:
  // `path` stands before every key in messages: "text_config." or empty.
  Config(const Json& object, std::string source, std::string path, Json row, Remarks remarks);

  // The same object, read by another row.
  Config(const Config& other, Json row);

  const Json& row() const noexcept { return row_; }
  // A member of the row; null where there is none, or it is null.
  const Json* rule(std::string_view key) const noexcept;
  // The same of the row's `rope`: how rope parameters are spelled.
  const Json* rope_rule(std::string_view key) const noexcept;
  // The formula of the row under this name, else this one.
  Formula formula(std::string_view key, std::string_view fallback) const;
  const Json& object() const noexcept { return *object_; }
  const std::string& path() const noexcept { return path_; }
  const std::string& source() const noexcept { return source_; }
  const Remarks& remarks() const noexcept { return remarks_; }
  std::string model_type() const;

  // A member of the file under this name or another that its type has for it; null there counts as absent. Dots
  // go into objects.
  Found in_file(const std::string& name) const;
  // The same, else the default of the type, unless the file has null: that says none.
  Found find(const std::string& name) const;
  // What a formula of the row gives; names that begin with `rope.` are members of `rope`, locals are tried first.
  Found evaluate(const Formula& formula, const Json& locals = {}) const;
  // The same without where it came from: for every layer.
  Json value_of(const Formula& formula, const Json& locals) const;

  // A whole number in a range, or an error that names the key.
  std::int64_t integer(const Found& found, const std::string& name, std::int64_t least, std::int64_t most) const;
  // A finite number above 0.
  double positive(const Found& found, const std::string& name) const;
  // The same of what was found in the file, by where it was found.
  std::int64_t integer_at(const Found& found, std::int64_t least, std::int64_t most) const;
  double positive_at(const Found& found) const;

  // Marks a key as understood without reading it, or what another reader of the same object asked for.
  void know(const std::string& name) const { known_.insert(name); }
  void know_as(const Config& other) const { known_.insert(other.known_.begin(), other.known_.end()); }
  // Fails, or warns where the options are lenient, for every key about positions that nobody asked for.
  void refuse_unknown() const;

  // "config.json: text_config.rope_theta: ..." with ErrorKind::bad_input.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view key, const Parts&... parts) const {
    base::refuse_file(source_, path_, key, ": ", parts...);
  }
  // The same with a key that has its path already.
  template <class... Parts>
  [[noreturn]] void refuse_at(std::string_view key, const Parts&... parts) const {
    base::refuse_file(source_, key, ": ", parts...);
  }

 private:
  // What was found, in the file or the row.
  struct FoundValue {
    const Json* value = nullptr;
    std::string from;
    bool null = false;  // the file has null
  };
  FoundValue place_in_file(const std::string& name) const;
  FoundValue place_of(const std::string& name) const;

  const Json* object_;
  std::string source_, path_;
  Json row_;
  Remarks remarks_;
  mutable std::set<std::string> known_;
};

// How a head is sized where a row says nothing else.
inline constexpr std::string_view kHeadDim = "head_dim ?? hidden_size // num_attention_heads";

// The text of a value for a message: short.
std::string value_text(const Json& value);

}  // namespace posenc::models
