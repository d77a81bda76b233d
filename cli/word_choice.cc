#include "cli/word_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text/nearest.h"
#include "posenc/error.h"

namespace posenc::cli {

std::string either(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::size_t place_of_word(std::string_view word, std::string_view option, const std::vector<std::string_view>& words) {
  const auto found = std::find(words.begin(), words.end(), lower_case(word));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  fail(ErrorKind::usage,
       fmt::format("{} must be {} but got '{}'{}", option, either(words), word, text::hint(word, words)));
}

}  // namespace posenc::cli
