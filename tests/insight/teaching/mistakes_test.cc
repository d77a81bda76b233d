// Every likely mistake, made once more by plain arithmetic in every question to which it applies, is named by the
// grade.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "insight/teaching/question_text.h"
#include "posenc/insight/exercises.h"
#include "posenc/spec.h"

namespace posenc::mistakes_test {
namespace {

using question_text::answer_text;
using question_text::channels_of;
using question_text::has;
using question_text::numbers_after;
using question_text::numbers_of;
using question_text::Values;

// A number of a row, worked out with a slip.
using Number = std::function<double(double p, int channel)>;
struct Slip {
  const char* named;  // in the note
  std::function<double(double p, int channel, double width, double base)> number;
};

double angle(double p, double exponent, double width, double base) { return p / std::pow(base, exponent / width); }
double wave(double angle, int channel) { return channel % 2 == 0 ? std::sin(angle) : std::cos(angle); }
double cut_to(double value, int decimals) {
  return std::round(value * std::pow(10.0, decimals)) / std::pow(10.0, decimals);
}

double even(int channel) { return 2.0 * (channel / 2); }

const std::vector<Slip>& slips() {
  static const std::vector<Slip> all = {
      {"degrees",
       [](double p, int c, double m, double b) { return wave(angle(p, even(c), m, b) / 180.0 * std::numbers::pi, c); }},
      {"2i + 1", [](double p, int c, double m, double b) { return wave(angle(p, c, m, b), c); }},
      {"has 2i + 1; it is 2i",
       [](double p, int c, double m, double b) { return wave(angle(p, even(c) + 1, m, b), c); }},
      {"channel for i; i counts pairs",
       [](double p, int c, double m, double b) { return wave(angle(p, 2 * c, m, b), c); }},
      {"has i; it is 2i", [](double p, int c, double m, double b) { return wave(angle(p, c / 2, m, b), c); }},
      {"swapped", [](double p, int c, double m, double b) { return wave(angle(p, even(c), m, b), c + 1); }},
      {"one position late", [](double p, int c, double m, double b) { return wave(angle(p + 1, even(c), m, b), c); }},
      {"one position early", [](double p, int c, double m, double b) { return wave(angle(p - 1, even(c), m, b), c); }},
      {"rounded too early",
       [](double p, int c, double m, double b) { return wave(cut_to(angle(p, even(c), m, b), 2), c); }}};
  return all;
}

// The answer of a question from the numbers of rows; empty if it is another question.
Values answer(const std::string& text, const Number& row) {
  const Values n = numbers_of(text);
  const auto all = [&](double p, int width) {
    Values result;
    for (const int c : channels_of(text, width)) result.push_back(row(p, c));
    return result;
  };
  if (has(text, "are in the channels")) return {row(n[3], static_cast<int>(n[1])), row(n[3], static_cast<int>(n[2]))};
  if (has(text, "Compute PE(") || has(text, "in symbols")) return all(n[0], static_cast<int>(n[1]));
  if (has(text, "A lecture counts")) return {row(n[3] - 1, 0)};
  if (has(text, "what is the dot product of PE(")) {
    const Values a = all(n[2], static_cast<int>(n[0])), b = all(n[3], static_cast<int>(n[0]));
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return {sum};
  }
  if (has(text, "= M PE(p)")) return {row(n[0], 1), row(n[0], 0), -row(n[0], 0), row(n[0], 1)};
  if (has(text, "derivative of PE(p)")) {
    Values result;
    for (const int c : channels_of(text, static_cast<int>(n[0]))) {
      const double w = std::pow(n[1], -even(c) / n[0]);
      result.push_back(c % 2 == 0 ? w * row(n[2], c + 1) : -w * row(n[2], c - 1));
    }
    return result;
  }
  if (has(text, "pair after the rotation")) {
    const double s = row(n[3], 0), c = row(n[3], 1);
    return {n[1] * c - n[2] * s, n[1] * s + n[2] * c};
  }
  if (has(text, "dot product after both are rotated")) {
    const double d = n[6] - n[3], s = row(d, 0), c = row(d, 1);
    return {n[1] * (n[4] * c - n[5] * s) + n[2] * (n[4] * s + n[5] * c)};
  }
  if (has(text, "Compute R(")) {
    const double d = n[2] - n[1];
    return {row(d, 1), -row(d, 0), row(d, 0), row(d, 1)};
  }
  if (has(text, "An image patch is in row")) return {row(n[0], 0), row(n[0], 1), row(n[1], 0), row(n[1], 1)};
  if (has(text, "The sinusoidal row of the distance")) {
    EXPECT_TRUE(has(text, "all sines first and then all cosines"));
    const int width = static_cast<int>(numbers_after(text, "width ")[0]);
    Values result;
    for (int c = 0; c < width; ++c) result.push_back(row(n[0], c < width / 2 ? 2 * c : 2 * (c - width / 2) + 1));
    return result;
  }
  if (has(text, "A hybrid of width")) {
    const Values learned = numbers_after(text, "has [");
    const double weight = numbers_after(text, " and ")[0];
    Values result = all(n[1], static_cast<int>(n[0]));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += weight * learned[i];
    return result;
  }
  return {};
}

struct Size {
  double width = 2.0, base = 10000.0;
};
Size size_of(const std::string& text) {
  if (!has(text, "idth ") || !has(text, "base ")) return {};  // a pair of frequency 1
  const double width = numbers_after(text, "idth ")[0];
  return {width, numbers_after(text, "base ")[0]};
}

std::string note_of(const Question& question, const Values& wrong, int decimals) {
  const AnswerMark mark = grade({question}, {{question.id, answer_text(wrong, decimals)}}).marks.at(0);
  return mark.verdict == AnswerVerdict::right ? "right" : mark.note;
}

// The kinds of question, by a part of their text, in which a slip was named.
std::map<std::string, std::set<std::string>> named_slips(const std::vector<std::string>& specs,
                                                         const std::vector<std::string>& kinds) {
  std::map<std::string, std::set<std::string>> named;
  for (const std::string& spec : specs) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      for (const Question& question : make_exercises(parse_spec(spec), seed)) {
        const Size size = size_of(question.text);
        for (const Slip& slip : slips()) {
          const bool exponent = has(slip.named, "2i") || has(slip.named, "counts pairs");
          if (exponent && size.width == 2.0) continue;
          const Values wrong =
              answer(question.text, [&](double p, int c) { return slip.number(p, c, size.width, size.base); });
          if (wrong.empty()) continue;
          const std::string note =
              note_of(question, wrong, question.kind == AnswerKind::symbolic ? -1 : question.decimals);
          const bool rounded = std::string(slip.named) == "rounded too early";
          if (note == "right" || (rounded && question.kind == AnswerKind::symbolic)) continue;
          const bool distance = has(question.text, "after both are rotated") && has(slip.named, "one position");
          EXPECT_TRUE(has(note, distance ? "distance is wrong by one" : slip.named))
              << spec << ", seed " << seed << ": " << question.text << "\nanswer "
              << answer_text(wrong, question.decimals) << "\nnote: " << note;
          for (const std::string& kind : kinds) {
            if (has(question.text, kind)) named[kind].insert(slip.named);
          }
        }
      }
    }
  }
  return named;
}

