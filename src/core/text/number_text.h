// Numbers to text and back, independent of the locale. The only place of the library that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::text {

// The fewest digits that read back as the same double; "inf", "-inf", "nan".
POSENC_INTERNAL std::string number_text(double value);

// `decimals` digits after the point, rounded to nearest: fixed_text(0.5403, 2) is "0.54".
POSENC_INTERNAL std::string fixed_text(double value, int decimals);

// `digits` significant digits, trailing zeros dropped, exponent form where shorter: general_text(628.3185, 6).
POSENC_INTERNAL std::string general_text(double value, int digits);

// The whole text as a number; nothing if any of it is not. "inf", "-inf" are numbers, "nan" and hexadecimal are not,
// and neither is what overflows.
POSENC_INTERNAL std::optional<double> parse_number(std::string_view text);
POSENC_INTERNAL std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace posenc::text
