// Models from GGUF files whose layers differ.
#include "support/gguf_model.h"

namespace posenc::models::gguf_layers_test {
namespace {

TEST(GgufLayers, SlidingLayers) {
  const Model model = File("gemma3", 12).u32("attention.sliding_window", 512).f32("rope.freq_base", 1000000).model();
  ASSERT_EQ(model.groups.size(), 2u);
  EXPECT_EQ(model.groups[0].layers, (Layers{0, 1, 2, 3, 4, 6, 7, 8, 9, 10}));
  EXPECT_EQ(model.groups[0].layer_type, "sliding_attention");
  EXPECT_EQ(model.groups[0].sliding_window, 512);
  EXPECT_EQ(rotary(model.groups[0]).base, 10000.0);
  EXPECT_EQ(model.groups[1].layers, (Layers{5, 11}));
  EXPECT_EQ(model.groups[1].layer_type, "full_attention");
  EXPECT_FALSE(model.groups[1].sliding_window.has_value());
  EXPECT_EQ(rotary(model.groups[1]).base, 1000000.0);
  EXPECT_TRUE(says(model.guesses, "gemma3.rope.freq_base_swa is missing: llama.cpp uses 10000"));
  EXPECT_TRUE(says(model.guesses, "gemma3.attention.sliding_window_pattern is missing: llama.cpp uses 6"));
  const Model without = File("gemma3").model();
  EXPECT_EQ(without.groups.size(), 1u);
  const Model other =
      File("gemma3").u32("attention.sliding_window", 512).u32("attention.sliding_window_pattern", 2).model();
  EXPECT_EQ(other.groups[1].layers, layers_from(1, 2, 8));
}

TEST(GgufLayers, PatternsAsLists) {
  const std::vector<bool> pattern = {true, false, true, true, false, true, true, true};
  File file("gemma4");
  file.u32("attention.sliding_window", 512).flags("attention.sliding_window_pattern", pattern);
  file.u32("attention.key_length", 32).u32("attention.key_length_swa", 16).u32("rope.dimension_count_swa", 16);
  file.tensor("rope_freqs.weight", std::vector<double>(16, 1e30));
  const Model model = file.model();
  EXPECT_EQ(model.groups[1].layers, (Layers{1, 4}));
  EXPECT_EQ(rotary(model.groups[1]).head_dim, 32);
  EXPECT_EQ(rotary(model.groups[1]).inv_freq, std::vector<double>(16, 0.0));
  EXPECT_EQ(rotary(model.groups[0]).head_dim, 16);
  EXPECT_TRUE(rotary(model.groups[0]).inv_freq.empty());
  EXPECT_EQ(model.groups[0].softmax_scale, 1.0);
  File("gemma4")
      .u32("attention.sliding_window", 512)
      .expect_bad("key 'gemma4.attention.sliding_window_pattern': llama.cpp needs this key");
  File("gemma4")
      .u32("attention.sliding_window", 512)
      .flags("attention.sliding_window_pattern", {true})
      .expect_bad("expected one number per layer, 8, but got 1");
  File("gemma4")
      .flags("attention.sliding_window_pattern", pattern)
      .expect_bad("key 'gemma4.attention.sliding_window': llama.cpp needs this key");
  const Model ignored =
      File("gemma3").u32("attention.sliding_window", 512).flags("attention.sliding_window_pattern", pattern).model();
  EXPECT_EQ(ignored.groups[1].layers, (Layers{5}));
  EXPECT_TRUE(says(ignored.warnings, "is a list, which llama.cpp ignores for 'gemma3'"));
  const Model same =
      File("gemma2")
          .flags("attention.sliding_window_pattern", {true, false, true, false, true, false, true, false})
          .model();
  EXPECT_TRUE(same.warnings.empty());
  EXPECT_EQ(same.groups[0].sliding_window, 4096);
}

TEST(GgufLayers, LayersThatDoNotTurn) {
  const Model llama4 = File("llama4").model();
  EXPECT_EQ(llama4.groups[1].layers, (Layers{3, 7}));
  EXPECT_EQ(kind_of(llama4.groups[1].spec), "none");
  EXPECT_EQ(llama4.groups[0].layer_type, "chunked_attention");
  EXPECT_EQ(llama4.groups[0].sliding_window, 8192);
  EXPECT_EQ(llama4.groups[1].query_scale->length, 8192);
  EXPECT_EQ(llama4.groups[1].query_scale->first, 1);
  EXPECT_FALSE(llama4.groups[0].query_scale.has_value());
  EXPECT_TRUE(says(llama4.guesses, "llama.cpp skips layers 3, 7 for 'llama4'"));
  const Model whole = File("llama4").u32("attention.sliding_window", 0).model();
  EXPECT_EQ(whole.groups[1].layers, (Layers{7}));
  EXPECT_FALSE(whole.groups[1].query_scale.has_value());
  const Model other = File("llama4").u32("attention.sliding_window", 100).model();
  EXPECT_EQ(other.groups[0].sliding_window, 8192);
  EXPECT_TRUE(says(other.warnings, "llama4.attention.sliding_window = 100 has no effect: llama.cpp uses 8192"));
  const Model smol = File("smollm3").model();
  EXPECT_EQ(smol.groups[1].layers, (Layers{3, 7}));
  const Model cohere = File("cohere2").u32("attention.sliding_window", 512).model();
  EXPECT_EQ(cohere.groups[1].layers, (Layers{3, 7}));
  EXPECT_EQ(kind_of(cohere.groups[1].spec), "none");
  const Model thinker = File("smallthinker").u32("attention.sliding_window", 4096).model();
  EXPECT_EQ(thinker.groups[0].layers, (Layers{0, 4}));
  EXPECT_EQ(kind_of(thinker.groups[0].spec), "none");
  EXPECT_EQ(File("smallthinker").model().groups.size(), 1u);
  const Model afmoe = File("afmoe").model();
  EXPECT_EQ(afmoe.groups[1].layers, (Layers{3, 7}));
}

TEST(GgufLayers, Exaone4SlidesWith64Layers) {
  const Model large = File("exaone4", 64).model();
  EXPECT_EQ(large.groups[1].layers, layers_from(3, 4, 64));
  EXPECT_EQ(kind_of(large.groups[1].spec), "none");
  EXPECT_EQ(large.groups[0].sliding_window, 4096);
  const Model small = File("exaone4", 30).u32("attention.sliding_window", 4096).model();
  EXPECT_EQ(small.groups.size(), 1u);
  EXPECT_TRUE(says(small.warnings, "exaone4.attention.sliding_window = 4096 has no effect"));
}

TEST(GgufLayers, Granite) {
  const Model model = File("granite").f32("attention.scale", 0.015625).model();
  EXPECT_EQ(model.groups[0].softmax_scale, 0.015625);
  EXPECT_EQ(provenance(model.groups[0], "softmax_scale"), "granite.attention.scale");
  const Model off = File("granite").flag("rope.scaling.finetuned", false).model();
  EXPECT_EQ(kind_of(off.groups[0].spec), "none");
  File swa("granite_swa");
  swa.u32("attention.sliding_window", 128).flags("attention.sliding_window_pattern", std::vector<bool>(8, true));
  swa.flags("attention.rope_pattern", {true, true, true, false, true, true, true, false});
  const Model pattern = swa.model();
  EXPECT_EQ(pattern.groups[1].layers, (Layers{3, 7}));
  EXPECT_EQ(kind_of(pattern.groups[1].spec), "none");
  EXPECT_TRUE(
      says(File("llama").f32("attention.scale", 0.5).model().warnings, "llama.attention.scale = 0.5 has no effect"));
}

TEST(GgufLayers, LayersWithoutAttention) {
  File file("lfm2");
  file.list("attention.head_count_kv", {0, 0, 4, 0, 0, 4, 0, 4});
  const Model model = file.model();
  ASSERT_EQ(model.groups.size(), 2u);
  EXPECT_EQ(model.groups[0].layers, (Layers{0, 1, 3, 4, 6}));
  EXPECT_EQ(model.groups[0].layer_type, "recurrent");
  EXPECT_EQ(kind_of(model.groups[0].spec), "none");
  EXPECT_EQ(kind_of(model.groups[1].spec), "rotary");
  const Model next = File("qwen3next").model();
  EXPECT_EQ(next.groups[1].layers, (Layers{3, 7}));
  EXPECT_TRUE(says(next.guesses, "full_attention_interval is missing: llama.cpp uses 4"));
  const Model said = File("qwen3next").u32("full_attention_interval", 2).model();
  EXPECT_EQ(said.groups[1].layers, layers_from(1, 2, 8));
  const Model listed =
      File("qwen3next").flags("attention.recurrent_layers", {false, true, true, true, true, true, true, true}).model();
  EXPECT_EQ(listed.groups[0].layers, (Layers{0}));
  EXPECT_EQ(kind_of(File("mamba").model().groups[0].spec), "none");
  EXPECT_EQ(kind_of(File("jamba").model().groups[0].spec), "none");
}

TEST(GgufLayers, LayersThatPredictFurtherTokens) {
  EXPECT_EQ(File("glm4moe").u32("nextn_predict_layers", 1).model().groups[0].layers.size(), 7u);
}

TEST(GgufLayers, HeadsPerLayer) {
  GgufWriter writer;
  writer.text("general.architecture", "openelm").u32("openelm.block_count", 3).u32("openelm.embedding_length", 64);
  writer.i32s("openelm.attention.head_count", {4, 8, 16}).u32("openelm.context_length", 10);
  const TemporaryFolder folder;
  write_file(folder / "m.gguf", writer.bytes());
  EXPECT_EQ(rotary(load_model(folder / "m.gguf").groups[0]).head_dim, 16);
  GgufWriter few;
  few.text("general.architecture", "openelm").u32("openelm.block_count", 4).u32("openelm.embedding_length", 64);
  write_file(folder / "m.gguf", few.i32s("openelm.attention.head_count", {4, 8, 16}).bytes());
  expect_error(ErrorKind::bad_input, "expected one number per layer, 4, but got 3",
               [&] { load_model(folder / "m.gguf"); });
}

TEST(GgufLayers, HalfOfTheWidthInFullLayers) {
  File file("step35");
  file.u32("attention.sliding_window", 128).u32("rope.dimension_count", 16);
  file.flags("attention.sliding_window_pattern", {true, false, true, true, true, true, true, true});
  const Model model = file.tensor("rope_freqs.weight", {2, 2, 2, 2, 4, 4, 4, 4}).model();
  EXPECT_EQ(rotary(model.groups[0]).rotary_dim, 0);
  EXPECT_TRUE(rotary(model.groups[0]).inv_freq.empty());
  EXPECT_EQ(rotary(model.groups[1]).rotary_dim, 8);
  EXPECT_NEAR(rotary(model.groups[1]).inv_freq.at(3), plain_frequency(10000.0, 3, 8.0) / 2.0, 1e-15);
}

}  // namespace
}  // namespace posenc::models::gguf_layers_test
