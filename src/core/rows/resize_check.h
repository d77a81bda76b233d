// What a Resize must be before anything is computed with it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "posenc/resize_rule.h"

namespace posenc::rows {

// Throws unless the rule stands for a resize. Afterwards every length is from 1 to 2^30, there are one or two, and
// kept + their product can be counted. `where` opens the message: "[resize_table] from ...".
void check_resize(const Resize& rule, std::string_view where);

// kept + the product of the lengths, of a rule that was checked.
std::int64_t rows_of(const Resize& rule, const std::vector<std::int64_t>& lengths) noexcept;

}  // namespace posenc::rows