TEST(Mistakes, AreNamedInEveryQuestionOfSinesAndCosines) {
  const std::vector<std::string> kinds = {
      "Compute PE(", "in symbols",          "A lecture counts",         "dot product of PE(",
      "= M PE(p)",   "derivative of PE(p)", "pair after the rotation",  "after both are rotated",
      "Compute R(",  "A hybrid of width",   "An image patch is in row", "The sinusoidal row of the distance"};
  auto named =
      named_slips({"sinusoidal:width=4", "sinusoidal:width=6,base=100", "sinusoidal:width=8", "sinusoidal:width=64",
                   "rotary:head_dim=128", "hybrid:fixed.width=16,learned.past_end=clamp",
                   "transformer_xl:heads=1,head_dim=4,width=8", "concat:0.axis=0,0.width=8,1.axis=1,1.width=8"},
                  kinds);
  const std::set<std::string> all = {"degrees",
                                     "2i + 1",
                                     "has i; it is 2i",
                                     "swapped",
                                     "one position late",
                                     "one position early",
                                     "rounded too early",
                                     "has 2i + 1; it is 2i",
                                     "channel for i; i counts pairs"};
  std::set<std::string> symbols = all, distance = all;
  symbols.erase("rounded too early");  // a rounded number is not in symbols
  // The dot product of rows depends on the distance alone, and swapped pairs have the same one.
  for (const char* same : {"swapped", "one position late", "one position early"}) distance.erase(same);
  const std::set<std::string> integer = {"degrees", "swapped", "one position late", "one position early"};
  for (const char* kind :
       {"Compute PE(", "derivative of PE(p)", "A hybrid of width", "The sinusoidal row of the distance"}) {
    EXPECT_EQ(named[kind], all) << kind;
  }
  EXPECT_EQ(named["in symbols"], symbols);
  EXPECT_EQ(named["dot product of PE("], distance);
  // The angle of a pair of frequency 1 is a whole number of radians: there is nothing to round and no exponent.
  for (const char* kind : {"A lecture counts", "pair after the rotation", "after both are rotated", "Compute R(",
                           "An image patch is in row"}) {
    for (const std::string& slip : integer) EXPECT_TRUE(named[kind].count(slip)) << kind << ": " << slip;
  }
}

