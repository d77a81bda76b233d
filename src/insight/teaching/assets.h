// The files of assets/: the style and scripts of pages, and their prose, as fragments of HTML with
// named places such as {{sentence}}. They are compiled into the library: nothing is fetched.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace posenc::teaching {

struct Asset {
  std::string_view name;  // the path: "lesson/problem.html"
  std::string_view text;
};

// Written by cmake/EmbedText.cmake.
extern const Asset kAssets[];
extern const std::size_t kAssetCount;

// The text of a file; empty if there is no such file.
std::string_view asset(std::string_view name) noexcept;

// HTML for the places of a fragment, by name.
using Values = std::map<std::string, std::string, std::less<>>;

// Fills the places of a text. A value that ends with a newline replaces the whole line of its place. A place without a
// value is kept.
std::string fill(std::string_view text, const Values& values);
// Fills the places of a fragment.
inline std::string filled(std::string_view name, const Values& values) { return fill(asset(name), values); }

}  // namespace posenc::teaching
