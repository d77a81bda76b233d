#include "core/text/joined.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace posenc::text::joined_test {
namespace {

TEST(Joined, PrintsNumbersInFull) {
  EXPECT_EQ(joined(std::vector<std::int64_t>{2, -3, 1048576}, ", "), "2, -3, 1048576");
  EXPECT_EQ(joined(std::vector<double>{0.5, 100000.0, 0.1}, "/"), "0.5/100000/0.1");
}

TEST(Joined, PutsTheSeparatorBetweenMembersOnly) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::array<std::string_view, 1>{"alibi"}, ", "), "alibi");
  EXPECT_EQ(joined(std::vector<std::string>{"", "", "x"}, "|"), "||x");
}

TEST(Joined, TakesMembersAndFunctions) {
  struct Named {
    std::string name;
    int rank;
  };
  const std::vector<Named> list = {{"keys", 2}, {"values", 3}};
  EXPECT_EQ(joined(list, " and ", &Named::name), "keys and values");
  EXPECT_EQ(joined(list, ",", &Named::rank), "2,3");
  EXPECT_EQ(joined(list, ", ", [](const Named& each) { return "'" + each.name + "'"; }), "'keys', 'values'");
}

}  // namespace
}  // namespace posenc::text::joined_test