TEST(Mistakes, OfWavelengthsAreNamed) {
  for (const char* spec : {"sinusoidal:width=64", "sinusoidal:width=8,base=500", "rotary:head_dim=128"}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const bool rotary = has(spec, "rotary");
      const Question question =
          question_text::find(make_exercises(parse_spec(spec), seed), rotary ? "for one full turn" : "slowest pair");
      const double width = rotary ? 128.0 : numbers_after(question.text, "of width ")[0];
      const double base = numbers_after(question.text, "base ")[0];
      const double pair = rotary ? numbers_after(question.text, "does pair ")[0] : width / 2.0 - 1.0;
      const auto length = [&](double turn, double exponent) { return turn * std::pow(base, exponent / width); };
      const double turn = 2.0 * std::numbers::pi;
      const std::pair<double, const char*> wrong[] = {
          {length(360.0, 2 * pair), "360 degrees"},
          {length(1.0, 2 * pair), "2 pi is missing"},
          {length(turn, 2 * pair + 1), "2i + 1"},
          {length(turn, pair), "has i; it is 2i"},
          {length(turn, 4 * pair), "channel for i; i counts pairs"},
          {length(turn, -2 * pair), "2 pi times the frequency"},
          {turn * base, "this is 2 pi base"},
          {length(turn, 2 * pair + 2), rotary ? "one pair late" : "2 pi base"},
          {length(turn, 2 * pair - 2), "one pair early"}};
      for (const auto& [value, named] : wrong) {
        EXPECT_TRUE(has(note_of(question, {value}, question.decimals), named)) << question.text << value;
      }
    }
  }
}

