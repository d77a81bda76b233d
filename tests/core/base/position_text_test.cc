// The text form of positions: parse_positions and to_text.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "posenc/position.h"
#include "support/expect_error.h"

namespace posenc::position_text_test {
namespace {

using Numbers = std::vector<double>;

Numbers listed(const PositionView& positions) {
  Numbers numbers;
  for (std::int64_t n = 0; n < positions.count; ++n) {
    for (std::int64_t a = 0; a < positions.axes; ++a) numbers.push_back(positions.real(0, n, a));
  }
  return numbers;
}

struct Form {
  std::string text;
  Numbers numbers;
  bool integral = true;
  std::int64_t axes = 1;
  std::string printed = {};  // what to_text gives, where it is not `text`
};

const Form kForms[] = {
    {"0:4", {0, 1, 2, 3}},
    {"0:10:3", {0, 3, 6, 9}, true, 1, "0:12:3"},
    {"0:9:3", {0, 3, 6}},
    {"5:0:-2", {5, 3, 1}, true, 1, "5:-1:-2"},
    {"-3:1", {-3, -2, -1, 0}},
    {"7:8", {7}, true, 1, "7"},
    {"0,5,17", {0, 5, 17}},
    {"0, 5, 17", {0, 5, 17}, true, 1, "0,5,17"},
    {"17,0,-5,0", {17, 0, -5, 0}},
    {"3", {3}},
    {"-3", {-3}},
    {"2.5", {2.5}, false},
    {"3.0", {3}, false},
    {"1e3", {1000}, false, 1, "1000.0"},
    {"-0.5,1", {-0.5, 1}, false, 1, "-0.5,1.0"},
    {"0:0.9:0.3", {0, 0.3, 0.6}, false, 1, "0.0,0.3,0.6"},
    {"0.5:3", {0.5, 1.5, 2.5}, false, 1, "0.5,1.5,2.5"},
    {"1:0:-0.25", {1, 0.75, 0.5, 0.25}, false, 1, "1.0,0.75,0.5,0.25"},
    {"1/2/3,4/5/6", {1, 2, 3, 4, 5, 6}, true, 3},
    {"1/2.5", {1, 2.5}, false, 2, "1.0/2.5"},
    {"2x3", {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}, true, 2, "0/0,0/1,0/2,1/0,1/1,1/2"},
    {"1x2x2", {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1}, true, 3, "0/0/0,0/0/1,0/1/0,0/1/1"},
};

TEST(ParsePositions, ReadsEveryForm) {
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.text);
    const Positions positions = parse_positions(form.text);
    ASSERT_EQ(listed(positions).size(), form.numbers.size());
    for (std::size_t i = 0; i < form.numbers.size(); ++i) EXPECT_DOUBLE_EQ(listed(positions)[i], form.numbers[i]);
    EXPECT_EQ(positions.view().integral(), form.integral);
    EXPECT_EQ(positions.axes(), form.axes);
  }
}

TEST(ToText, GivesThePositionsBack) {
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.text);
    const Positions positions = parse_positions(form.text);
    const std::string text = to_text(positions);
    // The thirds and tenths of 0:0.9:0.3 are printed as the doubles they are.
    if (form.text != "0:0.9:0.3") {
      EXPECT_EQ(text, form.printed.empty() ? form.text : form.printed);
    }
    const Positions back = parse_positions(text);
    EXPECT_EQ(listed(back), listed(positions));
    EXPECT_EQ(back.view().integral(), positions.view().integral());
    EXPECT_EQ(back.axes(), positions.axes());
  }
}

TEST(ToText, GivesBackRangesAtTheEdge) {
  for (const char* text : {"2147483640:2147483648", "-2147483640:-2147483648:-1", "2147483640:2147483648:5",
                           "-2147483640:-2147483648:-7", "0:2147483647:2147483646"}) {
    SCOPED_TRACE(text);
    const Positions positions = parse_positions(text);
    EXPECT_EQ(listed(parse_positions(to_text(positions))), listed(positions));
  }
  EXPECT_EQ(to_text(Positions()), "");
}

TEST(ToText, GivesBackAwkwardReals) {
  const Numbers reals = {0.1, -0.0, 1e-300, 1e5, 2147483647.0, 1.0 / 3.0};
  const Positions back = parse_positions(to_text(Positions::reals(reals)));
  EXPECT_EQ(listed(back), reals);
  EXPECT_FALSE(back.view().integral());
}

TEST(ParsePositions, KeepsIntegerRangesOutOfMemory) {
  const Positions positions = parse_positions("-2147483647:2147483648");
  EXPECT_EQ(positions.view().source, PositionView::Source::range);
  EXPECT_EQ(positions.count(), 4294967295);
}

TEST(ParsePositions, CountsRealRangesAsWritten) {
  EXPECT_EQ(parse_positions("0:1:0.1").count(), 10);
  EXPECT_EQ(parse_positions("0:0.7:0.1").count(), 7);
  EXPECT_EQ(parse_positions("0:2.1:0.3").count(), 7);  // 2.1 / 0.3 is a little more than 7 in binary
  EXPECT_EQ(parse_positions("0:16.8:0.3").count(), 56);
  EXPECT_EQ(parse_positions("0:0.95:0.1").count(), 10);
  EXPECT_EQ(parse_positions("0:100:0.001").count(), 100000);
  EXPECT_EQ(parse_positions("1:0:-0.1").count(), 10);
}

