// What random numbers are like on the whole. Seeds are fixed, so nothing here fails by chance; the bounds are those
// that a good generator exceeds once in about a million seeds (five standard deviations of each statistic).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "posenc/random.h"

namespace posenc::random_statistics_test {
namespace {

constexpr std::int64_t kRows = 1000;
constexpr std::int64_t kWidth = 1000;
constexpr auto kCount = static_cast<double>(kRows * kWidth);

std::vector<double> draw(Distribution distribution, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(kRows * kWidth));
  fill_random(make_view(numbers.data(), {kRows, kWidth}), {.distribution = distribution, .std = 1.0, .seed = seed});
  return numbers;
}

double mean_power(const std::vector<double>& numbers, int power) {
  double sum = 0.0;
  for (const double x : numbers) sum += std::pow(x, power);
  return sum / static_cast<double>(numbers.size());
}

// The mean of products, in units of its standard deviation. Numbers have mean 0 and variance `variance`.
double correlation(const std::vector<double>& a, const std::vector<double>& b, std::size_t shift, double variance) {
  double sum = 0.0;
  for (std::size_t i = 0; i + shift < a.size(); ++i) sum += a[i] * b[i + shift];
  return sum / variance / std::sqrt(static_cast<double>(a.size() - shift));
}

// The largest distance of the empirical distribution from `cdf`, times sqrt(n): above 2.7 once in a million.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> numbers, const Cdf& cdf) {
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double p = cdf(numbers[i]);
    largest = std::max({largest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return largest * std::sqrt(n);
}

double beyond(const std::vector<double>& numbers, double limit) {
  return static_cast<double>(std::count_if(numbers.begin(), numbers.end(), [&](double x) { return x > limit; }));
}

TEST(RandomStatistics, NormalMoments) {
  const std::vector<double> numbers = draw(Distribution::normal, 1);
  EXPECT_NEAR(mean_power(numbers, 1), 0.0, 5 * std::sqrt(1 / kCount));
  EXPECT_NEAR(mean_power(numbers, 2), 1.0, 5 * std::sqrt(2 / kCount));
  EXPECT_NEAR(mean_power(numbers, 3), 0.0, 5 * std::sqrt(15 / kCount));
  EXPECT_NEAR(mean_power(numbers, 4), 3.0, 5 * std::sqrt(96 / kCount));
}

TEST(RandomStatistics, UniformMoments) {
  const std::vector<double> numbers = draw(Distribution::uniform, 1);
  EXPECT_NEAR(mean_power(numbers, 1), 0.0, 5 * std::sqrt(1 / kCount));
  EXPECT_NEAR(mean_power(numbers, 2), 1.0, 5 * std::sqrt(0.8 / kCount));
  EXPECT_NEAR(mean_power(numbers, 4), 1.8, 5 * std::sqrt(5.76 / kCount));
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  EXPECT_GE(*least, -std::sqrt(3.0));
  EXPECT_LE(*most, std::sqrt(3.0));
  EXPECT_LT(*least, -1.732);
  EXPECT_GT(*most, 1.732);
}

TEST(RandomStatistics, Distributions) {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_LT(kolmogorov_smirnov(draw(Distribution::normal, 2), normal), 2.7);
  const auto uniform = [](double x) { return 0.5 + x / std::sqrt(12.0); };
  EXPECT_LT(kolmogorov_smirnov(draw(Distribution::uniform, 2), uniform), 2.7);
}

TEST(RandomStatistics, NormalTails) {
  std::vector<double> numbers = draw(Distribution::normal, 3);
  for (const double sign : {1.0, -1.0}) {
    for (const double limit : {2.0, 3.0, 4.0}) {
      const double expected = kCount * 0.5 * std::erfc(limit / std::sqrt(2.0));
      EXPECT_NEAR(beyond(numbers, limit), expected, 5 * std::sqrt(expected)) << sign * limit;
    }
    for (double& x : numbers) x = -x;
  }
  // 0.57 of a million are expected beyond 5.
  EXPECT_LE(beyond(numbers, 5.0), 5.0);
}

// Neighbours in a row (of which every other two come from one block), in a column, and under the next seed; also of the
// squares, which would show a radius that two numbers share.
TEST(RandomStatistics, NeighboursAreIndependent) {
  for (const Distribution distribution : {Distribution::normal, Distribution::uniform}) {
    const double fourth = distribution == Distribution::normal ? 3.0 : 1.8;
    std::vector<double> numbers = draw(distribution, 4);
    std::vector<double> others = draw(distribution, 5);
    for (const bool squared : {false, true}) {
      if (squared) {
        for (double& x : numbers) x = x * x - 1.0;
        for (double& x : others) x = x * x - 1.0;
      }
      const double variance = squared ? fourth - 1.0 : 1.0;
      for (const std::size_t shift : {1u, 2u, 3u, 4u, 999u, 1000u, 1001u, 2000u}) {
        EXPECT_LT(std::fabs(correlation(numbers, numbers, shift, variance)), 5.0) << shift << " squared " << squared;
      }
      EXPECT_LT(std::fabs(correlation(numbers, others, 0, variance)), 5.0) << "seeds, squared " << squared;
    }
  }
}

// All 128 bits of a block, at counters that differ in few bits.
TEST(RandomStatistics, BitsAreFair) {
  constexpr std::uint32_t kBlocks = 100000;
  std::array<double, 128> ones{};
  std::array<double, 256> bytes{};
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const PhiloxCounter words = philox4x32({i, 0, 0, 0}, {1, 0});
    for (std::size_t bit = 0; bit < 128; ++bit) ones[bit] += (words[bit / 32] >> (bit % 32)) & 1;
    for (std::size_t byte = 0; byte < 16; ++byte) ++bytes[(words[byte / 4] >> (byte % 4 * 8)) & 255];
  }
  double chi_square = 0.0;
  for (const double count : ones) {
    EXPECT_NEAR(count, kBlocks / 2.0, 5 * std::sqrt(kBlocks / 4.0));
    chi_square += std::pow(count - kBlocks / 2.0, 2) / (kBlocks / 4.0);
  }
  EXPECT_NEAR(chi_square, 128.0, 5 * std::sqrt(2 * 128.0));
  const double expected = kBlocks * 16 / 256.0;
  chi_square = 0.0;
  for (const double count : bytes) chi_square += std::pow(count - expected, 2) / expected;
  EXPECT_NEAR(chi_square, 255.0, 5 * std::sqrt(2 * 255.0));
}

// Flipping any bit of the counter or the key flips half of the result.
TEST(RandomStatistics, EveryInputBitMatters) {
  for (std::size_t bit = 0; bit < 192; ++bit) {
    double flipped = 0.0;
    for (std::uint32_t i = 0; i < 100; ++i) {
      PhiloxCounter counter = {i, 17 * i, 0, i};
      PhiloxKey key = {3, i};
      const PhiloxCounter before = philox4x32(counter, key);
      (bit < 128 ? counter[bit / 32] : key[bit / 32 - 4]) ^= std::uint32_t{1} << (bit % 32);
      const PhiloxCounter after = philox4x32(counter, key);
      for (std::size_t word = 0; word < 4; ++word) flipped += __builtin_popcount(before[word] ^ after[word]);
    }
    EXPECT_NEAR(flipped, 6400.0, 5 * std::sqrt(12800.0 / 4)) << "bit " << bit;
  }
}

}  // namespace
}  // namespace posenc::random_statistics_test
