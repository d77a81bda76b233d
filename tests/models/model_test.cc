// How load_model reads a config.json: spellings, contradictions, layers and other readings.
#include "posenc/models/model.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "posenc/files/file.h"
#include "support/expect_error.h"
#include "support/model_configs.h"
#include "support/temporary_folder.h"

namespace posenc::model_test {
namespace {

std::string from(const ModelGroup& group, const std::string& field) {
  for (const Provenance& entry : group.provenance) {
    if (entry.field == field) return entry.from;
  }
  return "";
}

void expect_specs(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.config);
    const Model model = load_model(c.config);
    EXPECT_EQ(spec_of(model), c.expected);
    if (c.warning.empty()) {
      EXPECT_TRUE(model.warnings.empty()) << model.warnings[0];
    } else {
      EXPECT_TRUE(has(model.warnings, c.warning)) << (model.warnings.empty() ? "no warning" : model.warnings[0]);
    }
  }
}

TEST(Model, ReadsTextsAndFiles) {
  const std::string text = llama(R"("rope_theta": 500000.0)");
  const Model of_text = load_model("\n  " + text);
  EXPECT_EQ(of_text.source, "config");
  EXPECT_EQ(of_text.model_type, "llama");
  EXPECT_EQ(of_text.format, "config.json");

  const TemporaryFolder folder;
  const std::string path = folder / "config.json";
  write_file(path, text);
  const Model of_file = load_model(path);
  EXPECT_EQ(of_file.source, path);
  EXPECT_EQ(spec_of(of_file), spec_of(of_text));
  EXPECT_EQ(spec_of(of_file), "rotary:head_dim=64,base=500000");
  EXPECT_EQ(of_file.groups.at(0).trained_positions, 8192);

  expect_error(ErrorKind::io, "nothing.json", [&] { load_model(folder / "nothing.json"); });
  write_file(path, "[1]");
  expect_error(ErrorKind::bad_input, path + ": expected a JSON object", [&] { load_model(path); });
  write_file(path, "{\"model_type\": ");
  expect_error(ErrorKind::bad_input, path, [&] { load_model(path); });
  write_file(path, std::string("\x93NUMPY\x01\x00", 8) + std::string(120, ' '));
  expect_error(ErrorKind::unsupported, "a model's config.json or a GGUF file", [&] { load_model(path); });
  expect_error(ErrorKind::bad_input, "config", [] { load_model("{"); });
}

// Keys outside the dictionary, as in transformers 4, or inside it, as in version 5.
TEST(Model, ReadsBothSpellingsAlike) {
  const std::string lists = R"("short_factor": )" + list_of("1.5", 32) + R"(, "long_factor": )" + list_of("2.5", 32);
  const std::vector<std::pair<std::string, std::string>> spellings = {
      {R"("rope_theta": 7e5)", R"("rope_parameters": {"rope_type": "default", "rope_theta": 7e5})"},
      {R"("rope_theta": 7e5, "rope_scaling": null)", R"("rope_parameters": {"rope_theta": 7e5})"},
      {R"("rope_theta": 7e5, "rope_scaling": {"type": "linear", "factor": 2.5})",
       R"("rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 7e5})"},
      {R"("rope_scaling": {"type": "dynamic", "factor": 2.0})",
       R"("rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0})"},
      {R"("rope_theta": 1e6, "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048})",
       R"("rope_parameters": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048, "rope_theta": 1e6})"},
      {R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1024})",
       R"("rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1024, "rope_theta": 10000.0})"},
      {R"("original_max_position_embeddings": 1024, "rope_scaling": {"type": "longrope", )" + lists + "}",
       R"("rope_parameters": {"rope_type": "longrope", "original_max_position_embeddings": 1024, )" + lists + "}"}};
  for (const auto& [old_way, new_way] : spellings) {
    SCOPED_TRACE(old_way);
    const Model old_model = load_model(llama(old_way)), new_model = load_model(llama(new_way));
    EXPECT_EQ(spec_of(old_model), spec_of(new_model));
    EXPECT_EQ(old_model.groups[0].softmax_scale, new_model.groups[0].softmax_scale);
    EXPECT_EQ(old_model.warnings, new_model.warnings);
    EXPECT_TRUE(old_model.readings.empty() && new_model.readings.empty());
  }
  EXPECT_EQ(spec_of(load_model(llama(spellings[2].first))), "rotary:head_dim=64,base=700000,scaling=linear,factor=2.5");
}

