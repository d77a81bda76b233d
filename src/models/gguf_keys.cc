#include "models/gguf_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "core/text/nearest.h"
#include "core/text/number_text.h"
#include "core/text/quotable.h"

namespace posenc::models::gguf {
namespace {

// All keys about positions that llama.cpp knows.
constexpr std::array<std::string_view, 31> kPositionKeys = {
    "rope.dimension_count",
    "rope.dimension_count_swa",
    "rope.dimension_sections",
    "rope.freq_base",
    "rope.freq_base_swa",
    "rope.scale_linear",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.alpha",
    "rope.scaling.attn_factor",
    "rope.scaling.original_context_length",
    "rope.scaling.finetuned",
    "rope.scaling.yarn_log_multiplier",
    "rope.scaling.yarn_ext_factor",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
    "attention.max_alibi_bias",
    "attention.relative_buckets_count",
    "attention.rope_pattern",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "attention.scale",
    "attention.temperature_length",
    "attention.temperature_scale",
    "attention.compress_rope_freq_base",
    "attention.key_length_swa",
    "attention.key_length_mla_swa",
    "attention.value_length_swa",
    "attention.value_length_mla_swa",
    "attention.kv_lora_rank_swa",
};

// Keys that have no effect on positions in llama.cpp, for most architectures or for all.
constexpr std::array<std::string_view, 4> kWithoutEffect = {"rope.scaling.finetuned", "attention.value_length_swa",
                                                            "attention.value_length_mla_swa",
                                                            "attention.kv_lora_rank_swa"};

// A key of the architecture with one of these in its name is about positions.
constexpr std::array<std::string_view, 9> kPositionWords = {"rope",     "rotary",  "yarn",        "alibi", "position",
                                                            "relative", "sliding", "temperature", "ntk"};

template <std::size_t size>
bool is_one_of(std::string_view word, const std::array<std::string_view, size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string value_text(const GgufEntry& entry) {
  if (!entry.held) return "an " + entry.type + " of " + std::to_string(entry.size);
  if (const auto* whole = std::get_if<std::int64_t>(&entry.value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&entry.value)) return text::number_text(*number);
  if (const auto* flag = std::get_if<bool>(&entry.value)) return *flag ? "true" : "false";
  if (const auto* word = std::get_if<std::string>(&entry.value)) return "'" + text::quotable(*word) + "'";
  return "an " + entry.type + " of " + std::to_string(entry.size);
}

constexpr std::int64_t kMostCount = 2147483647;

}  // namespace

std::vector<std::string> wanted_arrays() {
  return {".rope.dimension_sections",  ".attention.rope_pattern",  ".attention.sliding_window_pattern",
          ".attention.head_count",     ".attention.head_count_kv", ".attention.recurrent_layers",
          ".attention.compress_ratios"};
}

const GgufEntry* GgufKeys::entry(std::string_view name) {
  mark_read(name);
  return file_.find(full(name));
}

bool GgufKeys::has_list(std::string_view name) const {
  const GgufEntry* found = file_.find(full(name));
  return found != nullptr && found->type.starts_with("array");
}

std::optional<double> GgufKeys::number(std::string_view name) {
  const GgufEntry* found = entry(name);
  if (found == nullptr) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&found->value); whole != nullptr && found->held) {
    return static_cast<double>(*whole);
  }
  const auto* number = std::get_if<double>(&found->value);
  if (number == nullptr || !std::isfinite(*number)) {
    refuse(name, "expected a finite number but got ", value_text(*found));
  }
  return *number;
}

std::optional<std::int64_t> GgufKeys::count(std::string_view name) {
  const GgufEntry* found = entry(name);
  if (found == nullptr) return std::nullopt;
  const auto* whole = std::get_if<std::int64_t>(&found->value);
  if (whole == nullptr || !found->held || *whole < 0 || *whole > kMostCount) {
    refuse(name, "expected an integer from 0 to 2^31 - 1 but got ", value_text(*found));
  }
  return *whole;
}

std::optional<bool> GgufKeys::flag(std::string_view name) {
  const GgufEntry* found = entry(name);
  if (found == nullptr) return std::nullopt;
  const auto* flag = std::get_if<bool>(&found->value);
  if (flag == nullptr) refuse(name, "expected a bool but got ", value_text(*found));
  return *flag;
}

