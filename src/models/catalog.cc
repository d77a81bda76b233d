#include "posenc/models/catalog.h"

#include <algorithm>
#include <string>

#include "models/embedded.h"

namespace posenc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A key that is equal for all spellings of a name. A separator between digits is kept: llama-2-7b is not llama-27b.
std::string key_of(std::string_view name) {
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '+') {  // command-r+
      key += "plus";
      continue;
    }
    if (c == '-' || c == '_') {
      if (i > 0 && i + 1 < name.size() && is_digit(name[i - 1]) && is_digit(name[i + 1])) key += '-';
      continue;
    }
    key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return key;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (blank > 0) words.push_back(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
  return words;
}

const CatalogEntry* find_exactly(std::string_view name) {
  const std::span<const CatalogEntry> entries = catalog();
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const CatalogEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

std::span<const CatalogEntry> catalog() noexcept { return {models::kCatalogFiles, models::kCatalogFileCount}; }

const CatalogEntry* find_in_catalog(std::string_view name) {
  if (const CatalogEntry* entry = find_exactly(name)) return entry;
  const std::string key = key_of(name);
  if (key.empty()) return nullptr;
  for (const CatalogEntry& entry : catalog()) {
    if (key_of(entry.name) == key) return &entry;
  }
  for (std::size_t i = 0; i < models::kHubNameLinesCount; ++i) {
    const std::vector<std::string_view> words = words_of(models::kHubNameLines[i]);
    for (std::size_t k = 1; k < words.size(); ++k) {
      const bool same = key_of(words[k]) == key || key_of(words[k].substr(words[k].find('/') + 1)) == key;
      if (same) return find_exactly(words[0]);
    }
  }
  return nullptr;
}

std::vector<std::string_view> hub_names(const CatalogEntry& entry) {
  for (std::size_t i = 0; i < models::kHubNameLinesCount; ++i) {
    std::vector<std::string_view> words = words_of(models::kHubNameLines[i]);
    if (words.empty() || words[0] != entry.name) continue;
    words.erase(words.begin());
    return words;
  }
  return {};
}

}  // namespace posenc
