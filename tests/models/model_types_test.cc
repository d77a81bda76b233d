// The table of model types: the resolver understands every line, and types that rotate queries resolve from their names
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/fields.h"
#include "models/formula.h"
#include "models/table.h"
#include "posenc/error.h"
#include "posenc/files/file.h"
#include "posenc/models/catalog.h"
#include "posenc/models/model.h"

namespace posenc::model_types_test {
namespace {

using models::Formula;
using Words = std::set<std::string, std::less<>>;

std::vector<std::string> lines_of(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

const std::vector<Json>& rows() {
  static const std::vector<Json> all = [] {
    std::vector<Json> list;
    for (const std::string& line : lines_of(POSENC_TESTS "/../src/models/model_types.jsonl"))
      list.push_back(parse_json(line, "model_types.jsonl"));
    return list;
  }();
  return all;
}

std::string type_of(const Json& row) { return row.find("model_type")->string(); }

const Words& types() {
  static const Words all = [] {
    Words words;
    for (const Json& row : rows()) words.insert(type_of(row));
    return words;
  }();
  return all;
}

void expect_members(const Json& object, const Words& known, const std::string& where) {
  ASSERT_TRUE(object.is_object()) << where;
  for (const auto& [key, value] : object.object()) EXPECT_TRUE(known.count(key)) << where << " has " << key;
}

int formulas = 0;

// Every function in a formula exists; an unknown one would fail only when it is evaluated.
void expect_formula(const Json& text, const std::string& where) {
  ASSERT_TRUE(text.is_string()) << where;
  try {
    const Formula formula(text.string());
    formula.evaluate([](const std::string&) { return nullptr; });
    ++formulas;
  } catch (const Error& error) {
    ADD_FAILURE() << where << ": " << error.what();
  }
}

// All words in lists and objects are formulas.
void expect_entry(const Json& entry, const std::string& where) {
  if (entry.is_string()) expect_formula(entry, where);
  if (entry.is_array()) {
    for (const Json& item : entry.array()) expect_entry(item, where);
  }
  if (entry.is_object()) {
    for (const auto& [key, item] : entry.object()) expect_entry(item, where + "." + key);
  }
}

const Words kLayouts = {"half",
                        "interleaved",
                        "interleaved_to_half",
                        "half_negative",
                        "half_per_axis",
                        "full_width_half",
                        "interleaved_pairs_with_halves_tiling_per_axis"};

void expect_layout(const Json& layout, const std::string& where) {
  if (layout.is_string()) {
    EXPECT_TRUE(kLayouts.count(layout.string())) << where << ": " << layout.string();
    return;
  }
  for (const Json& choice : layout.array()) {
    EXPECT_TRUE(kLayouts.count(choice.array().at(0).string())) << where;
    expect_formula(choice.array().at(1), where);
  }
}

// Kinds that are recognised but not computed.
const Words kOtherKinds = {"disentangled",
                           "convolution",
                           "decomposed_bias_2d",
                           "gaussian_fourier",
                           "bucketed_bias_2d",
                           "box_sines",
                           "swin_bias",
                           "swinv2_bias",
                           "axial_sum",
                           "relative_bias_2d",
                           "standardized_sinusoidal",
                           "projected_relative",
                           "bros_boxes",
                           "inkling_relative",
                           "learned_rotary",
                           "clipped_bias",
                           "projected_bias",
                           "learned_per_stage",
                           "windowed_learned",
                           "mlp",
                           "gated_t5",
                           "layout"};

void expect_kind(const Json& kind, const std::string& where) {
  const bool known = spec::default_spec(kind.string()) || kOtherKinds.count(kind.string());
  EXPECT_TRUE(known) << where << ": " << kind.string();
}

const Words kRopeMembers = {"style",   "axial", "types",           "words",       "allowed",    "beside_wins",
                            "mscales", "alpha", "ignores_scaling", "flat_scales", "null_theta", "whole_or_none"};
const Words kRopeStyles = {"flat", "by_layer_type", "as_given", "fixed"};
const Words kLayerRopeMembers = {"theta_key", "partial_key", "scaled", "own_theta", "partial", "attention_factor"};
const Words kRopeTypes = {"default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional", "axial"};

void expect_rope(const Json& rope, const std::string& where) {
  expect_members(rope, kRopeMembers, where);
  if (const Json* style = rope.find("style")) {
    EXPECT_TRUE(kRopeStyles.count(style->string())) << where;
    EXPECT_EQ(style->string() == "by_layer_type", rope.find("types") != nullptr) << where;
  }
  if (const Json* layers = rope.find("types")) {
    for (const auto& [type, rule] : layers->object()) expect_members(rule, kLayerRopeMembers, where + "." + type);
  }
  if (const Json* words = rope.find("words")) {
    for (const auto& [word, meant] : words->object()) EXPECT_TRUE(kRopeTypes.count(meant.string())) << where << word;
  }
  if (const Json* allowed = rope.find("allowed")) {
    for (const Json& word : allowed->array()) EXPECT_TRUE(kRopeTypes.count(word.string())) << where;
  }
}

void expect_row(const Json& row, const Words& known, const std::string& where);

void expect_parts(const Json& parts, const std::string& where) {
  for (const Json& part : parts.array()) {
    expect_members(part, {"part", "key", "model_type", "defaults", "main", "filled_up"}, where);
    for (const char* needed : {"part", "key", "model_type"}) EXPECT_TRUE(part.find(needed)) << where;
    EXPECT_TRUE(types().count(type_of(part))) << where << ": no row " << type_of(part);
  }
}

// Values that are compared in the same way in every member.
const Words kFormulaMembers = {"head_dim", "rotary_dim", "softmax_scale", "layers",         "rotates", "rope_label",
                               "when",     "last_layer", "plain",         "theta_of_layer", "window"};
const Words kEntryMembers = {"fields", "latent"};
const Words kRowMembers = {
    "model_type", "like",      "part",       "parts", "defaults",        "known",    "keys",        "only",
    "kind",       "encodings", "fields",     "notes", "softmax_scale",   "layers",   "layer_types", "layer_words",
    "last_layer", "rotates",   "rope_label", "plain", "theta_of_layer",  "window",   "head_dim",    "rotary_dim",
    "layout",     "theta",     "partial",    "rope",  "rope_parameters", "sections", "latent",      "query_scale",
    "readings"};

void expect_member(const std::string& key, const Json& value, const std::string& where) {
  if (kFormulaMembers.count(key)) expect_formula(value, where);
  if (kEntryMembers.count(key)) expect_entry(value, where);
  if (key == "kind") expect_kind(value, where);
  if (key == "layout") expect_layout(value, where);
  if (key == "rope") expect_rope(value, where);
  if (key == "parts") expect_parts(value, where);
  if (key == "like") {
    EXPECT_TRUE(types().count(value.string())) << where << ": no row " << value.string();
  }
  if (key == "theta" && value.is_string()) expect_formula(value, where);
  if (key == "sections") expect_members(value, {"default", "optional"}, where);
  if (key == "partial") {
    expect_members(value, {"used", "default", "forced"}, where);
    for (const char* share : {"default", "forced"}) {
      if (const Json* entry = value.find(share)) expect_entry(*entry, where);
    }
  }
  if (key == "query_scale") {
    expect_members(value, {"when", "scale", "length", "first", "form"}, where);
    for (const auto& [name, entry] : value.object()) {
      if (name == "form") {
        EXPECT_EQ(entry.string(), "power") << where;
      }
      if (name != "form") expect_entry(entry, where);
    }
  }
  if (key == "layer_types") {
    for (const Json& rule : value.array()) expect_formula(rule.array().at(1), where);
  }
  if (key == "encodings") {
    Words known = kRowMembers;
    known.insert("when");
    for (const Json& encoding : value.array()) expect_row(encoding, known, where);
  }
  if (key == "readings") {
    for (const Json& reading : value.array()) {
      expect_members(reading, {"name", "when", "sentence", "other"}, where);
      expect_formula(*reading.find("when"), where);
      EXPECT_FALSE(reading.find("sentence")->string().empty()) << where;
      expect_row(*reading.find("other"), kRowMembers, where);
    }
  }
}

void expect_row(const Json& row, const Words& known, const std::string& where) {
  expect_members(row, known, where);
  for (const auto& [key, value] : row.object()) {
    if (!value.is_null()) expect_member(key, value, where + ": " + key);
  }
}

TEST(ModelTypes, HaveOneLineEachInOrder) {
  ASSERT_GE(rows().size(), 790u);
  std::string last;
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const std::string type = type_of(rows()[i]);
    if (i > 0) {
      EXPECT_LT(last, type) << "sorted, and none twice";
    }
    last = type;
  }
  EXPECT_EQ(models::table_model_types().size() + 1, rows().size()) << "the row of common keys is not a type";
  EXPECT_EQ(models::table_lines().size(), rows().size());
}

TEST(ModelTypes, HaveMembersThatAreRead) {
  formulas = 0;
  for (const Json& row : rows()) expect_row(row, kRowMembers, type_of(row));
  std::cout << rows().size() << " rows, " << formulas << " formulas\n";
  EXPECT_GT(formulas, 1000);
}

TEST(ModelTypes, HaveKeysAndDefaultsOfTheRightKind) {
  for (const Json& row : rows()) {
    SCOPED_TRACE(type_of(row));
    for (const char* member : {"keys", "only", "defaults", "layer_words", "rope_parameters"}) {
      if (const Json* value = row.find(member)) {
        EXPECT_TRUE(value->is_object()) << member;
      }
    }
    if (const Json* known = row.find("known")) {
      for (const Json& key : known->array()) EXPECT_TRUE(key.is_string());
    }
    if (const Json* notes = row.find("notes")) {
      for (const Json& note : notes->array()) EXPECT_FALSE(note.string().empty());
    }
  }
}

TEST(ModelTypes, InheritFromTheRowTheyAreLike) {
  int inherited = 0;
  for (const Json& row : rows()) {
    if (!row.find("like")) continue;
    const Json whole = models::row_of(type_of(row)), parent = models::row_of(row.find("like")->string());
    EXPECT_EQ(type_of(whole), type_of(row));
    for (const auto& [key, value] : parent.object()) EXPECT_TRUE(whole.find(key)) << type_of(row) << ": " << key;
    ++inherited;
  }
  EXPECT_GE(inherited, 8);
  EXPECT_TRUE(models::row_of("no_such_type").is_null());
}

// The reason why a type does not resolve; empty if it does.
std::string refusal(const std::string& type) {
  Json config = Json::Object{};
  config.set("model_type", type);
  try {
    const Model model = model_from_json(config, "config");
    return model.groups.empty() ? "no groups" : "";
  } catch (const Error& error) {
    return error.what();
  }
}

// Types whose class, with its defaults, cannot run in Hugging Face either: sections that do not fit, an odd head, no
// rope parameters.
const std::map<std::string, std::string> kCannotRun = {
    {"cohere_compass", "rope_parameters: expected rope parameters per layer type"},
    {"cohere_compass_text", "rope_parameters: expected rope parameters per layer type"},
    {"glm46v", "mrope_section (default of glm4v_text): expected sections that sum to the 64 rotated pairs"},
    {"glm4v", "mrope_section (default of glm4v_text): expected sections that sum to the 64 rotated pairs"},
    {"glm4v_text", "mrope_section (default of glm4v_text): expected sections that sum to the 64 rotated pairs"},
    {"glm4v_moe", "mrope_section (default of glm4v_moe_text): expected sections that sum to the 11 rotated pairs"},
    {"glm4v_moe_text", "mrope_section (default of glm4v_moe_text): expected sections that sum to the 11 rotated pairs"},
    {"glm_image", "mrope_section (default of glm_image_text): expected sections that sum to the 64 rotated pairs"},
    {"glm_image_text", "mrope_section (default of glm_image_text): expected sections that sum to the 64 rotated pairs"},
    {"glmga", "mrope_section (default of glm4v_text): expected sections that sum to the 64 rotated pairs"},
    {"qwen3_omni_moe", "head_dim: expected an even number, because channels are rotated in pairs, but got 73"},
    {"qwen3_omni_moe_text", "head_dim: expected an even number, because channels are rotated in pairs, but got 73"},
    {"qwen3_omni_moe_thinker", "head_dim: expected an even number, because channels are rotated in pairs, but got 73"}};

// Resolves each type, counts them, and expects exactly those that cannot run to be refused.
void expect_types(const std::vector<std::string>& all, const std::string& what) {
  std::size_t resolved = 0;
  std::string refused;
  for (const std::string& type : all) {
    SCOPED_TRACE(type);
    const std::string reason = refusal(type);
    const auto expected = kCannotRun.find(type);
    if (expected == kCannotRun.end()) {
      EXPECT_EQ(reason, "");
    } else {
      EXPECT_NE(reason.find(expected->second), std::string::npos) << reason;
    }
    resolved += reason.empty() ? 1 : 0;
    if (!reason.empty()) refused.append("  ").append(type).append(": ").append(reason).append("\n");
  }
  std::cout << resolved << " of " << all.size() << " " << what << " resolve\n" << refused;
}

TEST(ModelTypes, OfThoseThatTurnQueriesResolveFromTheirNames) {
  std::vector<std::string> all = lines_of(POSENC_TESTS "/golden/models/rotary_model_types.txt");
  ASSERT_TRUE(all.at(0).starts_with("#"));
  all.erase(all.begin());
  EXPECT_EQ(all.size(), 226u);
  expect_types(all, "model types");
}

TEST(ModelTypes, OfTheWholeTableResolveFromTheirNames) {
  std::vector<std::string> all;
  for (const std::string_view type : models::table_model_types()) all.emplace_back(type);
  expect_types(all, "rows of the table");
}

TEST(ModelTypes, OfTheCatalogResolve) {
  std::size_t resolved = 0;
  for (const CatalogEntry& entry : catalog()) {
    SCOPED_TRACE(entry.name);
    try {
      const Model model = load_model(std::string(entry.config));
      EXPECT_FALSE(model.groups.empty());
      for (const std::string& warning : model.warnings) {
        EXPECT_EQ(warning.find("does not know"), std::string::npos) << warning;
        EXPECT_EQ(warning.find("is not known"), std::string::npos) << warning;
      }
      ++resolved;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::cout << resolved << " entries of the catalog resolve\n";
  EXPECT_GE(resolved, 50u);
}

}  // namespace
}  // namespace posenc::model_types_test
