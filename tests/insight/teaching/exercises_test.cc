#include "posenc/insight/exercises.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "insight/teaching/expression.h"
#include "support/expect_error.h"

namespace posenc::exercises_test {
namespace {

const std::vector<std::string> kSpecs = {"sinusoidal:width=64",
                                         "learned:past_end=clamp",
                                         "hybrid:fixed.width=64,learned.past_end=error",
                                         "concat:0.axis=0,0.width=32,1.axis=1,1.width=32",
                                         "fourier:axes=2,inv_freq=1/0.5/0.25/2",
                                         "rotary:head_dim=128",
                                         "none",
                                         "clipped:heads=4,max_distance=8",
                                         "t5:heads=8",
                                         "alibi:heads=8",
                                         "kerple:heads=4",
                                         "fire:heads=4",
                                         "sandwich:heads=8,width=64",
                                         "matrix:heads=2",
                                         "shaw:head_dim=64,left=8,right=8",
                                         "transformer_xl:heads=4,head_dim=16,width=64",
                                         "window:left=4,right=0",
                                         "chunked:size=8",
                                         "pope:head_dim=8",
                                         "xpos:head_dim=8",
                                         "temperature"};

// Specs at the edge of what a kind allows.
const std::vector<std::string> kEdges = {"sinusoidal:width=1",
                                         "sinusoidal:width=7,base=1e300,first=2",
                                         "sinusoidal:width=4,inv_freq=0/0",
                                         "learned:rows=1,width=1,past_end=error",
                                         "learned:past_end=interpolate,length=8",
                                         "learned:rows=3,first=2,past_end=clamp",
                                         "learned:rows=4,past_end=interpolate,length=5",
                                         "concat:0.axis=0,0.kind=learned,0.past_end=clamp",
                                         "fourier:inv_freq=0",
                                         "rotary:head_dim=2",
                                         "rotary:head_dim=3,rotary_dim=2",
                                         "clipped:heads=1,max_distance=1,offset=query_minus_key",
                                         "clipped:heads=1,max_distance=16777216",
                                         "t5:heads=1,buckets=2,direction=causal,max_distance=2",
                                         "t5:heads=1,buckets=4",
                                         "t5:heads=3,direction=causal,max_distance=16777216",
                                         "alibi:heads=1",
                                         "alibi:heads=12,form=key_position",
                                         "kerple:heads=1,kernel=power",
                                         "fire:heads=1,width=1,length=0.5",
                                         "sandwich:heads=1000,width=2,first=0",
                                         "matrix:heads=1",
                                         "shaw:head_dim=1,left=0,right=0,past=error",
                                         "transformer_xl:heads=1,head_dim=1,width=2,clamp_distance=3",
                                         "window",
                                         "window:left=0,right=0",
                                         "window:right=3",
                                         "chunked:size=1,direction=symmetric",
                                         "chunked:size=1000000000"};

std::vector<Question> sheet(const std::string& spec, std::uint64_t seed) {
  return make_exercises(parse_spec(spec), seed);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

AnswerVerdict verdict_of(const Question& question, const std::string& answer) {
  return grade({question}, {{question.id, answer}}).marks.at(0).verdict;
}

// The first question whose text has that part.
Question find(const std::vector<Question>& questions, const std::string& part) {
  for (const Question& question : questions) {
    if (question.text.find(part) != std::string::npos) return question;
  }
  ADD_FAILURE() << "no question with: " << part;
  return {};
}

TEST(Exercises, EveryKindHasEveryLevel) {
  EXPECT_EQ(kSpecs.size(), kinds().size());
  std::set<std::string> seen;
  for (const std::string& spec : kSpecs) {
    SCOPED_TRACE(spec);
    seen.insert(spec.substr(0, spec.find(':')));
    std::vector<int> levels(3);
    Level last = Level::easy;
    for (const Question& question : sheet(spec, 1)) {
      ++levels[static_cast<std::size_t>(question.level)];
      EXPECT_GE(question.level, last);
      last = question.level;
    }
    EXPECT_GE(levels[0], 2);
    EXPECT_GE(levels[1], 2);
    EXPECT_GE(levels[2], 1);
  }
  EXPECT_EQ(seen.size(), kinds().size());
}

// The printed answer is right; one that differs by two in the last decimal, another letter or no answer is
// not.
void expect_graded(const Question& question) {
  SCOPED_TRACE(question.id + " " + question.text + "\nkey: " + question.answer);
  EXPECT_FALSE(question.text.empty() || question.hint.empty() || question.solution.empty());
  // A place without a value.
  const std::string all = question.text + question.hint + joined(question.choices) + joined(question.solution);
  EXPECT_EQ(all.find("{{"), std::string::npos) << all;
  EXPECT_EQ(verdict_of(question, " "), AnswerVerdict::missing);
  if (question.kind == AnswerKind::reasoned) {
    const AnswerMark mark = grade({question}, {{question.id, joined(question.solution)}}).marks.at(0);
    EXPECT_EQ(mark.verdict, AnswerVerdict::for_a_person);
    EXPECT_EQ(mark.found.size(), question.points.size()) << "not found: " << joined(mark.not_found);
    EXPECT_EQ(grade({question}, {{question.id, "xyz"}}).marks.at(0).found.size(), 0u);
    return;
  }
  EXPECT_EQ(verdict_of(question, question.answer), AnswerVerdict::right);
  if (question.kind == AnswerKind::choice) {
    EXPECT_EQ(verdict_of(question, question.answer == "a" ? "b" : "a"), AnswerVerdict::wrong);
    EXPECT_EQ(verdict_of(question, question.choices.at(static_cast<std::size_t>(question.answer[0] - 'a'))),
              AnswerVerdict::right);
    EXPECT_EQ(std::set<std::string>(question.choices.begin(), question.choices.end()).size(), question.choices.size());
    return;
  }
  ASSERT_FALSE(question.values.empty());
  std::string changed;
  for (const double value : question.values) {
    EXPECT_TRUE(std::isfinite(value));
    const double other = value + 2.0 * std::pow(10.0, -question.decimals);
    changed += (changed.empty() ? "" : ", ") + std::to_string(other);
  }
  EXPECT_EQ(verdict_of(question, changed), AnswerVerdict::wrong);
  EXPECT_EQ(verdict_of(question, question.answer + ", 1"), AnswerVerdict::wrong);
}

TEST(Exercises, EveryKeyIsGradedAsRight) {
  for (const std::string& spec : kSpecs) {
    SCOPED_TRACE(spec);
    for (const std::uint64_t seed : {0ull, 1ull, 2ull, 3ull, 17ull, ~0ull}) {
      for (const Question& question : sheet(spec, seed)) expect_graded(question);
    }
  }
}

// If an answer has a fraction, the question asks for decimals.
TEST(Exercises, FractionsAreAskedForWithDecimals) {
  for (const std::string& spec : kSpecs) {
    for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
      for (const Question& question : make_exercises(parse_spec(spec), seed)) {
        for (const double value : question.kind == AnswerKind::numeric ? question.values : std::vector<double>()) {
          const double scale = std::pow(10.0, question.decimals);
          const bool whole = std::fabs(value - std::round(value)) < 1e-9;
          const bool short_enough = std::fabs(value * scale - std::round(value * scale)) < 1e-9 * scale;
          EXPECT_TRUE(whole || short_enough || question.decimals >= 1) << spec << ": " << question.text << value;
        }
      }
    }
  }
}

TEST(Exercises, SpecsAtTheEdgeHaveQuestionsToo) {
  for (const std::string& spec : kEdges) {
    SCOPED_TRACE(spec);
    for (const std::uint64_t seed : {4ull, 5ull}) {
      for (const Question& question : sheet(spec, seed)) expect_graded(question);
    }
  }
  expect_error(ErrorKind::bad_input, "width", [] { make_exercises(Sinusoidal{}, 0); });
}

TEST(Exercises, ASeedGivesTheSameSheetAndAnotherSeedAnother) {
  for (const std::string& spec : kSpecs) {
    SCOPED_TRACE(spec);
    const auto text = [&](std::uint64_t seed) { return exercises_markdown(sheet(spec, seed), {.answers = true}); };
    EXPECT_EQ(text(5), text(5));
    EXPECT_NE(text(5), text(6));
    EXPECT_NE(text(5), text(5 + (1ull << 32)));
  }
}

// Against numbers of lectures and papers.
TEST(Exercises, ClassicsHaveTheirPublishedAnswers) {
  const std::vector<Question> sinusoidal = sheet("sinusoidal:width=64", 0);
  const Question symbols = find(sheet("sinusoidal:width=6", 0), "Write PE(2) of width 6");
  EXPECT_EQ(symbols.answer,
            "sin(2), cos(2), sin(2/10000^(2/6)), cos(2/10000^(2/6)), sin(2/10000^(4/6)), cos(2/10000^(4/6))");
  EXPECT_EQ(verdict_of(symbols, "[sin 2, cos 2, sin(2/21.5), cos(0), 0, 1]"), AnswerVerdict::wrong);
  EXPECT_EQ(verdict_of(symbols,
                       "sin(2); cos(2); sin(2 / 10000^(1/3)); cos(2*pow(10000, -1/3)); SIN(2*10000^-(2/3)); "
                       "cos(2/exp(ln(10000)*2/3))"),
            AnswerVerdict::right);
  EXPECT_EQ(find(sinusoidal, "slowest pair").answer, "47117.2");
  EXPECT_EQ(find(sinusoidal, "How long is the row").answer, "5.657");
  EXPECT_EQ(find(sheet("clipped:heads=1,max_distance=1", 9), "0.2, 0.2, 0.2").answer, "0.506, 0.307, 0.186");
  EXPECT_EQ(find(sheet("learned:rows=2048,width=768,past_end=error", 3), "In MB").answer, "6.29");
  EXPECT_EQ(find(sheet("learned:rows=2048,width=768,past_end=error", 3), "How many parameters").answer, "1572864");
  EXPECT_EQ(find(sheet("shaw:head_dim=64,left=8,right=8", 0), "How many vectors").answer, "17");
  EXPECT_EQ(find(sheet("window:left=4,right=0", 0), "such layers").values.at(0) / 4.0,
            std::round(find(sheet("window:left=4,right=0", 0), "such layers").values.at(0) / 4.0));
}

// "Before" is earlier and "after" later; "behind" would be read as either.
TEST(Exercises, SayBeforeAndAfter) {
  for (const std::vector<std::string>& specs : {kSpecs, kEdges}) {
    for (const std::string& spec : specs) {
      for (const Question& question : sheet(spec, 1)) {
        const std::string words = question.text + question.hint + joined(question.solution) + joined(question.choices);
        EXPECT_EQ(words.find("behind"), std::string::npos) << spec << ": " << words;
      }
    }
  }
}

TEST(Exercises, KerpleFollowsFromItsText) {
  const auto number_after = [](const std::string& text, const std::string& before) {
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before << " in " << text;
    return std::stod(text.substr(at + before.size()));
  };
  for (const std::uint64_t seed : {1ull, 2ull, 3ull, 4ull}) {
    const Question kerple = find(sheet("kerple:heads=1", seed), "KERPLE adds");
    const double distance = number_after(kerple.text, "a query at ") - number_after(kerple.text, "a key at ");
    EXPECT_NEAR(kerple.values.at(0),
                -number_after(kerple.text, "p = ") * std::log1p(number_after(kerple.text, "a = ") * distance), 1e-12);
  }
}

// The printed letter is that of the right choice, wherever the seed puts it.
TEST(Exercises, ChoicesHaveTheRightLetter) {
  const std::vector<std::vector<std::string>> known = {
      {"none", "order of the tokens is changed. What", "permutation equivariant"},
      {"none", "Which of these does not change", "The mean of all outputs"},
      {"learned:past_end=error", "What happens to a token", "It is refused"},
      {"learned:past_end=clamp", "What happens to a token", "It gets the last row"},
      {"learned:past_end=interpolate,length=4", "What happens to a token", "The whole table is stretched"},
      {"hybrid:fixed.width=4,learned.past_end=error", "Which numbers does training change", "the learned table only"},
      {"rotary:head_dim=8", "How long is it then", "3: rotations keep"},
      {"kerple:heads=1", "Which bias do they get", "0, the largest"},
      {"fire:heads=1", "What does the bias of FIRE", "On the distance, and also on the query's position"},
      {"matrix:heads=1", "-inf", "its weight is 0"},
      {"window", "hide a key", "adds -inf"},
      {"chunked:size=4", "just before it", "No:"}};
  std::set<std::string> letters;
  for (const std::vector<std::string>& one : known) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Question question = find(sheet(one[0], seed), one[1]);
      const std::string& right = question.choices.at(static_cast<std::size_t>(question.answer.at(0) - 'a'));
      EXPECT_NE(right.find(one[2]), std::string::npos) << right;
      letters.insert(question.answer);
    }
  }
  EXPECT_EQ(letters.size(), 5u);
}

