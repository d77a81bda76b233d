// Numbers that the rotary modules of published models computed: golden/README.md says which.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "golden/rotary_cases.h"
#include "posenc/rotate.h"
#include "posenc/rotate_channels.h"
#include "support/typed_block.h"

namespace posenc::golden_rotary_test {
namespace {

using golden::RotaryCase;

constexpr std::string_view kVjepa = "d-vjepa2";  // no rotation: it has a test of its own

const std::vector<RotaryCase>& all_cases() {
  static const std::vector<RotaryCase> cases = golden::rotary_cases(POSENC_TESTS "/golden/rotary");
  return cases;
}

template <class Check>
int on_every_case(const Check& check) {
  int count = 0;
  for (const RotaryCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    if (c.name == kVjepa) continue;
    count += check(c) ? 1 : 0;
    if (::testing::Test::HasFatalFailure()) break;
  }
  return count;
}

struct CosSin {
  std::vector<double> cos, sin;  // [positions, pairs]
};

CosSin tables_of(const Rotary& spec, const PositionView& positions, DType dtype = DType::f32) {
  const std::int64_t pairs = spec.rotary_dim / 2;
  TypedBlock cos(dtype, 1, positions.count, pairs), sin(dtype, 1, positions.count, pairs);
  fill_cos_sin(RotaryAngles(spec), positions, cos.flat(), sin.flat());
  return {cos.values(), sin.values()};
}

Rotary with_precision(const RotaryCase& c, Precision precision) {
  Rotary spec = c.spec;
  spec.precision = precision;
  for (double& frequency : spec.inv_freq) frequency *= c.angle_multiplier;
  return spec;
}

// RoFormer makes its table in double and rounds it once.
Rotary as_in_torch(const RotaryCase& c) {
  return with_precision(c, c.name == "b-roformer-base" ? Precision::exact : Precision::reference);
}

// The distance from a float to the next one.
double float_ulp(double value) {
  const auto size = static_cast<float>(std::fabs(value));
  return static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity())) - static_cast<double>(size);
}

TEST(GoldenRotary, HasTheFrequenciesOfThePlainRule) {
  double worst = 0.0;
  const int count = on_every_case([&](const RotaryCase& c) {
    if (!c.base) return false;
    const RotarySchedule schedule =
        make_schedule(Rotary{.head_dim = 2 * static_cast<std::int64_t>(c.inv_freq.size()), .base = *c.base});
    for (std::size_t i = 0; i < c.inv_freq.size(); ++i) {
      const double error = std::fabs(schedule.inv_freq[i] / c.inv_freq[i] - 1.0);
      EXPECT_LE(error, 5e-7) << "pair " << i;
      worst = std::max(worst, error);
    }
    return true;
  });
  EXPECT_EQ(count, 53);
  RecordProperty("worst", std::to_string(worst));
}

// The window is what the config says, from the same words.
TEST(GoldenRotary, HasTheWindowOfTheConfig) {
  const auto rotary_dim = [](std::int64_t head_dim, double factor) {
    return make_schedule(Rotary{.head_dim = head_dim, .partial_rotary_factor = factor}).rotary_dim;
  };
  const auto in_file = [](const std::string& name) {
    for (const RotaryCase& c : all_cases()) {
      if (c.name == name) return std::pair{c.spec.head_dim, c.spec.rotary_dim};
    }
    return std::pair{std::int64_t{0}, std::int64_t{0}};
  };
  struct Case {
    std::string name;
    double factor;
  };
  for (const Case& c : {Case{"a-partial-truncation", 0.9},
                        {"b-phi-2", 0.4},
                        {"b-pythia-1.4b", 0.25},
                        {"b-glm-4-9b-0414", 0.5},
                        {"b-stablelm-2-1.6b", 0.25},
                        {"b-moonshine-tiny", 0.9},
                        {"b-qwen3-next-80b-a3b", 0.25}}) {
    const auto [head_dim, width] = in_file(c.name);
    EXPECT_EQ(rotary_dim(head_dim, c.factor), width) << c.name;
  }
}

