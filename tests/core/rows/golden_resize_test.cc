// Tables that ViT implementations resized: golden/README.md says which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "golden/files.h"
#include "posenc/files/json.h"
#include "posenc/resize.h"

namespace golden_resize_test {
namespace {

using posenc::Align;
using posenc::Interpolation;
using posenc::Json;
using posenc::Resize;

std::vector<std::filesystem::path> golden_files() { return golden::files_of(POSENC_TESTS "/golden/resize"); }

std::vector<double> numbers_of(const Json& rows) {
  std::vector<double> numbers;
  for (const Json& row : rows.array()) {
    for (const Json& number : row.array()) numbers.push_back(number.number());
  }
  return numbers;
}

std::vector<std::int64_t> integers_of(const Json& list) {
  std::vector<std::int64_t> integers;
  for (const Json& number : list.array()) integers.push_back(number.integer());
  return integers;
}

// How an output was made, by its name: package_method_option. None: the name follows no rule.
std::optional<Resize> rule_of(const std::string& output) {
  Resize rule;
  const auto names = [&](const char* word) { return output.find(word) != std::string::npos; };
  if (output == "vit" || output == "dinov2" || output == "vit_float64") return rule;
  if (names("bilinear")) {
    rule.method = Interpolation::linear;
  } else if (names("nearest")) {
    rule.method = Interpolation::nearest;
  } else if (names("area")) {
    rule.method = Interpolation::area;
  } else if (!names("bicubic")) {
    return std::nullopt;
  }
  if (names("align1")) rule.align = Align::corners;
  rule.antialias = names("antialias") && !names("antialias0");
  return rule;
}

// torch's and SigLIP2's tables have no class token.
bool keeps_prefix(const std::string& output) {
  return output.starts_with("vit") || output.starts_with("dinov2") || output.starts_with("timm");
}

std::vector<double> resized(const Json& inputs, const std::string& output, Resize rule) {
  const std::vector<double> table = numbers_of(*inputs.find("table"));
  const std::int64_t prefix = inputs.find("prefix_tokens")->integer();
  const auto width = static_cast<std::int64_t>(inputs.find("table")->array()[0].array().size());
  rule.from = integers_of(*inputs.find("source_grid"));
  rule.to = integers_of(*inputs.find("target_grid"));
  rule.kept = keeps_prefix(output) ? prefix : 0;
  const std::int64_t skipped = prefix - rule.kept;
  const auto rows = static_cast<std::int64_t>(table.size()) / width - skipped;
  std::vector<double> out(static_cast<std::size_t>((rule.kept + rule.to[0] * rule.to[1]) * width));
  posenc::resize_table(posenc::make_view(table.data() + skipped * width, {rows, width}), rule,
                       posenc::make_view(out.data(), {rule.kept + rule.to[0] * rule.to[1], width}));
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

TEST(GoldenResize, EveryOutputAgrees) {
  std::size_t cases = 0, outputs = 0, numbers = 0;
  for (const auto& file : golden_files()) {
    SCOPED_TRACE(file.filename().string());
    EXPECT_TRUE(file.filename().string().starts_with("b_vit_interpolate_")) << "no rule claims this file";
    const Json json = golden::load(file);
    EXPECT_EQ(json.find("case")->string(), file.stem().string());
    for (const auto& [name, value] : json.find("outputs")->object()) {
      const std::optional<Resize> rule = rule_of(name);
      ASSERT_TRUE(rule) << "no rule claims the output " << name;
      const std::vector<double> expected = numbers_of(value);
      const double tolerance = name.ends_with("float64") ? 1e-12 : 1e-6;
      EXPECT_LE(largest_difference(resized(*json.find("inputs"), name, *rule), expected), tolerance) << name;
      ++outputs;
      numbers += expected.size();
    }
    ++cases;
  }
  std::printf("%zu cases, %zu outputs, %zu numbers compared\n", cases, outputs, numbers);
  EXPECT_GE(cases, 4u);
  EXPECT_GE(outputs, 44u);
}

// The comparison must notice another method, another a, another alignment and a swapped grid.
TEST(GoldenResize, AWrongRuleWouldBeNoticed) {
  const Json json = golden::load(POSENC_TESTS "/golden/resize/b_vit_interpolate_5x4.json");
  const Json& inputs = *json.find("inputs");
  const std::vector<double> expected = numbers_of(*json.find("outputs")->find("vit"));
  const auto difference = [&](const Resize& rule) {
    return largest_difference(resized(inputs, "vit", rule), expected);
  };
  EXPECT_LE(difference({}), 1e-6);
  EXPECT_GT(difference({.cubic_a = -0.5}), 1e-2);
  EXPECT_GT(difference({.antialias = true}), 1e-2);
  EXPECT_GT(difference({.align = Align::corners}), 1e-2);
  EXPECT_GT(difference({.method = Interpolation::linear}), 1e-2);
  EXPECT_GT(difference({.extra_size = 0.1}), 1e-3);
}

}  // namespace
}  // namespace golden_resize_test