std::optional<std::string> GgufKeys::word(std::string_view name) {
  const GgufEntry* found = entry(name);
  if (found == nullptr) return std::nullopt;
  const auto* word = std::get_if<std::string>(&found->value);
  if (word == nullptr) refuse(name, "expected a word but got ", value_text(*found));
  return *word;
}

std::optional<std::vector<std::int64_t>> GgufKeys::list(std::string_view name) {
  const GgufEntry* found = entry(name);
  if (found == nullptr) return std::nullopt;
  const auto* numbers = std::get_if<std::vector<double>>(&found->value);
  if (numbers == nullptr) refuse(name, "expected a list of integers but got ", value_text(*found));
  std::vector<std::int64_t> counts;
  for (const double number : *numbers) {
    require(number >= 0.0 && number <= static_cast<double>(kMostCount) && number == std::floor(number), name,
            "expected integers from 0 to 2^31 - 1 but got ", number);
    counts.push_back(static_cast<std::int64_t>(number));
  }
  return counts;
}

Sourced<double> GgufKeys::number_or(std::string_view name, double fallback) {
  if (const std::optional<double> given = number(name)) return {*given, full(name)};
  guess(full(name) + " is missing: llama.cpp uses " + text::number_text(fallback));
  return {fallback, std::string(kLlamaDefault)};
}

Sourced<std::int64_t> GgufKeys::count_or(std::string_view name, std::int64_t fallback) {
  if (const std::optional<std::int64_t> given = count(name)) return {*given, full(name)};
  guess(full(name) + " is missing: llama.cpp uses " + std::to_string(fallback));
  return {fallback, std::string(kLlamaDefault)};
}

std::int64_t GgufKeys::required_count(std::string_view name) {
  const std::optional<std::int64_t> given = count(name);
  require(given.has_value(), name, "llama.cpp needs this key, but it is missing");
  return *given;
}

std::vector<double> GgufKeys::tensor(std::string_view name) const {
  const Array array = file_.load(name);
  if (array.shape.size() != 1) {
    base::refuse_file(file_.path(), "tensor '", name, "': expected one axis but got ", array.shape.size());
  }
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < array.size(); ++i) numbers.push_back(array.number(i));
  return numbers;
}

void GgufKeys::guess(const std::string& sentence) {
  if (std::find(model_.guesses.begin(), model_.guesses.end(), sentence) == model_.guesses.end()) {
    model_.guesses.push_back(sentence);
  }
}

void GgufKeys::warn(const std::string& sentence) { model_.warnings.push_back(sentence); }

std::string GgufKeys::place_of(std::string_view name) const {
  const GgufEntry* found = file_.find(full(name));
  const std::string place = "key '" + text::quotable(full(name)) + "'";
  return found == nullptr ? place : text::message(place, " at byte ", found->offset);
}

void GgufKeys::object(std::string_view name, const std::string& why) {
  require(options_.lenient, name, why);
  warn("key '" + text::quotable(full(name)) + "': " + why);
}

void GgufKeys::check(const Spec& spec) const {
  spec::check_spec(spec, file_.path() + ": " + std::string(kind_of(spec)));
}

void GgufKeys::check_unknown() {
  const std::string prefix = std::string(row_.name) + ".";
  for (const GgufEntry& found : file_.entries) {
    if (!found.key.starts_with(prefix)) continue;
    const std::string_view name = std::string_view(found.key).substr(prefix.size());
    const bool about = std::any_of(kPositionWords.begin(), kPositionWords.end(),
                                   [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
    if (!about || is_one_of(name, kPositionKeys)) continue;
    const std::string_view near = text::nearest(name, {kPositionKeys.begin(), kPositionKeys.end()});
    object(name, "expected a key about positions that llama.cpp knows" +
                     (near.empty() ? "" : "; did you mean '" + full(near) + "'?"));
  }
}

void GgufKeys::warn_unread() {
  for (const std::string_view name : kPositionKeys) {
    if (!has(name) || read_.contains(full(name)) || is_one_of(name, kWithoutEffect)) continue;
    warn(full(name) + " = " + value_text(*file_.find(full(name))) + " has no effect: llama.cpp does not use it for '" +
         std::string(row_.name) + "'");
  }
}

}  // namespace posenc::models::gguf
