// Helpers of the fuzzers. Each fuzzer defines fuzz(input), which may throw only posenc::Error.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "posenc/error.h"

void fuzz(std::string_view input);

// Ends the run with a report if the condition does not hold.
inline void require(bool condition, const char* otherwise) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", otherwise);
  std::abort();
}

// Whether the action ends without an error; prints the error if not.
template <class Action>
bool accepted(const Action& action) {
  try {
    action();
  } catch (const posenc::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return false;
  }
  return true;
}
