// The masks of `posenc attend`: what its options say, and window and chunked, which go by position.
#pragma once

#include <vector>

#include "cli/commands.h"
#include "posenc/attend.h"
#include "posenc/files/array.h"
#include "posenc/mask.h"
#include "posenc/spec.h"

namespace posenc::cli {

// What a mask points into.
struct MaskMemory {
  Array keys, pairs, position_pairs, documents;
};

// The mask of the options.
Mask load_mask(const AttendOptions& options, MaskMemory& memory);

// Adds windows and chunks to a mask that was checked: as its own rules where positions count as indices do, else pair
// by pair, [B, N, S].
void add_mask_specs(const std::vector<Spec>& specs, const MaskGrid& grid, posenc::AttendOptions& options,
                    MaskMemory& memory);

}  // namespace posenc::cli