TEST(ParsePositions, ReachesTheLimits) {
  EXPECT_EQ(listed(parse_positions("2147483640:2147483648")).back(), 2147483647.0);
  EXPECT_EQ(listed(parse_positions("-2147483640:-2147483648:-1")).back(), -2147483647.0);
  EXPECT_EQ(listed(parse_positions("2147483647,-2147483647")), (Numbers{2147483647, -2147483647}));
}

void expect_bad(const std::string& text, const std::string& part) {
  SCOPED_TRACE(text);
  expect_error(ErrorKind::bad_input, "[parse_positions] '" + text + "': " + part, [&] { parse_positions(text); });
}

TEST(ParsePositions, RefusesWhatLiesBeyond) {
  const std::string part = "positions must be from -2147483647 to 2147483647 but got ";
  expect_bad("2147483648", part + "2147483648");
  expect_bad("-2147483648", part + "-2147483648");
  expect_bad("0,3e9", part + "3e9");
  expect_bad("2147483647.5", part + "2147483647.5");
  const std::string end = "the end of a range must be from -2147483648 to 2147483648 (it is excluded) but got ";
  expect_bad("0:2147483649", end + "2147483649");
  expect_bad("0:inf", end + "inf");
  expect_bad("2147483639.5:2147483648", part + "2147483647.5");
  expect_bad("-2147483639.5:-2147483648:-1", part + "-2147483647.5");
  expect_bad("2147483648:2147483649", part + "2147483648");
  expect_bad("inf", part + "inf");
  expect_bad("99999999999999999999", part + "99999999999999999999");
}

TEST(ParsePositions, RefusesWhatIsNoNumber) {
  expect_bad("", "expected positions like 0:100 or 0,5,17 but the text is empty");
  expect_bad("abc", "expected a number but got 'abc'");
  expect_bad("nan", "expected a number but got 'nan'");
  expect_bad("1,,2", "expected a number but got ''");
  expect_bad("1,", "expected a number but got ''");
  expect_bad("1/", "expected a number but got ''");
  expect_bad("0 1", "expected a number but got '0 1'; did you mean 0,1?");
  expect_bad("0x10,1", "expected a number but got '0x10'");
  expect_bad("+1", "expected a number but got '+1'");
  expect_bad(":5", "expected a number but got ''");
  expect_bad("5:", "expected a number but got ''");
}

TEST(ParsePositions, SaysHowARangeIsWritten) {
  expect_bad("0-3", "expected a number but got '0-3'; did you mean 0:4?");
  expect_bad("0..3", "expected a number but got '0..3'; did you mean 0:4?");
  expect_bad("-3-4", "expected a number but got '-3-4'; did you mean -3:5?");
  expect_bad("0-3,7", "expected a number but got '0-3'; did you mean 0,1,2,3,7?");
  EXPECT_EQ(to_text(parse_positions("-3:4")), "-3:4");
  const std::pair<const char*, const char*> others[] = {
      {"[0, 1, -2]", "0,1,-2"}, {"(0,1)", "0,1"},       {"0;1", "0,1"},
      {"0:4 ", "0:4"},          {":4", "0:4"},          {"1,,2", "1,2"},
      {"range(4)", "0:4"},      {"range(2, 8)", "2:8"}, {"np.arange(0, 8, 2)", "0:8:2"},
      {"0.5 1.5", "0.5,1.5"}};
  for (const auto& [text, list] : others) {
    expect_error(ErrorKind::bad_input, std::string("; did you mean ") + list + "?",
                 [given = text] { parse_positions(given); });
  }
  for (const char* text :
       {"3-0", "a-b", "-", "--", "1-", "1-2-3", "3 - 5", "0:4 5", "0:", "[]", "range(1,2,3,4)", "f(x)"}) {
    try {
      parse_positions(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("did you mean"), std::string::npos) << error.what();
    }
  }
}

TEST(ParsePositions, RefusesRangesThatAreNone) {
  expect_bad("0:0", "the range is empty (the end is excluded)");
  expect_bad("5:0", "the range is empty (the end is excluded)");
  expect_bad("0:5:-1", "the range is empty (the end is excluded)");
  expect_bad("0:5:0", "the step must not be 0");
  expect_bad("0:1:2:3", "a range is start:end or start:end:step");
  expect_bad("0:1:1e-12", "a range of real numbers must have at most 2^27 numbers");
}

TEST(ParsePositions, RefusesGridsAndTuplesThatAreNone) {
  expect_bad("3x", "a grid is rows x columns, such as 3x5, each at least 1");
  expect_bad("0x5", "a grid is rows x columns, such as 3x5, each at least 1");
  expect_bad("100000x100000", "a grid must have at most 2^27 cells");
  expect_bad("134217728x1", "a grid must have at most 2^27 numbers");
  expect_bad("1/2,3", "tuples must have the same length but '3' has 1 instead of 2");
}

TEST(ParsePositions, SendsFilesToTheLoader) {
  expect_error(ErrorKind::usage, "'@ids.npy' names a file: use load_positions", [] { parse_positions("@ids.npy"); });
}

TEST(ParsePositions, QuotesLongTextsShortened) {
  const std::string text = std::string(500, '7') + "x";
  try {
    parse_positions(text);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 200U);
    EXPECT_NE(std::string(error.what()).find("777..."), std::string::npos);
  }
}

}  // namespace
}  // namespace posenc::position_text_test