// The angle is bit by bit the model's, the float32 product; cos and sin differ at most in the last bit.
TEST(GoldenRotary, HasTheTablesOfReferencePrecision) {
  std::int64_t equal = 0, values = 0;
  double worst = 0.0;
  const int count = on_every_case([&](const RotaryCase& c) {
    if (c.angle_multiplier != 1.0 || c.table_dtype == "bfloat16") return false;
    const CosSin got = tables_of(as_in_torch(c), c.positions);
    for (const auto& [ours, theirs] : {std::pair{&got.cos, &c.cos}, std::pair{&got.sin, &c.sin}}) {
      EXPECT_EQ(ours->size(), theirs->size());
      if (ours->size() != theirs->size()) return true;
      for (std::size_t i = 0; i < ours->size(); ++i) {
        const double wanted = (*theirs)[i];
        const double ulps = std::fabs((*ours)[i] - wanted) / float_ulp(wanted);
        // A bit of torch's before a factor is multiplied can be two after it.
        EXPECT_LE(ulps, c.spec.attention_factor == 1.0 ? 1.0 : 2.0)
            << "number " << i << ": " << (*ours)[i] << " and " << wanted;
        worst = std::max(worst, ulps);
        equal += (*ours)[i] == wanted ? 1 : 0;
        ++values;
      }
    }
    return true;
  });
  EXPECT_EQ(count, 75);
  const double share = static_cast<double>(equal) / static_cast<double>(values);
  RecordProperty("equal_share", std::to_string(share));
  std::cout << "cos and sin with reference precision: " << equal << " of " << values << " floats equal ("
            << 100.0 * share << " %), worst " << worst << " ulp\n";
  EXPECT_GE(share, 0.95);
}

TEST(GoldenRotary, HasTheTablesOfBfloat16) {
  std::int64_t equal = 0, values = 0;
  const int count = on_every_case([&](const RotaryCase& c) {
    if (c.table_dtype != "bfloat16") return false;
    const CosSin got = tables_of(with_precision(c, Precision::reference), c.positions, DType::bf16);
    for (std::size_t i = 0; i < c.cos.size(); ++i) {
      EXPECT_NEAR(got.cos[i], c.cos[i], 0x1p-8 * std::fabs(c.cos[i])) << i;
      EXPECT_NEAR(got.sin[i], c.sin[i], 0x1p-8 * std::fabs(c.sin[i])) << i;
      equal += (got.cos[i] == c.cos[i] ? 1 : 0) + (got.sin[i] == c.sin[i] ? 1 : 0);
      values += 2;
    }
    return true;
  });
  EXPECT_EQ(count, 2);
  EXPECT_GE(static_cast<double>(equal), 0.999 * static_cast<double>(values));
}

// A float32 product of position and frequency is off by 2^-24 of the angle: so far are the models from the exact value.
TEST(GoldenRotary, HasTheTablesOfExactPrecisionButForTheRoundingOfTheAngle) {
  const int count = on_every_case([&](const RotaryCase& c) {
    if (c.table_dtype == "bfloat16") return false;
    const CosSin got = tables_of(with_precision(c, Precision::exact), c.positions);
    const PositionView positions = c.positions.view();
    const auto pairs = static_cast<std::size_t>(c.pairs());
    // 2 pi times the coordinate is one product more.
    const double rounding = 0x1p-24 * (c.angle_multiplier == 1.0 ? 1.01 : 3.0);
    for (std::size_t i = 0; i < c.cos.size(); ++i) {
      const std::int64_t axis = c.spec.axis_of_pair.empty() ? 0 : c.spec.axis_of_pair[i % pairs];
      const double position = positions.real(0, static_cast<std::int64_t>(i / pairs), axis);
      const double angle = std::fabs(position * c.spec.inv_freq[i % pairs] * c.angle_multiplier);
      const double tolerance = c.spec.attention_factor.value_or(1.0) * (angle * rounding + 2e-7);
      EXPECT_NEAR(got.cos[i], c.cos[i], tolerance) << "number " << i;
      EXPECT_NEAR(got.sin[i], c.sin[i], tolerance) << "number " << i;
    }
    return true;
  });
  EXPECT_EQ(count, 76);
}

constexpr std::int64_t kTableRows = 1100;

bool in_table(const PositionView& positions) {
  for (std::int64_t n = 0; n < positions.count; ++n)
    for (std::int64_t a = 0; a < positions.axes; ++a) {
      if (!positions.integral() || positions.integer(0, n, a) >= kTableRows) return false;
    }
  return true;
}

