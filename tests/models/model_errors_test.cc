// load_model refuses bad config.json files, and its messages name the key.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "posenc/files/file.h"
#include "posenc/models/model.h"
#include "support/expect_error.h"
#include "support/model_configs.h"
#include "support/temporary_folder.h"

namespace posenc::model_errors_test {
namespace {

TEST(ModelErrors, RefusesKeysItDoesNotKnow) {
  const std::vector<Case> cases = {
      {llama(R"("rope_thta": 7)"), "rope_thta: this key is about positions, but posenc does not know it for llama",
       "did you mean 'rope_theta'?"},
      {llama(R"("alibi_slopes": true)"), "alibi_slopes: this key is about positions", ""},
      {llama(R"("rotary_dim": 32)"), "rotary_dim: this key is about positions", ""},
      {llama(R"("rope_parameters": {"rope_thetta": 7})"), "rope_parameters.rope_thetta: this rope parameter is unknown",
       "did you mean 'rope_theta'?"},
      {llama(R"("rope_scaling": {"type": "linear", "factor": 2.0, "quux": 1})"),
       "rope_scaling.quux: this rope parameter is unknown", ""},
      {of_type("gemma3", R"("text_config": {"rope_local_base_frq": 7})"),
       "text_config.rope_local_base_frq: this key is about positions, but posenc does not know it for gemma3_text",
       "did you mean 'rope_local_base_freq'?"},
      {of_type("gemma3_text", R"("rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6, )"
                              R"("partial_rotary_facter": 0.5}})"),
       "rope_parameters.full_attention.partial_rotary_facter: this rope parameter is unknown",
       "did you mean 'partial_rotary_factor'?"},
      {of_type("llava", R"("rope_theta": 5, "text_config": {"model_type": "llama", "mrope_section": [1]})"),
       "text_config.mrope_section: this key is about positions", ""}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.config);
    const std::string message = message_of([&] { load_model(c.config); });
    EXPECT_TRUE(message.starts_with("config: " + c.expected)) << message;
    EXPECT_NE(message.find(c.warning), std::string::npos) << message;
    EXPECT_NE(message.find("--lenient makes this a warning"), std::string::npos) << message;
    const Model model = load_model(c.config, {.lenient = true});
    EXPECT_TRUE(has(model.warnings, c.expected));
    EXPECT_TRUE(has(model.warnings, c.warning));
    EXPECT_FALSE(model.groups.empty());
  }
  // Keys that are not about positions are ignored.
  EXPECT_TRUE(load_model(llama(R"("hidden_act": "silu", "vocab_size": 7, "quux": {"a": 1})")).warnings.empty());
  // Messages start with the name of the file.
  const TemporaryFolder folder;
  write_file(folder / "config.json", llama(R"("rope_thta": 7)"));
  expect_error(ErrorKind::bad_input,
               (folder / "config.json") + ": rope_thta: ", [&] { load_model(folder / "config.json"); });
}

