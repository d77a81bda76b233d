// Shapes with any number of axes, as in files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/export.h"

namespace posenc::files {

// "[2, 10, 64]", for messages.
POSENC_INTERNAL std::string shape_text(const std::vector<std::int64_t>& shape);

// Returns the product of `shape`, whose lengths must be at least 0; -1 if the size in bytes exceeds 63 bits. Lengths of
// zero count as one in this check, so that the strides of an empty array can be computed too.
std::int64_t checked_size(const std::vector<std::int64_t>& shape, std::int64_t bytes) noexcept;

}  // namespace posenc::files
