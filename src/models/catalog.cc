#include "posenc/models/catalog.h"

#include <algorithm>
#include <string>

#include "core/text/nearest.h"
#include "models/embedded.h"

namespace posenc {
namespace {

// How the catalog would spell it.
std::string catalog_spelling(std::string_view name) {
  std::string spelling(name.substr(name.rfind('/') + 1));  // npos + 1 is 0: all of it
  for (char& c : spelling) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return spelling;
}

}  // namespace

std::span<const CatalogEntry> catalog() noexcept { return {models::kCatalogFiles, models::kCatalogFileCount}; }

const CatalogEntry* find_in_catalog(std::string_view name) noexcept {
  const std::span<const CatalogEntry> entries = catalog();
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const CatalogEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

std::vector<std::string_view> nearest_in_catalog(std::string_view name) {
  constexpr std::size_t kMost = 5;
  const std::string spelling = catalog_spelling(name);
  if (spelling.empty()) return {};
  if (const CatalogEntry* entry = find_in_catalog(spelling)) return {entry->name};

  std::vector<std::string_view> known, found;
  for (const CatalogEntry& entry : catalog()) {
    known.push_back(entry.name);
    if (found.size() < kMost && entry.name.find(spelling) != std::string_view::npos) found.push_back(entry.name);
  }
  if (!found.empty()) return found;
  const std::string_view best = text::nearest(spelling, known);
  if (!best.empty()) found.push_back(best);
  return found;
}

}  // namespace posenc
