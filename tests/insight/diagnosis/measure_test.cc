#include "insight/diagnosis/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace posenc::measure_test {
namespace {

using diagnosis::AngleBins;
using diagnosis::KnownBins;
using diagnosis::Measured;

// The angles of an engine with these frequencies at these positions.
Measured seen_at(const std::vector<std::int64_t>& positions, const std::vector<double>& inv_freq) {
  Measured seen{.columns = static_cast<std::int64_t>(inv_freq.size()), .noise = 1e-6};
  for (std::size_t t = 0; t < positions.size(); ++t) {
    seen.tokens.push_back(static_cast<std::int64_t>(t));
    for (const double f : inv_freq) {
      const double angle = f * static_cast<double>(positions[t]);
      seen.angle.push_back(std::remainder(angle, 2.0 * std::numbers::pi));
    }
  }
  return seen;
}

TEST(AngleBins, AreEvenPartsOfATurn) {
  EXPECT_EQ(AngleBins::bin_of(0.0), AngleBins::kCount / 2);
  EXPECT_EQ(AngleBins::bin_of(std::numbers::pi / 2.0 + 1e-9), AngleBins::kCount / 4 * 3);
  EXPECT_EQ(AngleBins::bin_of(-std::numbers::pi + 1e-9), 0);
  EXPECT_EQ(AngleBins::bin_of(std::numbers::pi - 1e-9), AngleBins::kCount - 1);
  EXPECT_EQ(AngleBins::bin_of(2000.0 * std::numbers::pi + 1.0), AngleBins::bin_of(1.0));
  for (const double angle : {1e60, -1e60, 1e250, double(INFINITY), double(NAN)}) {  // any bin that exists
    EXPECT_GE(AngleBins::bin_of(angle), 0);
    EXPECT_LT(AngleBins::bin_of(angle), AngleBins::kCount);
  }
}

TEST(AngleBins, HoldEveryPositionOnceInTheBinOfItsAngle) {
  for (const double frequency : {1.0, -0.37, 2e-5}) {
    const AngleBins bins(frequency, -700, 5000);
    std::vector<int> found(5700, 0);
    for (std::int64_t b = 0; b < AngleBins::kCount; ++b) {
      std::int64_t last = -701;
      bins.each(b, [&](std::int64_t p) {
        EXPECT_EQ(AngleBins::bin_of(frequency * static_cast<double>(p)), b);
        EXPECT_GT(p, last);
        last = p;
        ++found.at(static_cast<std::size_t>(p + 700));
      });
    }
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), 5700);
  }
}

TEST(DecodedPositions, AreFoundForMoreFrequenciesThanAreKept) {
  KnownBins known;
  const std::vector<std::int64_t> positions = {-12, 0, 5, 731, 4095};
  for (int round = 0; round < 2; ++round) {
    for (int k = 1; k <= 20; ++k) {
      const std::vector<double> inv_freq = {1.0 / k, 0.01, 1e-4};
      const auto decoded = decoded_positions(seen_at(positions, inv_freq), inv_freq, {-512, 5000, 2e-3}, known);
      ASSERT_EQ(decoded.size(), positions.size());
      for (std::size_t t = 0; t < positions.size(); ++t) EXPECT_EQ(decoded[t], positions[t]) << k;
    }
  }
  // Another range of the same frequency needs other bins.
  const std::vector<double> inv_freq = {1.0, 0.01, 1e-4};
  EXPECT_FALSE(decoded_positions(seen_at({4095}, inv_freq), inv_freq, {-512, 4095, 2e-3}, known)[0].has_value());
  EXPECT_EQ(decoded_positions(seen_at({4095}, inv_freq), inv_freq, {-512, 4096, 2e-3}, known)[0], 4095);
  EXPECT_FALSE(decoded_positions(seen_at({-600}, inv_freq), inv_freq, {-512, 4096, 2e-3}, known)[0].has_value());
  EXPECT_EQ(decoded_positions(seen_at({-600}, inv_freq), inv_freq, {-700, 4096, 2e-3}, known)[0], -600);
}

}  // namespace
}  // namespace posenc::measure_test
