// A callback that reads the lists named as `@path` in a spec text: parse_spec itself does not open files.
//
//     posenc::Spec spec = posenc::parse_spec("rotary:head_dim=4,inv_freq=@list", [](const std::string& path) { ... });
//
// This is a separate header so that posenc/spec.h does not include <functional>.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "posenc/spec.h"

namespace posenc {

// Returns the numbers of the list at `path`, the text after `@`. Exceptions pass through parse_spec. An empty reader
// makes every `@path` an error.
class ListReader : public std::function<std::vector<double>(const std::string& path)> {
 public:
  using function::function;
  ListReader(const function& read) : function(read) {}  // NOLINT: implicit, like std::function from a lambda
};

}  // namespace posenc
