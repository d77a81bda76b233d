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
               {"gpt2-small", "gpt2"},
               {"zai-org/GLM-4.5", "glm-4.5"},
               {"deepseek-ai/DeepSeek-V2-Chat", "deepseek-v2"},
               {"Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct"}};
  for (const auto& [name, entry] : cases) {
    ASSERT_NE(find_in_catalog(name), nullptr) << name;
    EXPECT_EQ(find_in_catalog(name)->name, entry) << name;
  }
}

// A wrong model would be worse than none.
TEST(Catalog, GuessesNoOtherNames) {
  for (const char* name : {"someone/Llama-3.1-8B", "someone/gpt2", "Llama-3.1-8B-Instruct-AWQ", "bert-base-chinese",
                           "gpt-4", "mistralai/Mistral-7B-Instruct-v0.2", "Qwen/Qwen2-7B-Instruct",
                           "Qwen/Qwen2.5-72B-Instruct", "meta-llama/Llama-4-Scout-17B-16E",
                           "moonshotai/Kimi-K2-Instruct-0905", "meta-llama/", "llama-27b", "qwen-38b", "gemma-22b"}) {
    EXPECT_EQ(find_in_catalog(name), nullptr) << name;
  }
}

TEST(Catalog, HubNamesMeanOneEntryEach) {
  std::size_t count = 0;
  for (const CatalogEntry& entry : catalog()) {
    for (const std::string_view name : hub_names(entry)) {
      ++count;
      EXPECT_EQ(find_in_catalog(name), &entry) << name;
      EXPECT_EQ(find_in_catalog(name.substr(name.find('/') + 1)), &entry) << name;  // without its owner
    }
  }
  EXPECT_GE(count, 200u);
}

using Names = std::vector<std::string_view>;

TEST(Catalog, SeesSpellingMistakes) {
  const struct {
    const char* name;
    const char* meant;
  } cases[] = {{"lama-3.1-8b", "llama-3.1-8b"},
               {"mistarl-7b-v0.1", "mistral-7b-v0.1"},
               {"gemmma-2-2b", "gemma-2-2b"},
               {"bret-base", "bert-base"},
               {"whisper-tinny", "whisper-tiny"},
               {"brat-base", "bart-base"},
               {"Persimon-8B", "persimmon-8b"},
               {"transfomer-big", "transformer-big"},
               {"deepsek-v3", "deepseek-v3"},
               {"meta-llama/Lama-3.1-8B", "llama-3.1-8b"},
               {"electra-smal", "electra-small"},
               {"moonshien-tiny", "moonshine-tiny"},
               {"starcodr", "starcoder"},
               {"roberta-lagre", "roberta-large"},
               {"llama3.1:8b", "llama-3.1-8b"},
               {"falcon_40", ""},
               {"bert-base-uncaesd", "google-bert/bert-base-uncased"}};
  for (const auto& [name, meant] : cases) EXPECT_EQ(misspelt_in_catalog(name), meant) << name;
}

// Models that exist, or words that are close to one: none of them is a misspelt name of the catalog.
TEST(Catalog, TakesNoOtherModelForASpellingMistake) {
  for (const char* name : {"opt-13b",
                           "opt-2.7b",
                           "opt-6.7b",
                           "distilroberta-base",
                           "Qwen2.5-Coder-7B",
                           "Qwen2.5-Math-7B",
                           "vicuna-7b-v1.5",
                           "vicuna-13b-v1.5",
                           "codegemma-7b",
                           "clip-vit-base-patch16",
                           "llama3",
                           "gpt3",
                           "gpt-4",
                           "gpt-2.5",
                           "phi3",
                           "phi-1",
                           "qwen3",
                           "gemma",
                           "mistral",
                           "mistral-7b-v0.2",
                           "mixtral-7b-v0.1",
                           "bloomz-7b1",
                           "bloom-7b1",
                           "deit-base",
                           "deit-tiny",
                           "vit-base-patch32",
                           "mt5-large",
                           "mt5-xl",
                           "umt5-base",
                           "umt5-xl",
                           "flan-t5-xl",
                           "byt5-base",
                           "t5-3b",
                           "t5-11b",
                           "codet5-base",
                           "longt5-base",
                           "CodeLlama-13b-hf",
                           "xlm-mlm-en-2048",
                           "command-a",
                           "minimax-m1",
                           "olmo-7b",
                           "olmoe-7b",
                           "deberta-large",
                           "deberta-v2-xlarge",
                           "albert-large",
                           "albert-base-v1",
                           "mbart-large-cc25",
                           "mbart-large",
                           "distilbart-base",
                           "distilbart-cnn-12-6",
                           "gpt-neo-125m",
                           "gptj-6b",
                           "cerebras-gpt-13b",
                           "dialogpt-small",
                           "biogpt-large",
                           "deepseek-coder-33b",
                           "deepseek-moe-16b",
                           "deepseek-v3.1",
                           "hubert-large",
                           "wavlm-large",
                           "bert-tiny",
                           "bert-mini",
                           "sbert-base",
                           "mbert-base",
                           "camembert-base",
                           "phobert-base",
                           "convbert-base",
                           "mobilebert",
                           "tinybert",
                           "luke-base",
                           "funnel-base",
                           "nezha-base",
                           "stablelm-2-12b",
                           "zephyr-7b-beta",
                           "orca-2-7b",
                           "mamba-2.8b",
                           "mamba-v0.1",
                           "zamba2-1.2b",
                           "samba-1.7b",
                           "rwkv-4-7b",
                           "dinov2-large",
                           "dino-vitb16",
                           "whisper-small",
                           "whisper-base",
                           "swin-base",
                           "swinv2-base",
                           "beit-large",
                           "siglip2-so400m",
                           "layoutlm-base",
                           "layoutlmv2-base",
                           "xlnet-tiny",
                           "mpnet-large",
                           "falcon-7",
                           "falcon-11b",
                           "falcon-e-1b",
                           "yi-9b",
                           "aya-8b",
                           "aquila-7b",
                           "alpaca-7b",
                           "llava-7b",
                           "koala-7b",
                           "baichuan-7b",
                           "internlm-7b",
                           "smollm-135m",
                           "smollm2-360m",
                           "ministral-7b-v0.1",
                           "nemotron-3-8b",
                           "kimi-vl",
                           "granite-7b",
                           "pythia-70m",
                           "pythia-2.8b",
                           "claude-3",
                           "grok-1",
                           "jamba-1.5",
                           "hunyuan-a52b",
                           "glm-4.7",
                           "exaone-3.5-32b",
                           "ernie-3.0-base",
                           "gemini",
                           "gemma-1b",
                           "gemma-3-2b",
                           "led-base-16384",
                           "all-mpnet-base-v2",
                           "transformer",
                           "gpt",
                           "bert",
                           "",
                           "owner/",
                           "-",
                           "frobnicate"}) {
    EXPECT_EQ(misspelt_in_catalog(name), "") << name;
  }
  EXPECT_EQ(misspelt_in_catalog(std::string(300, 'x')), "");
}

