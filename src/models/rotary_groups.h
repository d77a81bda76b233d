// The groups of layers of a part with rotary encodings, including its layers without rotation.
#pragma once

#include <vector>

#include "models/config.h"
#include "posenc/models/model.h"

namespace posenc::models {

std::vector<ModelGroup> rotary_groups(const Config& config);

}  // namespace posenc::models
