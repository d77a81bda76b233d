// Several axes: the specs of published models, written by hand, give the numbers that their modules computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "golden/files.h"
#include "golden/rotary_cases.h"
#include "posenc/attend.h"
#include "posenc/reference.h"
#include "posenc/rerotate.h"
#include "posenc/rotate.h"
#include "support/rotary_axes.h"
#include "support/typed_block.h"

namespace posenc::golden_axes_test {
namespace {

using golden::RotaryCase;

// What a config says, in posenc's words. The part behind "rotary:".
const std::map<std::string, std::string>& specs() {
  static const std::string qwen = "axes=2,axis_frequencies=restart,";
  static const std::string sam = "head_dim=256,layout=interleaved,sections=64/64,axis_frequencies=restart";
  static const std::string dino =
      "head_dim=64,base=100,sections=16/16,axis_frequencies=restart,scale=6.283185307179586";
  static const std::string glm = "head_dim=128,partial_rotary_factor=0.5,sections=8/12/12";
  static const std::map<std::string, std::string> table = {
      {"b-ernie-4.5-vl-default", "head_dim=128,base=500000,layout=interleaved,sections=22/22/20,section_order=ernie"},
      {"b-glm-4.1v-9b", glm + ",layout=interleaved"},
      {"b-glm-4.5v-like", glm},
      {"b-glm-image-like", glm},
      {"b-qwen2-vl-7b-yarn",
       "head_dim=128,base=1000000,sections=16/24/24,scaling=yarn,factor=4,original_positions=32768"},
      {"b-qwen3-omni-thinker", "head_dim=128,base=1000000,sections=24/20/20,section_order=interleaved"},
      {"b-qwen3-vl-8b", "head_dim=128,base=5000000,axes=3,sections=24/20/20,section_order=interleaved"},
      {"c-glm-ocr", "head_dim=64,layout=interleaved,axes=3,sections=8/12/12"},
      {"c-neomme/full_attention", "head_dim=64,base=1000000,rotary_dim=16,axes=2,section_order=alternating"},
      {"c-neomme/sliding_attention", "head_dim=64,sections=16/16,section_order=alternating"},
      {"c-paddleocr-vl-text", "head_dim=128,base=500000,sections=16/24/24"},
      {"c-qwen2-5-omni-qwen2-5omni-text", "head_dim=128,base=1000000,sections=16/24/24"},
      {"c-qwen3-5-moe", "head_dim=256,partial_rotary_factor=0.25,sections=11/11/10,section_order=interleaved"},
      {"d-cohere-compass-text/sliding_attention",
       "head_dim=128,base=50000,sections=24/20/20,section_order=interleaved"},
      {"d-cohere-compass-vision", qwen + "head_dim=72,sections=18/18"},
      {"d-dinov3-vit", dino},
      {"d-edgetam-video", sam},
      {"d-eomt-dinov3", dino},
      {"d-ernie4-5-vl-moe-vision", qwen + "head_dim=80,sections=20/20"},
      {"d-exaone4-5-vision", qwen + "head_dim=224,sections=56/56"},
      {"d-glm-ocr-vision", qwen + "head_dim=64,sections=16/16"},
      {"d-glm5-next-vision", qwen + "head_dim=64,sections=16/16"},
      {"d-llama4-vision", qwen + "head_dim=88,layout=interleaved,sections=22/22"},
      {"d-minimax-m3-vl-vision", "head_dim=80,rotary_dim=78,sections=13/13/13,axis_frequencies=restart"},
      {"d-mlcd-vision", qwen + "head_dim=104,sections=26/26"},
      {"d-paddleocr-vl-vision", qwen + "head_dim=72,sections=18/18"},
      {"d-pixtral", "head_dim=64,sections=16/16,axis_frequencies=dealt"},
      {"d-pixtral-v5", "head_dim=64,sections=16/16,axis_frequencies=dealt"},
      {"d-qwen2-5-vl-vision", qwen + "head_dim=80,sections=20/20"},
      {"d-qwen3-5-vision", qwen + "head_dim=72,sections=18/18"},
      {"d-qwen3-omni-moe-vision", qwen + "head_dim=72,sections=18/18"},
      {"d-qwen3-vl-vision", qwen + "head_dim=72,sections=18/18"},
      {"d-sam2-video", sam},
      {"d-sam3-tracker-video", sam},
      {"d-sapiens2", dino},
      {"d-step3p7-vision", qwen + "head_dim=96,sections=24/24"},
      {"d-video-llama-3-vision", qwen + "head_dim=64,sections=16/16"}};
  return table;
}

// YaRN's frequencies are not those of the plain rule: the file's own, given.
Rotary spec_of(const RotaryCase& c) { return parse(specs().at(c.name)); }

const std::vector<RotaryCase>& cases() {
  static const std::vector<RotaryCase> all = [] {
    std::vector<RotaryCase> list;
    for (const char* folder : {POSENC_TESTS "/golden/rotary", POSENC_TESTS "/golden/axes"}) {
      for (RotaryCase& c : golden::rotary_cases(folder)) {
        if (!c.spec.axis_of_pair.empty()) list.push_back(std::move(c));
      }
    }
    return list;
  }();
  return all;
}

TEST(GoldenAxes, EveryCaseHasASpec) {
  EXPECT_EQ(cases().size(), specs().size());
  for (const RotaryCase& c : cases()) EXPECT_TRUE(specs().contains(c.name)) << c.name;
}

TEST(GoldenAxes, SpecsHaveTheAxesAndFrequenciesOfTheFiles) {
  for (const RotaryCase& c : cases()) {
    SCOPED_TRACE(c.name);
    const RotarySchedule schedule = make_schedule(spec_of(c));
    ASSERT_EQ(schedule.pairs(), c.pairs());
    ASSERT_EQ(schedule.axes, c.spec.axes);
    EXPECT_EQ(schedule.layout, c.spec.layout);
    for (std::size_t i = 0; i < c.spec.axis_of_pair.size(); ++i) {
      for (std::int64_t axis = 0; axis < schedule.axes; ++axis) {
        const bool own = axis == c.spec.axis_of_pair[i];
        const double wanted = own ? c.spec.inv_freq[i] * c.angle_multiplier : 0.0;
        EXPECT_NEAR(frequency(schedule, axis, i), wanted, 1e-6 * wanted) << "pair " << i << ", axis " << axis;
      }
    }
  }
}

// How far our float32 angles may be from the file's: the last bits of a frequency, or the product by 2 pi, count as
// often as the position is large. No more than last bits: a wrong frequency must not make room for itself.
double angle_room(const RotaryCase& c, const RotarySchedule& schedule, const PositionView& positions, std::int64_t n,
                  std::size_t pair) {
  const std::int64_t axis = c.spec.axis_of_pair[pair];
  const double position = std::fabs(positions.real(0, n, axis));
  const double theirs = c.spec.inv_freq[pair] * c.angle_multiplier;
  const double rounding = c.angle_multiplier == 1.0 ? 0.0 : 3.0 * 0x1p-24 * theirs;
  const double apart = std::min(std::fabs(frequency(schedule, axis, pair) - theirs), 1e-6 * theirs);
  return position * (apart * 1.01 + rounding) + (schedule.attention_factor == 1.0 ? 0.0 : 1e-7);
}

TEST(GoldenAxes, SpecsHaveTheTablesOfTheFiles) {
  std::int64_t equal_frequencies = 0, all_frequencies = 0;
  for (const RotaryCase& c : cases()) {
    SCOPED_TRACE(c.name);
    Rotary spec = spec_of(c);
    spec.precision = Precision::reference;
    const RotaryAngles angles(spec);
    const PositionView positions = c.positions;
    const std::int64_t pairs = c.pairs();
    TypedBlock cos(DType::f32, 1, positions.count, pairs), sin(DType::f32, 1, positions.count, pairs);
    fill_cos_sin(angles, positions, cos.flat(), sin.flat());
    const std::vector<double> found_cos = cos.values(), found_sin = sin.values();
    for (std::size_t i = 0; i < found_cos.size(); ++i) {
      const std::size_t pair = i % static_cast<std::size_t>(pairs);
      const auto n = static_cast<std::int64_t>(i) / pairs;
      const double room = 2e-7 + angle_room(c, angles.schedule(), positions, n, pair);
      ASSERT_NEAR(found_cos[i], c.cos[i], room) << "number " << i;
      ASSERT_NEAR(found_sin[i], c.sin[i], room) << "number " << i;
      const double ours = frequency(angles.schedule(), c.spec.axis_of_pair[pair], pair);
      equal_frequencies += ours == c.spec.inv_freq[pair] ? 1 : 0;
      ++all_frequencies;
    }
  }
  // Most are equal to the last bit, so that the room above is mostly 2e-7.
  EXPECT_GE(static_cast<double>(equal_frequencies), 0.8 * static_cast<double>(all_frequencies));
}

TEST(GoldenAxes, SpecsRotateTheQueriesOfTheFiles) {
  for (const RotaryCase& c : cases()) {
    SCOPED_TRACE(c.name);
    Rotary spec = spec_of(c);
    spec.precision = Precision::reference;
    const PositionView positions = c.q_positions;
    const std::int64_t width = c.spec.head_dim;
    ASSERT_EQ(width, spec.head_dim);
    TypedBlock x(DType::f32, positions.count, 1, width);
    x.set_values(c.q);
    const RotaryAngles angles(spec);
    rotate(x.view(), positions, angles);
    const std::vector<double> found = x.values();
    for (std::size_t i = 0; i < found.size(); ++i) {
      double room = 0.0;
      for (std::size_t pair = 0; pair < static_cast<std::size_t>(c.pairs()); ++pair) {
        room = std::max(room, angle_room(c, angles.schedule(), positions, static_cast<std::int64_t>(i) / width, pair));
      }
      ASSERT_NEAR(found[i], c.q_rotated[i], 5e-7 * std::max(1.0, std::fabs(c.q_rotated[i])) + 4.0 * room) << i;
    }
  }
}

// rotary-embedding-torch's freqs_for="pixel": linspace(1, max_freq / 2) * pi at coordinates from -1 to 1.
TEST(GoldenAxes, HasThePixelFrequencies) {
  const Json file = golden::load(POSENC_TESTS "/golden/places/e_ret_pixel_axial.json");
  const auto numbers = [&](const char* part, const char* key) {
    std::vector<double> list;
    const auto flatten = [&](const auto& self, const Json& json) -> void {
      if (!json.is_array()) return list.push_back(json.number());
      for (const Json& item : json.array()) self(self, item);
    };
    flatten(flatten, *file.find(part)->find(key));
    return list;
  };
  const Rotary spec = parse("head_dim=8,layout=interleaved,sections=2/2,inv_freq=1/5/1/5,scale=3.141592653589793");
  std::vector<double> places;
  for (const double y : {-1.0, 0.0, 1.0}) places.insert(places.end(), {y, -1.0, y, 1.0});
  const Positions positions = Positions::reals(places, 2);
  std::vector<double> x = numbers("inputs", "x");
  ASSERT_EQ(x.size(), 48u);
  rotate(make_view(x.data(), {6, 1, 8}), positions, RotaryAngles(spec));
  const std::vector<double> wanted = numbers("outputs", "x_out");
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], wanted[i], 3e-6) << i;  // 5 pi in float32
}

