#include "core/text/nearest.h"

#include <algorithm>
#include <cstddef>

#include "core/text/quotable.h"

namespace posenc::text {

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty()) return {};
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 2;  // further away it is no misspelling
  for (const std::string_view candidate : known) {
    // No distance is below the difference of the lengths: a long word costs nothing.
    if (std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size()) >= best_distance) continue;
    // Levenshtein distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string hint(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view near = nearest(word, known);
  return near.empty() ? "" : "; did you mean '" + quotable(near) + "'?";
}

}  // namespace posenc::text
