#include "models/gguf_table.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "core/base/refuse.h"
#include "models/embedded.h"
#include "posenc/error.h"
#include "posenc/files/json.h"

namespace posenc::models::gguf {
namespace {

constexpr std::string_view kFile = "gguf_architectures.jsonl";
constexpr std::string_view kPrefix = R"({"architecture": ")";

std::string_view name_of(std::string_view line) {
  line.remove_prefix(kPrefix.size());
  return line.substr(0, line.find('"'));
}

// Reads the members of a row. A member that is not read is a mistake in the table.
class Members {
 public:
  explicit Members(const Json& row) : row_(row) {}

  void read(std::string_view name, bool& value) {
    if (const Json* member = find(name)) value = member->boolean(source(name));
  }
  void read(std::string_view name, std::int64_t& value) {
    if (const Json* member = find(name)) value = member->integer(source(name));
  }
  void read(std::string_view name, double& value) {
    if (const Json* member = find(name)) value = member->number(source(name));
  }
  void read(std::string_view name, std::string& value) {
    if (const Json* member = find(name)) value = member->string(source(name));
  }
  // Reads an enum; `words` are the names of its values, in their order.
  template <class Enum>
  void word(std::string_view name, Enum& value, std::initializer_list<std::string_view> words) {
    const Json* member = find(name);
    if (member == nullptr) return;
    const auto* found = std::find(words.begin(), words.end(), member->string(source(name)));
    if (found == words.end()) base::refuse_file(source(name), "no such word");
    value = static_cast<Enum>(found - words.begin());
  }
  void check_all_read() const {
    if (read_ == row_.object().size()) return;
    fail(ErrorKind::bad_input, source("") + " has a member that nobody reads");
  }

 private:
  const Json* find(std::string_view name) {
    const Json* member = row_.find(name);
    read_ += member == nullptr ? 0 : 1;
    return member;
  }
  std::string source(std::string_view name) const { return std::string(kFile) + ": " + std::string(name); }

  const Json& row_;
  std::size_t read_ = 0;
};

GgufArchitecture architecture_of(const Json& json) {
  GgufArchitecture row;
  Members members(json);
  members.read("architecture", row.name);
  members.word("rotation", row.rotation, {"none", "interleaved", "half", "sections", "interleaved_sections"});
  members.word("added", row.added, {"nothing", "alibi", "learned", "t5"});
  members.read("permuted", row.permuted);
  members.read("sections_if_given", row.sections_if_given);
  members.word("part", row.part, {"first", "latent", "last", "all"});
  members.read("rotary_is_head", row.rotary_is_head);
  members.word("divisors", row.divisors, {"unused", "all", "lists", "full_layers"});
  members.read("unscaled", row.unscaled);
  members.word("sliding", row.sliding, {"never", "given", "always"});
  members.read("sliding_layers", row.sliding_layers);
  members.word("pattern", row.pattern, {"number", "number_or_list", "list", "attention"});
  members.read("period", row.period);
  members.read("full_first", row.full_first);
  members.read("window", row.window);
  members.read("window_fixed", row.window_fixed);
  members.word("window_shape", row.window_shape, {"sliding", "chunked", "symmetric"});
  members.word("local_base", row.local_base, {"shared", "own", "own_or_ten_thousand"});
  members.word("local_scaling", row.local_scaling, {"shared", "factor_one", "none"});
  members.word(
      "still", row.still,
      {"none", "every", "every_or_last", "every_first", "full_layers", "full_sparse", "pattern", "not_finetuned"});
  members.read("still_every", row.still_every);
  members.word("softmax", row.softmax, {"head", "key", "one", "rotary", "value", "head_whole", "latent", "output_key"});
  members.read("wide_layers", row.wide_layers);
  members.read("alibi_read", row.alibi_read);
  members.read("rotating_layers", row.rotating_layers);
  members.read("alibi_layers", row.alibi_layers);
  members.read("full_interval", row.full_interval);
  members.read("reads_betas", row.reads_betas);
  members.read("beta_fast", row.beta_fast);
  members.read("reads_extrapolation", row.reads_extrapolation);
  members.read("reads_alpha", row.reads_alpha);
  members.word("log_multiplier", row.log_multiplier, {"unread", "as_given", "tenfold", "tenfold_both"});
  members.read("magnitude_one", row.magnitude_one);
  members.word("temperature", row.temperature, {"none", "still_layers", "key_length", "original_length"});
  members.read("halves_rotary", row.halves_rotary);
  members.read("compresses", row.compresses);
  members.read("unsupported", row.unsupported);
  members.read("note", row.note);
  members.check_all_read();
  return row;
}

}  // namespace

std::vector<std::string_view> gguf_architectures() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kGgufArchitectureLinesCount; ++i) names.push_back(name_of(kGgufArchitectureLines[i]));
  return names;
}

std::optional<GgufArchitecture> find_gguf_architecture(std::string_view name) {
  for (std::size_t i = 0; i < kGgufArchitectureLinesCount; ++i) {
    const std::string_view line = kGgufArchitectureLines[i];
    if (name_of(line) == name) return architecture_of(parse_json(line, kFile));
  }
  return std::nullopt;
}

}  // namespace posenc::models::gguf
