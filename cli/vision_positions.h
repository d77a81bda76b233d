// Positions of pictures: the patches of a vision tower, and the ids of text with pictures in it.
#pragma once

#include <string>

#include "cli/commands.h"

namespace posenc::cli {

// Writes what --patches or --token-types asks for; options have been checked to go with it.
void write_vision_positions(const PositionsOptions& options, const std::string& format);

}  // namespace posenc::cli
