// Golden position ids: from the inputs of a recorded case to the ids that posenc must give, one rule per family.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/files/json.h"

namespace golden {

// One case, which counts what was compared of it.
class PositionCase {
 public:
  PositionCase(const posenc::Json& inputs, const posenc::Json& outputs) : inputs_(inputs), outputs_(outputs) {}

  const posenc::Json& input(std::string_view key) const { return *inputs_.find(key); }
  const posenc::Json& output(std::string_view path) const;  // "bart.rows": a member of a member

  // Whether the numbers of an output, whatever their nesting, are these.
  bool agrees(std::string_view path, const std::vector<double>& numbers);
  // The same as a test.
  void expect(std::string_view path, const std::vector<std::int64_t>& ids);
  void expect_numbers(std::string_view path, const std::vector<double>& numbers);
  // A leaf that is no number: true, or null.
  void expect_true(std::string_view path);
  void expect_null(std::string_view path);

  std::size_t compared() const { return compared_; }

 private:
  const posenc::Json& inputs_;
  const posenc::Json& outputs_;
  std::size_t compared_ = 0;
};

// Compares all outputs of the case; false if no family knows the name.
bool check_positions(const std::string& name, PositionCase& golden);

}  // namespace golden
