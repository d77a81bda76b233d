// row_read in two steps, for operations that check all positions first and then read without checks.
#pragma once

#include <cstdint>
#include <string>

#include "posenc/learned.h"

namespace posenc::rows {

// Why `position` has no row: the end of a message; empty if it has one.
std::string read_refusal(const Learned& spec, std::int64_t rows, double position);

// What a position reads that read_refusal had nothing against.
RowRead read_of(const Learned& spec, std::int64_t rows, double position) noexcept;

}  // namespace posenc::rows
