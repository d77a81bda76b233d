// One golden case: its inputs and outputs as arrays of any depth.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/error.h"
#include "posenc/files/file.h"
#include "posenc/files/json.h"
#include "posenc/view.h"

namespace golden {

// An array as JSON nests it.
struct Tensor {
  explicit Tensor(const posenc::Json& json) {
    for (const posenc::Json* inner = &json; inner->is_array(); inner = &inner->array()[0]) {
      shape.push_back(static_cast<std::int64_t>(inner->array().size()));
      if (inner->array().empty()) break;
    }
    flatten(json);
  }

  posenc::ConstView view() const {
    if (shape.size() == 1) return posenc::make_view(values.data(), {shape[0]});
    if (shape.size() == 2) return posenc::make_view(values.data(), {shape[0], shape[1]});
    if (shape.size() == 3) return posenc::make_view(values.data(), {shape[0], shape[1], shape[2]});
    return posenc::make_view(values.data(), {shape[0], shape[1], shape[2], shape[3]});
  }

  std::vector<std::int64_t> shape;
  std::vector<double> values;

 private:
  void flatten(const posenc::Json& json) {
    if (!json.is_array()) return values.push_back(json.number());
    for (const posenc::Json& item : json.array()) flatten(item);
  }
};

class Case {
 public:
  explicit Case(const std::string& path) : json_(posenc::parse_json(posenc::read_file(path), path)) {}

  const posenc::Json& input(const std::string& key) const { return member("inputs", key); }
  const posenc::Json& output(const std::string& key) const { return member("outputs", key); }
  std::int64_t integer(const std::string& key) const { return input(key).integer(); }

  void compare(const std::string& key, const std::vector<double>& got, double tolerance) const {
    SCOPED_TRACE(json_.find("case")->string() + ": " + key);
    const Tensor wanted(output(key));
    ASSERT_EQ(got.size(), wanted.values.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted.values[i], tolerance) << "number " << i;
  }

 private:
  const posenc::Json& member(const char* part, const std::string& key) const {
    const posenc::Json* found = json_.find(part)->find(key);
    if (found == nullptr) posenc::fail(posenc::ErrorKind::usage, "the case has no " + key);
    return *found;
  }

  posenc::Json json_;
};

}  // namespace golden