TEST(Exercises, SoftmaxFollowsFromScoresAndBiases) {
  const auto numbers_after = [](const std::string& text, const std::string& before) {
    const std::size_t at = text.find(before) + before.size();
    std::vector<double> numbers;
    for (const std::string& item : teaching::list_items(text.substr(at, text.find(". ", at) - at)))
      numbers.push_back(std::stod(item));
    return numbers;
  };
  for (const char* spec :
       {"clipped:heads=1,max_distance=2", "t5:heads=1", "alibi:heads=1", "kerple:heads=1",
        "kerple:heads=1,kernel=power", "fire:heads=1", "sandwich:heads=4,width=8", "matrix:heads=1"}) {
    const Question question = find(sheet(spec, 11), "Which weights does the softmax give, to three");
    const std::vector<double> scores = numbers_after(question.text, "keys are ");
    const std::vector<double> biases = numbers_after(question.text, "biases are ");
    ASSERT_EQ(scores.size(), biases.size()) << question.text;
    double total = 0.0;
    for (std::size_t k = 0; k < scores.size(); ++k) total += std::exp(scores[k] + biases[k]);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      EXPECT_NEAR(question.values.at(k), std::exp(scores[k] + biases[k]) / total, 1e-5) << question.text;
    }
  }
}

TEST(Grade, TakesRoundedAndCutNumbers) {
  const Question question = {.id = "q1", .text = "cos 3", .values = {-0.98999249}, .decimals = 4};
  for (const char* right : {"-0.9900", "-0.99", "-0.9899", "-0.98999249", "cos(3)", "[-0.99]",
                            "\xe2\x88\x92"
                            "0.9899"}) {
    EXPECT_EQ(verdict_of(question, right), AnswerVerdict::right) << right;
  }
  for (const char* wrong : {"-0.9898", "-0.9901", "0.9900", "-1", "minus one", "-0.99 -0.99", "cos(3", "-0,9900"}) {
    EXPECT_EQ(verdict_of(question, wrong), AnswerVerdict::wrong) << wrong;
  }
  const Question whole = {.id = "q1", .values = {7}, .decimals = 0};
  EXPECT_EQ(verdict_of(whole, "7.0"), AnswerVerdict::right);
  EXPECT_EQ(verdict_of(whole, "7.2"), AnswerVerdict::wrong);
  const Question list = {.id = "q1", .values = {1, 2.5}, .decimals = 1};
  for (const char* right : {"1, 2.5", "1 2.5", "[1.0;2.5]", "1\n2.5", "1, 2.5,", "1 and 2.5", "1, and 2.5.", "{1, 2.5}",
                            "~1, ~2.5", "\xe2\x89\x88 1, \xe2\x89\x88 2.5", "(1), {2.5}", "sqrt(1) 5/2", "cos 0 5/2"}) {
    EXPECT_EQ(verdict_of(list, right), AnswerVerdict::right) << right;
  }
  EXPECT_EQ(verdict_of(list, "1 5/2 3"), AnswerVerdict::wrong);
  EXPECT_EQ(verdict_of(list, "1 sand 2.5"), AnswerVerdict::wrong);
  // A product of two factors is one value if one is asked for.
  const Question product = {.id = "q1", .values = {6.283185307}, .decimals = 2};
  for (const char* right : {"2 pi", "2 pi.", "{6.28}", "~6.28", "sin(x) = 2 pi"}) {
    EXPECT_EQ(verdict_of(product, right), AnswerVerdict::right) << right;
  }
}

