#include "posenc/insight/context_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "posenc/schedule.h"
#include "support/expect_error.h"

namespace posenc::context_plan_test {
namespace {

double plain_sum(double base, double dim, std::int64_t pairs, double m) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < pairs; ++i) sum += std::cos(m * std::pow(base, -2.0 * static_cast<double>(i) / dim));
  return sum;
}

bool holds(double base, double dim, std::int64_t pairs, std::int64_t target) {
  for (std::int64_t m = 1; m < target; ++m) {
    if (plain_sum(base, dim, pairs, static_cast<double>(m)) < 0.0) return false;
  }
  return true;
}

TEST(SmallestBase, HoldsAndNoneBelowDoes) {
  const std::int64_t cases[][2] = {{16, 64}, {32, 256}, {64, 100}, {128, 300}};
  for (const auto& [dim, target] : cases) {
    const std::optional<double> base = smallest_base(dim, dim / 2, target);
    ASSERT_TRUE(base.has_value());
    const auto width = static_cast<double>(dim);
    EXPECT_TRUE(holds(*base * (1.0 + 1e-9), width, dim / 2, target)) << dim << " " << *base;
    for (double below = 1.01; below < *base * (1.0 - 2e-6); below *= 1.001) {
      ASSERT_FALSE(holds(below, width, dim / 2, target)) << dim << " " << below << " is below " << *base;
    }
    EXPECT_FALSE(holds(*base * (1.0 - 1e-5), width, dim / 2, target));
  }
}

// Even one part in 10^8 below it, some sum is negative.
TEST(SmallestBase, IsExact) {
  for (const std::int64_t target : {64, 256, 1000}) {
    const double base = *smallest_base(32, 16, target);
    EXPECT_TRUE(holds(base * (1.0 + 1e-12), 32.0, 16, target)) << base;
    EXPECT_FALSE(holds(base * (1.0 - 1e-8), 32.0, 16, target)) << base;
  }
}

// Men et al. (2024), Table 2, heads of 128 channels: 1k, 4k and 8k positions, to the digits printed.
TEST(SmallestBase, IsThatOfTheTable) {
  EXPECT_NEAR(*smallest_base(128, 64, 1025) / 4.3e3, 1.0, 0.012);
  EXPECT_NEAR(*smallest_base(128, 64, 4097) / 2.7e4, 1.0, 0.02);
  EXPECT_NEAR(*smallest_base(128, 64, 8193) / 8.4e4, 1.0, 0.01);
}

TEST(SmallestBase, NeedsMoreThanOnePair) {
  EXPECT_EQ(smallest_base(2, 1, 100), std::nullopt);
  EXPECT_EQ(smallest_base(128, 64, 1), 1.0);  // no distance at all
}

TEST(PlanContext, CountsTurnsAndNewAngles) {
  const ContextPlan plan = plan_context(Rotary{.head_dim = 64}, 2048, 8192);
  const std::vector<double> inv_freq = make_schedule(Rotary{.head_dim = 64}).inv_freq;
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_DOUBLE_EQ(plan.turns[i], 2047.0 * inv_freq[i] / (2.0 * std::numbers::pi));
    const bool complete = plan.turns[i] >= 1.0;
    const auto number = static_cast<std::int64_t>(i);
    EXPECT_EQ(std::count(plan.complete.begin(), plan.complete.end(), number), complete ? 1 : 0);
    EXPECT_EQ(std::count(plan.new_angles.begin(), plan.new_angles.end(), number), complete ? 0 : 1);
  }
  EXPECT_EQ(plan.complete.size(), 21u);
}

