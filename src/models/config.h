// Reads the keys of a config.json as its model type does: under all their names, with the defaults of the type.
// Remembers which keys were read.
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

// Remarks about a file.
struct Remarks {
  const ModelOptions& options;
  Model& model;

  void warn(const std::string& sentence) const;
  // Whether the options ask for the other reading of this name. Records the reading in the model either way.
  bool other_reading(const std::string& name, const std::string& sentence) const;
};

class Config {
 public:
  // `path` precedes every key in messages: "text_config." or empty.
  Config(const Json& object, std::string source, std::string path, Json row, Remarks remarks);

  // The same object, read with another row.
  Config(const Config& other, Json row);

  const Json& row() const noexcept { return row_; }
  // A member of the row; null if it is missing or null.
  const Json* rule(std::string_view key) const noexcept;
  // The same for the row's member `rope`, which says how rope parameters are spelled.
  const Json* rope_rule(std::string_view key) const noexcept;
  // The formula that the row has under this name, else `fallback`.
  Formula formula(std::string_view key, std::string_view fallback) const;
  const Json& object() const noexcept { return *object_; }
  const std::string& path() const noexcept { return path_; }
  const std::string& source() const noexcept { return source_; }
  const Remarks& remarks() const noexcept { return remarks_; }
  std::string model_type() const;

  // A member of the file under this name or another name that its type has for it; null counts as missing. A dot in a
  // name separates an object from its member.
  Found in_file(const std::string& name) const;
  // The same. If the key is missing, the default of the type; a null in the file means that there is no value.
  Found find(const std::string& name) const;
  // The value of a formula of the row; names that begin with `rope.` are members of `rope`, and locals come first.
  Found evaluate(const Formula& formula, const Json& locals = {}) const;
  // The same without the provenance, which is faster for every layer.
  Json value_of(const Formula& formula, const Json& locals) const;

  // A whole number in a range; otherwise throws, naming the key.
  std::int64_t integer(const Found& found, const std::string& name, std::int64_t least, std::int64_t most) const;
  // A finite number above 0.
  double positive(const Found& found, const std::string& name) const;
  // The same for a value that was found before, named by its place.
  std::int64_t integer_at(const Found& found, std::int64_t least, std::int64_t most) const;
  double positive_at(const Found& found) const;

  // Marks a key as known without reading it, or all keys that another reader of the same object read.
  void know(const std::string& name) const { known_.insert(name); }
  void know_as(const Config& other) const { known_.insert(other.known_.begin(), other.known_.end()); }
  // Refuses every key about positions that was not read; warns instead if the options are lenient.
  void refuse_unknown() const;

  // "config.json: text_config.rope_theta: ..." with ErrorKind::bad_input.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view key, const Parts&... parts) const {
    base::refuse_file(source_, path_, key, ": ", parts...);
  }
  // The same with a full path.
  template <class... Parts>
  [[noreturn]] void refuse_at(std::string_view key, const Parts&... parts) const {
    base::refuse_file(source_, key, ": ", parts...);
  }

 private:
  // A value found in the file or the row.
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

// The width of a head, unless the row gives another formula.
inline constexpr std::string_view kHeadDim = "head_dim ?? hidden_size // num_attention_heads";

// A value as short text for a message.
std::string value_text(const Json& value);

}  // namespace posenc::models