TEST(Mistakes, OfOtherQuestionsAreNamed) {
  const auto note = [](const char* spec, const char* part, const std::function<Values(const Values&)>& wrong) {
    const Question question = question_text::find(make_exercises(parse_spec(spec), 3), part);
    return note_of(question, wrong(question.values), question.decimals);
  };
  const auto times = [](double factor) { return [factor](const Values& right) { return Values{right[0] * factor}; }; };
  const auto plus = [](double step) { return [step](const Values& right) { return Values{right[0] + step}; }; };
  const char* sinusoidal = "sinusoidal:width=64";
  EXPECT_EQ(note(sinusoidal, "How long is the row", [](const Values&) { return Values{32.0}; }),
            "this is the square of the norm");
  EXPECT_EQ(note(sinusoidal, "How long is the row", [](const Values&) { return Values{8.0}; }),
            "each channel was counted as 1; each pair adds 1");
  const char* learned = "learned:rows=512,width=128,past_end=clamp,first=2";
  EXPECT_TRUE(has(note(learned, "In MB", times(1e6 / 1048576.0)), "MiB"));
  EXPECT_TRUE(has(note(learned, "In MB", times(2.0)), "8 bytes"));
  EXPECT_TRUE(has(note(learned, "Which row does position", plus(1.0)), "one too many"));
  EXPECT_EQ(note(learned, "Which row does position", plus(-2.0)), "the first row was not added");
  EXPECT_TRUE(has(note(learned, "never get a gradient", plus(-1.0)), "one too few"));
  const Question step = question_text::find(make_exercises(parse_spec(learned), 3), "gradient descent");
  const Values n = numbers_after(step.text, "of its 128 numbers are [");
  EXPECT_TRUE(has(note_of(step, {2 * n[0] - step.values[0], 2 * n[1] - step.values[1]}, 3), "the gradient was added"));
  const char* rotary = "rotary:head_dim=8";
  EXPECT_TRUE(has(note(rotary, "How many angles", times(2.0)), "two channels share an angle"));
  EXPECT_TRUE(has(note(rotary, "Compute R(",
                       [](const Values& m) {
                         return Values{m[0], m[2], m[1], m[3]};
                       }),
                  "transposed matrix"));
  const auto softmax = [&](const char* named, double sign) {
    const Values weights = {std::exp(0.5 * sign), 1.0, std::exp(-0.5 * sign)};
    const double total = weights[0] + weights[1] + weights[2];
    EXPECT_EQ(note("clipped:heads=1,max_distance=1", "0.2, 0.2, 0.2",
                   [&](const Values&) {
                     return Values{weights[0] / total, weights[1] / total, weights[2] / total};
                   }),
              named);
  };
  softmax("the biases were not added", 0.0);
  softmax("values 1 and 3: the biases were subtracted; or the keys are in the opposite order", -1.0);
}

// Two mistakes with the same number are both named, unless one of them leads to the whole answer; a mistake that
// explains only some of the wrong numbers is not named.
TEST(Mistakes, AreNotGuessed) {
  const Question question = {.id = "q1",
                             .values = {0.5, 0.25},
                             .decimals = 4,
                             .mistakes = {{"first", {0.7, 0.25}}, {"second", {0.7, 0.9}}, {"first", {0.7, 0.1}}}};
  const auto note = [&](const std::string& text) { return grade({question}, {{"q1", text}}).marks.at(0).note; };
  EXPECT_EQ(note("0.7000, 0.2500"), "value 1: first");
  EXPECT_EQ(note("0.7000, 0.9000"), "second");
  EXPECT_EQ(note("0.7000, 0.3333"), "value 1: first; or second; value 2: not the right value");
  EXPECT_EQ(note("-0.5000, -0.2500"), "values 1 and 2: the sign is wrong");
  EXPECT_EQ(note("0.6, 0.6"), "values 1 and 2: not the right values");
  const Question three = {.id = "q1",
                          .values = {0.5, 0.25, 0.125},
                          .decimals = 4,
                          .mistakes = {{"far", {0.7, 0.9, 0.8}}, {"near", {0.7, 0.25, 0.8}}}};
  EXPECT_EQ(grade({three}, {{"q1", "0.7, 0.25, 0.125"}}).marks.at(0).note, "value 1: near");
  EXPECT_EQ(note("0.6000, 0.2500"), "value 1: not the right value");
  EXPECT_EQ(note("-0.5000, 0.2500"), "value 1: the sign is wrong");
  EXPECT_EQ(note("0.5004, 0.2500"), "value 1: close; probably a number was rounded too early");
  const Question few = {.id = "q1", .values = {0.84147}, .decimals = 5, .mistakes = {{"wrong", {0.79}}}};
  EXPECT_EQ(grade({few}, {{"q1", "0.84"}}).marks.at(0).note, "too few digits: give 4 decimals");
  EXPECT_EQ(grade({few}, {{"q1", "0.8"}}).marks.at(0).note, "not the right value");
  EXPECT_EQ(grade({few}, {{"q1", "0.79"}}).marks.at(0).note, "wrong");
}

