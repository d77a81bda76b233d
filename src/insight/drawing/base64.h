// Encodes bytes as Base64 text (RFC 4648), for data: URIs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace posenc::drawing {

inline std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8U | (begin + i < bytes.size() ? static_cast<unsigned char>(bytes[begin + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += begin + i <= bytes.size() ? kDigits[group >> (18U - 6U * static_cast<unsigned>(i)) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace posenc::drawing
