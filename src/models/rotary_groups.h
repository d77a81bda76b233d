// The groups of layers of a part whose queries and keys turn, and of those beside them that do not.
#pragma once

#include <vector>

#include "models/config.h"
#include "posenc/models/model.h"

namespace posenc::models {

std::vector<ModelGroup> rotary_groups(const Config& config);

}  // namespace posenc::models
