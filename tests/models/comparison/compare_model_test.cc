// Models: group by group, including the numbers outside a spec; and the JSON of both.
#include <gtest/gtest.h>

#include "posenc/files/json.h"
#include "posenc/models/compare.h"
#include "support/expect_error.h"

namespace posenc::compare_model_test {
namespace {

ModelGroup group(const std::string& spec, std::vector<std::int64_t> layers, const std::string& part = "text") {
  ModelGroup result;
  result.part = part;
  result.layers = std::move(layers);
  result.spec = parse_spec(spec);
  return result;
}

Model model(std::vector<ModelGroup> groups) {
  Model result;
  result.groups = std::move(groups);
  return result;
}

TEST(CompareGroups, TheSoftmaxScaleIsWeighedAgainstTheFactor) {
  ModelGroup a = group("rotary:head_dim=16,attention_factor=1.5", {0}), b = group("rotary:head_dim=16", {0});
  a.softmax_scale = 0.25;
  b.softmax_scale = 0.25;
  EXPECT_EQ(compare(a, b).verdict, Agreement::different);
  b.softmax_scale = 0.25 * 2.25;
  EXPECT_EQ(compare(a, b).verdict, Agreement::equal_in_scores);
  b.softmax_scale = {};
  const Comparison unknown = compare(a, b);
  EXPECT_EQ(unknown.verdict, Agreement::different);
  EXPECT_EQ(unknown.notes.size(), 1U);
  ModelGroup none_a = group("none", {0}), none_b = none_a;
  none_a.softmax_scale = 0.25;
  none_b.softmax_scale = 0.5;
  EXPECT_EQ(compare(none_a, none_b).differs->what, "softmax_scale");
}

TEST(CompareGroups, ALatentHeadIsAWindowAtTheEnd) {
  ModelGroup a = group("rotary:head_dim=8,layout=interleaved", {0});
  a.latent_head = LatentHead{16, 8};
  const ModelGroup b = group("rotary:head_dim=24,rotary_dim=8,rope_offset=16,layout=interleaved", {0});
  EXPECT_EQ(compare(a, b).verdict, Agreement::equal);
  ModelGroup wider = a;
  wider.latent_head->nope = 24;
  EXPECT_EQ(compare(a, wider).differs->what, "head_dim");
  ModelGroup front = group("rotary:head_dim=24,rotary_dim=8,layout=interleaved", {0});
  EXPECT_EQ(compare(a, front).verdict, Agreement::equal_up_to_permutation);
}

TEST(CompareGroups, QueriesAndWindows) {
  ModelGroup a = group("rotary:head_dim=8", {0}), b = a;
  a.query_scale = QueryTemperature{.scale = 0.1, .length = 100};
  EXPECT_EQ(compare(a, b).first_position, 99);
  EXPECT_EQ(compare(a, b).differs->what, "query_scale");
  EXPECT_EQ(compare(a, b, {.positions = 50}).verdict, Agreement::equal);
  a.query_scale = {};
  a.sliding_window = 512;
  EXPECT_EQ(compare(a, b).first_position, 512);
  b.sliding_window = 512;
  EXPECT_EQ(compare(a, b).verdict, Agreement::equal);
  a.trained_positions = 32768;
  EXPECT_EQ(compare(a, b).positions, 32768);
}

TEST(CompareGroups, KindsThatAreNotComputed) {
  ModelGroup a = group("none", {0}), b = a;
  a.other_kind = b.other_kind = "disentangled";
  a.parameters.set("buckets", 256);
  b.parameters.set("buckets", 256);
  EXPECT_EQ(compare(a, b).verdict, Agreement::equal);
  b.parameters.set("buckets", 512);
  EXPECT_EQ(compare(a, b).verdict, Agreement::different);
  EXPECT_EQ(compare(a, group("none", {0})).differs->what, "kind");
}

TEST(CompareGroups, NamesOneParameterOfAKindThatIsNotComputed) {
  ModelGroup a = group("none", {0}), b = group("none", {0});
  a.other_kind = b.other_kind = "disentangled";
  const auto say = [&](const char* one, const char* other) {
    a.parameters = parse_json(one, "A");
    b.parameters = parse_json(other, "B");
    return compare(a, b).sentence;
  };
  EXPECT_EQ(say(R"({"rows": 4, "terms": "c2p|p2c"})", R"({"terms": "p2c|c2p", "rows": 4})").substr(0, 5), "equal");
  EXPECT_EQ(say(R"({"terms": "c2p|p2c"})", R"({"terms": ["p2c", "c2p"]})").substr(0, 5), "equal");
  EXPECT_EQ(say(R"({"terms": "c2p|p2c"})", R"({"terms": ["p2c"]})"),
            "different from position 0 on: terms c2p|p2c in A and p2c in B");
  EXPECT_EQ(say(R"({"rows": 4})", R"({"rows": 4, "share": true})"),
            "different from position 0 on: share none in A and true in B");
  EXPECT_EQ(say(R"({"sizes": [1, 2]})", R"({"sizes": [1, 3]})"),
            "different from position 0 on: sizes [1, 2] in A and [1, 3] in B");
}

TEST(CompareModels, LayersInGroups) {
  const Model a = model({group("rotary:head_dim=8", {0, 1, 2, 3})});
  const Model b = model({group("rotary:head_dim=8", {0, 1, 3}), group("rotary:head_dim=8,layout=interleaved", {2})});
  const ModelComparison result = compare_models(a, b);
  EXPECT_EQ(result.verdict, Agreement::equal_up_to_permutation);
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[0].layers, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(result.entries[0].comparison.verdict, Agreement::equal);
  EXPECT_EQ(result.entries[1].layers, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(result.entries[1].group_b, 1U);
  EXPECT_EQ(result.sentence.find("text, layer 2: equal up to a permutation"), 0U) << result.sentence;
  EXPECT_EQ(compare_models(a, b, {.layer = 3}).verdict, Agreement::equal);
}

TEST(CompareModels, WhatOnlyOneHas) {
  const Model a = model({group("rotary:head_dim=8", {0, 1})});
  const Model b = model({group("rotary:head_dim=8", {0, 1, 2})});
  const ModelComparison result = compare_models(a, b);
  EXPECT_EQ(result.verdict, Agreement::different);
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[1].layers, (std::vector<std::int64_t>{2}));
  EXPECT_FALSE(result.entries[1].group_a);
  EXPECT_EQ(result.sentence, "text, layer 2: different: only B has this");
}

TEST(CompareModels, Parts) {
  const ModelGroup text = group("rotary:head_dim=8", {0, 1}), input = group("learned:past_end=error", {}, "vision");
  EXPECT_EQ(compare_models(model({text, input}), model({input, text})).verdict, Agreement::equal);
  EXPECT_EQ(compare_models(model({text, input}), model({text})).verdict, Agreement::different);
  EXPECT_EQ(compare_models(model({text, input}), model({text}), {.part = "text"}).verdict, Agreement::equal);
  // A name alone makes no difference.
  EXPECT_EQ(compare_models(model({text}), model({group("rotary:head_dim=8", {0, 1}, "decoder")})).verdict,
            Agreement::equal);
  expect_error(ErrorKind::usage,
               "neither model has part 'audio': A has text (layers 0 to 1), B has text (layers 0 to 1)",
               [&] { compare_models(model({text}), model({text}), {.part = "audio"}); });
  expect_error(ErrorKind::usage, "neither model has layer 7: A has text (layers 0",
               [&] { compare_models(model({text}), model({text}), {.layer = 7}); });
}

TEST(CompareJson, SaysEverything) {
  const Json json = to_json(compare(parse_spec("rotary:head_dim=4"), parse_spec("rotary:head_dim=4,base=100")));
  EXPECT_EQ(json.find("schema")->string(), "posenc/1");
  EXPECT_EQ(json.find("verdict")->string(), "different");
  EXPECT_EQ(json.find("first_position")->integer(), 1);
  EXPECT_EQ(json.find("differs")->find("index")->integer(), 1);
  EXPECT_EQ(json.find("differs")->find("a")->number(), 0.01);
  EXPECT_TRUE(json.find("permutation")->is_null());
  const Model a = model({group("rotary:head_dim=4", {0, 1})});
  const Json models = to_json(compare_models(a, a));
  EXPECT_EQ(models.find("schema")->string(), "posenc/1");
  EXPECT_EQ(models.find("verdict")->string(), "equal");
  EXPECT_EQ(models.find("entries")->array()[0].find("layers")->array().size(), 2U);
}

}  // namespace
}  // namespace posenc::compare_model_test