// A value that is right so far but has too few decimals is no evidence of a mistake.
TEST(Mistakes, AreNotSeenInValuesWithTooFewDecimals) {
  const auto note = [](const Question& question, const std::string& text) {
    return grade({question}, {{question.id, text}}).marks.at(0).note;
  };
  const Question question = {.id = "q1",
                             .values = {0.75390, -0.65699, 0.07648, -0.06442},
                             .decimals = 5,
                             .mistakes = {{"sign", {0.75390, 0.65699, 0.07648, 0.06442}},
                                          {"last sign", {0.75390, -0.65699, 0.07648, 0.06442}},
                                          {"scale", {0.75412, 0.12, 0.13, 0.14}},
                                          {"other", {0.12, -0.65699, 0.07648, 0.06442}}}};
  EXPECT_EQ(note(question, "0.75390, -0.65699, 0.07648, 0.06442"), "value 4: last sign");
  EXPECT_EQ(note(question, "0.75, -0.6569, 0.07648, 0.06442"), "value 4: last sign; value 1 needs 4 decimals");
  EXPECT_EQ(note(question, "0.75, -0.66, 0.07648, 0.06442"), "value 4: last sign; values 1 and 2 need 4 decimals");
  EXPECT_EQ(note(question, "0.75, -0.66, 0.0765, 0.06442"), "value 4: last sign; values 1 to 3 need 5 decimals");
  EXPECT_EQ(note(question, "0.75, 0.65699, 0.07648, 0.06442"), "values 2 and 4: sign; value 1 needs 4 decimals");
  EXPECT_EQ(note(question, "0.75, 0.12, 0.13, 0.14"), "values 2 to 4: scale; value 1 needs 4 decimals");
  EXPECT_EQ(note(question, "0.75, -0.66, 0.1, 0.1"),
            "values 3 and 4: not the right values; values 1 and 2 need 4 decimals");
  EXPECT_EQ(note(question, "0.75, -0.66, 0.07648, 0.3"),
            "value 4: not the right value; values 1 and 2 need 4 decimals");
  EXPECT_EQ(note(question, "0.75, -0.66, 0.07, -0.06"), "too few digits: give 5 decimals");
  EXPECT_EQ(note(question, "0.8, -0.7, 0.1, -0.1"), "too few digits: give 5 decimals");
}

TEST(Mistakes, AreNotNamedForAnotherValueOfAnExercise) {
  int asked = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const Question& question : make_exercises(parse_spec("sinusoidal:width=8"), seed)) {
      if (question.values.size() != 4 || question.kind != AnswerKind::numeric) continue;
      if (question.decimals < 4 || std::fabs(question.values[0]) < 0.1) continue;
      const std::string two = answer_text({question.values[0]}, 2);
      if (std::fabs(std::stod(two) - question.values[0]) < 1e-4) continue;  // two decimals are enough
      const std::string text =
          two + ", " + answer_text({question.values[1], question.values[2]}, question.decimals) + ", 7.7777";
      const AnswerMark mark = grade({question}, {{question.id, text}}).marks.at(0);
      EXPECT_EQ(mark.note, "value 4: not the right value; value 1 needs 4 decimals") << question.text << text;
      ++asked;
    }
  }
  EXPECT_GT(asked, 0);
}

