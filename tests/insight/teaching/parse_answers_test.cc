// Answers as people type them are read, and one that cannot be read does not spoil the others.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "posenc/insight/exercises.h"
#include "support/expect_error.h"

namespace posenc::parse_answers_test {
namespace {

const Question kFour = {.id = "q1", .values = {-0.279415, 0.960170, 0.564642, 0.825336}, .decimals = 5};
const Question kOne = {.id = "q1", .values = {6283.18531}, .decimals = 1};
const Question kChoice = {.id = "q1",
                          .kind = AnswerKind::choice,
                          .choices = {"A random number.", "The last row, row 9.", "It is refused."},
                          .answer = "b"};

AnswerMark mark_of(const Question& question, const std::string& answer) {
  return grade({question}, {{question.id, answer}}).marks.at(0);
}

TEST(ParseAnswers, ReadsLinesAndJson) {
  const std::vector<Answer> lines = parse_answers("# mine\n\nq1: 0.5, 1\r\nQ2:b\nq3: far\n  and near\n", "a.txt");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text, "0.5, 1");
  EXPECT_EQ(lines[1].id, "q2");
  EXPECT_EQ(lines[2].text, "far\nand near");
  const std::vector<Answer> json =
      parse_answers(R"( {"q1": "0.5", "Q2": 3, "3": [6, 3], "q4": [["a", 1], [2, 3]], "q5": null})", "a.json");
  ASSERT_EQ(json.size(), 5u);
  EXPECT_EQ(json[1].id, "q2");
  EXPECT_EQ(json[1].text, "3");
  EXPECT_EQ(json[2].id, "q3");
  EXPECT_EQ(json[2].text, "6, 3");
  EXPECT_EQ(json[3].text, "a, 1, 2, 3");
  EXPECT_EQ(json[4].text + json[4].error, "");
  EXPECT_TRUE(parse_answers("", "a.txt").empty());
  EXPECT_TRUE(parse_answers("\xef\xbb\xbf# nothing\r\n", "a.txt").empty());
}

TEST(ParseAnswers, UnderstandsOtherNamesOfAQuestion) {
  for (const char* line : {"q2: .5", "Q2: .5", "2: .5", "question 2: .5", "q2 .5", "q2) .5", "2) .5", "q2 = .5",
                           "2. .5", "\xef\xbb\xbfq2: .5"}) {
    const std::vector<Answer> answers = parse_answers(line, "a.txt");
    ASSERT_EQ(answers.size(), 1u) << line;
    EXPECT_EQ(answers[0].id + ": " + answers[0].text + answers[0].error, "q2: .5") << line;
  }
}

TEST(ParseAnswers, KeepsWhatIsWrongToOneAnswer) {
  const std::vector<Answer> answers = parse_answers("q1: 1\nhello\nq2: b\nq1: 2\nq3: \xff\nq4: far\n  \xff\n", "a.txt");
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0].error, "'q1' is answered twice; keep one answer");
  EXPECT_EQ(answers[1].id, "");
  EXPECT_EQ(answers[1].error, "line 2: expected 'q1: answer' but got 'hello'");
  EXPECT_EQ(answers[2].error, "");
  EXPECT_EQ(answers[3].error, "line 5: byte 5 is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(answers[4].error, "line 7: byte 3 is not UTF-8 text; save the file as UTF-8");
  const Question other = {.id = "q2", .kind = AnswerKind::choice, .choices = {"x", "y"}, .answer = "b"};
  const Grade grade = posenc::grade({kOne, other}, {answers[0], answers[1], answers[2]});
  EXPECT_EQ(grade.marks.at(0).verdict, AnswerVerdict::wrong);
  EXPECT_EQ(grade.marks.at(0).note, answers[0].error);
  EXPECT_EQ(grade.marks.at(1).verdict, AnswerVerdict::right);
  EXPECT_EQ(grade.remarks, std::vector<std::string>{answers[1].error});
  EXPECT_EQ(parse_answers(R"({"q1": {"a": 1}, "q2": 1})", "a.json").at(0).error,
            "expected a text, a number or a list of them");
}

TEST(ParseAnswers, RefusesFilesThatAreNotAnswers) {
  const auto refused = [](const std::string& part, const std::string& text) {
    expect_error(ErrorKind::bad_input, part, [&] { parse_answers(text, "a.txt"); });
  };
  refused("a.txt: line 1: expected 'q1: answer' but got '0.5'", "0.5\n");
  refused("a.txt: line 1 begins with a blank", " 0.5\n");
  refused("a.txt: this is not text: byte 4 is 0", std::string("q1: \0", 5));
  refused("a.txt: this is UTF-16 text", std::string("\xff\xfeq\0", 4));
  refused("at most 1000000 bytes", std::string(1000001, 'x'));
  refused("a.txt", R"({"q1": 1)");
}

