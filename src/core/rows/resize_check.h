// Checks a Resize before it is used.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "posenc/resize_rule.h"

namespace posenc::rows {

// Throws unless the rule is a valid resize. After that, there are one or two lengths of 1 to 2^30, and
// kept + their product does not overflow. Messages begin with [where].
void check_resize(const Resize& rule, std::string_view where);

// kept + the product of the lengths, for a checked rule.
std::int64_t rows_of(const Resize& rule, const std::vector<std::int64_t>& lengths) noexcept;

}  // namespace posenc::rows
