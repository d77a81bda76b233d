#include "core/base/refuse.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace posenc::base::refuse_test {
namespace {

TEST(Refuse, OpensWithTheFunction) {
  expect_error(ErrorKind::usage, "[rotate] heads must be 1 but got 2",
               [] { refuse("rotate", "heads must be 1 but got ", 2); });
  expect_error(ErrorKind::bad_input, "[alibi] heads 0", [] { refuse_input("alibi", "heads ", 0); });
  expect_error(ErrorKind::bad_input, "x.npy: shape", [] { refuse_file("x.npy", "shape"); });
}

TEST(Refuse, OnlyWhatDoesNotHold) {
  require(true, "rotate", "never");
  require_input(true, "rotate", "never");
  require_file(true, "x.npy", "never");
  expect_error(ErrorKind::usage, "[rotate] no", [] { require(false, "rotate", "no"); });
  expect_error(ErrorKind::bad_input, "[rotate] no", [] { require_input(false, "rotate", "no"); });
  expect_error(ErrorKind::bad_input, "x.npy: no", [] { require_file(false, "x.npy", "no"); });
}

TEST(Refuse, ObjectsHaveAKindAndAnOpening) {
  constexpr Refusal kNo{"Bias", ErrorKind::unsupported, "learned."};
  kNo.unless(true, "never");
  expect_error(ErrorKind::unsupported, "[Bias] learned.width is 3", [&] { kNo.unless(false, "width is ", 3); });
  expect_error(ErrorKind::unsupported, "[Bias] learned.rows", [&] { kNo("rows"); });
}

}  // namespace
}  // namespace posenc::base::refuse_test
