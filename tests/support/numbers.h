// Vectors of random numbers, and their comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

// From -range to range.
inline std::vector<double> random_numbers(std::int64_t count, unsigned seed, double range = 2.0) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-range, range);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& value : result) value = number(random);
  return result;
}

inline void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << "number " << i;
}
