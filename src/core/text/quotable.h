// Makes external text safe to quote in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/utf8.h"

namespace posenc::text {

// `text` with '?' for each control character (which could move a terminal's cursor) and each byte that is not UTF-8,
// cut after about `longest` bytes.
inline std::string quotable(std::string_view text, std::size_t longest = 160) {
  std::string result;
  while (!text.empty() && result.size() < longest) {
    const Character character = first_character(text);
    const bool shown = utf8_length(text) > 0 && !is_control(character.code);
    result += shown ? text.substr(0, character.length) : "?";
    text.remove_prefix(character.length);
  }
  return text.empty() ? result : result + "...";
}

}  // namespace posenc::text
