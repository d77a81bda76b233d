// Mistakes of arithmetic: types that are too short on the way to a cosine.
#include <array>

#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

bool angular(const Engine& engine) {
  if (std::holds_alternative<Rotary>(engine.spec)) return engine.turn.turns > 0;
  return std::holds_alternative<Sinusoidal>(engine.spec);
}

Variations angle_float32(const Engine& engine, const Clues&) {
  if (!angular(engine)) return {};
  Variation product{engine};
  product.engine.turn.frequencies = Rounding::f32;
  product.engine.turn.angle = Rounding::f32;
  Variations variations;
  if (auto* rotary = std::get_if<Rotary>(&product.engine.spec)) {
    Variation published = product;
    std::get<Rotary>(published.engine.spec).precision = Precision::reference;
    if (rotary->precision == Precision::exact) variations.push_back(published);
  }
  variations.push_back(product);
  return variations;
}

Variations angle_in(const Engine& engine, Rounding type) {
  if (!angular(engine)) return {};
  Variation all{engine}, product{engine}, inputs{engine};
  all.engine.turn.ids = all.engine.turn.frequencies = all.engine.turn.angle = type;
  all.words = "positions, frequencies and their products are rounded to it";
  product.engine.turn.angle = type;
  product.words = "products of positions and frequencies are rounded to it";
  inputs.engine.turn.ids = inputs.engine.turn.frequencies = type;
  inputs.words = "positions and frequencies are rounded to it before they are multiplied";
  Variations variations = {all, product, inputs};
  // Tables are rounded as well where all of it runs in the short type.
  for (std::size_t i = 0; i < 2; ++i) {
    Variation table = variations[i];
    table.engine.turn.table = type;
    table.words += ", and so are cos and sin";
    variations.push_back(table);
  }
  return variations;
}
Variations angle_bfloat16(const Engine& engine, const Clues&) { return angle_in(engine, Rounding::bf16); }
Variations angle_float16(const Engine& engine, const Clues&) { return angle_in(engine, Rounding::f16); }

Variations frequencies_in(const Engine& engine, Rounding type) {
  if (!angular(engine)) return {};
  Variation variation{engine};
  variation.engine.turn.frequencies = type;
  return {variation};
}
Variations frequencies_bfloat16(const Engine& engine, const Clues&) { return frequencies_in(engine, Rounding::bf16); }
Variations frequencies_float16(const Engine& engine, const Clues&) { return frequencies_in(engine, Rounding::f16); }

Variations table_in(const Engine& engine, Rounding type) {
  if (!angular(engine)) return {};
  Variation variation{engine};
  variation.engine.turn.table = type;
  return {variation};
}
Variations table_bfloat16(const Engine& engine, const Clues&) { return table_in(engine, Rounding::bf16); }
Variations table_float16(const Engine& engine, const Clues&) { return table_in(engine, Rounding::f16); }

Variations product_tf32(const Engine& engine, const Clues&) {
  if (!angular(engine)) return {};
  Variation variation{engine};
  variation.engine.turn.ids = variation.engine.turn.frequencies = Rounding::tf32;
  return {variation};
}

constexpr std::array kPrecisionFaults = {
    Fault{"angle_float32", "precision", "Angles were formed in float32",
          "off by about 6e-8 per radian: 7e-3 at position 131,072 and 5e-2 at one million",
          "reduce the angle in double or by whole numbers before it is rounded, or keep to shorter contexts; models of "
          "PyTorch do the same",
          "tenstorrent/tt-metal#33971, huggingface/diffusers#9047", "rotary:head_dim=128", angle_float32},
    Fault{"frequencies_bfloat16", "precision", "Frequencies were rounded to bfloat16",
          "every pair turns by up to 0.4 % too fast or too slowly: lost after some hundred tokens",
          "keep inv_freq in float32 when a model is cast: a cast of all buffers takes it along",
          "huggingface/transformers#25681, huggingface/transformers#28685", "llama-3.1-8b", frequencies_bfloat16},
    Fault{"frequencies_float16", "precision", "Frequencies were rounded to float16",
          "slow pairs lose their digits, and the slowest stop turning", "keep inv_freq in float32 when a model is cast",
          "huggingface/transformers#29496", "llama-3.1-8b", frequencies_float16},
    Fault{"table_bfloat16", "precision", "cos and sin were rounded to bfloat16",
          "every number is off by up to 0.4 %, at all positions alike: small, and about what a bfloat16 model does "
          "anyway",
          "keep the tables in float32, or accept it where the model runs in bfloat16", "flashinfer-ai/flashinfer#585",
          "llama-3.1-8b", table_bfloat16},
    Fault{"table_float16", "precision", "cos and sin were rounded to float16",
          "every number is off by up to 0.05 %, at all positions alike",
          "keep the tables in float32, or accept it where the model runs in float16", "flashinfer-ai/flashinfer#585",
          "llama-3.1-8b", table_float16},
    Fault{"product_tf32", "precision", "Positions were multiplied with frequencies in TF32",
          "right up to position 2048, then neighbours share an angle; only on hardware that has TF32",
          "multiply elementwise, or forbid TF32 for this product", "", "llama-3.1-8b", product_tf32},
    Fault{"angle_bfloat16", "precision", "Angles were formed in bfloat16",
          "neighbours share an angle from position 256 on; off by a whole turn from some thousand on",
          "make angles in float32 or better, outside of autocast, and round the tables at most",
          "EleutherAI/gpt-neox#1003, huggingface/transformers#25681, Modalities/modalities#462, "
          "huggingface/diffusers#13920, huggingface/diffusers#13922, NVIDIA/Megatron-LM#744",
          "llama-3.1-8b", angle_bfloat16},
    Fault{"angle_float16", "precision", "Angles were formed in float16",
          "neighbours share an angle from position 2048 on, and beyond 65,504 there is none",
          "make angles in float32 or better", "huggingface/transformers#29285, InternLM/InternLM#237", "llama-3.1-8b",
          angle_float16},
};

}  // namespace

std::span<const Fault> precision_faults() { return kPrecisionFaults; }

}  // namespace posenc::diagnosis