TEST(Mistakes, FourDecimalsAreEnoughUnlessTheNumberIsSmall) {
  const auto verdict = [](double value, const char* text) {
    const Question question = {.id = "q1", .values = {value}, .decimals = 5};
    return grade({question}, {{"q1", text}}).marks.at(0).verdict;
  };
  for (const char* right : {"0.8415", "0.8414", "0.84147", "0.841470985", "sin(1)"}) {
    EXPECT_EQ(verdict(0.8414709848, right), AnswerVerdict::right) << right;
  }
  for (const char* wrong : {"0.8416", "0.84150", "0.841", "0.84"}) {
    EXPECT_EQ(verdict(0.8414709848, wrong), AnswerVerdict::wrong) << wrong;
  }
  EXPECT_EQ(verdict(0.0078125, "0.0078"), AnswerVerdict::wrong);
  EXPECT_EQ(verdict(0.0078125, "0.00781"), AnswerVerdict::right);
  EXPECT_EQ(enough_decimals({.decimals = 5}, -0.5), 4);
  EXPECT_EQ(enough_decimals({.decimals = 5}, 0.01), 5);
  EXPECT_EQ(enough_decimals({.decimals = 2}, 3.0), 2);
  // Each number of a list counts.
  const Question list = {.id = "q1", .values = {0.0064624, 0.9614719}, .decimals = 5};
  const auto note = [&](const char* text) { return grade({list}, {{"q1", text}}).marks.at(0).note; };
  EXPECT_EQ(note("0.00646, 0.9615"), "");
  EXPECT_EQ(note("0.0065, 0.9615"), "too few digits: value 1 needs 5 decimals");
  EXPECT_EQ(note("0.0065, 0.96"), "too few digits: give 5 decimals");
}

// The note for a wrong answer to the question whose text has a part.
std::string note_for(const char* spec, const char* part, const std::string& answer) {
  for (const Question& question : make_exercises(parse_spec(spec), 0)) {
    if (has(question.text, part)) return grade({question}, {{question.id, answer}}).marks.at(0).note;
  }
  return "no such question";
}

// Seed 0. posenc exercises SPEC --answers prints the questions.
TEST(Mistakes, AreNamedInQuestionsAboutBiases) {
  const auto expect = [](const char* spec, const char* part, const char* answer, const char* note) {
    EXPECT_TRUE(has(note_for(spec, part, answer), note))
        << part << " " << answer << ": " << note_for(spec, part, answer);
  };
  expect("alibi:heads=4", "slope of head 4", "0.01562", "counted from 0");
  expect("alibi:heads=4", "slope of head 4", "256", "exponent is negative");
  expect("alibi:heads=4", "position 46", "2.8125", "the sign is wrong");
  expect("alibi:heads=4", "position 46", "-2.875", "distance is one too large");
  expect("alibi:heads=4", "position 46", "-2.75", "distance is one too small");
  expect("alibi:heads=4", "position 46", "-45", "this is the distance");
  expect("alibi:heads=4", "far key divided", "0.6065", "distance is one too large");
  expect("alibi:heads=4", "far key divided", "0.375", "takes its exponential");
  expect("alibi:heads=4", "6 heads", "0.00391", "formula for powers of two");
  expect("alibi:heads=4", "6 heads", "0.0625", "begins with the first");
  expect("alibi:heads=4", "Which weights", "0.299, 0.264, 0.233, 0.205", "opposite order");
  expect("t5:heads=4", "learned numbers", "32", "for one head");
  expect("t5:heads=4", "at position 51", "20", "after the query");
  expect("t5:heads=4", "at position 51", "5", "distance is one too large");
  expect("t5:heads=4", "91 before", "16", "rounded down");
  expect("t5:heads=4", "91 before", "7", "were not added");
  expect("clipped:heads=4,max_distance=4", "learned numbers", "32", "offset 0 has a row too");
  expect("clipped:heads=4,max_distance=4", "at position 2 ", "1", "other sign");
  expect("clipped:heads=4,max_distance=4", "at position 44", "-20", "was not clipped");
  expect("kerple:heads=4", "query at 8", "-0.44716", "natural logarithm");
  expect("kerple:heads=4", "query at 8", "-1.1314", "one too large");
  expect("pope:head_dim=8", "at distance 2", "0.96", "degrees");
  expect("rotary:head_dim=8", "dot product after", "-9.79", "the sign is wrong");
  expect("sinusoidal:width=8", "slowest pair", "62831.9", "2 pi base");
}

}  // namespace
}  // namespace posenc::mistakes_test
