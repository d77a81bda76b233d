// expect_error(ErrorKind::io, "No space left", [] { ... }) expects the action to fail with that kind and a message that
// contains that part.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "posenc/error.h"

// Returns the message of the error, for tests that look at several parts of it; empty if there is no error.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const posenc::Error& error) {
    return error.what();
  }
  return "";
}

template <class Action>
void expect_error(posenc::ErrorKind kind, const std::string& part, const Action& action) {
  try {
    action();
  } catch (const posenc::Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << "expected in the message: " << part << "\nthe message: " << error.what();
    return;
  }
  ADD_FAILURE() << "expected an error with: " << part;
}
