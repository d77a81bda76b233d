#include "insight/properties/expected_mixing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace posenc::expected_mixing_test {
namespace {

// Sines and cosines of position 0.
std::vector<double> row_of(std::size_t width) {
  std::vector<double> row(width, 0.0);
  for (std::size_t c = 1; c < width; c += 2) row[c] = 1.0;
  return row;
}

// Sampled tokens come as near as their number allows: five standard errors of the mean.
TEST(ExpectedMixing, IsWhatManyTokensApproach) {
  for (const std::size_t width : {2U, 3U, 8U, 128U}) {
    const std::vector<double> row = row_of(width);
    for (const double std : {0.03, 0.5, 1.0, 12.0}) {
      const Mixing expected = properties::expected_mixing(row, std);
      const Mixing sampled = mixing(row, {.std = std, .tokens = 40000});
      const double error = 5.0 * (sampled.angle_high - sampled.angle_low) / 3.9 / 200.0;
      EXPECT_NEAR(expected.angle, sampled.angle, error) << width << " " << std;
      EXPECT_NEAR(expected.angle_low, sampled.angle_low, 3.0 * error) << width << " " << std;
      EXPECT_NEAR(expected.angle_high, sampled.angle_high, 3.0 * error) << width << " " << std;
      EXPECT_NEAR(expected.token_norm / sampled.token_norm, 1.0, 0.02) << width << " " << std;
      EXPECT_NEAR(expected.sum_norm / sampled.sum_norm, 1.0, 0.02) << width << " " << std;
      EXPECT_EQ(expected.position_norm, sampled.position_norm);
    }
  }
}

// From 600,000 tokens of another random number generator, in C.
TEST(ExpectedMixing, HasTheKnownAngles) {
  const std::vector<double> row = row_of(128);
  const double root = std::sqrt(128.0);
  EXPECT_NEAR(properties::expected_mixing(row, 1.0).angle, 35.35, 0.015);
  EXPECT_NEAR(properties::expected_mixing(row, root).angle, 3.583, 0.002);
  EXPECT_NEAR(properties::expected_mixing(row, 1.0 / root).angle, 82.91, 0.02);
  EXPECT_NEAR(properties::expected_mixing(row, 0.5).angle, 54.855, 0.02);
  EXPECT_NEAR(properties::expected_mixing(row, 0.5).angle_low, 47.661, 0.03);
  EXPECT_NEAR(properties::expected_mixing(row, 0.5).angle_high, 62.562, 0.03);
}

TEST(ExpectedMixing, OfARowOfZerosIsTheToken) {
  const Mixing none = properties::expected_mixing(std::vector<double>(8, 0.0), 2.0);
  EXPECT_EQ(none.angle, 0.0);
  EXPECT_EQ(none.angle_high, 0.0);
  EXPECT_EQ(none.sum_norm, none.token_norm);
}

TEST(ExpectedMixing, IsANumberAtTheBorders) {
  const std::vector<double> row = row_of(128);
  EXPECT_NEAR(properties::expected_mixing(row, 1e-70).angle, 90.0, 0.1);
  EXPECT_NEAR(properties::expected_mixing(row, 1e70).angle, 0.0, 1e-9);
  EXPECT_TRUE(std::isfinite(properties::expected_mixing(std::vector<double>{1.0}, 1.0).angle));
}

}  // namespace
}  // namespace posenc::expected_mixing_test
