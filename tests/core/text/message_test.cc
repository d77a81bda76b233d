#include "core/text/message.h"

#include <gtest/gtest.h>

#include <limits>

namespace posenc::text::message_test {
namespace {

TEST(Message, PutsWordsAndNumbersTogether) {
  const std::string name = "rows";
  EXPECT_EQ(message(name, " must be at most ", 8, " but got ", std::string_view("9")),
            "rows must be at most 8 but got 9");
  EXPECT_EQ(message("nothing"), "nothing");
}

TEST(Message, PrintsNumbersInFull) {
  EXPECT_EQ(message(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(message(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(message(std::uint8_t{65}, " ", 1e-9, " ", 0.1f, " ", 100000.0), "65 1e-09 0.10000000149011612 100000");
}

}  // namespace
}  // namespace posenc::text::message_test
