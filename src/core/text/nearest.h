// "Did you mean ...?": finds the known word that is nearest to a misspelt one.
//
//     posenc::text::nearest("sinusiodal", {"sinusoidal", "rotary"});  // "sinusoidal"
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "posenc/export.h"

namespace posenc::text {

// Returns the shortest word of `known` that begins with `word`, if `word` has at least 3 characters; else the word with
// the fewest edits from `word`, and of equally near words one with the same first letter; words with other digits do
// not count as near. Empty if no word is near enough.
POSENC_INTERNAL std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

// How many characters are inserted, left out or replaced, or change places with their neighbours.
POSENC_INTERNAL std::size_t edits_between(std::string_view a, std::string_view b);

// The end of a message about an unknown word: "; did you mean 'rotary'?"; empty if no word of `known` is near. The word
// may come from a file: what is not printable in it is shown as '?'.
POSENC_INTERNAL std::string hint(std::string_view word, const std::vector<std::string_view>& known);

// The same for a list of any type: `name` returns the word of a member, a reference or view that outlives the call.
template <class List, class Name = std::identity>
std::string hint(std::string_view word, const List& known, const Name& name = {}) {
  std::vector<std::string_view> words;
  for (const auto& each : known) {
    using Word = std::invoke_result_t<const Name&, decltype(each)>;
    static_assert(std::is_reference_v<Word> || std::is_same_v<Word, std::string_view>, "the word would not outlive it");
    words.push_back(std::invoke(name, each));
  }
  return hint(word, words);
}

}  // namespace posenc::text
