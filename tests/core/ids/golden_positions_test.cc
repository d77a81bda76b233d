// Position ids that published implementations computed: golden/README.md says which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "golden/files.h"
#include "golden/position_families.h"

namespace golden_positions_test {
namespace {

using golden::PositionCase;
using posenc::Json;

// The same collection has these, which are not made of ids alone.
const std::map<std::string, std::string> kLeftOut = {
    {"b_bert_embeddings", "a sum of embeddings: with the learned tables"},
    {"b_vit_interpolate_1x1", "a resized table: with resizing"},
    {"b_vit_interpolate_2x2", "a resized table: with resizing"},
    {"b_vit_interpolate_3x6", "a resized table: with resizing"},
    {"b_vit_interpolate_5x4", "a resized table: with resizing"},
    {"b_wav2vec2_conv_k3", "a convolution over the embeddings: neither ids nor a table"},
    {"b_wav2vec2_conv_k4", "a convolution over the embeddings: neither ids nor a table"},
    {"b_xt_absolute", "rows of a learned table: with the learned tables"},
    {"g_llama4_chunked_mask", "an attention mask: with attention"},
    {"g_sliding_masks", "an attention mask: with attention"},
    {"g_mrope_long_video", "ids on three axes, from token types: with the encodings of several axes"},
    {"g_mrope_qwen2_5_vl", "ids on three axes, from token types: with the encodings of several axes"},
    {"old_mrope_long_video", "ids on three axes, from token types: with the encodings of several axes"},
};

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files = golden::files_of(POSENC_TESTS "/golden/positions");
  // Recorded with their rows, and kept there.
  for (const char* pad : {"pad0", "pad1"}) {
    files.emplace_back(std::string(POSENC_TESTS "/golden/sinusoidal/a_fairseq_offset_") + pad + ".json");
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What the outputs hold: of the rows of a table only their ids are compared here.
std::size_t leaves_of(const Json& json) {
  std::size_t leaves = 0;
  if (json.is_object()) {
    for (const auto& [key, value] : json.object()) leaves += key == "embeddings" ? 0 : leaves_of(value);
  } else if (json.is_array()) {
    for (const Json& value : json.array()) leaves += leaves_of(value);
  } else {
    leaves = 1;
  }
  return leaves;
}

TEST(GoldenPositions, EveryNumberAgrees) {
  std::size_t cases = 0, numbers = 0;
  for (const auto& file : golden_files()) {
    SCOPED_TRACE(file.filename().string());
    const Json json = golden::load(file);
    EXPECT_EQ(json.find("case")->string(), file.stem().string());
    PositionCase golden(*json.find("inputs"), *json.find("outputs"));
    ASSERT_TRUE(golden::check_positions(file.stem().string(), golden)) << "no family claims it";
    EXPECT_EQ(golden.compared(), leaves_of(*json.find("outputs"))) << "every number must be compared";
    numbers += golden.compared();
    ++cases;
  }
  std::printf("%zu cases, %zu numbers compared\n", cases, numbers);
  EXPECT_GE(cases, 14u);
}

TEST(GoldenPositions, WhatIsLeftOutIsNotHere) {
  for (const auto& [name, reason] : kLeftOut) {
    EXPECT_FALSE(std::filesystem::exists(POSENC_TESTS "/golden/positions/" + name + ".json")) << name << ": " << reason;
  }
}

// The comparison must notice a single wrong number.
TEST(GoldenPositions, AWrongNumberWouldBeNoticed) {
  const Json inputs = posenc::parse_json("{}", "inputs");
  const Json outputs = posenc::parse_json(R"({"ids": [[1, 2], [3, 4]]})", "outputs");
  EXPECT_TRUE(PositionCase(inputs, outputs).agrees("ids", {1, 2, 3, 4}));
  EXPECT_FALSE(PositionCase(inputs, outputs).agrees("ids", {1, 2, 3, 5}));
  EXPECT_FALSE(PositionCase(inputs, outputs).agrees("ids", {1, 2, 3}));
}

}  // namespace
}  // namespace golden_positions_test
