// row_read in two steps, for operations that check all positions first and then read without checks.
#pragma once

#include <cstdint>
#include <string>

#include "posenc/learned.h"

namespace posenc::rows {

// Returns why `position` has no row, as the end of a message; empty if it has one.
std::string read_refusal(const Learned& spec, std::int64_t rows, double position);

// Returns the rows to read for a position that read_refusal accepts.
RowRead read_of(const Learned& spec, std::int64_t rows, double position) noexcept;

}  // namespace posenc::rows
