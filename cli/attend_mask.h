// The masks of `posenc attend`: its options, and the kinds window and chunked, which hide keys by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/grammar.h"
#include "posenc/attend.h"
#include "posenc/files/array.h"
#include "posenc/mask.h"
#include "posenc/spec.h"

namespace posenc::cli {

// The options of a mask.
struct MaskOptions {
  bool causal = false;
  std::string align;  // end or start; empty: end
  std::optional<std::int64_t> query_offset;
  std::optional<std::int64_t> window;
  std::int64_t sink_keys = 0;
  std::string key_mask, mask, documents;  // files
};
void add_mask_options(Command& command, MaskOptions& options);

// The memory that a mask points to.
struct MaskMemory {
  Array keys, pairs, position_pairs, documents;
};

// The mask that the options describe.
Mask load_mask(const MaskOptions& options, MaskMemory& memory);

// Adds windows and chunks to a checked mask: as rules if positions count as indices do, else pair by pair, [B, N, S].
void add_mask_specs(const std::vector<Spec>& specs, const MaskGrid& grid, AttendOptions& options, MaskMemory& memory);

}  // namespace posenc::cli
