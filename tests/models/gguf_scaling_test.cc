// Scalings of models from GGUF files, against llama.cpp's formulas in plain double.
#include "support/gguf_model.h"

namespace posenc::models::gguf_scaling_test {
namespace {

// YaRN as ggml computes it: floor and ceil of the index of the pair.
std::vector<double> yarn(double base, int dim, double factor, double original, double fast, double slow,
                         double extrapolation = 1.0) {
  const auto turning = [&](double turns) {
    return dim * std::log(original / (turns * 2.0 * M_PI)) / (2.0 * std::log(base));
  };
  const double low = std::max(0.0, std::floor(turning(fast)));
  const double high = std::min(dim - 1.0, std::ceil(turning(slow)));
  std::vector<double> result;
  for (int i = 0; i < dim / 2; ++i) {
    const double y = (i - low) / std::max(0.001, high - low);
    const double kept = (1.0 - std::min(1.0, std::max(0.0, y))) * extrapolation;
    const double plain = plain_frequency(base, i, dim);
    result.push_back(plain / factor * (1.0 - kept) + plain * kept);
  }
  return result;
}

TEST(GgufScaling, LinearScaling) {
  const Model model = File("llama").text("rope.scaling.type", "linear").f32("rope.scaling.factor", 4).model();
  EXPECT_EQ(std::get<LinearScaling>(rotary(model.groups[0]).scaling).factor, 4.0);
  EXPECT_EQ(provenance(model.groups[0], "scaling.factor"), "llama.rope.scaling.factor");
  const Model old = File("llama").f32("rope.scale_linear", 2).model();
  EXPECT_EQ(std::get<LinearScaling>(rotary(old.groups[0]).scaling).factor, 2.0);
  EXPECT_EQ(provenance(old.groups[0], "scaling.factor"), "llama.rope.scale_linear");
  EXPECT_TRUE(says(old.guesses, "llama.rope.scaling.type is missing: llama.cpp uses linear"));
  const Model both = File("llama").f32("rope.scaling.factor", 4).f32("rope.scale_linear", 2).model();
  EXPECT_TRUE(says(both.warnings, "llama.rope.scale_linear = 2 has no effect"));
  const Model none = File("llama").text("rope.scaling.type", "none").f32("rope.scaling.factor", 4).model();
  EXPECT_TRUE(std::holds_alternative<NoScaling>(rotary(none.groups[0]).scaling));
  EXPECT_TRUE(says(none.warnings, "rope.scaling.factor has no effect"));
  const Model zero = File("llama").f32("rope.scaling.factor", 0).model();
  EXPECT_TRUE(std::holds_alternative<NoScaling>(rotary(zero.groups[0]).scaling));
  const Model louder = File("llama").f32("rope.scaling.attn_factor", 1.5).model();
  EXPECT_EQ(rotary(louder.groups[0]).attention_factor, 1.5);
  File("llama").f32("rope.scaling.factor", -1).expect_bad("expected 0 or a factor from 1e-4 to 1e6 but got -1");
  File("llama").text("rope.scaling.type", "yarm").expect_bad("but got 'yarm'; did you mean 'yarn'?");
}

TEST(GgufScaling, Yarn) {
  const Model model = File("qwen2")
                          .f32("rope.freq_base", 1000000)
                          .text("rope.scaling.type", "yarn")
                          .f32("rope.scaling.factor", 4)
                          .u32("rope.scaling.original_context_length", 1024)
                          .model();
  const ModelGroup& group = model.groups[0];
  expect_near(frequencies(group), yarn(1e6, 16, 4.0, 1024.0, 32.0, 1.0));
  EXPECT_NEAR(make_schedule(rotary(group)).attention_factor, 1.0 + 0.1 * std::log(4.0), 1e-12);
  EXPECT_FALSE(rotary(group).attention_factor.has_value());
  EXPECT_EQ(provenance(group, "scaling.beta_fast"), "default of llama.cpp");
  EXPECT_EQ(provenance(group, "scaling.original_positions"), "qwen2.rope.scaling.original_context_length");
  EXPECT_EQ(group.softmax_scale, 0.25);
}

TEST(GgufScaling, YarnsOtherNumbers) {
  File file("qwen2");
  file.text("rope.scaling.type", "yarn").f32("rope.scaling.factor", 4).f32("rope.scaling.yarn_beta_fast", 16);
  file.f32("rope.scaling.yarn_beta_slow", 1).f32("rope.scaling.attn_factor", 0.5);
  const Model model = file.model();
  const Yarn& scaling = std::get<Yarn>(rotary(model.groups[0]).scaling);
  EXPECT_EQ(scaling.original_positions, 4096);
  EXPECT_EQ(scaling.beta_fast, 32.0);
  EXPECT_TRUE(says(model.warnings, "qwen2.rope.scaling.yarn_beta_fast = 16 has no effect"));
  EXPECT_FALSE(says(model.warnings, "yarn_beta_slow"));
  EXPECT_TRUE(says(model.guesses, "original_context_length is missing"));
  EXPECT_NEAR(rotary(model.groups[0]).attention_factor.value(), 0.5 * (1.0 + 0.1 * std::log(4.0)), 1e-12);
}

TEST(GgufScaling, Mistral3ReadsMoreOfYarn) {
  File file("mistral3");
  file.text("rope.scaling.type", "yarn")
      .f32("rope.scaling.factor", 16)
      .u32("rope.scaling.original_context_length", 256);
  file.f32("rope.scaling.yarn_beta_fast", 4).f32("rope.scaling.yarn_beta_slow", 2);
  file.f32("rope.scaling.yarn_log_multiplier", 0.5).f32("attention.temperature_scale", 0.25);
  const ModelGroup group = file.model().groups.at(0);
  expect_near(frequencies(group), yarn(10000.0, 16, 16.0, 256.0, 4.0, 2.0));
  const double log = std::log(16.0);
  EXPECT_NEAR(rotary(group).attention_factor.value(), (1.0 + 0.1 * log) / (1.0 + 0.1 * 0.5 * log), 1e-12);
  ASSERT_TRUE(group.query_scale.has_value());
  EXPECT_EQ(group.query_scale->scale, 0.25);
  EXPECT_EQ(group.query_scale->length, 256);
  EXPECT_EQ(group.query_scale->first, 0);
  EXPECT_EQ(provenance(group, "query_scale.length"), "mistral3.rope.scaling.original_context_length");
}

TEST(GgufScaling, GrokHasAShareOfYarn) {
  const auto grok = [](double extrapolation) {
    File file("grok");
    file.text("rope.scaling.type", "yarn").f32("rope.scaling.factor", 16).f32("attention.output_scale", 0.0625);
    file.u32("rope.scaling.original_context_length", 1024).f32("rope.scaling.yarn_ext_factor", extrapolation);
    return file.f32("rope.scaling.yarn_attn_factor", 0.5).model().groups.at(0);
  };
  expect_near(frequencies(grok(1.0)), yarn(10000.0, 16, 16.0, 1024.0, 8.0, 1.0));
  expect_near(frequencies(grok(0.25)), yarn(10000.0, 16, 16.0, 1024.0, 8.0, 1.0, 0.25));
  const double magnitude = 1.0 + 0.1 * std::log(16.0);
  EXPECT_NEAR(make_schedule(rotary(grok(0.25))).attention_factor, magnitude, 1e-12);
  expect_near(frequencies(grok(0.0)), yarn(10000.0, 16, 16.0, 1024.0, 8.0, 1.0, 0.0));
  EXPECT_NEAR(make_schedule(rotary(grok(0.0))).attention_factor, 0.5, 1e-12);
  EXPECT_EQ(grok(1.0).softmax_scale, 0.0625);
}

TEST(GgufScaling, LatentAttention) {
  File file("deepseek2");
  file.u32("attention.key_length", 64).u32("attention.key_length_mla", 24).u32("rope.dimension_count", 8);
  file.text("rope.scaling.type", "yarn").f32("rope.scaling.factor", 40);
  file.u32("rope.scaling.original_context_length", 4096).f32("rope.scaling.yarn_log_multiplier", 0.0707);
  const ModelGroup group = file.model().groups.at(0);
  EXPECT_EQ(rotary(group).head_dim, 8);
  EXPECT_EQ(rotary(group).layout, Layout::interleaved);
  EXPECT_EQ(group.latent_head->nope, 16);
  EXPECT_EQ(group.latent_head->rope, 8);
  // mscale is mscale_all_dim: cos and sin have no factor, scores get the square.
  EXPECT_EQ(rotary(group).attention_factor, 1.0);
  const double all = 1.0 + 0.1 * 0.707 * std::log(40.0);
  EXPECT_NEAR(group.softmax_scale.value(), all * all / std::sqrt(24.0), 1e-7);
  EXPECT_NE(provenance(group, "softmax_scale").find("deepseek2.attention.key_length_mla"), std::string::npos);
}

TEST(GgufScaling, LatentAttentionOfOthers) {
  const auto make = [](const std::string& name) {
    File file(name);
    file.u32("attention.key_length", 24).u32("rope.dimension_count", 8).text("rope.scaling.type", "yarn");
    return file.f32("rope.scaling.factor", 40).f32("rope.scaling.yarn_log_multiplier", 0.05);
  };
  const double log = std::log(40.0);
  const double ratio = (1.0 + 0.1 * log) / (1.0 + 0.1 * 0.5 * log);
  const ModelGroup group = make("deepseek32").model().groups.at(0);
  EXPECT_NEAR(rotary(group).attention_factor.value(), ratio, 1e-7);
  const double all = ratio * (1.0 + 0.1 * 0.5 * log);
  EXPECT_NEAR(group.softmax_scale.value(), all * all / std::sqrt(24.0), 1e-7);
  // GLM does not read the multiplier: its factor is on cos and sin, and squared on scores as well.
  const Model glm = make("glm-dsa").model();
  EXPECT_TRUE(says(glm.warnings, "glm-dsa.rope.scaling.yarn_log_multiplier"));
  const double plain = 1.0 + 0.1 * log;
  EXPECT_NEAR(glm.groups.at(0).softmax_scale.value(), plain * plain / std::sqrt(24.0), 1e-9);
  // MiniCPM3 and PLM: the head is [nope | rope] with nothing on the scores.
  const ModelGroup plm =
      File("plm").u32("attention.key_length", 24).u32("rope.dimension_count", 8).model().groups.at(0);
  EXPECT_EQ(plm.latent_head->nope, 16);
  EXPECT_NEAR(plm.softmax_scale.value(), 1.0 / std::sqrt(24.0), 1e-15);
}

TEST(GgufScaling, DeepseekTemperature) {
  const ModelGroup group = File("deepseek2")
                               .u32("rope.dimension_count", 8)
                               .f32("attention.temperature_scale", 0.5)
                               .u32("attention.temperature_length", 512)
                               .model()
                               .groups.at(0);
  EXPECT_EQ(group.query_scale->scale, 0.5);
  EXPECT_EQ(group.query_scale->length, 512);
  File("deepseek2")
      .u32("rope.dimension_count", 8)
      .f32("attention.temperature_scale", 0.5)
      .expect_bad("temperature_scale");
}

TEST(GgufScaling, Llama3Divisors) {
  const std::vector<double> divisors = {1, 1, 1, 1.5, 2.25, 4, 8, 8};
  const Model model = File("llama").f32("rope.freq_base", 500000).tensor("rope_freqs.weight", divisors).model();
  std::vector<double> expected;
  for (int i = 0; i < 8; ++i) {
    expected.push_back(plain_frequency(500000.0, i, 16.0) / divisors[static_cast<std::size_t>(i)]);
  }
  expect_near(rotary(model.groups[0]).inv_freq, expected);
  EXPECT_EQ(provenance(model.groups[0], "inv_freq"),
            "llama.rope.freq_base (500000)^(-2i / rotary_dim) / tensor rope_freqs.weight");
  EXPECT_EQ(provenance(model.groups[0], "base"), "");
  EXPECT_TRUE(model.groups[0].notes.empty());
  File stretched("llama");
  stretched.tensor("rope_freqs.weight", divisors).f32("rope.scaling.factor", 2);
  EXPECT_NEAR(rotary(stretched.model().groups[0]).inv_freq[3], plain_frequency(10000.0, 3, 16.0) / 3.0, 1e-15);
  File("llama").tensor("rope_freqs.weight", {1, 1}).expect_bad("to have one number per pair, 8, but it has 2");
  File("llama").tensor("rope_freqs.weight", {1, 1, 1, 1, 1, 1, 1, 0}).expect_bad("divisors from 1e-6 on but got 0");
  const Model unused = File("qwen2").tensor("rope_freqs.weight", divisors).model();
  EXPECT_TRUE(rotary(unused.groups[0]).inv_freq.empty());
  EXPECT_TRUE(says(unused.warnings, "tensor rope_freqs.weight has no effect"));
}

// As the converter computes them, in float32.
TEST(GgufScaling, RecognisesLlama3) {
  std::vector<double> divisors;
  for (int i = 0; i < 8; ++i) {
    const double wavelength = 2.0 * M_PI / plain_frequency(500000.0, i, 16.0);
    const double smooth = (8192.0 / wavelength - 1.0) / 3.0;
    const double between = 1.0 / ((1.0 - smooth) / 32.0 + smooth);
    const double divisor = wavelength < 2048.0 ? 1.0 : wavelength > 8192.0 ? 32.0 : between;
    divisors.push_back(static_cast<double>(static_cast<float>(divisor)));
  }
  const auto notes = [&] {
    return File("llama").f32("rope.freq_base", 500000).tensor("rope_freqs.weight", divisors).model().groups[0].notes;
  };
  EXPECT_TRUE(says(notes(), "those of llama3 with factor=32, original_positions=8192"));
  divisors[4] *= 1.01;
  EXPECT_FALSE(says(notes(), "llama3"));
}

TEST(GgufScaling, LongRope) {
  const std::vector<double> near = {1, 1, 1, 1, 1.25, 1.5, 1.75, 2};
  const std::vector<double> far = {1, 2, 3, 4, 5, 6, 7, 8};
  File file("phi3");
  file.tensor("rope_factors_short.weight", near).tensor("rope_factors_long.weight", far);
  file.u32("rope.scaling.original_context_length", 512).f32("rope.scaling.attn_factor", 1.125);
  file.text("rope.scaling.type", "longrope");
  const Model model = file.model();
  const LongRope& scaling = std::get<LongRope>(rotary(model.groups[0]).scaling);
  EXPECT_EQ(scaling.short_factor, near);
  EXPECT_EQ(scaling.long_factor, far);
  EXPECT_EQ(scaling.original_positions, 512);
  EXPECT_EQ(rotary(model.groups[0]).attention_factor, 1.125);
  EXPECT_TRUE(says(model.groups[0].notes, "the context that it allocates is longer than 512"));
  File("llama").text("rope.scaling.type", "longrope").expect_bad("but they are missing");
  const Model lenient = File("llama").text("rope.scaling.type", "longrope").model({.lenient = true});
  EXPECT_TRUE(says(lenient.warnings, "they are missing"));
  File("phi3").tensor("rope_factors_long.weight", far).expect_bad("the second is missing");
}

TEST(GgufScaling, LongRopeWithAFactor) {
  const std::vector<double> ones(8, 1.0);
  File file("llama");
  file.tensor("rope_factors_short.weight", ones).tensor("rope_factors_long.weight", ones);
  file.text("rope.scaling.type", "longrope").f32("rope.scaling.factor", 4);
  const ModelGroup group = file.model().groups.at(0);
  EXPECT_EQ(rotary(group).frequency_scale, 0.25);
  EXPECT_EQ(rotary(group).attention_factor, 1.0);
}

TEST(GgufScaling, LocalBasesAndScalings) {
  const auto make = [](const std::string& name) {
    File file(name);
    file.u32("attention.sliding_window", 512).f32("rope.freq_base", 50000).text("rope.scaling.type", "yarn");
    return file.f32("rope.scaling.factor", 4);
  };
  // gemma3: the factor is 1 there, and so is YaRN's factor on cos and sin.
  const Model gemma = make("gemma3").model();
  EXPECT_TRUE(std::holds_alternative<NoScaling>(rotary(gemma.groups[0]).scaling));
  EXPECT_NEAR(make_schedule(rotary(gemma.groups[0])).attention_factor, 1.0, 1e-15);
  EXPECT_TRUE(std::holds_alternative<Yarn>(rotary(gemma.groups[1]).scaling));
  // gpt-oss: everything is shared, including the base.
  const Model oss = make("gpt-oss").model();
  EXPECT_EQ(oss.groups[0].layers, layers_from(0, 2, 8));
  EXPECT_EQ(rotary(oss.groups[0]).base, 50000.0);
  EXPECT_TRUE(std::holds_alternative<Yarn>(rotary(oss.groups[0]).scaling));
  // olmo2: no scaling in sliding layers.
  const Model olmo = make("olmo2").f32("rope.scaling.attn_factor", 2).model();
  EXPECT_TRUE(std::holds_alternative<NoScaling>(rotary(olmo.groups[0]).scaling));
  EXPECT_FALSE(rotary(olmo.groups[0]).attention_factor.has_value());
  EXPECT_EQ(rotary(olmo.groups[0]).base, 50000.0);
  // laguna: the first of four layers sees all keys, and sliding layers have their own base and width.
  const Model laguna = make("laguna").f32("rope.freq_base_swa", 777).u32("rope.dimension_count_swa", 8).model();
  EXPECT_EQ(laguna.groups[0].layers, (Layers{0, 4}));
  EXPECT_EQ(rotary(laguna.groups[1]).base, 777.0);
  EXPECT_EQ(rotary(laguna.groups[1]).rotary_dim, 8);
  EXPECT_EQ(rotary(laguna.groups[0]).rotary_dim, 0);
}

TEST(GgufScaling, CompressedLayers) {
  File file("deepseek4", 4);
  file.u32("attention.sliding_window", 128).u32("attention.key_length", 32).u32("rope.dimension_count", 8);
  file.list("attention.compress_ratios", {0, 4, 128, 4}).f32("attention.compress_rope_freq_base", 160000);
  file.text("rope.scaling.type", "yarn").f32("rope.scaling.factor", 16);
  const Model model = file.u32("rope.scaling.original_context_length", 4096).model();
  ASSERT_EQ(model.groups.size(), 2u);
  EXPECT_EQ(rotary(model.groups[0]).base, 10000.0);
  EXPECT_EQ(rotary(model.groups[0]).first_channel, 24);
  EXPECT_TRUE(std::holds_alternative<NoScaling>(rotary(model.groups[0]).scaling));
  EXPECT_EQ(model.groups[1].layers, (Layers{1, 2, 3}));
  EXPECT_EQ(rotary(model.groups[1]).base, 160000.0);
  expect_near(frequencies(model.groups[1]), yarn(160000.0, 8, 16.0, 4096.0, 32.0, 1.0));
  EXPECT_EQ(rotary(model.groups[1]).attention_factor, 1.0);
}

TEST(GgufScaling, FixedNtkStep) {
  const Model model = File("hunyuan-dense").f32("rope.scaling.alpha", 1000).model();
  EXPECT_EQ(std::get<NtkAlpha>(rotary(model.groups[0]).scaling).alpha, 1000.0);
  const double base = 10000.0 * std::pow(1000.0, 16.0 / 14.0);
  EXPECT_NEAR(frequencies(model.groups[0])[3] / plain_frequency(base, 3, 16.0), 1.0, 1e-12);
  File both("hunyuan-dense");
  const Model scaled = both.f32("rope.scaling.alpha", 1000).f32("rope.scaling.factor", 2).model();
  EXPECT_NEAR(frequencies(scaled.groups[0])[3] / (plain_frequency(base, 3, 16.0) / 2), 1.0, 1e-12);
  EXPECT_TRUE(
      says(File("llama").f32("rope.scaling.alpha", 2).model().warnings, "llama.rope.scaling.alpha = 2 has no effect"));
}

}  // namespace
}  // namespace posenc::models::gguf_scaling_test
