// A word of an option as one of an enum's values.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/text/nearest.h"
#include "posenc/error.h"

namespace posenc::cli {

// The value at the place of `word` among `words`; another word is an error that lists them.
template <class Choice, std::size_t N>
Choice choose(const std::string& word, std::string_view option, const std::array<std::string_view, N>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<Choice>(found - words.begin());
  std::string list;
  for (const std::string_view known : words) list += (list.empty() ? "" : ", ") + std::string(known);
  const std::string_view near = text::nearest(word, {words.begin(), words.end()});
  fail(ErrorKind::usage, fmt::format("{} must be one of {} but got '{}'{}", option, list, word,
                                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace posenc::cli
