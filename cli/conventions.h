// What pads get and where counting starts, by the names of models and packages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "posenc/position_ids.h"

namespace posenc::cli {

// For --help: a line per convention.
std::string convention_list();

// Whether a convention counts from the pad token's id.
bool needs_pad_token(std::string_view name);

// An unknown name is an error that names the nearest; so is a missing pad token where one is needed.
IdRule convention_rule(const std::string& name, std::optional<std::int64_t> pad_token, std::int64_t past);

}  // namespace posenc::cli