TEST(Model, SettlesWhatIsSaidTwice) {
  const std::string yarn = R"("rope_type": "yarn", "factor": 4.0)";
  expect_specs({
      {llama(R"("rope_theta": 5, "rope_parameters": {"rope_type": "default", "rope_theta": 7})"),
       "rotary:head_dim=64,base=7",
       "rope_parameters.rope_theta is 7 and rope_theta is 5; rope_parameters.rope_theta is used"},
      {llama(R"("rope_theta": 7, "rope_parameters": {"rope_type": "default", "rope_theta": 7.0})"),
       "rotary:head_dim=64,base=7", ""},
      {llama(R"("rope_scaling": {"rope_type": "linear", "type": "dynamic", "factor": 2.0})"),
       "rotary:head_dim=64,scaling=linear,factor=2",
       R"(rope_scaling.rope_type is "linear" and rope_scaling.type is "dynamic"; rope_scaling.rope_type is used)"},
      {llama(R"("original_max_position_embeddings": 2048, "rope_scaling": {)" + yarn + "}"),
       "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=2048", ""},
      {llama(R"("rope_scaling": {)" + yarn + "}"), "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=8192",
       ""},
      {llama(R"("rope_scaling": {"rope_type": "linear", "factor": 2.0}, )"
             R"("rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 7})"),
       "rotary:head_dim=64,scaling=linear,factor=2", "both rope_scaling and rope_parameters: rope_scaling is used"},
      {llama(R"("rope_scaling": {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 2048})"),
       "rotary:head_dim=64,scaling=yarn,factor=2,original_positions=2048",
       "rope_scaling.factor is 2 but max_position_embeddings / original_max_position_embeddings is 4"},
      {llama(R"("rope_scaling": {"rope_type": "yarn", "factor": null, "original_max_position_embeddings": 1024})"),
       "rotary:head_dim=64,scaling=yarn,original_positions=1024,max_positions=8192", ""},
      {llama(R"("rope_scaling": {"rope_type": "linear", "factor": 2.0, "beta_fast": 32})"),
       "rotary:head_dim=64,scaling=linear,factor=2", "rope_scaling.beta_fast has no effect with rope type linear"},
      {llama(R"("rope_scaling": {}, "rope_parameters": {}, "rope_theta": null)"), "rotary:head_dim=64", ""},
      {of_type("glm4_moe", R"("head_dim": 64, "partial_rotary_factor": 0.5, "rope_parameters": )"
                           R"({"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.25})"),
       "rotary:head_dim=64,partial_rotary_factor=0.25", "rope_parameters.partial_rotary_factor is 0.25"},
      {of_type("gemma3_text", R"("num_hidden_layers": 6, "layer_types": )" + list_of("\"full_attention\"", 7)),
       "rotary:head_dim=256,base=1000000", "layer_types has 7 words for 6 layers"},
      {of_type("llava", R"("rope_theta": 5, "text_config": {"model_type": "llama"})"), "rotary:head_dim=128",
       "rope_theta is outside the parts of llava and is not read there"},
  });
}