TEST(ModelErrors, RefusesValuesOfAnotherKind) {
  const std::string number = "expected a number above 0 but got ", whole = "expected a whole number from ";
  std::vector<Case> cases;
  for (const char* value : {"\"10000\"", "\"NaN\"", "\"Infinity\"", "[10000]", "{}", "true", "-1", "0"})
    cases.push_back({llama(std::string(R"("rope_theta": )") + value), "config: rope_theta: " + number + value, ""});
  for (const char* value : {"0", "-2", "64.5", "\"64\"", "9000", "1e+30"})
    cases.push_back({llama(std::string(R"("head_dim": )") + value),
                     "config: head_dim: " + whole + "1 to 8192 but got " + value, ""});
  for (const char* value : {"-1", "1000000", "\"4\"", "2.5", "[4]"}) {
    cases.push_back({of_type("llama", std::string(R"("num_hidden_layers": )") + value),
                     "config: num_hidden_layers: " + whole + "0 to 4096 but got " + value, ""});
  }
  for (const char* value : {"-5", "\"8k\"", "1e+300", "[8192]", "2.5"}) {
    cases.push_back({of_type("llama", std::string(R"("max_position_embeddings": )") + value),
                     "config: max_position_embeddings: " + whole, ""});
  }
  for (const char* value : {"0", "\"8\"", "-0.0"}) {
    cases.push_back({of_type("llama", std::string(R"("num_attention_heads": )") + value),
                     "config: num_attention_heads: " + number, ""});
  }
  for (const char* value : {"\"half\"", "0", "-0.5"})
    cases.push_back(
        {llama(std::string(R"("partial_rotary_factor": )") + value), "partial_rotary_factor: " + number, ""});
  for (const char* value : {"[1]", "\"linear\"", "3", "true"}) {
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
      cases.push_back({llama("\"" + std::string(key) + "\": " + value),
                       std::string("config: ") + key + ": expected an object or null but got " + value, ""});
    }
  }
  for (const char* value : {"\"2\"", "-2", "0", "[2]", "\"nan\"", "true"}) {
    cases.push_back({llama(R"("rope_scaling": {"rope_type": "linear", "factor": )" + std::string(value) + "}"),
                     "config: rope_scaling.factor: " + number + value, ""});
  }
  expect_refusals(cases);
  expect_refusals({
      {of_type("llama", R"("hidden_size": "4096")"), "config: hidden_size: " + number, ""},
      {of_type("llama", R"("num_attention_heads": -8)"),
       "hidden_size // num_attention_heads (hidden_size: default of llama): " + whole, ""},
      {llama(R"("partial_rotary_factor": 1.5)"), "partial_rotary_factor: expected a share of the head", ""},
      {llama(R"("rope_scaling": {"rope_type": 3})"), "rope_scaling.rope_type: expected a word but got 3", ""},
      {llama(R"("rope_scaling": {"rope_type": "yarn", "factor": 2.0, "truncate": "no"})"),
       "rope_scaling.truncate: expected true or false but got \"no\"", ""},
      {llama(R"("rope_scaling": {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": "4k"})"),
       "rope_scaling.original_max_position_embeddings: " + whole, ""},
      {llama(R"("rope_scaling": {"rope_type": "longrope", "short_factor": 1, "long_factor": [1]})"),
       "rope_scaling.short_factor: expected a list of numbers but got 1", ""},
      {llama(R"("rope_scaling": {"rope_type": "longrope", "short_factor": ["a"], "long_factor": [1]})"),
       "rope_scaling.short_factor: " + number, ""},
      {of_type("gemma3_text", R"("layer_types": "full_attention")"), "layer_types: expected a list of words", ""},
      {of_type("gemma3_text", R"("num_hidden_layers": 1, "layer_types": [1])"), "layer_types: expected words but got 1",
       ""},
      {of_type("gemma3_text", R"("rope_parameters": {"full_attention": 3})"),
       "rope_parameters.full_attention: expected an object or null but got 3", ""},
      {of_type("gemma3", R"("text_config": [1])"), "config: text_config: expected an object but got [1]", ""},
      {of_type("gptj", R"("rotary_dim": 63)"), "rotary_dim: expected an even number of channels but got 63", ""},
      {of_type("gptj", R"("rotary_dim": 1000)"), "rotary_dim: expected a whole number from 2 to 256", ""},
      {R"({"model_type": 3})", "config: model_type: expected a word but got 3", ""},
      {R"({"model_type": "llama", "rope_theta": NaN})", "config: ", ""},
      {R"({"model_type": "llama", "rope_theta": 1e400})", "rope_theta: expected a number within the range of a double",
       ""},
  });
}

