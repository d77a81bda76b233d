// Every recorded config of a published model, resolved from its keys; golden/README.md describes the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <set>

#include "golden/files.h"
#include "golden/rotary_cases.h"
#include "posenc/models/model.h"
#include "posenc/query_temperature.h"
#include "posenc/rotate.h"
#include "posenc/schedule.h"
#include "support/typed_block.h"

namespace posenc::golden_models_test {
namespace {

using golden::RotaryCase;

// A group of layers of a file, and the model that posenc reads from its config.
struct Case {
  std::string name;
  Json group;
  std::string model_type;
  Model model;
  std::optional<std::int64_t> sequence_length;
};

bool is_model_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.size() > 2 && name[1] == '-' && name[0] >= 'a' && name[0] <= 'd';
}

std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"rotary", "axes", "scaling", "places", "query", "models"}) {
    for (const std::filesystem::path& path : golden::files_of(std::string(POSENC_TESTS "/golden/") + folder)) {
      if (is_model_file(path)) files.push_back(path);
    }
  }
  return files;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (const std::filesystem::path& path : model_files()) {
      const Json file = golden::load(path);
      const Json& config = *file.find("config");
      const Model model = model_from_json(config, path.filename().string());
      for (const Json& group : file.find("groups")->array()) {
        Case c{file.find("case")->string(), group, config.find("model_type")->string(), model, {}};
        const Json* length = group.find("seq_len_used");
        if (length && !length->is_null()) c.sequence_length = length->integer();
        list.push_back(std::move(c));
      }
    }
    return list;
  }();
  return all;
}

bool has_rope(const Case& c) { return c.group.find("rope")->boolean(); }

// MusicFlamingo rotates embeddings; V-JEPA 2's frequencies are recorded once for all axes. Both have their own tests.
bool is_special(const Case& c) { return c.name == "d-musicflamingo-time" || c.name == "d-vjepa2"; }

// The recorder ran attention modules alone, but in these models the surrounding model skips the rotation if
// layer_rope_theta is 0.
bool is_decided_outside(const Case& c) {
  return c.model_type == "muse_glimmer_text" || c.model_type == "muse_spark_text";
}

// Our groups for the layers of the file's group.
std::vector<const ModelGroup*> groups_of(const Case& c) {
  const std::string& part = c.model.groups.front().part;
  std::vector<const ModelGroup*> groups;
  const Json& layers = *c.group.find("layers");
  if (layers.is_array() && !layers.array().empty()) {
    std::set<const ModelGroup*> seen;
    for (const Json& layer : layers.array()) seen.insert(&group_of_layer(c.model, layer.integer(), part));
    return {seen.begin(), seen.end()};
  }
  const Json* type = c.group.find("layer_type");
  for (const ModelGroup& group : c.model.groups) {
    if (group.part != part || (is_decided_outside(c) && group.kind() == "none")) continue;
    if (type && !type->is_null() && !group.layer_type.empty() && group.layer_type != type->string()) continue;
    groups.push_back(&group);
  }
  return groups;
}

RotarySchedule schedule_of(const Rotary& spec, const Case& c) {
  return needs_length(spec.scaling) ? make_schedule(spec, c.sequence_length.value_or(1)) : make_schedule(spec);
}

RotaryCase numbers_of(const Case& c) { return golden::rotary_case(c.name, c.group); }

template <class Check>
int on_every_group(const Check& check) {
  int count = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    if (!has_rope(c) || is_special(c)) continue;
    const RotaryCase numbers = numbers_of(c);
    for (const ModelGroup* group : groups_of(c)) {
      const auto* spec = std::get_if<Rotary>(&group->spec);
      EXPECT_NE(spec, nullptr) << "a group of layers without rotation";
      if (spec) check(c, numbers, *group, *spec);
    }
    ++count;
    if (::testing::Test::HasFatalFailure()) break;
  }
  return count;
}

TEST(GoldenModels, ReadEveryFile) { EXPECT_EQ(model_files().size(), 219u); }

TEST(GoldenModels, HaveTheLayersOfTheFiles) {
  int without = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const std::vector<const ModelGroup*> groups = groups_of(c);
    EXPECT_FALSE(groups.empty());
    for (const ModelGroup* group : groups) EXPECT_EQ(group->kind() == "rotary", has_rope(c));
    without += has_rope(c) ? 0 : 1;
  }
  EXPECT_GE(without, 15);
}

