#include <gtest/gtest.h>

#include "posenc/files/file.h"
#include "posenc/files/gguf.h"
#include "support/allocations.h"
#include "support/gguf_writer.h"
#include "support/temporary_folder.h"

namespace posenc::gguf_allocation_test {
namespace {

// 200,000 tokens, their scores and types, and as many merges.
std::string large_vocabulary() {
  GgufWriter writer;
  constexpr std::uint64_t kTokens = 200000;
  std::string tokens;
  std::string merges;
  std::string scores;
  for (std::uint64_t i = 0; i < kTokens; ++i) {
    tokens += writer.raw("token number " + std::to_string(i));
    merges += writer.raw("the left part " + std::to_string(i) + " the right part");
    scores += writer.raw(static_cast<float>(i));
  }
  writer.array("tokenizer.ggml.tokens", 8, kTokens, tokens)
      .array("tokenizer.ggml.merges", 8, kTokens, merges)
      .array("tokenizer.ggml.scores", 6, kTokens, scores)
      .array("tokenizer.ggml.token_type", 5, kTokens, scores)
      .text("tokenizer.chat_template", std::string(3000000, 'x'))
      .u32("llama.block_count", 32);
  return writer.bytes();
}

TEST(Gguf, HoldsNoVocabulary) {
  const TemporaryFolder folder;
  const std::string path = folder / "large.gguf";
  write_file(path, large_vocabulary());
  Gguf file;
  EXPECT_LT(allocations_of([&] { file = open_gguf(path); }), 200);
  EXPECT_EQ(std::get<std::int64_t>(file.find("llama.block_count")->value), 32);
  EXPECT_EQ(file.find("tokenizer.ggml.tokens")->size, 200000);
  EXPECT_FALSE(file.find("tokenizer.ggml.scores")->held);
  EXPECT_FALSE(file.find("tokenizer.chat_template")->held);
}

}  // namespace
}  // namespace posenc::gguf_allocation_test