TEST(ModelErrors, RefusesContradictions) {
  const auto longrope = [](int short_count, int long_count) {
    return llama(
        R"("rope_scaling": {"rope_type": "longrope", "original_max_position_embeddings": 1024, "short_factor": )" +
        list_of("1", short_count) + R"(, "long_factor": )" + list_of("2", long_count) + "}");
  };
  expect_refusals({
      {of_type("minimax_m2", R"("head_dim": 128, "rotary_dim": 64, "partial_rotary_factor": 0.25)"),
       "config: rotary_dim: 64 contradicts partial_rotary_factor, 0.25 of 128 channels", ""},
      {of_type("gpt2", R"("n_embd": 512, "hidden_size": 1024)"), "config: n_embd: 512 contradicts hidden_size, 1024",
       ""},
      {of_type("gemma3_text", R"("num_hidden_layers": 6, "layer_types": )" + list_of("\"full_attention\"", 5)),
       "config: layer_types: expected a word for each of the 6 layers but got 5", ""},
      {of_type("gemma3_text", R"("num_hidden_layers": 1, "layer_types": ["chunky"])"),
       "layer_types: expected layer types that gemma3_text has but got 'chunky'", ""},
      {longrope(31, 32), "config: rope_scaling.short_factor: expected one number per pair, 32, but got 31", ""},
      {longrope(32, 33), "config: rope_scaling.long_factor: expected one number per pair, 32, but got 33", ""},
      {llama(R"("rope_scaling": {"rope_type": "yarn", "factor": 2.0, "beta_fast": 1, "beta_slow": 32})"),
       "rope_scaling.beta_fast: expected beta_fast of at least beta_slow, 32, but got 1", ""},
      {llama(R"("rope_scaling": {"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 4, "high_freq_factor": 1})"),
       "rope_scaling.high_freq_factor: expected high_freq_factor of at least low_freq_factor, 4, but got 1", ""},
      {of_type(
           "step3p5",
           R"("num_hidden_layers": 2, "rope_theta": [1e5], "layer_types": ["full_attention", "sliding_attention"])"),
       "config: rope_theta: expected a value for layer 1 but got 1 values", ""},
      {of_type("mellum", R"("num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"], )"
                         R"("rope_parameters": {"full_attention": {"rope_theta": 1e5}})"),
       "config: rope_parameters: expected rope parameters for every layer type but there are none for "
       "'sliding_attention'",
       ""},
      {of_type("llama", R"("hidden_size": 511, "num_attention_heads": 7)"), "head_dim: expected an even number", ""},
  });
}

TEST(ModelErrors, RefusesWhatIsMissing) {
  const auto scaling = [](const std::string& members) { return llama(R"("rope_scaling": {)" + members + "}"); };
  expect_refusals({
      {"{}",
       "config: model_type: expected the type of the model, such as {\"model_type\": \"llama\", ...}, but the key", ""},
      {R"({"model_type": null})", "but the key is missing (--as TYPE reads the file as that type)", ""},
      {of_type("llama", R"("num_attention_heads": null)"), "head_dim: expected head_dim, or the keys of", ""},
      {of_type("llama", R"("num_hidden_layers": null)"),
       "num_hidden_layers: expected a whole number, but the key is missing", ""},
      {scaling(R"("type": "linear")"),
       "config: rope_scaling.factor: rope type linear needs this key, but it is missing", ""},
      {scaling(R"("rope_type": "yarn")"), "config: rope_scaling.factor: rope type yarn needs this key", ""},
      {scaling(R"("rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0)"),
       "rope_scaling.high_freq_factor: rope type llama3", ""},
      {of_type("llava", R"("text_config": {"model_type": "llama", "rope_scaling": {"type": "linear"}})"),
       "config: text_config.rope_scaling.factor: rope type linear needs this key", ""},
      {of_type("llama", R"("max_position_embeddings": null, "rope_scaling": {"type": "dynamic", "factor": 2.0})"),
       "config: max_position_embeddings: expected a whole number, but the key is missing", ""},
  });
}

TEST(ModelErrors, NamesTheNearestType) {
  const std::string list = "(default, linear, dynamic, yarn, longrope, llama3, proportional)";
  expect_refusals(
      {{llama(R"("rope_scaling": {"rope_type": "yar", "factor": 2.0})"),
        "config: rope_scaling.rope_type: expected a rope type that llama has " + list +
            " but got 'yar'; did you mean 'yarn'?",
        ""},
       {llama(R"("rope_scaling": {"type": "axial", "factor": 2.0})"), "rope_scaling.type: expected a rope type", ""}});
  expect_refusals(
      {{of_type("lama", ""), "config: model_type: posenc does not know 'lama'; did you mean 'llama'? (--as TYPE", ""},
       {of_type("quuxquuxquux", ""), "config: model_type: posenc does not know 'quuxquuxquux' (--as TYPE", ""},
       {of_type("*", ""), "config: model_type: posenc does not know '*'", ""},
       {of_type("gemma3", R"("text_config": {"model_type": "gema3_text"})"),
        "config: text_config.model_type: posenc does not know 'gema3_text'; did you mean 'gemma3_text'?", ""}},
      ErrorKind::unsupported);
  const Model model = load_model(of_type("gemma3", R"("text_config": {}, "vision_config": {"model_type": "siglop"})"));
  EXPECT_TRUE(has(model.warnings, "vision_config.model_type: posenc does not know 'siglop': part 'vision' is skipped"));
}

