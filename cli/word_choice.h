// Reads an option whose value is one of a few words.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::cli {

// The words as text: "auto, light or dark".
std::string either(const std::vector<std::string_view>& words);

// ASCII only.
std::string lower_case(std::string_view text);

// The place of `word` among `words`, in any case; another word is an error that lists them and names the nearest.
std::size_t place_of_word(std::string_view word, std::string_view option, const std::vector<std::string_view>& words);

// The same as a value of an enum.
template <class Choice, std::size_t N>
Choice choose(std::string_view word, std::string_view option, const std::array<std::string_view, N>& words) {
  return static_cast<Choice>(place_of_word(word, option, {words.begin(), words.end()}));
}

}  // namespace posenc::cli
