#include "core/text/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace posenc::text {
namespace {

// Large enough for the 309 digits of the largest double and the decimals that callers ask for.
using Buffer = std::array<char, 512>;

#if defined(__wasi__)
// libc++ 14 has no from_chars for double. WASI's strtod has only one locale, but it accepts more than from_chars does:
// blanks, a plus sign, hexadecimal digits.
std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  const std::string text(first, last);
  const bool infinite = text == "inf" || text == "-inf";
  if (!infinite && (text.starts_with('+') || text.find_first_not_of("0123456789.eE+-") != text.npos)) {
    return {first, std::errc::invalid_argument};
  }
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const bool rounded_to_zero = value == 0.0 && text.find_first_of("123456789") < text.find_first_of("eE");
  if (rounded_to_zero || (std::isinf(value) && !infinite)) return {first, std::errc::result_out_of_range};
  return {first + (end - text.c_str()), std::errc()};
}
#else
using std::from_chars;
#endif

std::string finished(const Buffer& buffer, std::to_chars_result result) {
  return std::string(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // Whole numbers are printed as people write them: 100000, although 1e+05 is shorter.
  if (std::fabs(value) < 1e15 && value == std::nearbyint(value)) return fixed_text(value, 0);
  Buffer buffer;
  return finished(buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value));
}

std::string fixed_text(double value, int decimals) {
  Buffer buffer;
  return finished(
      buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals));
}

std::string general_text(double value, int digits) {
  Buffer buffer;
  return finished(
      buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits));
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(value)) return std::nullopt;
  // from_chars also accepts "infinity", in upper or lower case; posenc accepts one spelling.
  if (std::isinf(value) && text != "inf" && text != "-inf") return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace posenc::text
