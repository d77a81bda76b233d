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

// The compiled-in text is the file, byte for byte.
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
  for (const char* name : {"", "llama-3.1", "llama-3.1-8b ", "zzz", ".", "-", "/"}) {
    EXPECT_EQ(find_in_catalog(name), nullptr) << name;
  }
}

TEST(Catalog, FindsNamesOfTheHub) {
  const struct {
    const char* name;
    const char* entry;
  } cases[] = {{"gpt-2", "gpt2"},
               {"GPT2", "gpt2"},
               {"openai-community/gpt2", "gpt2"},
               {"bert-base-uncased", "bert-base"},
               {"google-bert/bert-base-cased", "bert-base"},
               {"t5-small", "t5-small"},
               {"google-t5/t5-small", "t5-small"},
               {"meta-llama/Llama-3.1-8B", "llama-3.1-8b"},
               {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"},
               {"Llama-3.1-8B-Instruct", "llama-3.1-8b"},
               {"mistralai/Mistral-7B-v0.1", "mistral-7b-v0.1"},
               {"facebook/bart-base", "bart-base"},
               {"Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct"}};
  for (const auto& [name, entry] : cases) {
    ASSERT_NE(find_in_catalog(name), nullptr) << name;
    EXPECT_EQ(find_in_catalog(name)->name, entry) << name;
  }
}

// A wrong model would be worse than none.
TEST(Catalog, GuessesNoOtherNames) {
  for (const char* name :
       {"someone/Llama-3.1-8B", "someone/gpt2", "Llama-3.1-8B-Instruct-AWQ", "bert-base-chinese", "gpt-4",
        "mistralai/Mistral-7B-Instruct-v0.2", "meta-llama/", "llama-27b", "qwen-38b", "gemma-22b"}) {
    EXPECT_EQ(find_in_catalog(name), nullptr) << name;
  }
}

TEST(Catalog, HubNamesMeanOneEntryEach) {
  std::size_t count = 0;
  for (const CatalogEntry& entry : catalog()) {
    for (const std::string_view name : hub_names(entry)) {
      ++count;
      const std::size_t slash = name.find('/');
      ASSERT_NE(slash, std::string_view::npos) << name;
      EXPECT_EQ(find_in_catalog(name), &entry) << name;
      EXPECT_EQ(find_in_catalog(name.substr(slash + 1)), &entry) << name;
    }
  }
  EXPECT_GE(count, 100u);
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
