// Different spellings of the same config, for every model type, against the result of Hugging Face. golden/README.md
// describes the lines of models/variations.jsonl.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <set>
#include <string_view>
#include <vector>

#include "posenc/error.h"
#include "posenc/files/file.h"
#include "posenc/files/spec_json.h"
#include "posenc/models/model.h"
#include "posenc/query_temperature.h"
#include "posenc/schedule.h"

namespace posenc::golden_variations_test {
namespace {

std::vector<Json> variations() {
  const std::string text = read_file(POSENC_TESTS "/golden/models/variations.jsonl");
  std::vector<Json> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(parse_json(std::string_view(text).substr(begin, end - begin), "variations.jsonl"));
    begin = end + 1;
  }
  return lines;
}

// Our groups for the layers of one of their groups.
std::vector<const ModelGroup*> groups_of(const Model& model, const Json& theirs, const std::string& part) {
  std::set<const ModelGroup*> groups;
  const Json& layers = *theirs.find("layers");
  if (layers.is_array()) {
    for (const Json& layer : layers.array()) groups.insert(&group_of_layer(model, layer.integer(), part));
  }
  if (!groups.empty()) return {groups.begin(), groups.end()};
  const Json* type = theirs.find("layer_type");
  for (const ModelGroup& group : model.groups) {
    const bool other_type = type && !group.layer_type.empty() && group.layer_type != type->string();
    if (group.part == part && !other_type) groups.insert(&group);
  }
  return {groups.begin(), groups.end()};
}

void expect_close(double got, double wanted, const std::string& what) {
  EXPECT_NEAR(got, wanted, 1e-6 * std::fabs(wanted)) << what;
}

// A pair on one of several axes has frequency 0 on the others.
void expect_frequencies(const RotarySchedule& schedule, const Json& theirs) {
  const auto pairs = static_cast<std::size_t>(schedule.pairs());
  for (const auto& [index, wanted] : theirs.object()) {
    const std::size_t pair = std::stoul(index);
    ASSERT_LT(pair, pairs);
    double sum = 0.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(schedule.axes); ++axis)
      sum += schedule.inv_freq[axis * pairs + pair];
    expect_close(sum, wanted.number(), "pair " + index);
  }
}

void expect_rotary(const Rotary& spec, const Json& theirs) {
  const Json* length = theirs.find("seq_len_used");
  const std::int64_t used = length ? length->integer() : 1;
  const RotarySchedule schedule = needs_length(spec.scaling) ? make_schedule(spec, used) : make_schedule(spec);
  EXPECT_EQ(schedule.head_dim, theirs.find("head_dim")->integer());
  EXPECT_EQ(schedule.rotary_dim, theirs.find("rotary_dim")->integer());
  const Json* offset = theirs.find("rope_offset");
  EXPECT_EQ(schedule.first_channel, offset ? offset->integer() : 0);
  if (const Json* layout = theirs.find("layout")) {
    EXPECT_EQ(to_json(Spec(spec)).find("layout")->string(), layout->string());
  }
  expect_close(schedule.attention_factor, theirs.find("attention_factor")->number(), "attention_factor");
  const Json* frequencies = theirs.find("inv_freq");
  if (frequencies && is_rotation(schedule.layout)) expect_frequencies(schedule, *frequencies);
}

void expect_scales(const ModelGroup& group, const Json& theirs) {
  if (const Json* wanted = theirs.find("softmax_scale")) {
    ASSERT_TRUE(group.softmax_scale);
    expect_close(*group.softmax_scale, wanted->number(), "softmax_scale");
  }
  if (const Json* wanted = theirs.find("query_scale")) {
    ASSERT_TRUE(group.query_scale);
    for (const auto& [position, factor] : wanted->object())
      expect_close(query_factor(*group.query_scale, std::stod(position)), factor.number(), "query at " + position);
  }
}

void expect_case(const Json& line) {
  const Model model = model_from_json(*line.find("config"), line.find("case")->string());
  const Json* named = line.find("part");
  const std::string part = named ? named->string() : model.groups.at(0).part;
  for (const Json& theirs : line.find("groups")->array()) {
    const bool turns = theirs.find("rope")->boolean();
    const std::vector<const ModelGroup*> groups = groups_of(model, theirs, part);
    EXPECT_FALSE(groups.empty()) << "no group for layers " << to_text(*theirs.find("layers"));
    for (const ModelGroup* group : groups) {
      const auto* spec = std::get_if<Rotary>(&group->spec);
      EXPECT_EQ(spec != nullptr, turns) << "a rotation or none";
      if (spec && turns) expect_rotary(*spec, theirs);
      expect_scales(*group, theirs);
    }
  }
}

TEST(GoldenVariations, ResolveToTheNumbersOfHuggingFace) {
  std::set<std::string> types;
  const std::vector<Json> lines = variations();
  for (const Json& line : lines) {
    SCOPED_TRACE(line.find("case")->string());
    const Json* type = line.find("config")->find("model_type");
    types.insert(type ? type->string() : "");
    try {
      expect_case(line);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::cout << lines.size() << " configs of " << types.size() << " model types\n";
  EXPECT_GE(lines.size(), 500u);
  EXPECT_GE(types.size(), 250u);
}

}  // namespace
}  // namespace posenc::golden_variations_test
