// Makes external text safe to quote in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/utf8.h"

namespace posenc::text {

// `text` with '?' for each ASCII control character (which could move a terminal's cursor) and each byte that is not
// UTF-8, cut after about `longest` bytes.
inline std::string quotable(std::string_view text, std::size_t longest = 160) {
  std::string result;
  for (std::size_t i = 0; i < text.size() && result.size() < longest;) {
    const std::size_t length = utf8_length(text.substr(i));
    const bool shown = length > 0 && static_cast<unsigned char>(text[i]) >= 0x20 && text[i] != 0x7F;
    result += shown ? text.substr(i, length) : "?";
    i += shown ? length : 1;
  }
  return result.size() < longest ? result : result + "...";
}

}  // namespace posenc::text
