// The groups of layers of one part of a model, from its keys and the row of its type.
#pragma once

#include <string>

#include "models/config.h"

namespace posenc::models {

// Adds the groups of this part to the model of the config's remarks.
void resolve_part(const Config& config, const std::string& part);

// Marks the keys that this row, and every row, accepts without reading.
void know_row(const Config& config);

}  // namespace posenc::models