TEST(Model, SaysWhereNumbersComeFrom) {
  const std::vector<std::vector<std::string>> cases = {
      {llama(""), "head_dim", "hidden_size // num_attention_heads"},
      {llama(""), "base", "default of llama"},
      {llama(""), "layout", "model type llama"},
      {llama(""), "softmax_scale", "head_dim^-0.5"},
      {llama(R"("head_dim": 32)"), "head_dim", "head_dim"},
      {llama(R"("rope_theta": 3)"), "base", "rope_theta"},
      {llama(R"("rope_parameters": {"rope_theta": 3})"), "base", "rope_parameters.rope_theta"},
      {llama(R"("rope_scaling": {"type": "linear", "factor": 2.0})"), "scaling", "rope_scaling.type"},
      {llama(R"("rope_scaling": {"type": "linear", "factor": 2.0})"), "scaling.factor", "rope_scaling.factor"},
      {llama(R"("rope_scaling": {"type": "dynamic", "factor": 2.0})"), "scaling.original_positions",
       "max_position_embeddings"},
      {llama(R"("rope_scaling": {"type": "yarn", "factor": 2.0})"), "scaling.original_positions",
       "max_position_embeddings (no original_max_position_embeddings)"},
      {llama(R"("rope_scaling": {"type": "yarn", "factor": 2.0, "attention_factor": 1.5})"), "attention_factor",
       "rope_scaling.attention_factor"},
      {of_type("llama", ""), "head_dim",
       "hidden_size // num_attention_heads (hidden_size, num_attention_heads: default of llama)"},
      {of_type("glm4_moe", R"("partial_rotary_factor": 0.25)"), "rotary_dim", "partial_rotary_factor"},
      {of_type("glm4_moe", ""), "rotary_dim", "default of glm4_moe"},
      {of_type("gptj", R"("rotary_dim": 32)"), "rotary_dim", "rotary_dim"},
      {of_type("qwen2_vl_text", ""), "sections", "default of qwen2_vl_text"},
      {of_type("llava", R"("text_config": {"model_type": "llama", "rope_theta": 3})"), "base",
       "text_config.rope_theta"},
      {of_type("phi3",
               R"("hidden_size": 512, "num_attention_heads": 8, "rope_scaling": {"type": "su", "short_factor": )" +
                   list_of("1", 32) + R"(, "long_factor": )" + list_of("2", 32) + "}"),
       "scaling", "rope_scaling.type, su is longrope in phi3"}};
  for (const std::vector<std::string>& c : cases) EXPECT_EQ(from(load_model(c[0]).groups.at(0), c[1]), c[2]) << c[0];
}

using Layers = std::vector<std::int64_t>;

