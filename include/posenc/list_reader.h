// Who reads the lists that a spec text names as `@path`: parse_spec does not open files.
//
//     posenc::Spec spec = posenc::parse_spec("rotary:head_dim=4,inv_freq=@list", [](const std::string& path) { ... });
//
// A header of its own, so that posenc/spec.h does without <functional>.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "posenc/spec.h"

namespace posenc {

// Gives the numbers of the list at `path`, which is what stands behind the `@`. What it throws passes through
// parse_spec. An empty one is none: a list that is named is then an error.
class ListReader : public std::function<std::vector<double>(const std::string& path)> {
 public:
  using function::function;
  ListReader(const function& read) : function(read) {}  // NOLINT: as a lambda becomes one
};

}  // namespace posenc
