#include "models/gguf_layers.h"

#include <algorithm>

#include "core/text/joined.h"

namespace posenc::models::gguf {
namespace {

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr std::string_view kPattern = "attention.sliding_window_pattern";

class LayerReader {
 public:
  LayerReader(GgufKeys& keys, const GgufArchitecture& row, const ModelSize& size)
      : keys_(keys), row_(row), size_(size), uses_(static_cast<std::size_t>(size.layers)) {}

  LayerUses read() {
    read_attention();
    std::optional<Sourced<std::int64_t>> window = read_window();
    if (window) read_slides();
    read_rotations(window.has_value());
    read_compressed();
    const bool any = std::any_of(uses_.begin(), uses_.end(), [](const LayerUse& use) { return use.slides; });
    return {uses_, any ? window : std::nullopt};
  }

 private:
  // Whether layer l is the one layer in its group of `every` layers that sees all keys. If `every` is 0, there are no
  // groups.
  bool is_full(std::size_t l, std::int64_t every) const {
    if (every == 0) return false;
    const auto group = static_cast<std::size_t>(every);
    return l % group == (row_.full_first ? 0 : group - 1);
  }

  std::vector<std::int64_t> per_layer(std::string_view name) {
    std::vector<std::int64_t> list = keys_.list(name).value();
    keys_.require(list.size() >= uses_.size(), name, "expected one number per layer, ", uses_.size(), ", but got ",
                  list.size());
    return list;
  }

  void read_attention() {
    for (std::size_t l = 0; l < uses_.size(); ++l) {
      const bool no_heads = l < size_.heads.size() && (size_.heads[l] == 0 || size_.key_heads[l] == 0);
      uses_[l].attention = !no_heads;
    }
    if (row_.full_interval == 0) return;
    if (keys_.has_list("attention.recurrent_layers")) {
      const std::vector<std::int64_t> recurrent = per_layer("attention.recurrent_layers");
      for (std::size_t l = 0; l < uses_.size(); ++l) uses_[l].attention = recurrent[l] == 0;
      return;
    }
    const std::int64_t interval = keys_.count_or("full_attention_interval", row_.full_interval).value;
    keys_.require(interval >= 1, "full_attention_interval", "expected at least 1 but got 0");
    for (std::size_t l = 0; l < uses_.size(); ++l) {
      uses_[l].attention = (l + 1) % static_cast<std::size_t>(interval) == 0;
    }
  }

  std::optional<Sourced<std::int64_t>> read_window() {
    if (row_.sliding == Sliding::never) return std::nullopt;
    if (row_.sliding_layers != 0 && size_.layers != row_.sliding_layers) return std::nullopt;
    const std::optional<std::int64_t> given = keys_.count(kWindow);
    if (given && *given == 0) return std::nullopt;
    if (row_.sliding == Sliding::given && !given) return std::nullopt;
    if (row_.window_fixed) return fixed_window(given);
    if (given) return Sourced<std::int64_t>{*given, keys_.full(kWindow)};
    keys_.require(row_.window != 0, kWindow, "llama.cpp needs this key, but it is missing");
    return keys_.count_or(kWindow, row_.window);
  }

  Sourced<std::int64_t> fixed_window(std::optional<std::int64_t> given) {
    if (given.value_or(row_.window) != row_.window) {
      keys_.warn(keys_.full(kWindow) + " = " + std::to_string(*given) + " has no effect: llama.cpp uses " +
                 std::to_string(row_.window) + " for '" + std::string(row_.name) + "'");
    }
    keys_.guess("llama.cpp uses a window of " + std::to_string(row_.window) + " for '" + std::string(row_.name) +
                "', whatever the file says");
    return {row_.window, std::string(kLlamaDefault)};
  }

  void read_slides() {
    if (row_.pattern == Pattern::attention || (row_.pattern == Pattern::number && row_.period == 0)) {
      for (LayerUse& use : uses_) use.slides = use.attention;
      return;
    }
    const bool list = keys_.has_list(kPattern);
    keys_.require(row_.pattern == Pattern::number || keys_.has(kPattern), kPattern,
                  "llama.cpp needs this key, but it is missing");
    if (row_.pattern == Pattern::list || (row_.pattern == Pattern::number_or_list && list)) return read_list(list);
    const std::int64_t period = list ? ignored_list() : keys_.count_or(kPattern, row_.period).value;
    for (std::size_t l = 0; l < uses_.size(); ++l) uses_[l].slides = !is_full(l, period);
  }

