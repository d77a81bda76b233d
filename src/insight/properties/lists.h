// Lists of numbers and words: joined as text, and the product of two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::properties {

// What `text` gives for every member, with `between` between them.
template <class List, class Text>
std::string joined(const List& list, std::string_view between, const Text& text) {
  std::string result;
  for (const auto& member : list) {
    if (!result.empty()) result += between;
    result += text(member);
  }
  return result;
}
inline std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return joined(words, between, [](const std::string& word) -> const std::string& { return word; });
}

inline double dot(const double* a, const double* b, std::int64_t width) {
  double sum = 0.0;
  for (std::int64_t c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}
inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return dot(a.data(), b.data(), static_cast<std::int64_t>(a.size()));
}

}  // namespace posenc::properties
