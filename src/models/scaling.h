// The scaling of a rotary encoding from the rope parameters of a config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/config.h"
#include "models/rope.h"
#include "posenc/models/model.h"
#include "posenc/scaling.h"

namespace posenc::models {

struct ScalingQuestion {
  const Config& config;
  const RopeDict& dict;
};

struct ScalingAnswer {
  Scaling scaling = NoScaling{};
  std::optional<double> attention_factor;
  double magnitude = 1.0;
  std::vector<std::string> used;  // keys that were read
  std::vector<Provenance> provenance;
  std::vector<std::string> notes;
};

// The known values of rope_type.
std::vector<std::string_view> scaling_words();

// For a known rope_type. A missing key or one that is not a number is an error that names it.
ScalingAnswer make_scaling(const ScalingQuestion& question);

}  // namespace posenc::models
