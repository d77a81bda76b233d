// The id of padding tokens and the first id, by the names of models and packages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "posenc/position_ids.h"

namespace posenc::cli {

// A line per convention, for --help.
std::string convention_list();

// Whether the ids of a convention depend on the pad token's id.
bool needs_pad_token(std::string_view name);

// Throws for an unknown name, naming the nearest, and for a missing pad token if the convention needs it.
IdRule convention_rule(const std::string& name, std::optional<std::int64_t> pad_token, std::int64_t past);

}  // namespace posenc::cli
