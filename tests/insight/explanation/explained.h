// What the tests of worked examples share: a step of one by name, and its lines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "posenc/insight/explain.h"

namespace posenc::explain_test {

inline Step step_of(const std::vector<Step>& steps, const std::string& name) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.name == name; });
  if (found != steps.end()) return *found;
  ADD_FAILURE() << "no step called " << name;
  return {};
}

inline std::string lines_of(const std::vector<Step>& steps, const std::string& name) {
  std::string text;
  for (const std::string& line : step_of(steps, name).lines) text += line + "\n";
  return text;
}

inline std::vector<Step> explained(const std::string& spec, double position, const ExplainOptions& options = {}) {
  return explain(parse_spec(spec), position, options);
}

inline void expect_near(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << "at " << i;
}

}  // namespace posenc::explain_test
