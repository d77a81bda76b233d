#include "models/gguf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/nearest.h"
#include "core/text/quotable.h"
#include "models/gguf_keys.h"
#include "models/gguf_layers.h"
#include "models/gguf_numbers.h"
#include "models/gguf_rotary.h"
#include "models/gguf_scores.h"
#include "models/gguf_table.h"
#include "posenc/error.h"

namespace posenc::models {
namespace gguf {
namespace {

constexpr std::string_view kPositionTable = "position_embd.weight";

[[noreturn]] void fail_no_architecture(const Gguf& file) {
  const GgufEntry* part = file.find("split.no");
  const std::int64_t* number = part == nullptr ? nullptr : std::get_if<std::int64_t>(&part->value);
  base::refuse_file(
      file.path(), "key 'general.architecture': expected a word but it is missing",
      (number != nullptr && *number > 0 ? ": the file is a later part of a split model; give the first" : ""));
}

GgufArchitecture find_row(const Gguf& file) {
  const GgufEntry* entry = file.find("general.architecture");
  const std::string* name = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->value);
  if (name == nullptr) fail_no_architecture(file);
  if (std::optional<GgufArchitecture> row = find_gguf_architecture(*name)) return *std::move(row);
  const std::string place = file.path() + ": key 'general.architecture': ";
  if (*name == "clip") {
    fail(ErrorKind::unsupported,
         place + "'clip' is a projector for images or sound (mmproj); give the file of the model itself");
  }
  fail(ErrorKind::unsupported, place +
                                   "expected an architecture of llama.cpp, which decides how channels are rotated, "
                                   "but got '" +
                                   text::quotable(*name) + "'" + text::hint(*name, gguf_architectures()));
}

class GgufResolver {
 public:
  GgufResolver(const Gguf& file, const ModelOptions& options)
      : file_(file), row_(find_row(file)), keys_(file, row_, options, model_) {}

  Model resolve() {
    model_.source = file_.path();
    model_.model_type = row_.name;
    model_.format = "GGUF";
    keys_.check_unknown();
    check_supported();
    size_ = read_size(keys_, row_);
    uses_ = read_layers(keys_, row_, size_);
    if (row_.added == OtherEncoding::t5) {
      add_t5_groups();
    } else {
      add_groups();
    }
    for (const ModelGroup& group : model_.groups) {
      keys_.check(group.spec);
      if (group.query_scale) keys_.check(*group.query_scale);
    }
    keys_.warn_unread();
    warn_split();
    return std::move(model_);
  }

 private:
  void check_supported() {
    if (row_.unsupported.empty() || keys_.count(row_.unsupported).value_or(0) == 0) return;
    fail(ErrorKind::unsupported, file_.path() + ": key '" + keys_.full(row_.unsupported) +
                                     "': posenc does not support this variant of '" + std::string(row_.name) + "'");
  }

  void warn_split() {
    const GgufEntry* parts = file_.find("split.count");
    const std::int64_t* count = parts == nullptr ? nullptr : std::get_if<std::int64_t>(&parts->value);
    if (count == nullptr || *count < 2) return;
    keys_.warn("the file is one of " + std::to_string(*count) + " parts: tensors in the other parts are not read");
  }

  // Layers with the same use form a group; groups are ordered by their first layers.
  void add_groups() {
    std::optional<GgufRotary> rotary;
    const bool any_rotated = std::any_of(uses_.layers.begin(), uses_.layers.end(),
                                         [](const LayerUse& use) { return use.attention && use.rotated; });
    if (row_.rotation != Pairing::none && any_rotated) {
      rotary.emplace(read_rotary_source(keys_, row_, size_));
      keys_.guess(layout_guess(*rotary));
    }
    std::vector<LayerUse> kinds;
    for (std::size_t l = 0; l < uses_.layers.size(); ++l) {
      const LayerUse use = plain(uses_.layers[l]);
      const auto known = std::find(kinds.begin(), kinds.end(), use);
      const auto at = static_cast<std::size_t>(known - kinds.begin());
      if (known == kinds.end()) {
        kinds.push_back(use);
        model_.groups.push_back(make_group(use, rotary));
      }
      model_.groups[at].layers.push_back(static_cast<std::int64_t>(l));
    }
    name_layer_types(kinds);
  }

  // A layer without attention has neither a window nor a rotation.
  static LayerUse plain(LayerUse use) { return use.attention ? use : LayerUse{false, false, false, false}; }

  void name_layer_types(const std::vector<LayerUse>& kinds) {
    if (kinds.size() < 2 && !uses_.window) return;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const char* slides = row_.window_shape == WindowShape::chunked ? "chunked_attention" : "sliding_attention";
      model_.groups[i].layer_type = !kinds[i].attention ? "recurrent" : kinds[i].slides ? slides : "full_attention";
    }
  }

  ModelGroup make_group(const LayerUse& use, const std::optional<GgufRotary>& rotary) {
    ModelGroup group;
    group.trained_positions = size_.context;
    if (!row_.note.empty()) group.notes.emplace_back(row_.note);
    if (!use.attention) {
      group.notes.emplace_back("these layers have no attention");
      return group;
    }
    if (use.slides) fill_window(group);
    if (row_.rotation != Pairing::none && use.rotated) {
      fill_rotary(*rotary, use, group);
    } else {
      fill_added(group);
    }
    fill_scores({keys_, row_, size_, uses_, rotary ? &rotary->stretch : nullptr}, use, group);
    return group;
  }

