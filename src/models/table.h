// The table of model types: facts that a config.json does not state. One row of JSON per type, in model_types.jsonl.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "posenc/files/json.h"

namespace posenc::models {

// The lines of model_types.jsonl, compiled in.
std::span<const std::string_view> table_lines();

// The row of a model type, merged with the row that it names as `like`; null if there is none.
Json row_of(std::string_view model_type);

// The row `*`, which applies to every model type and is not a type itself.
Json row_of_all();

// Every model type with a row, in the order of the table.
std::vector<std::string_view> table_model_types();

}  // namespace posenc::models
