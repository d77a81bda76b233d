// Converts numbers to text and back, independent of the locale. No other code in the library formats real numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::text {

// The shortest text that reads back as the same double, but whole numbers below 1e15 in full: "100000". Also "inf",
// "-inf" and "nan".
POSENC_INTERNAL std::string number_text(double value);

// `decimals` digits after the point, rounded to nearest: fixed_text(0.5403, 2) is "0.54".
POSENC_INTERNAL std::string fixed_text(double value, int decimals);

// At most `digits` significant digits without trailing zeros, as printf's %g: general_text(628.3185, 4) is "628.3",
// general_text(6283.185, 2) is "6.3e+03".
POSENC_INTERNAL std::string general_text(double value, int digits);

// Reads the whole text as a number; std::nullopt if it is not one or is outside the range of the type. "inf" and "-inf"
// are real numbers; "nan" and hexadecimal are not.
POSENC_INTERNAL std::optional<double> parse_number(std::string_view text);
POSENC_INTERNAL std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace posenc::text
