#include "posenc/error.h"

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <type_traits>

#include "support/expect_error.h"

namespace posenc::error_test {
namespace {

TEST(Error, KeepsItsKindAndMessage) {
  for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::bad_input, ErrorKind::io, ErrorKind::unsupported}) {
    const Error error(kind, "what was wrong");
    EXPECT_EQ(error.kind(), kind);
    EXPECT_STREQ(error.what(), "what was wrong");
  }
}

TEST(Error, IsAStandardException) {
  static_assert(std::is_base_of_v<std::runtime_error, Error>);
  static_assert(std::is_nothrow_copy_constructible_v<Error>);
  EXPECT_THROW(fail(ErrorKind::io, "disk full"), std::exception);
}

TEST(Error, CopiesAsAWhole) {
  Error copy(ErrorKind::usage, "");
  copy = Error(ErrorKind::io, "disk full");
  EXPECT_EQ(copy.kind(), ErrorKind::io);
  EXPECT_STREQ(copy.what(), "disk full");
}

TEST(Fail, ThrowsTheKindAndTheMessage) {
  expect_error(ErrorKind::unsupported, "[f] x must be even but got 7",
               [] { fail(ErrorKind::unsupported, "[f] x must be even but got 7"); });
}

// Messages quote what came from outside, and it goes to terminals.
TEST(Fail, ShowsOnlyWhatIsPrintable) {
  expect_error(ErrorKind::bad_input, "a?[31mb?c?z\xc3\xa9",
               [] { fail(ErrorKind::bad_input, "a\x1b[31mb\nc\xffz\xc3\xa9"); });
}

TEST(Fail, CutsWhatIsTooLong) {
  std::size_t length = 0;
  try {
    fail(ErrorKind::usage, std::string(100000, 'x'));
  } catch (const Error& error) {
    length = std::string(error.what()).size();
  }
  EXPECT_EQ(length, 2003u);
}

}  // namespace
}  // namespace posenc::error_test
