#include <algorithm>

#include "models/gguf_numbers.h"

namespace posenc::models::gguf {
namespace {

constexpr std::int64_t kMostLayers = 4096;  // llama.cpp itself has room for 512
constexpr std::int64_t kMostHeads = 65536;

// Reads a key that is one number, or one per layer.
std::vector<std::int64_t> per_layer(GgufKeys& keys, std::string_view name, std::int64_t layers,
                                    const std::vector<std::int64_t>& fallback) {
  if (!keys.has(name)) return fallback;
  if (!keys.has_list(name)) return std::vector(static_cast<std::size_t>(layers), keys.count(name).value());
  std::vector<std::int64_t> counts = keys.list(name).value();
  keys.require(counts.size() >= static_cast<std::size_t>(layers), name, "expected one number per layer, ", layers,
               ", but got ", counts.size());
  counts.resize(static_cast<std::size_t>(layers));
  return counts;
}

std::int64_t read_layers(GgufKeys& keys) {
  const std::int64_t blocks = keys.required_count("block_count");
  keys.require(blocks >= 1 && blocks <= kMostLayers, "block_count", "expected 1 to ", kMostLayers, " but got ", blocks);
  const std::int64_t further = keys.count("nextn_predict_layers").value_or(0);
  return further < blocks ? blocks - further : blocks;  // a draft model has nothing else
}

void check_heads(GgufKeys& keys, const ModelSize& size) {
  for (const std::int64_t heads : size.heads) {
    keys.require(heads <= kMostHeads, "attention.head_count", "expected at most ", kMostHeads, " but got ", heads);
  }
}

Sourced<std::int64_t> read_head(GgufKeys& keys, const ModelSize& size) {
  if (const auto given = keys.count("attention.key_length")) return {*given, keys.full("attention.key_length")};
  if (size.first_heads() == 0) {
    keys.refuse("attention.head_count", keys.has("attention.head_count")
                                            ? "expected at least 1 head but got 0"
                                            : "this key or attention.key_length is needed, but both are missing");
  }
  return {size.embedding / size.first_heads(),
          keys.full("embedding_length") + " / " + keys.full("attention.head_count")};
}

// Reads a key of sliding layers; if it is missing, the value of the other layers applies.
Sourced<std::int64_t> read_or(GgufKeys& keys, std::string_view name, const Sourced<std::int64_t>& otherwise) {
  if (const auto given = keys.count(name)) return {*given, keys.full(name)};
  return otherwise;
}

void read_rotary(GgufKeys& keys, const GgufArchitecture& row, ModelSize& size) {
  if (row.part == Part::all) {
    for (const char* name : {"rope.dimension_count", "rope.dimension_count_swa"}) keys.mark_read(name);
    size.full.rotary = size.full.head;
    size.sliding.rotary = size.sliding.head;
    return;
  }
  size.full.rotary = size.full.head;
  if (const auto given = keys.count("rope.dimension_count")) {
    size.full.rotary = {*given, keys.full("rope.dimension_count")};
  } else {
    keys.guess(keys.full("rope.dimension_count") + " is missing: llama.cpp rotates the whole head");
  }
  size.sliding.rotary = read_or(keys, "rope.dimension_count_swa", size.full.rotary);
  if (row.halves_rotary) size.full.rotary = {size.full.rotary.value / 2, size.full.rotary.from + " / 2"};
}

}  // namespace

std::int64_t ModelSize::first_heads() const {
  const auto found = std::find_if(heads.begin(), heads.end(), [](std::int64_t count) { return count > 0; });
  return found == heads.end() ? 0 : *found;
}

ModelSize read_size(GgufKeys& keys, const GgufArchitecture& row) {
  ModelSize size;
  size.layers = read_layers(keys);
  size.context = keys.count("context_length").value_or(0);
  size.embedding = keys.count("embedding_length").value_or(0);
  size.heads = per_layer(keys, "attention.head_count", size.layers, {});
  size.key_heads = per_layer(keys, "attention.head_count_kv", size.layers, size.heads);
  check_heads(keys, size);
  if (row.rotation == Pairing::none && size.first_heads() == 0) return size;  // a recurrent model
  size.full.head = read_head(keys, size);
  size.sliding.head = read_or(keys, "attention.key_length_swa", size.full.head);
  size.full.whole = size.full.head;
  size.sliding.whole = size.sliding.head;
  if (row.part == Part::latent) {
    size.full.whole = read_or(keys, "attention.key_length_mla", size.full.head);
    size.sliding.whole = read_or(keys, "attention.key_length_mla_swa", size.full.whole);
  }
  if (row.rotation != Pairing::none) read_rotary(keys, row, size);
  return size;
}

}  // namespace posenc::models::gguf