std::vector<double> rotated(const RotaryCase& c, const Rotary& spec, DType dtype, bool by_table) {
  const std::int64_t count = c.q_positions.count();
  TypedBlock x(dtype, count, 1, c.spec.head_dim), out(dtype, count, 1, c.spec.head_dim);
  x.set_values(c.q);
  const RotaryAngles angles(spec);
  if (by_table) {
    rotate(x.view(), c.q_positions, RotaryTable(angles, PositionView::range(0, kTableRows)), out.view());
  } else {
    rotate(x.view(), c.q_positions, angles, out.view());
  }
  return out.values();
}

TEST(GoldenRotary, RotatesTheQueries) {
  double worst = 0.0;
  const int count = on_every_case([&](const RotaryCase& c) {
    if (c.q.empty() || !c.dtype.empty()) return false;
    const bool real = !c.q_positions.view().integral();
    const Rotary spec = c.angle_multiplier == 1.0 ? as_in_torch(c) : with_precision(c, Precision::exact);
    for (const bool by_table : {false, true}) {
      if (by_table && !in_table(c.q_positions)) continue;
      const std::vector<double> got = rotated(c, spec, DType::f32, by_table);
      EXPECT_EQ(got.size(), c.q_rotated.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double size = std::max(1.0, std::fabs(c.q_rotated[i]));
        const double error = std::fabs(got[i] - c.q_rotated[i]) / size;
        EXPECT_LE(error, real ? 2e-6 : 5e-7) << "number " << i;
        worst = std::max(worst, error);
      }
    }
    return true;
  });
  EXPECT_EQ(count, 74);
  RecordProperty("worst", std::to_string(worst));
}

// With float32 tables and products (OLMo 2) the result is rounded once, as posenc does; Llama and Cohere round tables
// to 8 bits first, which no spec says.
TEST(GoldenRotary, RotatesQueriesInBfloat16) {
  const int count = on_every_case([&](const RotaryCase& c) {
    if (c.dtype != "bfloat16") return false;
    const std::vector<double> got = rotated(c, with_precision(c, Precision::reference), DType::bf16, false);
    const auto width = static_cast<std::size_t>(c.spec.head_dim);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (c.table_dtype == "float32") {
        EXPECT_EQ(got[i], c.q_rotated[i]) << "number " << i;
        continue;
      }
      double largest = 0.0;  // of the head: what its pair can be as large as
      for (std::size_t m = 0; m < width; ++m) largest = std::max(largest, std::fabs(c.q[i / width * width + m]));
      EXPECT_NEAR(got[i], c.q_rotated[i], 4.0 * 0x1p-8 * largest) << "number " << i;
    }
    return true;
  });
  EXPECT_EQ(count, 3);
}

// Three parts of 20 channels, one per axis; partners are neighbours, and channel c of a part has frequency c mod 10.
TEST(GoldenRotary, RotatesChannelsOfVjepa) {
  const auto found =
      std::find_if(all_cases().begin(), all_cases().end(), [](const RotaryCase& c) { return c.name == kVjepa; });
  ASSERT_NE(found, all_cases().end());
  const RotaryCase& c = *found;
  const PositionView positions = c.q_positions.view();
  ASSERT_EQ(positions.axes, 3);
  const std::int64_t count = positions.count, width = c.spec.rotary_dim, part = width / 3;
  TypedBlock x(DType::f32, count, 1, c.spec.head_dim), out(DType::f32, count, 1, c.spec.head_dim);
  TypedBlock cos(DType::f32, 1, count, width), sin(DType::f32, 1, count, width);
  x.set_values(c.q);
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t m = 0; m < width; ++m) {
      const double frequency = c.inv_freq[static_cast<std::size_t>(m % part) % c.inv_freq.size()];
      const double angle = positions.real(0, n, m / part) * frequency;
      cos.set(0, n, m, std::cos(angle));
      sin.set(0, n, m, std::sin(angle));
    }
  }
  const ChannelTables tables{.cos = cos.flat(), .sin = sin.flat(), .layout = Layout::interleaved};
  rotate_channels(x.view(), tables, out.view());
  const std::vector<double> got = out.values();
  ASSERT_EQ(got.size(), c.q_rotated.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], c.q_rotated[i], 5e-7) << "number " << i;
}

}  // namespace
}  // namespace posenc::golden_rotary_test