TEST(ModelErrors, MeetsWhatHuggingFaceTripsOver) {
  const std::string phi3 = "rotary:head_dim=64,scaling=longrope,short_factor=1/1.02/1.04";
  const std::map<std::string, std::string> outcomes = {
      {"yarn without factor", "rope_scaling.factor: rope type yarn needs this key, but it is missing"},
      {"linear without factor", "rope_scaling.factor: rope type linear needs this key, but it is missing"},
      {"dynamic without factor", "rope_scaling.factor: rope type dynamic needs this key, but it is missing"},
      {"llama3 without low_freq_factor", "rope_scaling.low_freq_factor: rope type llama3 needs this key"},
      {"longrope without long_factor", "rope_scaling.long_factor: rope type longrope needs this key"},
      {"unknown type", "rope_scaling.rope_type: expected a rope type that llama has"},
      {"type su on llama", "rope_scaling.type: expected a rope type that llama has"},
      {"odd head_dim, fully rotated", "head_dim: expected an even number"},
      {"linear factor below 1", "rotary:head_dim=64,scaling=linear,factor=0.5"},
      {"longrope lists of wrong length", "rope_scaling.short_factor: expected one number per pair, 32, but got 2"},
      {"yarn on head_dim null", "rotary:head_dim=64,base=1000000,scaling=yarn,factor=2,original_positions=4096"},
      {"phi3 with the old word su and the original length at top level only (as first published)", phi3},
      {"the same with the word longrope", phi3},
      {"phi3 with linear",
       "rope_scaling.type: expected a rope type that phi3 has (default, longrope) but got 'linear'"},
      {"exaone4 with sliding_window_pattern LLLG and no layer_types", "rotary:head_dim=128"},
      {"exaone4 with sliding_window null and no layer_types", "rotary:head_dim=128"},
      {"glm4v_text class default", "rope_parameters.mrope_section (default of glm4v_text): expected sections"},
      {"glm4v_moe_text class default", "rope_parameters.mrope_section (default of glm4v_moe_text): expected sections"},
      {"cohere_compass_text class default", "rope_parameters: expected rope parameters per layer type"},
      {"mistral with a partial factor below 1 (module only)",
       "rotary:head_dim=64,partial_rotary_factor=0.5,scaling=linear,factor=2"}};
  const Json file = parse_json(read_file(POSENC_TESTS "/golden/models/refusals.json"), "refusals.json");
  std::set<std::string> seen;
  for (const Json& c : file.find("cases")->array()) {
    const std::string why = c.find("why")->string();
    SCOPED_TRACE(why);
    ASSERT_TRUE(outcomes.count(why));
    seen.insert(why);
    const std::string& wanted = outcomes.at(why);
    const auto read = [&] { return model_from_json(*c.find("config"), "config.json"); };
    if (!wanted.starts_with("rotary:")) {
      expect_error(ErrorKind::bad_input, "config.json: " + wanted, read);
    } else {
      EXPECT_TRUE(spec_of(read()).starts_with(wanted)) << spec_of(read());
    }
  }
  EXPECT_EQ(seen.size(), outcomes.size());

  const auto of = [&](const std::string& why) {
    for (const Json& c : file.find("cases")->array()) {
      if (c.find("why")->string() == why) return model_from_json(*c.find("config"), "config.json");
    }
    return Model{};
  };
  EXPECT_TRUE(has(of("linear factor below 1").warnings, "rope_scaling.factor is below 1"));
  EXPECT_EQ(spec_of(of("the same with the word longrope")),
            spec_of(of("phi3 with the old word su and the original length at top level only (as first published)")));
  const Model pattern = of("exaone4 with sliding_window_pattern LLLG and no layer_types");
  EXPECT_EQ(group_of_layer(pattern, 0).sliding_window, 4096);
  EXPECT_EQ(group_of_layer(pattern, 3).kind(), "none");
  EXPECT_EQ(group_of_layer(pattern, 7).kind(), "none");
  EXPECT_EQ(of("exaone4 with sliding_window null and no layer_types").groups.size(), 1u);
  EXPECT_TRUE(has(of("mistral with a partial factor below 1 (module only)").groups.at(0).notes, "fails on the shape"));
}

}  // namespace
}  // namespace posenc::model_errors_test