TEST(Model, LeavesLayersWithoutRotation) {
  const Model every_fourth = load_model(of_type("smollm3", R"("num_hidden_layers": 8)"));
  ASSERT_EQ(every_fourth.groups.size(), 2u);
  EXPECT_EQ(every_fourth.groups[0].layers, (Layers{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(every_fourth.groups[1].layers, (Layers{3, 7}));
  EXPECT_EQ(every_fourth.groups[1].kind(), "none");
  EXPECT_EQ(every_fourth.groups[1].softmax_scale, every_fourth.groups[0].softmax_scale);

  // 1 marks a layer with rotation, contrary to the name of the key.
  const Model listed = load_model(of_type("smollm3", R"("num_hidden_layers": 4, "no_rope_layers": [1, 0, 0, 1])"));
  EXPECT_EQ(group_of_layer(listed, 0).kind(), "rotary");
  EXPECT_EQ(group_of_layer(listed, 1).kind(), "none");
  EXPECT_EQ(group_of_layer(listed, 2).kind(), "none");

  const Model by_type = load_model(of_type("cohere2", R"("num_hidden_layers": 4, "sliding_window": 77)"));
  EXPECT_EQ(group_of_layer(by_type, 2).sliding_window, 77);
  EXPECT_EQ(group_of_layer(by_type, 3).kind(), "none");
  EXPECT_EQ(group_of_layer(by_type, 3).layer_type, "full_attention");

  const Model tempered = load_model(of_type("llama4_text", R"("num_hidden_layers": 4)"));
  EXPECT_FALSE(group_of_layer(tempered, 0).query_scale);
  ASSERT_TRUE(group_of_layer(tempered, 3).query_scale);
  EXPECT_EQ(group_of_layer(tempered, 3).query_scale->length, 8192);

  // A known key is accepted even if no layer has attention.
  const Model still = load_model(of_type("bamba", R"("num_hidden_layers": 2, "partial_rotary_factor": 0.5)"));
  EXPECT_EQ(still.groups.at(0).kind(), "none");
}

TEST(Model, KnowsWhatAFileAsksForByName) {
  const std::string alibi = R"("position_embedding_type": "alibi")";
  expect_error(ErrorKind::bad_input, "position_embedding_type", [&] { load_model(of_type("bert", alibi)); });
  expect_error(ErrorKind::bad_input, "position_embedding_type", [&] { load_model(of_type("llama", alibi)); });
  EXPECT_EQ(load_model(of_type("bert", alibi), {.lenient = true}).warnings.size(), 1u);
  EXPECT_EQ(load_model(of_type("cohere", R"("position_embedding_type": "rope_gptj")")).groups.size(), 1u);
  // A key that is false or null has no effect, and other words may contain ours.
  const char* harmless =
      R"("rope_new": null, "use_rope_new": false, "europe": 1, "is_composition": true, "property": 2)";
  EXPECT_TRUE(load_model(of_type("llama", harmless)).warnings.empty());
  expect_error(ErrorKind::bad_input, "use_rope_new", [&] { load_model(of_type("llama", R"("use_rope_new": true)")); });
  expect_error(ErrorKind::bad_input, "pad_token_id",
               [&] { load_model(of_type("roberta", R"("pad_token_id": null)")); });
  expect_error(ErrorKind::bad_input, "patch_size", [&] { load_model(of_type("vit", R"("patch_size": 0)")); });
  expect_error(ErrorKind::bad_input, "no_rope_layers",
               [&] { load_model(of_type("llama4_text", R"("num_hidden_layers": 4, "no_rope_layers": [1, 0])")); });
}

TEST(Model, JoinsLayersThatEncodeAlike) {
  const std::string six = R"("num_hidden_layers": 6)";
  const Model windows = load_model(of_type("gemma2", six));
  ASSERT_EQ(windows.groups.size(), 2u);
  EXPECT_EQ(group_of_layer(windows, 0).sliding_window, 4096);
  EXPECT_EQ(group_of_layer(windows, 1).sliding_window, std::nullopt);

  const Model joined = load_model(of_type("gemma2", six + R"(, "sliding_window": null)"));
  ASSERT_EQ(joined.groups.size(), 1u);
  EXPECT_EQ(joined.groups[0].layers, (Layers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(joined.groups[0].layer_type, "");

  const Model apart =
      load_model(of_type("gemma3_text", six + R"(, "rope_scaling": {"rope_type": "linear", "factor": 8.0})"));
  ASSERT_EQ(apart.groups.size(), 2u);
  EXPECT_EQ(spec_of(apart, 0), "rotary:head_dim=256,base=1000000,scaling=linear,factor=8");
  EXPECT_EQ(apart.groups[0].layers, (Layers{5}));
  EXPECT_EQ(spec_of(apart, 1), "rotary:head_dim=256");
  EXPECT_EQ(apart.groups[1].layers, (Layers{0, 1, 2, 3, 4}));
  EXPECT_EQ(apart.groups[1].layer_type, "sliding_attention");

  const Model same = load_model(
      of_type("gemma3_text", six + R"(, "rope_theta": 1e4, "rope_local_base_freq": 1e4, "sliding_window": null)"));
  EXPECT_EQ(same.groups.size(), 1u);

  // A list with a base per layer, for types that have one.
  const Model listed =
      load_model(of_type("granite_swa", R"("num_hidden_layers": 3, "layer_rope_theta": [10000, 0, 500])"));
  EXPECT_EQ(to_text(group_of_layer(listed, 0).spec), "rotary:head_dim=128");
  EXPECT_EQ(group_of_layer(listed, 1).kind(), "none");
  EXPECT_EQ(to_text(group_of_layer(listed, 2).spec), "rotary:head_dim=128,base=500");
}

TEST(Model, HasTheWindowOfModelsWhoseLayersAreNotToldApart) {
  const std::vector<std::pair<std::string, std::int64_t>> cases = {
      {of_type("mistral", ""), 4096},
      {of_type("mistral", R"("sliding_window": 100)"), 100},
      {of_type("mistral", R"("sliding_window": null)"), 0},
      {of_type("mixtral", ""), 0},
      {of_type("phi3", R"("sliding_window": 2047)"), 2047},
      {of_type("qwen3_moe", R"("sliding_window": 512)"), 0},
      {of_type("qwen3_moe", R"("sliding_window": 512, "use_sliding_window": true)"), 512},
      {of_type("llama", ""), 0}};
  for (const auto& [config, keys] : cases)
    EXPECT_EQ(load_model(config).groups.at(0).sliding_window.value_or(0), keys) << config;
}

TEST(Model, HasTheHeadsOfLatentAttention) {
  const std::string yarn = R"("rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0, )"
                           R"("original_max_position_embeddings": 4096})";
  const Model plain = load_model(of_type("deepseek_v3", R"("num_hidden_layers": 2)"));
  const Model scaled = load_model(of_type("deepseek_v3", R"("num_hidden_layers": 2, )" + yarn));
  ASSERT_TRUE(plain.groups.at(0).latent_head);
  EXPECT_EQ(plain.groups[0].latent_head->nope, 128);
  EXPECT_EQ(plain.groups[0].latent_head->rope, 64);
  EXPECT_NEAR(*plain.groups[0].softmax_scale, 0.0721687836, 1e-9);
  EXPECT_NEAR(*scaled.groups.at(0).softmax_scale, 0.1352337788, 1e-9);  // 192^-0.5 (0.1 ln 40 + 1)^2
}

TEST(Model, HasSectionsOfAxes) {
  const std::string head = R"("hidden_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 2, )";
  const auto with = [&](const std::string& sections) {
    return of_type("qwen2_vl_text", head + R"("rope_scaling": {"type": "mrope", "mrope_section": )" + sections + "}");
  };
  expect_specs({{with("[8, 28, 28]"), "rotary:head_dim=128,base=1000000,axes=3,sections=8/28/28", ""},
                {of_type("qwen3_vl_text", R"("head_dim": 128, "rope_scaling": {"mrope_section": [24, 20, 20], )"
                                          R"("mrope_interleaved": true})"),
                 "rotary:head_dim=128,base=500000,axes=3,sections=24/20/20,section_order=interleaved", ""}});
  expect_refusals({{with("[16, 24, 25]"),
                    "config: rope_scaling.mrope_section: expected sections that sum to the 64 rotated pairs", ""},
                   {with("\"16,24,24\""), "rope_scaling.mrope_section: expected a list but got \"16,24,24\"", ""},
                   {with("[16, -24, 72]"), "rope_scaling.mrope_section: expected a whole number from 0", ""},
                   {with("[]"), "rope_scaling.mrope_section: expected 1 to 8 sections", ""},
                   {with("[16, null, 24]"), "rope_scaling.mrope_section: expected a whole number", ""}});
}

TEST(Model, FindsTheGroupOfALayer) {
  const Model model = load_model(of_type(
      "qwen2_vl",
      R"("hidden_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 3, "vision_config": {"depth": 2})"));
  EXPECT_EQ(group_of_layer(model, 2).part, "text");
  EXPECT_EQ(group_of_layer(model, 1, "vision").part, "vision");
  const std::vector<std::pair<std::int64_t, std::string>> nowhere = {{3, ""}, {-1, ""}, {2, "vision"}, {0, "audio"}};
  for (const auto& [layer, part] : nowhere) {
    const std::string sentence =
        "config: part '" + (part.empty() ? "text" : part) + "' has no layer " + std::to_string(layer);
    expect_error(ErrorKind::usage, sentence, [&, layer = layer, part = part] { group_of_layer(model, layer, part); });
  }
  expect_error(ErrorKind::usage, "the model has no layers", [] { group_of_layer(Model{}, 0); });
}

struct ReadingCase {
  std::string name, config, usual, other;  // texts of the first spec
};

const std::vector<ReadingCase>& reading_cases() {
  static const std::vector<ReadingCase> cases = [] {
    const std::string gemma = "rotary:head_dim=256,base=1000000", scaled = ",scaling=linear,factor=8";
    const std::string yarn = gemma + ",scaling=yarn,factor=16,original_positions=8192";
    const std::string ones = list_of("1", 8), twos = list_of("2", 8);
    const std::string phimoe =
        "rotary:head_dim=16,base=1000000,scaling=longrope,short_factor=1/1/1/1/1/1/1/1,long_factor=2/2/2/2/2/2/2/2,"
        "original_positions=4096,max_positions=131072,short_mscale=1.25,long_mscale=1.5";
    const std::string bamba = R"("num_hidden_layers": 1, "attn_layer_indices": [0], )";
    return std::vector<ReadingCase>{
        {"old_type_word", of_type("gemma3_text", R"("rope_scaling": {"type": "linear", "factor": 8.0})"), gemma,
         gemma + scaled},
        {"flat_parameters",
         of_type("gemma3_text", R"("rope_parameters": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6})"),
         gemma, gemma + scaled},
        {"nested_scaling",
         of_type("gemma3_text", R"("rope_scaling": {"full_attention": {"rope_type": "linear", "factor": 8.0}, )"
                                R"("sliding_attention": {"rope_type": "default"}})"),
         gemma, gemma + scaled},
        {"nested_truncate",
         of_type("gemma3_text", R"("rope_parameters": {"full_attention": {"rope_type": "yarn", "factor": 16.0, )"
                                R"("original_max_position_embeddings": 8192, "rope_theta": 1e6, "truncate": false}, )"
                                R"("sliding_attention": {"rope_type": "default", "rope_theta": 1e4}})"),
         yarn, yarn + ",truncate=false"},
        {"original_within",
         llama(R"("original_max_position_embeddings": 2048, "rope_scaling": )"
               R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024})"),
         "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=2048",
         "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=1024"},
        {"long_factors",
         of_type("phimoe", R"("head_dim": 16, "max_position_embeddings": 131072, "rope_scaling": {"type": "longrope", )"
                           R"("short_mscale": 1.25, "long_mscale": 1.5, "original_max_position_embeddings": 4096, )"
                           R"("short_factor": )" +
                               ones + R"(, "long_factor": )" + twos + "}"),
         phimoe + ",list=short_factor", phimoe},
        {"partial_read", llama(R"("partial_rotary_factor": 0.5)"), "rotary:head_dim=64",
         "rotary:head_dim=64,partial_rotary_factor=0.5"},
        {"partial_beside", of_type("bamba", bamba + R"("partial_rotary_factor": 0.25)"),
         "rotary:head_dim=128,partial_rotary_factor=0.5", "rotary:head_dim=128,partial_rotary_factor=0.25"},
        {"attn_rotary_emb", of_type("bamba", bamba + R"("attn_rotary_emb": 32)"),
         "rotary:head_dim=128,partial_rotary_factor=0.5", "rotary:head_dim=128,rotary_dim=32"},
        {"rope_pct", of_type("stablelm", R"("rope_pct": 0.5)"), "rotary:head_dim=80,partial_rotary_factor=0.25",
         "rotary:head_dim=80,partial_rotary_factor=0.5"},
        {"rope_percent", of_type("nemotron", R"("rope_percent": 0.25)"),
         "rotary:head_dim=128,partial_rotary_factor=0.5", "rotary:head_dim=128,partial_rotary_factor=0.25"},
        {"rope_scaling_read", of_type("cohere2_moe", R"("rope_scaling": {"rope_type": "linear", "factor": 8.0})"),
         "rotary:head_dim=128,layout=interleaved", "rotary:head_dim=128,layout=interleaved" + scaled},
        {"attn_config_theta", of_type("dbrx", R"("attn_config": {"rope_theta": 500000})"), "rotary:head_dim=128",
         "rotary:head_dim=128,base=500000"},
        {"rotary_dim", of_type("minimax_m3_vl_text", R"("rotary_dim": 64)"), "rotary:head_dim=128,base=5000000",
         "rotary:head_dim=128,base=5000000,rotary_dim=64"},
        {"keys_of_v5", of_type("gpt_neox", R"("rope_theta": 5e5, "partial_rotary_factor": 0.5)"),
         "rotary:head_dim=96,partial_rotary_factor=0.25", "rotary:head_dim=96,base=500000,partial_rotary_factor=0.5"},
        {"keys_of_v5",
         of_type("gpt_neox_japanese", R"("hidden_size": 512, "num_attention_heads": 8, "rope_theta": 5e5)"),
         "rotary:head_dim=64", "rotary:head_dim=64,base=500000"},
    };
  }();
  return cases;
}

TEST(Model, TakesTheOtherReadingWhereItIsWanted) {
  for (const ReadingCase& c : reading_cases()) {
    SCOPED_TRACE(c.name + " of " + c.config);
    const Model usual = load_model(c.config), other = load_model(c.config, {.other_readings = {c.name}});
    EXPECT_EQ(spec_of(usual), c.usual);
    EXPECT_EQ(spec_of(other), c.other);
    ASSERT_EQ(usual.readings.size(), 1u);
    ASSERT_EQ(other.readings.size(), 1u);
    EXPECT_EQ(usual.readings[0].name, c.name);
    EXPECT_FALSE(usual.readings[0].other);
    EXPECT_TRUE(other.readings[0].other);
    EXPECT_NE(usual.readings[0].sentence.find("other reading"), std::string::npos);
    // Both sides of the contradiction are in the file.
    EXPECT_FALSE(has(usual.warnings, "contradicts itself: no ")) << usual.warnings[0];
    EXPECT_FALSE(has(other.warnings, "model type ")) << other.warnings[0];
  }
}

// Every reading in the sources is in the table above.
TEST(Model, HasNoReadingWithoutATest) {
  std::set<std::string> tested, known;
  for (const ReadingCase& c : reading_cases()) tested.insert(c.name);
  const std::string models = POSENC_TESTS "/../src/models/";
  const auto collect = [&](const std::string& file, const std::string& opening) {
    const std::string text = read_file(models + file);
    for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
      const std::size_t begin = text.find('"', at + opening.size() - 1) + 1;
      known.insert(text.substr(begin, text.find('"', begin) - begin));
    }
  };
  for (const char* file : {"rope.cc", "rotary.cc", "scaling.cc"}) collect(file, "other_reading(");
  collect("model_types.jsonl", R"({"name": ")");
  EXPECT_EQ(tested, known);
}

TEST(Model, RefusesReadingsThatThereAreNot) {
  for (const char* name : {"nested_truncate", "nested_truncat", ""}) {
    expect_error(ErrorKind::usage, "config: this file has no reading called '" + std::string(name) + "'",
                 [&] { load_model(llama(""), {.other_readings = {name}}); });
  }
}

TEST(Model, ReadsAsTheTypeThatIsAskedFor) {
  const Model empty = load_model(R"({"model_type": "", "hidden_size": 512, "num_attention_heads": 8})");
  EXPECT_EQ(empty.model_type, "llama");
  EXPECT_EQ(spec_of(empty), "rotary:head_dim=64");
  EXPECT_TRUE(has(empty.guesses, "model_type is empty: the file is read as llama"));
  const std::string sizes = R"("hidden_size": 512, "num_attention_heads": 8)";
  for (const std::string& config : {"{" + sizes + "}", of_type("quux", sizes), of_type("gpt2", sizes)}) {
    const Model model = load_model(config, {.as = "glm4_moe"});
    EXPECT_EQ(model.model_type, "glm4_moe");
    EXPECT_EQ(spec_of(model), "rotary:head_dim=64,partial_rotary_factor=0.5") << config;
    EXPECT_TRUE(model.guesses.empty());
  }
  expect_error(ErrorKind::unsupported, "posenc does not know 'lama'; did you mean 'llama'?",
               [] { load_model(llama(""), {.as = "lama"}); });
}

// Files that Hugging Face refuses or fails on: refused here too, naming the key, or read as a person would. The classes
// of some models have a default part if the file does not have it.
TEST(Model, FillsPartsThatAreNotThere) {
  const Model model = load_model(of_type("got_ocr2", ""));
  EXPECT_EQ(spec_of(model), "rotary:head_dim=64,base=1000000");
  EXPECT_EQ(model.groups.at(0).layers.size(), 24u);
  EXPECT_TRUE(has(model.warnings, "vision_config is missing: part 'vision' is skipped"));
}

}  // namespace
}  // namespace posenc::model_test
