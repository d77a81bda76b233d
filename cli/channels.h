// --channels: the columns of a table that a user wants to see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/table_text.h"

namespace posenc::cli {

inline constexpr const char* kChannelsHelp = "0:8 (0 to 7), 0:64:8, 0,2,10 or 0:4,60:64";

// The channels that `text` names, in its order. Throws for the first one that a table of `width` columns does not have.
std::vector<std::int64_t> parse_channels(const std::string& text, std::int64_t width);

// Reduces every part of a table to these channels; of groups (cos, sin), to these columns of each. An empty text keeps
// all. The rows are still made a block at a time.
void keep_channels(TableHead& head, const std::string& text);

}  // namespace posenc::cli
