#include "cli/word_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/nearest.h"
#include "posenc/error.h"

namespace posenc::cli {

std::size_t place_of_word(std::string_view word, std::string_view option, const std::vector<std::string_view>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  fail(ErrorKind::usage, fmt::format("{} must be one of {} but got '{}'{}", option, fmt::join(words, ", "), word,
                                     text::hint(word, words)));
}

}  // namespace posenc::cli
