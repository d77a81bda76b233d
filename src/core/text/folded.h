// Words that users type are compared without case, and with '-' as '_': "RoPE", "Transformer-XL".
#pragma once

#include <string>
#include <string_view>

namespace posenc::text {

// The word in lower case, with '_' for '-'. Other characters stay as they are.
inline std::string folded(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return result;
}

}  // namespace posenc::text
