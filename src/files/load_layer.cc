#include "posenc/files/load_layer.h"

#include <algorithm>

#include "posenc/error.h"
#include "posenc/files/safetensors.h"

namespace posenc {
namespace {

struct Tensors {
  Tensors(const std::string& path_given, std::string_view prefix_given)
      : path(path_given), file(open_safetensors(path_given)), prefix(prefix_given) {}

  Array load(std::string_view name) const { return file.load(prefix + std::string(name)); }
  bool has(std::string_view name) const {
    return std::any_of(file.tensors().begin(), file.tensors().end(),
                       [&](const TensorInfo& tensor) { return tensor.name == prefix + std::string(name); });
  }
  std::optional<Array> find(std::string_view name) const {
    return has(name) ? std::optional(load(name)) : std::nullopt;
  }

  std::string path;
  Safetensors file;
  std::string prefix;
};

ConstView view_of(const std::optional<Array>& array) { return array ? array->view() : ConstView{}; }

MultiHeadArrays load_attention(const Tensors& tensors, const std::string& prefix) {
  for (const char* name : {"bias_k", "bias_v"}) {
    if (!tensors.has(prefix + name)) continue;
    fail(ErrorKind::unsupported, tensors.path + ": " + tensors.prefix + prefix + name +
                                     ", a key and a value appended to the text (add_bias_kv), is not supported");
  }
  return {tensors.load(prefix + "in_proj_weight"), tensors.find(prefix + "in_proj_bias"),
          tensors.load(prefix + "out_proj.weight"), tensors.find(prefix + "out_proj.bias")};
}

}  // namespace

MultiHeadAttention MultiHeadArrays::multi_head(std::int64_t heads, std::int64_t key_heads) const {
  return {.heads = heads,
          .key_heads = key_heads,
          .in_proj_weight = in_proj_weight.view(),
          .in_proj_bias = view_of(in_proj_bias),
          .out_proj_weight = out_proj_weight.view(),
          .out_proj_bias = view_of(out_proj_bias)};
}

MultiHeadArrays load_multi_head(const std::string& path, std::string_view prefix) {
  return load_attention(Tensors(path, prefix), "");
}

TransformerLayer LayerArrays::layer(std::int64_t heads, std::int64_t key_heads) const {
  return {.attention = attention.multi_head(heads, key_heads),
          .norm1 = {.weight = view_of(norm1_weight), .bias = view_of(norm1_bias)},
          .feed_forward = {.linear1_weight = view_of(linear1_weight),
                           .linear1_bias = view_of(linear1_bias),
                           .linear2_weight = view_of(linear2_weight),
                           .linear2_bias = view_of(linear2_bias)},
          .norm2 = {.weight = view_of(norm2_weight), .bias = view_of(norm2_bias)}};
}

LayerArrays load_layer(const std::string& path, std::string_view prefix) {
  const Tensors tensors(path, prefix);
  return {.attention = load_attention(tensors, "self_attn."),
          .norm1_weight = tensors.find("norm1.weight"),
          .norm1_bias = tensors.find("norm1.bias"),
          .linear1_weight = tensors.find("linear1.weight"),
          .linear1_bias = tensors.find("linear1.bias"),
          .linear2_weight = tensors.find("linear2.weight"),
          .linear2_bias = tensors.find("linear2.bias"),
          .norm2_weight = tensors.find("norm2.weight"),
          .norm2_bias = tensors.find("norm2.bias")};
}

}  // namespace posenc
