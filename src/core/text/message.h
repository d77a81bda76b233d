// Builds messages from words and numbers.
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

// One part of a message: words, or a number that is printed with all its digits. It refers to the words without copying
// them, so a check can name the parts of its message at almost no cost; the text is built only if the check fails.
class Part {
 public:
  Part(std::string_view words) noexcept : value_(words) {}               // NOLINT: implicit, so that calls are short
  Part(const char* words) noexcept : value_(std::string_view(words)) {}  // NOLINT
  Part(const std::string& words) noexcept : value_(std::string_view(words)) {}  // NOLINT
  Part(double number) noexcept : value_(number) {}                              // NOLINT
  Part(char) = delete;                                                          // ambiguous: a letter or its code
  Part(bool) = delete;                                                          // has no obvious text
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