  // Where llama.cpp reads a list, a single number applies to all layers.
  void read_list(bool list) {
    if (!list) {
      const std::optional<std::int64_t> all = keys_.count(kPattern);
      for (LayerUse& use : uses_) use.slides = all.value_or(0) != 0;
      return;
    }
    const std::vector<std::int64_t> slides = per_layer(kPattern);
    for (std::size_t l = 0; l < uses_.size(); ++l) uses_[l].slides = slides[l] != 0;
  }

  std::int64_t ignored_list() {
    const std::vector<std::int64_t> slides = per_layer(kPattern);
    bool same = true;
    for (std::size_t l = 0; l < uses_.size(); ++l) same = same && (slides[l] == 0) == is_full(l, row_.period);
    if (!same) {
      keys_.warn(keys_.full(kPattern) + " is a list, which llama.cpp ignores for '" + std::string(row_.name) +
                 "': it lets every " + std::to_string(row_.period) + "th layer see all keys");
    }
    return row_.period;
  }

  void read_rotations(bool any_slide) {
    if (row_.rotating_layers != 0 && size_.layers != row_.rotating_layers) {
      for (LayerUse& use : uses_) use.rotated = false;
      return;
    }
    const std::int64_t dense =
        row_.still == Still::full_sparse ? keys_.count("leading_dense_block_count").value_or(0) : 0;
    const bool off = row_.still == Still::not_finetuned && !keys_.flag("rope.scaling.finetuned").value_or(true);
    std::vector<std::int64_t> pattern;
    if (row_.still == Still::pattern && keys_.has("attention.rope_pattern"))
      pattern = per_layer("attention.rope_pattern");
    for (std::size_t l = 0; l < uses_.size(); ++l) {
      const bool stays = off || is_still(l, any_slide, dense) || (l < pattern.size() && pattern[l] == 0);
      uses_[l].rotated = row_.rotation != Pairing::none && !stays;
    }
    guess_still();
  }

  bool is_still(std::size_t l, bool any_slide, std::int64_t dense) const {
    const auto every = static_cast<std::size_t>(row_.still_every);
    switch (row_.still) {
      // If no layer has a window, llama.cpp intends to rotate all layers but skips the last.
      case Still::every_or_last:
        return any_slide ? (l + 1) % every == 0 : l + 1 == uses_.size();
      case Still::every:
        return (l + 1) % every == 0;
      case Still::every_first:
        return any_slide && l % every == 0;
      case Still::full_layers:
        return any_slide && !uses_[l].slides;
      case Still::full_sparse:
        return !uses_[l].slides && static_cast<std::int64_t>(l) >= dense;
      default:
        return false;
    }
  }

  void guess_still() {
    if (row_.still == Still::none || row_.still == Still::not_finetuned || row_.still == Still::pattern) return;
    std::vector<std::size_t> still;
    for (std::size_t l = 0; l < uses_.size(); ++l) {
      if (!uses_[l].rotated) still.push_back(l);
    }
    if (still.empty()) return;
    keys_.guess("the file does not say which layers have no rotation: llama.cpp skips layers " +
                text::joined(still, ", ") + " for '" + std::string(row_.name) + "'");
  }

  void read_compressed() {
    if (!row_.compresses || !keys_.has("attention.compress_ratios")) return;
    const std::vector<std::int64_t> ratios = per_layer("attention.compress_ratios");
    for (std::size_t l = 0; l < uses_.size(); ++l) uses_[l].compressed = ratios[l] != 0;
  }

  GgufKeys& keys_;
  const GgufArchitecture& row_;
  const ModelSize& size_;
  std::vector<LayerUse> uses_;
};

}  // namespace

LayerUses read_layers(GgufKeys& keys, const GgufArchitecture& row, const ModelSize& size) {
  return LayerReader(keys, row, size).read();
}

}  // namespace posenc::models::gguf
