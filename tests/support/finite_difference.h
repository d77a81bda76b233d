// Compares gradients with finite differences.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/sanitized.h"

// The derivative of f by `value`: central differences at two steps, extrapolated.
inline double derivative(double& value, const std::function<double()>& f) {
  const double old = value;
  const auto slope = [&](double step) {
    value = old + step;
    const double high = f();
    value = old - step;
    const double low = f();
    value = old;
    return (high - low) / (2.0 * step);
  };
  return (4.0 * slope(5e-4) - slope(1e-3)) / 3.0;
}

inline void expect_gradient(const std::string& name, std::vector<double>& values, const std::vector<double>& gradient,
                            const std::function<double()>& f, double tolerance = 1e-8) {
  ASSERT_EQ(values.size(), gradient.size()) << name;
  double largest = 0.0;
  // Under sanitizers only memory accesses matter, and a few numbers exercise them all.
  const std::size_t step = POSENC_ADDRESS_SANITIZED != 0 && values.size() > 12 ? 5 : 1;
  for (std::size_t i = 0; i < values.size(); i += step) {
    const double wanted = derivative(values[i], f);
    ASSERT_NEAR(gradient[i], wanted, tolerance) << name << ", number " << i;
    largest = std::max(largest, std::abs(wanted));
  }
  EXPECT_GT(largest, 1e-4) << name << " does not matter: nothing was tested";
}
