// Models from GGUF files: kinds, widths, keys. Every expected number follows from llama.cpp's rule.
#include "support/gguf_model.h"

#include "models/gguf_table.h"

namespace posenc::models::gguf_model_test {
namespace {

TEST(GgufModel, Llama) {
  const Model model = File("llama").f32("rope.freq_base", 500000).u32("rope.dimension_count", 16).model();
  EXPECT_EQ(model.model_type, "llama");
  EXPECT_EQ(model.format, "GGUF");
  ASSERT_EQ(model.groups.size(), 1u);
  const ModelGroup& group = model.groups[0];
  EXPECT_EQ(group.layers, layers_from(0, 1, 8));
  EXPECT_EQ(group.layer_type, "");
  EXPECT_EQ(rotary(group).layout, Layout::interleaved);
  EXPECT_EQ(rotary(group).head_dim, 16);
  EXPECT_EQ(rotary(group).rotary_dim, 0);
  EXPECT_EQ(rotary(group).base, 500000.0);
  EXPECT_EQ(group.softmax_scale, 0.25);
  EXPECT_EQ(group.trained_positions, 4096);
  EXPECT_EQ(provenance(group, "base"), "llama.rope.freq_base");
  EXPECT_EQ(provenance(group, "head_dim"), "llama.embedding_length / llama.attention.head_count");
  ASSERT_EQ(model.guesses.size(), 1u);
  EXPECT_TRUE(says(model.guesses, "llama.cpp pairs channel 2i with 2i + 1 (interleaved) for architecture 'llama'"));
  EXPECT_TRUE(says(model.guesses, "the model's config.json says half"));
  EXPECT_TRUE(model.warnings.empty());
}

TEST(GgufModel, DefaultsAreGuesses) {
  const Model model = File("llama").model();
  EXPECT_EQ(rotary(model.groups[0]).base, 10000.0);
  EXPECT_EQ(provenance(model.groups[0], "base"), "default of llama.cpp");
  EXPECT_TRUE(says(model.guesses, "llama.rope.freq_base is missing: llama.cpp uses 10000"));
  EXPECT_TRUE(says(model.guesses, "llama.rope.dimension_count is missing"));
}

struct LayoutCase {
  const char* architecture;
  Layout layout;
  bool permuted;
};

TEST(GgufModel, LayoutsByArchitecture) {
  for (const LayoutCase& test : std::vector<LayoutCase>{{"llama", Layout::interleaved, true},
                                                        {"qwen2", Layout::half, false},
                                                        {"qwen3", Layout::half, false},
                                                        {"falcon", Layout::half, false},
                                                        {"gptneox", Layout::half, false},
                                                        {"phi2", Layout::half, false},
                                                        {"stablelm", Layout::half, false},
                                                        {"chatglm", Layout::interleaved, false},
                                                        {"command-r", Layout::interleaved, false},
                                                        {"internlm2", Layout::interleaved, true},
                                                        {"minicpm", Layout::interleaved, true},
                                                        {"xverse", Layout::interleaved, true},
                                                        {"starcoder2", Layout::half, false},
                                                        {"olmo", Layout::interleaved, true},
                                                        {"olmoe", Layout::half, false},
                                                        {"nomic-bert", Layout::half, false},
                                                        {"glm4", Layout::interleaved, false},
                                                        {"glm4moe", Layout::half, false},
                                                        {"gptj", Layout::interleaved, false},
                                                        {"ernie4_5", Layout::interleaved, false},
                                                        {"seed_oss", Layout::half, false},
                                                        {"deepseek2-ocr", Layout::half, false}}) {
    SCOPED_TRACE(test.architecture);
    const Model model = File(test.architecture).model();
    EXPECT_EQ(rotary(model.groups.at(0)).layout, test.layout);
    EXPECT_EQ(says(model.guesses, "config.json"), test.permuted);
  }
}

// Every row makes a model if the file has the keys that llama.cpp needs, and all its specs are valid.
TEST(GgufModel, EveryArchitecture) {
  for (const std::string_view name : gguf::gguf_architectures()) {
    SCOPED_TRACE(name);
    const gguf::GgufArchitecture row = gguf::find_gguf_architecture(name).value();
    File file{row.name};
    file.u32("attention.relative_buckets_count", 32).u32("attention.sliding_window", 512);
    if (row.part == gguf::Part::latent) file.u32("rope.dimension_count", 8);
    if (row.rotation == gguf::Pairing::sections || row.rotation == gguf::Pairing::interleaved_sections) {
      file.list("rope.dimension_sections", {4, 2, 2, 0});
    }
    file.flags("attention.sliding_window_pattern", {true, true, true, false, true, true, true, false});
    const Model model = file.model();
    std::size_t layers = 0;
    for (const ModelGroup& group : model.groups) {
      layers += group.layers.size();
      EXPECT_NO_THROW(validate(group.spec));
    }
    EXPECT_EQ(layers, row.name == "t5" ? 16u : 8u);
  }
  EXPECT_EQ(gguf::gguf_architectures().size(), 146u);
}

TEST(GgufModel, NamesAreThereOnceAndSorted) {
  const std::vector<std::string_view> names = gguf::gguf_architectures();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(GgufModel, PartOfTheHead) {
  const Model model = File("gptneox").u32("rope.dimension_count", 4).model();
  EXPECT_EQ(rotary(model.groups[0]).head_dim, 16);
  EXPECT_EQ(rotary(model.groups[0]).rotary_dim, 4);
  expect_near(frequencies(model.groups[0]), {1.0, plain_frequency(10000.0, 1, 4.0)});
  EXPECT_EQ(provenance(model.groups[0], "rotary_dim"), "gptneox.rope.dimension_count");
  const Model wide = File("qwen3").u32("attention.key_length", 32).model();
  EXPECT_EQ(rotary(wide.groups[0]).head_dim, 32);
  EXPECT_NEAR(wide.groups[0].softmax_scale.value(), 1.0 / std::sqrt(32.0), 1e-15);
  EXPECT_EQ(rotary(File("plamo").u32("rope.dimension_count", 4).model().groups[0]).rotary_dim, 0);
  File("gptneox").u32("rope.dimension_count", 18).expect_bad("key 'gptneox.rope.dimension_count' at byte");
  File("gptneox").u32("rope.dimension_count", 18).expect_bad("expected at most the channels of a head, 16");
  File("gptneox").u32("rope.dimension_count", 5).expect_bad("expected an even number of rotated channels but got 5");
  File("llama").u32("rope.dimension_count", 8).expect_bad("expected the channels of a head, 16, as llama.cpp does");
}

TEST(GgufModel, Sections) {
  const Model model = File("qwen2vl").list("rope.dimension_sections", {2, 3, 3, 0}).model();
  EXPECT_EQ(rotary(model.groups[0]).layout, Layout::half);
  EXPECT_EQ(rotary(model.groups[0]).sections, (Layers{2, 3, 3}));
  EXPECT_EQ(rotary(model.groups[0]).section_order, SectionOrder::chunked);
  EXPECT_EQ(provenance(model.groups[0], "sections"), "qwen2vl.rope.dimension_sections");
  const Model turns = File("qwen3vl").list("rope.dimension_sections", {4, 2, 2, 0}).model();
  EXPECT_EQ(rotary(turns.groups[0]).section_order, SectionOrder::interleaved);
  // Pair 7 = 1 + 2 * 3 comes after the two pairs of its axis.
  EXPECT_TRUE(says(turns.groups[0].notes, "pairs 7 follow the first axis"));
  const Model even = File("qwen3vl").list("rope.dimension_sections", {3, 3, 2, 0}).model();
  EXPECT_TRUE(even.groups[0].notes.empty());
  const Model four = File("hunyuan_vl").list("rope.dimension_sections", {2, 2, 2, 2}).model();
  EXPECT_EQ(rotary(four.groups[0]).sections, (Layers{2, 2, 2, 2}));
  EXPECT_TRUE(says(four.groups[0].notes, "position 0 on the fourth axis"));
  File("qwen2vl").expect_bad("key 'qwen2vl.rope.dimension_sections': llama.cpp needs this key");
  File("qwen2vl").list("rope.dimension_sections", {2, 3, 2, 0}).expect_bad("sum to the 8 pairs");
  File("qwen2vl").list("rope.dimension_sections", {2, 3, 3}).expect_bad("expected 4 numbers but got 3");
  File("qwen3vl").list("rope.dimension_sections", {2, 2, 2, 2}).expect_bad("expected 0 as the fourth number");
}

TEST(GgufModel, SectionsWhereTheFileHasSome) {
  const Model plain = File("glm4").list("rope.dimension_sections", {0, 0, 0, 0}).model();
  EXPECT_EQ(rotary(plain.groups[0]).layout, Layout::interleaved);
  EXPECT_TRUE(rotary(plain.groups[0]).sections.empty());
  const Model given = File("glm4").list("rope.dimension_sections", {2, 3, 3, 0}).model();
  EXPECT_EQ(rotary(given.groups[0]).layout, Layout::half);
  EXPECT_EQ(rotary(given.groups[0]).sections, (Layers{2, 3, 3}));
  EXPECT_TRUE(says(given.guesses, "(half)"));
  const Model unread = File("llama").list("rope.dimension_sections", {2, 3, 3, 0}).model();
  EXPECT_TRUE(says(unread.warnings, "llama.rope.dimension_sections = an array of i32 of 4 has no effect"));
}

TEST(GgufModel, SoftmaxScales) {
  EXPECT_EQ(File("gemma3n").u32("attention.sliding_window", 512).model().groups[0].softmax_scale, 1.0);
  const auto wide = [](std::uint32_t layers) {
    return File("gemma2", layers).u32("attention.key_length", 32).model().groups[0].softmax_scale.value();
  };
  EXPECT_NEAR(wide(26), 1.0 / std::sqrt(32.0), 1e-15);
  EXPECT_NEAR(wide(46), 0.25, 1e-15);
  const Model ling = File("bailingmoe").u32("attention.key_length", 32).u32("rope.dimension_count", 16).model();
  EXPECT_NEAR(ling.groups[0].softmax_scale.value(), 0.25, 1e-15);
  const Model plamo = File("plamo2").u32("attention.key_length", 32).u32("attention.value_length", 64).model();
  EXPECT_NEAR(plamo.groups[0].softmax_scale.value(), 0.125, 1e-15);
}

TEST(GgufModel, Alibi) {
  const Model bloom = File("bloom").model();
  const Alibi& spec = std::get<Alibi>(bloom.groups[0].spec);
  EXPECT_EQ(spec.heads, 4);
  EXPECT_EQ(spec.bias_max, 8.0);
  EXPECT_TRUE(says(bloom.guesses, "llama.cpp uses 8 for 'bloom'"));
  const Model mpt = File("mpt").f32("attention.max_alibi_bias", 6).model();
  EXPECT_EQ(std::get<Alibi>(mpt.groups[0].spec).bias_max, 6.0);
  EXPECT_EQ(provenance(mpt.groups[0], "bias_max"), "mpt.attention.max_alibi_bias");
  EXPECT_EQ(kind_of(File("mpt").model().groups[0].spec), "none");
  EXPECT_NEAR(File("jais").f32("attention.max_alibi_bias", 8).model().groups[0].softmax_scale.value(), 1.0 / 16, 1e-15);
  EXPECT_EQ(kind_of(File("baichuan", 40).model().groups[0].spec), "alibi");
  EXPECT_EQ(kind_of(File("baichuan", 32).model().groups[0].spec), "rotary");
  EXPECT_EQ(kind_of(File("baichuan", 12).model().groups[0].spec), "none");
  File("mpt").f32("attention.max_alibi_bias", -1).expect_bad("expected 0 or more but got -1");
}

TEST(GgufModel, Learned) {
  File file("gpt2");
  file.writer().tensor("position_embd.weight", {64, 10}, 0, std::string(2560, '\0'));
  const Model model = file.model();
  const Learned& spec = std::get<Learned>(model.groups[0].spec);
  EXPECT_EQ(spec.width, 64);
  EXPECT_EQ(spec.rows, 10);
  EXPECT_EQ(provenance(model.groups[0], "rows"), "tensor position_embd.weight");
  const Model missing = File("bert").model();
  EXPECT_EQ(std::get<Learned>(missing.groups[0].spec).rows, 4096);
  EXPECT_TRUE(says(missing.guesses, "tensor position_embd.weight is missing"));
  File wide("gpt2");
  wide.writer().tensor("position_embd.weight", {std::uint64_t{1} << 21, 1}, 24, std::string(1 << 21, '\0'));
  wide.expect_bad("model.gguf: learned] width must be at most 1048576 but got 2097152");
  File mpt("mpt");
  mpt.writer().tensor("position_embd.weight", {64, 10}, 0, std::string(2560, '\0'));
  EXPECT_EQ(kind_of(mpt.model().groups[0].spec), "learned");
}

TEST(GgufModel, T5) {
  const Model model = File("t5").u32("attention.relative_buckets_count", 32).u32("decoder_block_count", 6).model();
  ASSERT_EQ(model.groups.size(), 2u);
  const T5& encoder = std::get<T5>(model.groups[0].spec);
  EXPECT_EQ(model.groups[0].part, "encoder");
  EXPECT_EQ(encoder.heads, 4);
  EXPECT_EQ(encoder.buckets, 32);
  EXPECT_EQ(encoder.max_distance, 128);
  EXPECT_EQ(encoder.direction, T5Direction::bidirectional);
  EXPECT_EQ(model.groups[1].part, "decoder");
  EXPECT_EQ(model.groups[1].layers.size(), 6u);
  EXPECT_EQ(std::get<T5>(model.groups[1].spec).direction, T5Direction::causal);
  EXPECT_EQ(model.groups[0].softmax_scale, 1.0);
  EXPECT_TRUE(says(model.guesses, "llama.cpp uses 128"));
  EXPECT_EQ(File("t5encoder").u32("attention.relative_buckets_count", 32).model().groups.size(), 1u);
  File("t5").expect_bad("key 't5.attention.relative_buckets_count': llama.cpp needs this key");
  File("t5").u32("attention.relative_buckets_count", 7).expect_bad("expected an even number from 4 to 128 but got 7");
}

TEST(GgufModel, RefusesKeysThatNobodyKnows) {
  const File file = File("llama").f32("rope.freq_bse", 5);
  file.expect_bad("key 'llama.rope.freq_bse' at byte");
  file.expect_bad("did you mean 'llama.rope.freq_base'?");
  const Model lenient = file.model({.lenient = true});
  EXPECT_TRUE(says(lenient.warnings, "key 'llama.rope.freq_bse'"));
  File("llama").f32("attention.alibi_slope", 5).expect_bad("expected a key about positions that llama.cpp knows");
  File("llama").u32("position_offset", 5).expect_bad("key 'llama.position_offset'");
  EXPECT_TRUE(File("llama").u32("expert_count", 5).model().warnings.empty());
}

TEST(GgufModel, SaysWhatHasNoEffect) {
  const Model model = File("qwen2")
                          .u32("attention.sliding_window", 4096)
                          .f32("rope.freq_base_swa", 5)
                          .f32("attention.max_alibi_bias", 8)
                          .f32("attention.temperature_scale", 0.1)
                          .model();
  EXPECT_EQ(model.groups.size(), 1u);
  EXPECT_TRUE(says(model.warnings, "qwen2.attention.sliding_window = 4096 has no effect"));
  EXPECT_TRUE(says(model.warnings, "qwen2.rope.freq_base_swa = 5 has no effect"));
  EXPECT_TRUE(says(model.warnings, "qwen2.attention.max_alibi_bias = 8 has no effect"));
  EXPECT_TRUE(says(model.warnings, "qwen2.attention.temperature_scale"));
  EXPECT_EQ(model.warnings.size(), 4u);
}

TEST(GgufModel, RefusesWrongValues) {
  File("llama").text("rope.freq_base", "x").expect_bad("expected a finite number but got 'x'");
  File("llama").f32("rope.freq_base", INFINITY).expect_bad("expected a finite number but got inf");
  File("llama").f32("rope.freq_base", 0).expect_bad("expected a base above 0 but got 0");
  File("llama").f32("rope.dimension_count", 8).expect_bad("expected an integer from 0 to 2^31 - 1 but got 8");
  File("llama").u32("attention.key_length", 20000).expect_bad("expected heads of 2 to 8192 channels");
  File("llama").u32("attention.key_length", 0x80000000U).expect_bad("0 to 2^31 - 1 but got 2147483648");
  File negative("llama");
  negative.writer().entry("llama.attention.key_length", 5, negative.writer().raw(std::int32_t{-1}));
  negative.expect_bad("expected an integer from 0 to 2^31 - 1 but got -1");
  File("granite").u32("rope.scaling.finetuned", 1).expect_bad("expected a bool but got 1");
  File("llama").u32("rope.scaling.type", 1).expect_bad("expected a word but got 1");
  File("qwen2vl").u32("rope.dimension_sections", 1).expect_bad("expected a list of integers but got 1");
  File("qwen2vl")
      .list("rope.dimension_sections", {-1, 9, 0, 0})
      .expect_bad("expected integers from 0 to 2^31 - 1 but got -1");
  File("llama", 0).expect_bad("expected 1 to 4096 but got 0");
  File("llama")
      .f32("rope.scaling.attn_factor", -1)
      .expect_bad("expected a factor on cos and sin from 1e-9 to 1e9 but got -1");
  File("grok").text("rope.scaling.type", "yarn").f32("rope.scaling.yarn_beta_fast", 0.5).expect_bad("yarn_beta_fast");
}

TEST(GgufModel, RefusesOtherArchitectures) {
  File("lama").expect_bad("but got 'lama'; did you mean 'llama'?", ErrorKind::unsupported);
  File("clip").expect_bad("is a projector for images or sound", ErrorKind::unsupported);
  File("dflash")
      .u32("hyper_connection.count", 4)
      .expect_bad("posenc does not support this variant", ErrorKind::unsupported);
  const TemporaryFolder folder;
  GgufWriter part;
  write_file(folder / "m.gguf", part.entry("split.no", 2, part.raw(std::uint16_t{1})).bytes());
  expect_error(ErrorKind::bad_input, "later part of a split model; give the first",
               [&] { load_model(folder / "m.gguf"); });
}

TEST(GgufModel, SaysThatThereAreOtherParts) {
  File file("llama");
  file.writer().entry("split.count", 2, file.writer().raw(std::uint16_t{3}));
  EXPECT_TRUE(says(file.model().warnings, "one of 3 parts"));
}

TEST(GgufModel, ReadsBigEndianAndVersion2) {
  GgufWriter writer(2, true);
  writer.text("general.architecture", "llama").u32("llama.block_count", 2).u32("llama.embedding_length", 64);
  writer.u32("llama.attention.head_count", 4)
      .f32("llama.rope.freq_base", 500000)
      .f32_tensor("rope_freqs.weight", std::vector<double>(8, 2.0));
  const TemporaryFolder folder;
  write_file(folder / "m.gguf", writer.bytes());
  const Model model = load_model(folder / "m.gguf");
  EXPECT_NEAR(rotary(model.groups[0]).inv_freq.at(3), plain_frequency(500000.0, 3, 16.0) / 2.0, 1e-15);
}

}  // namespace
}  // namespace posenc::models::gguf_model_test
