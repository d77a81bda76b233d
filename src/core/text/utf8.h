// UTF-8, as far as messages and JSON need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace posenc::text {

// The number of bytes of the first character of `text`; 0 if `text` is empty or does not start with a valid character
// (a stray or missing continuation byte, an overlong form, a surrogate, a code above U+10FFFF).
inline std::size_t utf8_length(std::string_view text) noexcept {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // After these first bytes, not every continuation byte is valid.
  if (byte(0) == 0xE0 && byte(1) < 0xA0) return 0;
  if (byte(0) == 0xED && byte(1) > 0x9F) return 0;
  if (byte(0) == 0xF0 && byte(1) < 0x90) return 0;
  if (byte(0) == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

struct Character {
  std::uint32_t code;
  std::size_t length;  // in bytes
};

// The first character of `text`, which must not be empty. An invalid byte is U+FFFD.
inline Character first_character(std::string_view text) noexcept {
  const std::size_t length = utf8_length(text);
  if (length == 0) return {0xFFFD, 1};
  auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  if (length == 1) return {byte(0), 1};
  std::uint32_t code = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6U | (byte(i) & 0x3FU);
  return {code, length};
}

constexpr bool is_control(std::uint32_t code) noexcept { return code < 0x20 || (code >= 0x7F && code <= 0x9F); }

// `text` as one line that is safe to display: line feeds and tabs become spaces, other control characters are removed,
// and each byte that is not UTF-8 becomes U+FFFD.
inline std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.code == '\t' || character.code == '\n') {
      line += ' ';
    } else if (character.code == 0xFFFD) {
      line += "\xef\xbf\xbd";
    } else if (!is_control(character.code)) {
      line += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return line;
}

// The first `most` bytes of `text`, or fewer so that no character is cut in two.
inline std::string_view utf8_prefix(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace posenc::text