TEST(Grade, SaysWhy) {
  const Question list = {.id = "q1", .values = {1, 2}, .decimals = 1};
  const auto note = [&](const std::string& text) { return grade({list}, {{"q1", text}}).marks.at(0).note; };
  EXPECT_EQ(note("1"), "expected 2 values, separated by commas, but got 1");
  EXPECT_EQ(note("1, 2+"), "value 2: expected a number but the text ends");
  EXPECT_EQ(note("3, 2"), "value 1: not the right value");
  const Question symbol = {.id = "q1", .kind = AnswerKind::symbolic, .values = {std::sin(2.0)}};
  EXPECT_EQ(grade({symbol}, {{"q1", "0.90930"}}).marks.at(0).note, "close, but rounded: write it in symbols");
  expect_error(ErrorKind::bad_input, "there is no question 'q9'", [&] { grade({list}, {{"q9", "1"}}); });
  const Grade one_known = grade({list}, {{"q1", "1, 2"}, {"q9", "1"}});
  EXPECT_EQ(one_known.marks.at(0).verdict, AnswerVerdict::right);
  ASSERT_EQ(one_known.remarks.size(), 1u);
  EXPECT_TRUE(one_known.remarks[0].starts_with("there is no question 'q9', only q1 to q1"));
}

TEST(Expression, HasTheValueThatArithmeticGives) {
  const auto value = [](const std::string& text) {
    const teaching::Evaluated result = teaching::evaluate(text);
    EXPECT_EQ(result.error, "") << text;
    return result.value;
  };
  EXPECT_EQ(value("1 + 2 * 3 - 4 / 8"), 6.5);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2**10"), 1024);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("--(1)"), 1);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("1 - 2 - 3"), -4);
  EXPECT_EQ(value("1.5e-3 * 2E3"), 3);
  EXPECT_EQ(value(".5+5."), 5.5);
  EXPECT_NEAR(value("sin(2/10000^(2/6))"), std::sin(2 / std::cbrt(10000.0)), 1e-16);
  EXPECT_NEAR(value("Tan(pi/4) + exp(1) - e + ln(e) + log(1)"), 2, 1e-15);
  EXPECT_EQ(value("pow(sqrt(16), 1/2)"), 2);
  EXPECT_NEAR(value("2\xc2\xb7\xcf\x80"), 6.283185307179586, 1e-15);
  EXPECT_NEAR(value("2pi*10000^(6/8)"), 6283.185307179586, 1e-9);
  EXPECT_NEAR(value("3 - 2 pi"), 3 - 6.283185307179586, 1e-15);
  EXPECT_EQ(value("2(3 + 4) * 2"), 28);
  EXPECT_NEAR(value("2 pi 10000^(4/6)"), 2 * 3.14159265358979 * std::pow(10000, 4.0 / 6), 1e-9);
  EXPECT_EQ(value("2^3 (1 + 1) 5"), 80);
  EXPECT_NEAR(value("sin(2/10000^{2/6})"), std::sin(2 / std::cbrt(10000.0)), 1e-16);
  EXPECT_EQ(value("2sqrt 4 + 1"), 5);
  EXPECT_EQ(value("sin 6 - cos -1"), std::sin(6) - std::cos(-1));
  EXPECT_NEAR(value("sin pi"), 0, 1e-15);
  EXPECT_EQ(value("2e3"), 2000);
}

