// The keys of one architecture in a GGUF file, read by name. It remembers which were read, so that none is ignored
// silently.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/refuse.h"
#include "models/gguf_table.h"
#include "posenc/files/gguf.h"
#include "posenc/models/model.h"

namespace posenc::models::gguf {

// A value and where it came from.
template <class T>
struct Sourced {
  T value{};
  std::string from;
};

inline constexpr std::string_view kLlamaDefault = "default of llama.cpp";

// Names omit the architecture: "rope.freq_base". Values of another type or range are errors.
class GgufKeys {
 public:
  GgufKeys(const Gguf& file, const GgufArchitecture& row, const ModelOptions& options, Model& model)
      : file_(file), row_(row), options_(options), model_(model) {}

  // With the architecture: "llama.rope.freq_base".
  std::string full(std::string_view name) const { return std::string(row_.name) + "." + std::string(name); }
  bool has(std::string_view name) const { return file_.find(full(name)) != nullptr; }
  bool has_list(std::string_view name) const;

  std::optional<double> number(std::string_view name);       // finite
  std::optional<std::int64_t> count(std::string_view name);  // 0 to 2^31 - 1
  std::optional<bool> flag(std::string_view name);
  std::optional<std::string> word(std::string_view name);
  std::optional<std::vector<std::int64_t>> list(std::string_view name);  // of counts, or of bools as 0 and 1

  // If the key is missing, the value that llama.cpp uses, which becomes a guess.
  Sourced<double> number_or(std::string_view name, double fallback);
  Sourced<std::int64_t> count_or(std::string_view name, std::int64_t fallback);
  std::int64_t required_count(std::string_view name);

  // The numbers of a tensor of one axis.
  std::vector<double> tensor(std::string_view name) const;
  bool has_tensor(std::string_view name) const { return file_.find_tensor(name) != nullptr; }

  void guess(const std::string& sentence);
  void warn(const std::string& sentence);
  // "model.gguf: key 'llama.block_count' at byte 24: ..." with ErrorKind::bad_input.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view name, const Parts&... parts) const {
    base::refuse_file(file_.path(), place_of(name), ": ", parts...);
  }
  template <class... Parts>
  void require(bool holds, std::string_view name, const Parts&... parts) const {
    if (!holds) refuse(name, parts...);
  }
  // An error, or a warning if the options are lenient.
  void object(std::string_view name, const std::string& why);
  // Warns that the value of a key makes no difference, and marks it as read.
  void mark_read(std::string_view name) { read_.insert(full(name)); }

  // Throws, naming the file, if numbers do not fit together although each is valid.
  void check(const Spec& spec) const;

  // Checks for unknown keys about positions, and for those that llama.cpp does not read for this architecture.
  void check_unknown();
  void warn_unread();

 private:
  const GgufEntry* entry(std::string_view name);
  std::string place_of(std::string_view name) const;

  const Gguf& file_;
  const GgufArchitecture& row_;
  const ModelOptions& options_;
  Model& model_;
  std::set<std::string> read_;
};

// The suffixes of the keys whose arrays are read.
std::vector<std::string> wanted_arrays();

}  // namespace posenc::models::gguf
