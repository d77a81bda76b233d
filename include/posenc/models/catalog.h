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

// The entry of that name, or null: its own name, or another name of the model, such as that on the hub, with its owner
// or without, as in "meta-llama/Llama-3.1-8B" and "bert-base-uncased". Case does not count, nor do '-' and '_'
// ("gpt-2"). Other names are declared (catalog/hub_names.txt): what is not declared is not found, whatever it
// resembles.
POSENC_API const CatalogEntry* find_in_catalog(std::string_view name);

// The other names of this entry: "openai-community/gpt2", "gpt2-small".
POSENC_API std::vector<std::string_view> hub_names(const CatalogEntry& entry);

// The name, of the catalog or of the hub, that `name` misspells; empty if none. The numbers are the same, and so are
// the words but for one, which is a letter or two away ("lama-3.1-8b", "mistarl-7b-v0.1") and neither a word of another
// model nor made of one ("mt5", "bloomz"). An owner before a '/' does not count.
POSENC_API std::string_view misspelt_in_catalog(std::string_view name);

// The entries of the same family: those whose names begin with the same words, up to the one that names the model type
// ("opt-13b": opt-125m, ...). If `name` has a version, as in "llama3" and "phi-3-small", only those of this version
// if there are any, else the nearest versions first. Sizes ascend. Empty if the catalog has no such family.
POSENC_API std::vector<std::string_view> family_in_catalog(std::string_view name);

}  // namespace posenc