TEST(TypedAnswers, AreReadAsLists) {
  for (const char* right : {"[-0.27942, 0.96017, 0.56464, 0.82534]", "PE(6) = [-0.27942, 0.96017, 0.56464, 0.82534]",
                            "[[-0.27942, 0.96017], [0.56464, 0.82534]]", "[[-0.27942 0.96017]\n [0.56464 0.82534]]",
                            "(-0.27942, 0.96017, 0.56464, 0.82534)", "[ -0.27942 0.96017 ; 0.56464 0.82534 ]",
                            "-0.27942,\n0.96017,\n0.56464,\n0.82534", "sin 6, cos 6, sin 0.6, cos 0.6",
                            "sin(6) = -0.27942, cos(6) = 0.96017, sin(0.6) = 0.56464, cos(0.6) = 0.82534",
                            "{sin(6), cos(6), pow(0.56464, 1), (0.82534)}"}) {
    EXPECT_EQ(mark_of(kFour, right).verdict, AnswerVerdict::right) << right << ": " << mark_of(kFour, right).note;
  }
  EXPECT_EQ(mark_of(kOne, "2pi*10000^(6/8) = 6283.2").verdict, AnswerVerdict::right);
  Question symbols = kFour;
  symbols.kind = AnswerKind::symbolic;
  symbols.values = {std::sin(2.0), std::cos(2.0)};
  EXPECT_EQ(mark_of(symbols, "PE(2) = sin(2) = 0.909, cos 2").verdict, AnswerVerdict::right);
}

TEST(TypedAnswers, OfDecimalCommasAreExplained) {
  const char* decimal = "a comma separates values: write 0.5, not 0,5";
  for (const char* text : {"-0,27942; 0,96017; 0,56464; 0,82534", "-0,27942, 0,96017, 0,56464, 0,82534",
                           "-0,27942 0,96017 0,56464 0,82534"}) {
    EXPECT_EQ(mark_of(kFour, text).note, decimal) << text;
  }
  EXPECT_EQ(mark_of(kOne, "6283,2").note, decimal);
  EXPECT_EQ(mark_of(kOne, "6,283.2").note, "a comma separates values: write 1000, not 1,000");
  EXPECT_EQ(mark_of(kFour, "1,2,3").note, "expected 4 values, separated by commas, but got 3");
  EXPECT_EQ(mark_of(kFour, "1, 2, 3, 4, 5").note, "expected 4 values, separated by commas, but got 5");
  EXPECT_EQ(mark_of(kOne, "four").note, "'four' is not a number or a formula");
}

TEST(TypedAnswers, MayBeTooShort) {
  const auto note = [](double value, int decimals, const char* text) {
    return mark_of({.id = "q1", .values = {value}, .decimals = decimals}, text).note;
  };
  EXPECT_EQ(note(6283.18531, 1, "6283"), "too few digits: give 1 decimal");
  EXPECT_EQ(note(628.31853, 2, "628.3"), "too few digits: give 2 decimals");
  EXPECT_EQ(note(628.31853, 2, "628"), "too few digits: give 2 decimals");
  EXPECT_EQ(note(628.31853, 2, "628.2"), "close; probably a number was rounded too early");
  EXPECT_EQ(note(6283.18531, 1, "6280"), "close; probably a number was rounded too early");
  EXPECT_EQ(note(5.65685, 3, "5.7"), "too few digits: give 3 decimals");
  EXPECT_EQ(note(5.65685, 3, "6"), "not the right value");
}

TEST(TypedAnswers, OfChoicesMayHaveLetterAndText) {
  for (const char* right : {"b", "(B)", "b.", "b)", "(b) The last row, row 9.", "b: the last row, row 9",
                            "The last row,\n row 9.", "b The last row, row 9", "(b) the last one"}) {
    EXPECT_EQ(mark_of(kChoice, right).verdict, AnswerVerdict::right) << right;
  }
  for (const char* wrong : {"a", "A random number.", "(a) A random number", "c"}) {
    EXPECT_EQ(mark_of(kChoice, wrong).note, "not this choice") << wrong;
  }
  for (const char* other : {"d", "a, b", "because it is so", "7", "a new one"}) {
    EXPECT_EQ(mark_of(kChoice, other).note, "expected the letter of a choice") << other;
  }
  EXPECT_EQ(mark_of(kChoice, "(b) It is refused.").note, "the letter and the text are of different choices");
}

}  // namespace
}  // namespace posenc::parse_answers_test
