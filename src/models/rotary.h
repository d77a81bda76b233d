// A rotary encoding from the rope parameters of a config.json and the row of its model type.
#pragma once

#include <string>
#include <vector>

#include "models/config.h"
#include "models/rope.h"
#include "posenc/models/model.h"
#include "posenc/spec.h"

namespace posenc::models {

struct RotaryAnswer {
  Rotary spec;
  double magnitude = 1.0;  // of mscale_all_dim, for the softmax scale of latent attention
  std::vector<Provenance> provenance;
  std::vector<std::string> notes;
};

// `locals` are the names that formulas may use in addition to keys: layer_type.
RotaryAnswer make_rotary(const Config& config, const RopeDict& dict, const Json& locals);

}  // namespace posenc::models
