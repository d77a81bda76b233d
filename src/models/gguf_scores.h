// The factors on the scores and queries of a GGUF model.
#pragma once

#include "models/gguf_keys.h"
#include "models/gguf_layers.h"
#include "models/gguf_numbers.h"
#include "posenc/models/model.h"

namespace posenc::models::gguf {

struct ScoreSource {
  GgufKeys& keys;
  const GgufArchitecture& row;
  const ModelSize& size;
  const LayerUses& uses;
  const Stretch* stretch;  // null: no layer is rotated
};

// Fills softmax_scale, query_scale and their provenance for layers that have attention.
void fill_scores(const ScoreSource& source, const LayerUse& use, ModelGroup& group);

}  // namespace posenc::models::gguf
