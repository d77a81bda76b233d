#include "posenc/models/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "posenc/files/json.h"

namespace posenc::catalog_test {
namespace {

TEST(Catalog, HoldsTheWellKnown) {
  EXPECT_GE(catalog().size(), 60u);
  for (const char* name : {"transformer-base", "bert-base", "gpt2", "t5-small", "bloom-176b", "llama-3.1-8b"}) {
    EXPECT_NE(find_in_catalog(name), nullptr) << name;
  }
}

TEST(Catalog, IsSortedByUniqueNames) {
  for (std::size_t i = 1; i < catalog().size(); ++i) EXPECT_LT(catalog()[i - 1].name, catalog()[i].name);
}

TEST(Catalog, NamesAreLowerCaseWordsWithHyphens) {
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_FALSE(entry.name.empty());
    for (const char c : entry.name) {
      EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.') << entry.name;
    }
  }
}

TEST(Catalog, EveryConfigIsJsonThatOpensWithItsModelType) {
  for (const CatalogEntry& entry : catalog()) {
    const Json config = parse_json(entry.config, entry.name);
    ASSERT_TRUE(config.is_object()) << entry.name;
    ASSERT_FALSE(config.object().empty()) << entry.name;
    EXPECT_EQ(config.object().front().first, "model_type") << entry.name;
    EXPECT_FALSE(config.object().front().second.string(entry.name).empty()) << entry.name;
  }
}

// What is compiled in is the file, byte for byte.
TEST(Catalog, KeepsTheTextOfItsFiles) {
  const CatalogEntry* entry = find_in_catalog("llama-3.1-8b");
  ASSERT_NE(entry, nullptr);
  EXPECT_TRUE(entry->config.starts_with("{\n  \"model_type\": \"llama\",\n"));
  EXPECT_TRUE(entry->config.ends_with("}\n"));
  const Json config = parse_json(entry->config, entry->name);
  EXPECT_EQ(config.find("rope_scaling")->find("original_max_position_embeddings")->integer(), 8192);
  EXPECT_EQ(config.find("rope_theta")->number(), 500000.0);
}

TEST(Catalog, FindsEachOfItsEntriesAndNothingElse) {
  for (const CatalogEntry& entry : catalog()) EXPECT_EQ(find_in_catalog(entry.name), &entry);
  for (const char* name : {"", "llama-3.1", "llama-3.1-8B", "llama-3.1-8b ", "zzz", "."}) {
    EXPECT_EQ(find_in_catalog(name), nullptr) << name;
  }
}

using Names = std::vector<std::string_view>;

TEST(Catalog, NearestForgivesSpelling) {
  EXPECT_EQ(nearest_in_catalog("lama-3.1-8b"), Names{"llama-3.1-8b"});
  EXPECT_EQ(nearest_in_catalog("bert_base"), Names{"bert-base"});
  EXPECT_EQ(nearest_in_catalog("meta-llama/Llama-3.1-8B"), Names{"llama-3.1-8b"});
  EXPECT_EQ(nearest_in_catalog("gpt2"), Names{"gpt2"});
}

TEST(Catalog, NearestTakesAPartOfAName) {
  const Names names = nearest_in_catalog("llama-3.1");
  EXPECT_NE(std::ranges::find(names, "llama-3.1-8b"), names.end());
  for (const std::string_view name : names) EXPECT_TRUE(name.starts_with("llama-3.1")) << name;
  EXPECT_EQ(nearest_in_catalog("b").size(), 5u);
}

TEST(Catalog, NearestGivesNothingWhenNoneIsMeant) {
  EXPECT_EQ(nearest_in_catalog(""), Names{});
  EXPECT_EQ(nearest_in_catalog("owner/"), Names{});
  EXPECT_EQ(nearest_in_catalog("frobnicate"), Names{});
  EXPECT_EQ(nearest_in_catalog(std::string(300, 'x')), Names{});
}

}  // namespace
}  // namespace posenc::catalog_test