TEST(Expression, RefusesWithTheReason) {
  const auto error = [](const std::string& text) { return teaching::evaluate(text).error; };
  EXPECT_EQ(error(""), "expected a number but the text ends");
  EXPECT_EQ(error("sin(1"), "expected ')' but the text ends");
  EXPECT_EQ(error("sin x"), "expected '(' after sin but got 'x'");
  EXPECT_EQ(error("sin 2/100"), "write parentheses: sin(...) instead of sin 2/100");
  EXPECT_EQ(error("sin 2pi"), "write parentheses: sin(...) instead of sin 2pi");
  EXPECT_EQ(error("pow 2"), "expected '(' after pow but got '2'");
  EXPECT_EQ(error("pow(1)"), "expected ',' and a second argument of pow but got ')'");
  EXPECT_EQ(error("1/2pi"), "write * or parentheses before 'pi'");
  EXPECT_EQ(error("2^3pi"), "expected an operator but got 'pi'");
  EXPECT_EQ(error("cos(10 000)"), "expected ')' but got '000)'");
  EXPECT_EQ(error("1/2 pi 3"), "write * or parentheses before 'pi 3'");
  EXPECT_EQ(error("four"), "'four' is not a number or a formula");
  EXPECT_EQ(error("sinus(2)"), "'sinus' is not a function; use sin cos tan exp ln log sqrt pow");
  EXPECT_EQ(error("1/0"), "it has no finite value");
  EXPECT_EQ(error("sqrt(-1)"), "it has no finite value");
  EXPECT_EQ(error("1..2"), "expected an operator but got '.2'");
  EXPECT_EQ(error("."), "expected a number but got '.'");
  EXPECT_EQ(error("1e999"), "expected a number but got '1e999'");
  for (const char* part : {"(", "-", "sin(", "2^"}) {
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += part;
    EXPECT_EQ(error(deep + "1"), "it nests deeper than 64") << part;
  }
  EXPECT_EQ(error(std::string(1001, '1')), "it is longer than 1000 bytes");
}

TEST(Worksheet, HidesSolutionsUnlessTheyAreAskedFor) {
  const std::vector<Question> questions = sheet("sinusoidal:width=64", 2);
  for (const auto& write : {exercises_markdown, exercises_text, exercises_html}) {
    const std::string bare = write(questions, {.title = "A <b> & c", .grade_command = "posenc grade"});
    const std::string key = write(questions, {.answers = true});
    EXPECT_EQ(bare.find("Solution"), std::string::npos);
    EXPECT_NE(bare.find("Hint"), std::string::npos);
    EXPECT_NE(bare.find("posenc grade"), std::string::npos);
    EXPECT_NE(key.find("Solution"), std::string::npos);
    for (const Question& question : questions) {
      if (question.kind != AnswerKind::numeric) continue;
      EXPECT_NE(key.find("Answer: " + question.answer), std::string::npos);
      EXPECT_EQ(bare.find("Answer: " + question.answer), std::string::npos);
    }
  }
  EXPECT_NE(exercises_html(questions, {.title = "A <b> & c"}).find("A &lt;b&gt; &amp; c"), std::string::npos);
}

}  // namespace
}  // namespace posenc::exercises_test