TEST(Catalog, ListsTheFamily) {
  const struct {
    const char* name;
    Names family;
  } cases[] = {{"opt-13b", {"opt-125m", "opt-350m", "opt-1.3b", "opt-66b"}},
               {"llama3", {"llama-3-8b", "llama-3-70b"}},
               {"phi-3-small", {"phi-3-mini-4k", "phi-3-mini-128k"}},
               {"gpt3", {"gpt-3-175b"}},
               {"gpt-4", {"gpt-3-175b", "gpt2", "gpt2-large", "gpt2-medium", "gpt2-xl", "gpt-1"}},
               {"gpt-neo-125m", {"gpt-neo-1.3b", "gpt-neo-2.7b"}},
               {"EleutherAI/gpt-neox-1b", {"gpt-neox-20b"}},
               {"mistral", {"mistral-7b-v0.1", "mistral-7b-v0.3", "mistral-nemo-12b", "mistral-small-3.1-24b"}},
               {"mixtral-8x10b", {"mixtral-8x7b", "mixtral-8x22b"}},
               {"CodeLlama-13b-hf", {"code-llama-7b", "code-llama-34b"}},
               {"clip-vit-base-patch16", {"clip-vit-b32", "clip-vit-l14"}},
               {"deepseek-coder-33b", {"deepseek-coder-6.7b"}},
               {"dinov2-large", {"dinov2-base"}},
               {"t5-3b", {"t5-base", "t5-large", "t5-small", "t5-v1.1-base"}},
               {"mt5-large", {"mt5-base", "mt5-small"}},
               {"bert-tiny", {"bert-base", "bert-large"}},
               {"bloomz-7b1", {"bloom-560m", "bloom-176b"}},
               {"kimi", {"kimi-k2"}},
               {"marian", {"opus-mt-en-de"}},
               {"bert-distill-gpt-4", {"gpt-3-175b", "gpt2", "gpt2-large", "gpt2-medium", "gpt2-xl", "gpt-1"}}};
  for (const auto& [name, family] : cases) EXPECT_EQ(family_in_catalog(name), family) << name;
}

TEST(Catalog, ReadsAPlusAndNoVersionOfAnotherName) {
  ASSERT_NE(find_in_catalog("command-r+"), nullptr);
  EXPECT_EQ(find_in_catalog("command-r+")->name, "command-r-plus");
  EXPECT_EQ(family_in_catalog("Llama-Guard-3-8B"), family_in_catalog("llama"));
}

TEST(Catalog, ListsNoOtherFamily) {
  for (const char* name : {"distilroberta-base", "codegemma-7b", "codet5-base", "flan-ul2", "xlm-mlm-en-2048",
                           "all-mpnet-base-v2", "t0-3b", "t5-gemma", "t5gemma-2b", "m3-large", "command-a",
                           "frobnicate", "claude-3", "", "owner/", "-", "3", "v2"}) {
    EXPECT_EQ(family_in_catalog(name), Names{}) << name;
  }
}

}  // namespace
}  // namespace posenc::catalog_test