TEST(GoldenModels, HaveTheSizesAndFrequenciesOfTheFiles) {
  double worst = 0.0;
  const int count =
      on_every_group([&](const Case& c, const RotaryCase& numbers, const ModelGroup&, const Rotary& spec) {
        const RotarySchedule schedule = schedule_of(spec, c);
        if (!numbers.layout.empty()) {
          EXPECT_EQ(schedule.layout, numbers.spec.layout);
        }
        EXPECT_EQ(schedule.head_dim, c.group.find("head_dim")->integer());
        ASSERT_EQ(schedule.rotary_dim, c.group.find("rotary_dim")->integer());
        EXPECT_EQ(schedule.first_channel, numbers.spec.first_channel);
        EXPECT_NEAR(schedule.attention_factor, c.group.find("attention_factor")->number(), 1e-6);
        if (!is_rotation(schedule.layout)) return;  // checked per channel, by the tables below
        const auto pairs = static_cast<std::size_t>(schedule.pairs());
        for (std::size_t i = 0; i < pairs; ++i) {
          double sum = 0.0;
          for (std::size_t axis = 0; axis < static_cast<std::size_t>(schedule.axes); ++axis) {
            const double frequency = schedule.inv_freq[axis * pairs + i];
            sum += frequency;
            if (frequency == 0.0 || numbers.spec.axis_of_pair.empty()) continue;
            EXPECT_EQ(static_cast<std::int64_t>(axis), numbers.spec.axis_of_pair[i]) << "pair " << i;
          }
          const double wanted = numbers.spec.inv_freq[i] * numbers.angle_multiplier;
          const double error = wanted == 0.0 ? std::fabs(sum) : std::fabs(sum / wanted - 1.0);
          EXPECT_LE(error, 1e-6) << "pair " << i;
          worst = std::max(worst, error);
        }
      });
  EXPECT_GT(count, 200);
  RecordProperty("worst", std::to_string(worst));
}

// Positions on the axes of the spec: text has the same number on all axes.
Positions spread(const Positions& positions, std::int64_t axes) {
  const PositionView view = positions;
  if (view.axes == axes) return positions;
  std::vector<double> values;
  for (std::int64_t n = 0; n < view.count; ++n)
    values.insert(values.end(), static_cast<std::size_t>(axes), view.real(0, n, 0));
  return Positions::reals(values, axes);
}

struct Tables {
  std::vector<double> cos, sin;  // [positions, columns]
};

Tables tables_of(const RotaryAngles& angles, const PositionView& positions) {
  const std::int64_t columns = angles.schedule().columns();
  TypedBlock cos(DType::f32, 1, positions.count, columns), sin(DType::f32, 1, positions.count, columns);
  fill_cos_sin(angles, positions, cos.flat(), sin.flat());
  return {cos.values(), sin.values()};
}

// The error of the float32 product of position and frequency, and of the last bits of the frequency.
TEST(GoldenModels, HaveTheTablesOfTheFilesWithinFloat32Angles) {
  on_every_group([&](const Case& c, const RotaryCase& numbers, const ModelGroup&, const Rotary& given) {
    Rotary spec = given;
    if (needs_length(spec.scaling)) spec.sequence_length = c.sequence_length.value_or(1);
    const RotaryAngles angles(spec);
    const auto columns = static_cast<std::size_t>(angles.schedule().columns());
    const Positions positions = spread(numbers.positions, angles.schedule().axes);
    const PositionView view = positions;
    const Tables got = tables_of(angles, positions);
    ASSERT_EQ(got.cos.size(), numbers.cos.size());
    const double coarse = numbers.table_dtype == "bfloat16" ? 0x1p-8 : 0.0;
    for (std::size_t i = 0; i < got.cos.size(); ++i) {
      double angle = 0.0;
      for (std::int64_t axis = 0; axis < angles.schedule().axes; ++axis) {
        const double frequency = angles.schedule().inv_freq[static_cast<std::size_t>(axis) * columns + i % columns];
        angle += std::fabs(view.real(0, static_cast<std::int64_t>(i / columns), axis) * frequency);
      }
      const double room = angles.schedule().attention_factor * (2e-7 + coarse + 1.2e-6 * angle);
      ASSERT_NEAR(got.cos[i], numbers.cos[i], room) << "number " << i;
      ASSERT_NEAR(got.sin[i], numbers.sin[i], room) << "number " << i;
    }
  });
}

double float_ulp(double value) {
  const auto size = static_cast<float>(std::fabs(value));
  return static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity())) - static_cast<double>(size);
}