  void fill_window(ModelGroup& group) {
    group.sliding_window = uses_.window->value;
    group.provenance.push_back({"sliding_window", uses_.window->from});
    if (row_.window_shape == WindowShape::symmetric) {
      group.notes.emplace_back("the window extends half of its length to each side");
    } else if (row_.window_shape == WindowShape::chunked) {
      group.notes.emplace_back("windows start at multiples of their length: a query sees no keys before its window");
    }
  }

  void fill_added(ModelGroup& group) {
    if (file_.find_tensor(kPositionTable) != nullptr || row_.added == OtherEncoding::learned) {
      fill_learned(group);
    } else if (row_.added == OtherEncoding::alibi && (row_.alibi_layers == 0 || row_.alibi_layers == size_.layers)) {
      fill_alibi(group);
    }
  }

  void fill_learned(ModelGroup& group) {
    Learned spec{.width = size_.embedding, .rows = size_.context, .past_end = PastEnd::error};
    const GgufTensor* table = file_.find_tensor(kPositionTable);
    if (table != nullptr) {
      if (table->shape.size() != 2 || table->shape[0] < 1 || table->shape[1] < 1) {
        base::refuse_file(file_.path(), "tensor '", kPositionTable,
                          "': expected two axes, rows and channels, of at least 1");
      }
      spec.width = table->shape[0];
      spec.rows = table->shape[1];
    } else {
      keys_.guess("tensor position_embd.weight is missing: llama.cpp needs it for '" + std::string(row_.name) +
                  "', with a row for each of " + keys_.full("context_length"));
    }
    const std::string from = table != nullptr ? "tensor position_embd.weight" : std::string(kLlamaDefault);
    group.provenance.push_back({"width", from});
    group.provenance.push_back({"rows", from});
    group.notes.emplace_back("rows that no position uses (2 in RoBERTa) were removed at conversion: first is 0");
    group.spec = spec;
  }

  void fill_alibi(ModelGroup& group) {
    constexpr std::string_view kBias = "attention.max_alibi_bias";
    Sourced<double> bias{8.0, std::string(kLlamaDefault)};
    if (row_.alibi_read) {
      bias = keys_.number_or(kBias, 0.0);
      if (bias.value == 0.0) return;
      keys_.require(bias.value >= 0.0, kBias, "expected 0 or more but got ", bias.value);
    } else {
      keys_.guess("the file does not give ALiBi's largest bias: llama.cpp uses 8 for '" + std::string(row_.name) + "'");
    }
    require_heads("ALiBi needs this key, but it is missing");
    group.spec = Alibi{.heads = size_.first_heads(), .bias_max = bias.value};
    group.provenance.push_back({"heads", keys_.full("attention.head_count")});
    group.provenance.push_back({"bias_max", bias.from});
  }

  void require_heads(const char* missing) const {
    constexpr std::string_view kHeads = "attention.head_count";
    keys_.require(size_.first_heads() != 0, kHeads, keys_.has(kHeads) ? "expected at least 1 head but got 0" : missing);
  }

  void add_t5_groups() {
    const bool decoder = row_.name != "t5encoder";
    add_t5("encoder", size_.layers, T5Direction::bidirectional);
    if (decoder) {
      const std::int64_t layers = keys_.count("decoder_block_count").value_or(size_.layers);
      add_t5("decoder", std::min<std::int64_t>(layers, 4096), T5Direction::causal);
    }
  }

  void add_t5(const std::string& part, std::int64_t layers, T5Direction direction) {
    constexpr std::string_view kBuckets = "attention.relative_buckets_count";
    const std::int64_t buckets = keys_.required_count(kBuckets);
    keys_.require(buckets >= 4 && buckets <= 128 && buckets % 2 == 0, kBuckets,
                  "expected an even number from 4 to 128 but got ", buckets);
    require_heads("this key is missing");
    ModelGroup group;
    group.part = part;
    for (std::int64_t l = 0; l < layers; ++l) group.layers.push_back(l);
    group.spec = T5{.heads = size_.first_heads(), .buckets = buckets, .max_distance = 128, .direction = direction};
    group.softmax_scale = 1.0;
    group.trained_positions = size_.context;
    group.provenance = {{"heads", keys_.full("attention.head_count")},
                        {"buckets", keys_.full(kBuckets)},
                        {"max_distance", std::string(kLlamaDefault)},
                        {"softmax_scale", std::string(kLlamaDefault)}};
    keys_.guess("the file does not give T5's largest distance: llama.cpp uses 128");
    model_.groups.push_back(std::move(group));
  }

  const Gguf& file_;
  const GgufArchitecture row_;
  Model model_;
  GgufKeys keys_;
  ModelSize size_;
  LayerUses uses_;
};

}  // namespace
}  // namespace gguf

Model model_from_gguf(std::shared_ptr<const files::FileReader> reader, const ModelOptions& options) {
  const Gguf file = files::open_gguf(std::move(reader), {.arrays = gguf::wanted_arrays()});
  return gguf::GgufResolver(file, options).resolve();
}

}  // namespace posenc::models
