// Shapes of any number of axes, as files give them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/export.h"

namespace posenc::files {

// "[2, 10, 64]", for messages.
POSENC_INTERNAL std::string shape_text(const std::vector<std::int64_t>& shape);

// The product of `shape`, all at least 0; -1 if elements of `bytes` bytes each would not fit into 63 bits. Lengths of
// zero count as one for that, so that strides of an empty array can be computed too.
std::int64_t checked_size(const std::vector<std::int64_t>& shape, std::int64_t bytes) noexcept;

}  // namespace posenc::files
