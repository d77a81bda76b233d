// The catalog: configs of well-known models, compiled into the library. No file is opened.
//
//     if (const posenc::CatalogEntry* entry = posenc::find_in_catalog("llama-3.1-8b"))
//       posenc::Model model = posenc::load_model(std::string(entry->config));
//     for (const posenc::CatalogEntry& entry : posenc::catalog()) list(entry.name);
//
// The texts are those of catalog/: the published files without the keys that have nothing to do with positions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

struct CatalogEntry {
  std::string_view name;    // "llama-3.1-8b"
  std::string_view config;  // the text of its config.json
};

// All entries, sorted by name. They live as long as the program, and threads may share them.
POSENC_API std::span<const CatalogEntry> catalog() noexcept;

// The entry with this name, or null. A name is that of the entry, or that of the model on the hub, with its owner or
// without, as in "meta-llama/Llama-3.1-8B" and "bert-base-uncased". Case does not count, nor do '-' and '_' ("gpt-2").
// Only the hub names in catalog/hub_names.txt are known; a similar name is not found.
POSENC_API const CatalogEntry* find_in_catalog(std::string_view name);

// The names on the hub that mean this entry.
POSENC_API std::vector<std::string_view> hub_names(const CatalogEntry& entry);

// The names that `name` may have meant, at most five: those that contain it, else the one with the fewest edits, else
// none. Case does not count, nor does '_' for '-', nor an owner before a '/'.
POSENC_API std::vector<std::string_view> nearest_in_catalog(std::string_view name);

}  // namespace posenc
