// The factors on scores and queries of a group of layers, from formulas of the row.
#pragma once

#include "models/config.h"
#include "posenc/models/model.h"

namespace posenc::models {

// The value of an entry of a row: a formula, or numbers and formulas in lists and objects.
Found entry_value(const Config& config, const Json& entry, const Json& names);

// Sets softmax_scale and query_scale. `names` are the names that formulas may use besides keys: head_dim, magnitude,
// rotates.
void set_scales(const Config& config, const Json& names, ModelGroup& group);

}  // namespace posenc::models