TEST(PlanContext, SeesWhatAScalingSaves) {
  const auto with = [](const Scaling& scaling) {
    return plan_context(Rotary{.head_dim = 64, .scaling = scaling}, 2048, 8192);
  };
  EXPECT_TRUE(with(LinearScaling{4.0}).new_angles.empty());
  EXPECT_FALSE(with(LinearScaling{3.9}).new_angles.empty());
  // NTK divides pairs in the middle by less than the factor; YaRN those that complete a turn.
  EXPECT_FALSE(with(Ntk{4.0}).new_angles.empty());
  EXPECT_TRUE(with(Yarn{.factor = 4.0, .original_positions = 2048}).new_angles.empty());
  EXPECT_TRUE(with(PRope{0.6}).new_angles.empty());
  EXPECT_EQ(with(DynamicNtk{4.0, 2048}).turns_at_target,
            plan_context(Rotary{.head_dim = 64, .scaling = DynamicNtk{4.0, 2048}, .sequence_length = 8192}, 2048, 8192)
                .turns_at_target);
}

// A pair that rotates the other way has seen the same angles, with the other sign.
TEST(PlanContext, CountsNegativeFrequenciesAlike) {
  EXPECT_TRUE(plan_context(Rotary{.head_dim = 4, .inv_freq = {1.0, -1e-4}}, 100, 100).new_angles.empty());
  EXPECT_EQ(plan_context(Rotary{.head_dim = 4, .inv_freq = {1.0, -1e-4}}, 100, 200).new_angles.size(), 1u);
}

TEST(PlanContext, FindsTheFirstNegativeSum) {
  const ContextPlan plan = plan_context(Rotary{.head_dim = 128}, 4096, 16384);
  ASSERT_TRUE(plan.first_negative.has_value());
  std::int64_t first = 1;
  while (plain_sum(10000.0, 128.0, 64, static_cast<double>(first)) >= 0.0) ++first;
  EXPECT_EQ(*plan.first_negative, first);
  EXPECT_LT(plan.smallest_sum, 0.0);
  EXPECT_EQ(plan_context(Rotary{.head_dim = 128, .base = 5e5}, 4096, 8192).first_negative, std::nullopt);
}

TEST(PlanContext, RefusesWhatItCannotPlan) {
  expect_error(ErrorKind::usage, "trained must be from 1 to 1048576 but got 0",
               [] { plan_context(Rotary{.head_dim = 8}, 0, 10); });
  expect_error(ErrorKind::usage, "target must be from 1 to 1048576 but got 1048577",
               [] { plan_context(Rotary{.head_dim = 8}, 10, 1048577); });
  expect_error(ErrorKind::usage, "must have one axis but has 2", [] {
    plan_context(Rotary{.head_dim = 8, .axes = 2, .axis_of_pair = {0, 0, 1, 1}}, 10, 20);
  });
}

// The first position that training did not have is a step beyond it; what an exact factor leaves is less.
TEST(ContextPlan, CountsAStepBeyondTrainingAsNew) {
  const auto new_pairs = [](const Rotary& spec, std::int64_t trained, std::int64_t target) {
    return plan_context(spec, trained, target).new_angles.size();
  };
  EXPECT_EQ(new_pairs({.head_dim = 16}, 64, 64), 0u);
  EXPECT_EQ(new_pairs({.head_dim = 16}, 64, 65), 5u);
  const Rotary divided{.head_dim = 16, .scaling = LinearScaling{4.0}};
  EXPECT_EQ(new_pairs(divided, 64, 256), 0u);
  EXPECT_EQ(new_pairs(divided, 64, 257), 5u);
}

// p-RoPE is trained as it is: pairs that never turn have nothing to complete.
TEST(ContextPlan, TakesWhatTrainingHad) {
  const ContextPlan plan = plan_context(Rotary{.head_dim = 16, .scaling = PRope{0.25}}, 64, 128);
  EXPECT_EQ(plan.complete, (std::vector<std::int64_t>{0, 1}));
  EXPECT_TRUE(plan.new_angles.empty());
  EXPECT_EQ(plan.turns[5], 0.0);
}

TEST(ContextPlan, TellsHowFarItIs) {
  double last = -1.0;
  plan_context(Rotary{.head_dim = 32}, 64, 256, [&](double share) {
    EXPECT_GE(share, last);
    EXPECT_LE(share, 1.0);
    last = share;
  });
  EXPECT_GT(last, 0.0);
}

}  // namespace
}  // namespace posenc::context_plan_test