// The resolved spec with the recorded frequencies, which torch rounded in its own way.
Rotary with_their_frequencies(const Case& c, const RotaryCase& numbers, const Rotary& spec) {
  Rotary result = spec;
  const RotarySchedule schedule = schedule_of(spec, c);
  result.attention_factor = c.group.find("attention_factor")->number();
  result.scaling = NoScaling{};
  result.sequence_length = {};
  result.axis_frequencies = AxisFrequencies::shared;
  result.frequency_scale = 1.0;
  result.precision = c.name == "b-roformer-base" ? Precision::exact : Precision::reference;
  result.base = Rotary{}.base;
  result.exponent_dim = 0;
  result.rotary_dim = schedule.rotary_dim;
  result.partial_rotary_factor = 1.0;
  result.inv_freq = numbers.spec.inv_freq;
  return result;
}

TEST(GoldenModels, HaveTheTablesOfReferencePrecisionToTheLastBit) {
  int compared = 0;
  on_every_group([&](const Case& c, const RotaryCase& numbers, const ModelGroup&, const Rotary& spec) {
    if (numbers.angle_multiplier != 1.0 || numbers.table_dtype == "bfloat16" || !is_rotation(spec.layout)) return;
    if (numbers.spec.inv_freq.size() != static_cast<std::size_t>(schedule_of(spec, c).pairs())) return;
    const RotaryAngles angles(with_their_frequencies(c, numbers, spec));
    const Positions positions = spread(numbers.positions, angles.schedule().axes);
    const Tables got = tables_of(angles, positions);
    const double factor = angles.schedule().attention_factor;
    for (std::size_t i = 0; i < got.cos.size(); ++i) {
      const double ulps = factor == 1.0 ? 1.0 : 2.0;  // torch multiplies a rounded cosine
      ASSERT_NEAR(got.cos[i], numbers.cos[i], ulps * float_ulp(numbers.cos[i])) << "number " << i;
      ASSERT_NEAR(got.sin[i], numbers.sin[i], ulps * float_ulp(numbers.sin[i])) << "number " << i;
    }
    ++compared;
  });
  EXPECT_GT(compared, 190);
}

TEST(GoldenModels, TurnTheQueriesOfTheFiles) {
  int compared = 0;
  on_every_group([&](const Case& c, const RotaryCase& numbers, const ModelGroup&, const Rotary& spec) {
    if (numbers.q.empty() || !numbers.dtype.empty() || !is_rotation(spec.layout) || numbers.angle_multiplier != 1.0)
      return;
    Rotary theirs = with_their_frequencies(c, numbers, spec);
    if (c.group.find("q_is")) {  // only the rotated channels
      theirs.head_dim = schedule_of(spec, c).rotary_dim;
      theirs.first_channel = 0;
    }
    const Positions positions = spread(numbers.q_positions, axes_of(Spec(theirs)));
    const PositionView view = positions;
    const RotaryAngles angles(theirs);
    ASSERT_EQ(numbers.q.size(), static_cast<std::size_t>(view.count * theirs.head_dim));
    std::vector<float> q(numbers.q.begin(), numbers.q.end());
    rotate(make_view(q.data(), {view.count, 1, theirs.head_dim}), view, angles);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double wanted = numbers.q_rotated[i];
      ASSERT_NEAR(static_cast<double>(q[i]), wanted, 1e-6 * std::max(1.0, std::fabs(wanted))) << "number " << i;
    }
    ++compared;
  });
  EXPECT_GT(compared, 180);
}

TEST(GoldenModels, HaveTheScalesOfTheFiles) {
  int softmax = 0, query = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    for (const ModelGroup* group : groups_of(c)) {
      if (const Json* wanted = c.group.find("softmax_scale"); wanted && !wanted->is_null()) {
        ASSERT_TRUE(group->softmax_scale);
        EXPECT_NEAR(*group->softmax_scale, wanted->number(), 1e-7 * wanted->number());
        ++softmax;
      }
      const Json* wanted = c.group.find("query_scale");
      if (!wanted || wanted->is_null()) continue;
      ASSERT_TRUE(group->query_scale);
      const Json::Array& positions = wanted->find("positions")->array();
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const double factor = query_factor(*group->query_scale, positions[i].number());
        EXPECT_NEAR(factor, wanted->find("factor")->array()[i].number(), 1e-6);
      }
      ++query;
    }
  }
  EXPECT_GT(softmax, 20);
  EXPECT_GE(query, 4);
}

}  // namespace
}  // namespace posenc::golden_models_test
