// Load the weights of a transformer layer from a safetensors file by their PyTorch names.
//
//     posenc::LayerArrays arrays = posenc::load_layer("model.safetensors", "layers.0.");
//     posenc::TransformerLayer layer = arrays.layer(/*heads=*/8);      // views: the arrays must outlive it
//
// The file does not tell the number of heads, the place of the norms or the activation: the caller sets them. If each
// weight has its own file, read them with load_array (posenc/files/load.h), which also reads .npy.
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

// Reads prefix + in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias; biases may be missing. A prefix
// includes its final dot: "self_attn.". Throws if a weight is missing (the message names the nearest), and if the file
// has bias_k or bias_v, which posenc does not support.
POSENC_API MultiHeadArrays load_multi_head(const std::string& path, std::string_view prefix = "");

struct POSENC_API LayerArrays {
  MultiHeadArrays attention;
  std::optional<Array> norm1_weight, norm1_bias;
  std::optional<Array> linear1_weight, linear1_bias, linear2_weight, linear2_bias;
  std::optional<Array> norm2_weight, norm2_bias;

  TransformerLayer layer(std::int64_t heads, std::int64_t key_heads = 0) const POSENC_LIFETIMEBOUND;
};

// Reads prefix + self_attn.*, norm1.*, linear1.*, linear2.* and norm2.*, each weight and bias. Only the weights of
// attention must exist; without linear1.weight the layer has no feed-forward part.
POSENC_API LayerArrays load_layer(const std::string& path, std::string_view prefix = "");

}  // namespace posenc
