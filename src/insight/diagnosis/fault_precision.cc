// Mistakes of arithmetic: a type that is too short for positions, frequencies, angles or tables.

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
  // If everything runs in the short type, the tables are rounded too.
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

constexpr FaultChange kPrecisionChanges[] = {
    {"angle_float32", angle_float32},
    {"frequencies_bfloat16", frequencies_bfloat16},
    {"frequencies_float16", frequencies_float16},
    {"table_bfloat16", table_bfloat16},
    {"table_float16", table_float16},
    {"product_tf32", product_tf32},
    {"angle_bfloat16", angle_bfloat16},
    {"angle_float16", angle_float16},
};

}  // namespace

std::span<const FaultChange> precision_changes() { return kPrecisionChanges; }

}  // namespace posenc::diagnosis