// MusicFlamingo rotates embeddings by two axes, the number of the audio window and the frame within it, each a share of
// 1200 and times the seconds that have passed.
TEST(GoldenAxes, TurnsAsMusicFlamingo) {
  const Json group = golden::load(POSENC_TESTS "/golden/places/d-musicflamingo-time.json").find("groups")->array()[0];
  const auto floats = [&](const char* key) {
    std::vector<float> list;
    for (const Json& row : group.find(key)->array()) {
      for (const Json& number : row.array()) list.push_back(static_cast<float>(number.number()));
    }
    return list;
  };
  const Json& timestamps = *group.find("timestamps");
  constexpr double kFrameStep = 0.01, kLength = 1200.0, kTurn = 6.283185307179586;
  const auto frames = static_cast<double>(timestamps.array()[0].array().size());
  std::vector<double> places;
  for (const Json& row : group.find("rows_kept")->array()) {
    const double window = std::floor(row.number() / frames), frame = row.number() - window * frames;
    const auto& times = timestamps.array()[static_cast<std::size_t>(window)].array();
    const double seconds = times[static_cast<std::size_t>(frame)].number();
    const double number = std::nearbyint(times[0].number() / (kFrameStep * 4.0 * frames));
    places.insert(places.end(), {-kTurn * seconds * number / kLength, -kTurn * seconds * kTurn * frame / kLength});
  }
  const Rotary spec =
      parse("head_dim=520,rotary_dim=512,base=1200,layout=interleaved,sections=128/128,axis_frequencies=restart");
  const RotarySchedule schedule = make_schedule(spec);
  for (std::size_t i = 0; i < 128; ++i) {
    const double wanted = group.find("inv_freq")->array()[i].number();
    EXPECT_NEAR(frequency(schedule, 0, i), wanted, 1e-6 * wanted);
    EXPECT_NEAR(frequency(schedule, 1, 128 + i), wanted, 1e-6 * wanted);
  }
  std::vector<float> x = floats("q");
  const std::vector<float> wanted = floats("q_rotated");
  ASSERT_EQ(x.size(), 2u * 520u);
  ASSERT_NE(x, wanted);
  rotate(make_view(x.data(), {2, 1, 520}), Positions::reals(places, 2), RotaryAngles(spec));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], wanted[i], 2e-5) << i;  // angles of 30 in float32
}

}  // namespace
}  // namespace posenc::golden_axes_test
