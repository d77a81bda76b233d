#include "core/text/nearest.h"

#include <algorithm>
#include <cstddef>

#include "core/text/quotable.h"

namespace posenc::text {
namespace {

std::size_t edits_allowed(std::size_t length) { return length < 3 ? 0 : length < 5 ? 1 : length < 9 ? 2 : length / 3; }

// A different number is not a misspelling: gpt-2 is not a misspelt gpt-1.
bool same_digits(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto next = [&](std::string_view text, std::size_t& i) {
    while (i < text.size() && !is_digit(text[i])) ++i;
    return i < text.size() ? text[i++] : '\0';
  };
  for (std::size_t i = 0, j = 0;;) {
    const char one = next(a, i), other = next(b, j);
    if (one != other) return false;
    if (one == '\0') return true;
  }
}

bool begin_alike(std::string_view a, std::string_view b) { return a.size() > 3 && a.substr(0, 3) == b.substr(0, 3); }

// The first of the shortest words that begin with `word`.
std::string_view completed(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  for (const std::string_view candidate : known) {
    if (word.size() < 3 || !candidate.starts_with(word)) continue;
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best;
}

}  // namespace

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (const std::string_view whole = completed(word, known); !whole.empty()) return whole;
  std::string_view best;
  std::size_t best_cost = std::string_view::npos;
  for (const std::string_view candidate : known) {
    // There are at least as many edits as the difference in length, so a much longer or shorter word is skipped early.
    const std::size_t allowed = edits_allowed(word.size()) + (begin_alike(word, candidate) ? 1 : 0);
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (candidate.empty() || longer - shorter > allowed || !same_digits(word, candidate)) continue;
    const std::size_t edits = edits_between(word, candidate);
    if (edits > allowed) continue;
    const std::size_t cost =
        2 * edits + (word.front() == candidate.front() ? 0 : 1);  // the first letter is rarely wrong
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = candidate;
  }
  return best;
}

std::string hint(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view near = nearest(word, known);
  return near.empty() ? "" : "; did you mean '" + quotable(near) + "'?";
}

}  // namespace posenc::text
