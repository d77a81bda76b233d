// External text in messages cannot act on a terminal.
#include "core/text/quotable.h"

#include <gtest/gtest.h>

#include <string>

namespace posenc::text {
namespace quotable_test {

TEST(Quotable, ReplacesControlCharactersAndInvalidBytes) {
  EXPECT_EQ(quotable("a\tb\x1b[2J\x7f"), "a?b?[2J?");
  EXPECT_EQ(quotable("\xc2\x9b"
                     "2J"),
            "?2J");  // U+009B, the control sequence introducer in one character
  EXPECT_EQ(quotable("\xff\xc3"), "??");
  EXPECT_EQ(quotable("gr\xc3\xb6\xc3\x9f"), "gr\xc3\xb6\xc3\x9f");
}

TEST(Quotable, SaysOnlyOfACutTextThatItIsCut) {
  EXPECT_EQ(quotable("abcd", 4), "abcd");
  EXPECT_EQ(quotable("abcde", 4), "abcd...");
  EXPECT_EQ(quotable("", 4), "");
}

}  // namespace quotable_test
}  // namespace posenc::text
