// The weights of a layer from a safetensors file, by the names that PyTorch gives them.
//
//     posenc::LayerArrays arrays = posenc::load_layer("model.safetensors", "layers.0.");
//     posenc::TransformerLayer layer = arrays.layer(/*heads=*/8);      // views: the arrays must outlive it
//
// A file does not say how many heads there are, where norms stand nor which activation there is. Where weights lie in
// files of their own, load_array (posenc/files/load.h) reads them one by one, .npy too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "posenc/export.h"
#include "posenc/files/array.h"
#include "posenc/layer.h"
#include "posenc/multi_head.h"

namespace posenc {

struct POSENC_API MultiHeadArrays {
  Array in_proj_weight;
  std::optional<Array> in_proj_bias;
  Array out_proj_weight;
  std::optional<Array> out_proj_bias;

  MultiHeadAttention multi_head(std::int64_t heads, std::int64_t key_heads = 0) const POSENC_LIFETIMEBOUND;
};

// Reads prefix + in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias; biases may be missing. A prefix ends
// with its point: "self_attn.". A weight that is missing is an error that names the nearest; so
// are bias_k and bias_v, which have no place here.
POSENC_API MultiHeadArrays load_multi_head(const std::string& path, std::string_view prefix = "");

struct POSENC_API LayerArrays {
  MultiHeadArrays attention;
  std::optional<Array> norm1_weight, norm1_bias;
  std::optional<Array> linear1_weight, linear1_bias, linear2_weight, linear2_bias;
  std::optional<Array> norm2_weight, norm2_bias;

  TransformerLayer layer(std::int64_t heads, std::int64_t key_heads = 0) const POSENC_LIFETIMEBOUND;
};

// Reads prefix + self_attn.*, norm1.*, linear1.*, linear2.* and norm2.*, each weight and bias; without linear1.weight
// the layer has no feed-forward part. What is not of attention may be missing.
POSENC_API LayerArrays load_layer(const std::string& path, std::string_view prefix = "");

}  // namespace posenc
