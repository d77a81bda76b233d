// Messages out of words and numbers.
//
//     posenc::text::message("rows must be at most ", most, " but got ", rows);
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "posenc/export.h"

namespace posenc::text {

// Words as they are, a number with all its digits. It refers to the words and makes no text: whoever checks a condition
// may name the parts of a message that is hardly ever needed.
class Part {
 public:
  Part(std::string_view words) noexcept : value_(words) {}               // NOLINT: to be written as words and numbers
  Part(const char* words) noexcept : value_(std::string_view(words)) {}  // NOLINT
  Part(const std::string& words) noexcept : value_(std::string_view(words)) {}  // NOLINT
  Part(double number) noexcept : value_(number) {}                              // NOLINT
  Part(char) = delete;                                                          // a letter, or its number?
  Part(bool) = delete;                                                          // which words?
  template <std::signed_integral Integer>
  requires(!std::same_as<Integer, char>) Part(Integer number)
  noexcept  // NOLINT
      : value_(static_cast<std::int64_t>(number)) {}
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>) Part(Integer number)
  noexcept  // NOLINT
      : value_(static_cast<std::uint64_t>(number)) {}

  POSENC_INTERNAL void append_to(std::string& text) const;

 private:
  std::variant<std::string_view, std::int64_t, std::uint64_t, double> value_;
};

POSENC_INTERNAL std::string joined_parts(std::span<const Part> parts);

template <class... Parts>
std::string message(const Parts&... parts) {
  const Part list[] = {Part(parts)...};
  return joined_parts(list);
}

}  // namespace posenc::text
