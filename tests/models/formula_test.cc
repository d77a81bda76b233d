// The formulas of the table of model types: operators, their precedence, and null.
#include "models/formula.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "support/expect_error.h"

namespace posenc::models::formula_test {
namespace {

// The names that formulas may use here.
const Json& names() {
  static const Json values = parse_json(R"({
    "seven": 7, "two": 2, "half": 0.5, "zero": 0, "yes": true, "no": false, "word": "full_attention", "empty": "",
    "none": null, "list": [10, 20, 30], "words": ["a", "b", "a"], "no_list": [],
    "object": {"5": 50, "07": 70, "name": "x", "inner": {"deep": 3}},
    "rows": [{"theta": 1.5}, {"theta": 2.5}], "rope.factor": 4, "i": 3, "L": 8})",
                                        "names");
  return values;
}

std::string value_of(const std::string& text) {
  std::string result = to_text(Formula(text).evaluate([](const std::string& name) { return names().find(name); }));
  while (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

using Pairs = std::initializer_list<std::pair<std::string, std::string>>;

void expect_values(const Pairs& pairs) {
  for (const auto& [text, value] : pairs) EXPECT_EQ(value_of(text), value) << text;
}

TEST(Formula, ReadsNumbersWordsAndNames) {
  expect_values({{"7", "7"},
                 {"0.5", "0.5"},
                 {"2.0", "2"},
                 {"1e6", "1000000"},
                 {"'full_attention'", "\"full_attention\""},
                 {"''", "\"\""},
                 {"null", "null"},
                 {"seven", "7"},
                 {"word", "\"full_attention\""},
                 {"yes", "true"},
                 {"none", "null"},
                 {"no_such_key", "null"},
                 {"rope.factor", "4"},
                 {"  ( seven )  ", "7"}});
  EXPECT_EQ(Formula("seven").text(), "seven");
}

TEST(Formula, Computes) {
  expect_values({{"seven + two", "9"},
                 {"seven - two", "5"},
                 {"seven * two", "14"},
                 {"seven / two", "3.5"},
                 {"8 / two", "4"},
                 {"seven // two", "3"},
                 {"-seven // two", "-4"},  // rounded down
                 {"seven % two", "1"},
                 {"-seven % 4", "1"},
                 {"two ^ 10", "1024"},
                 {"4 ^ -half", "0.5"},
                 {"64^-0.5", "0.125"},
                 {"-seven", "-7"},
                 {"--seven", "7"},
                 {"1.5 + half", "2"},
                 {"yes + 1", "2"},
                 {"seven / zero", "null"},
                 {"seven // 0", "null"},
                 {"seven % 0", "null"}});
}

TEST(Formula, Compares) {
  expect_values({{"seven < 8", "true"},
                 {"seven < 7", "false"},
                 {"seven <= 7", "true"},
                 {"seven > 7", "false"},
                 {"seven >= 7", "true"},
                 {"seven == 7.0", "true"},
                 {"seven != 7", "false"},
                 {"yes == 1", "true"},
                 {"word == 'full_attention'", "true"},
                 {"word == 'sliding_attention'", "false"},
                 {"word != 'sliding_attention'", "true"},
                 {"word == 7", "false"},
                 {"7 == word", "false"},
                 {"none == null", "true"},
                 {"seven == null", "false"},
                 {"zero == null", "false"},
                 {"zero != null", "true"},
                 {"empty == null", "false"},
                 {"none != null", "false"}});
}

TEST(Formula, DecidesWithoutLookingAtTheRest) {
  // An unknown function fails when it is called, and only then.
  expect_values({{"yes && seven", "true"},
                 {"yes && zero", "false"},
                 {"no && nothing(1)", "false"},
                 {"no || two", "true"},
                 {"no || empty", "false"},
                 {"yes || nothing(1)", "true"},
                 {"!seven", "false"},
                 {"!none", "true"},
                 {"!empty", "true"},
                 {"!no_list", "true"},
                 {"!list", "false"},
                 {"yes ? 1 : nothing(1)", "1"},
                 {"no ? nothing(1) : 2", "2"},
                 {"seven ?? nothing(1)", "7"},
                 {"zero ?? 5", "0"},
                 {"none ?? 5", "5"},
                 {"none ?? none ?? 6", "6"},
                 {"no ? 1 : no ? 2 : 3", "3"},
                 {"yes ? no ? 1 : 2 : 3", "2"}});
}

TEST(Formula, BindsTighterWhatStandsLaterInItsList) {
  expect_values({{"1 + 2 * 3", "7"},
                 {"(1 + 2) * 3", "9"},
                 {"2 * 3 ^ 2", "18"},
                 {"2 ^ -1 * 4", "2"},
                 {"-2 ^ 2", "4"},  // the sign belongs to the number
                 {"10 - 3 - 2", "5"},
                 {"100 // 7 // 2", "7"},
                 {"7 // 2 / 2", "1.5"},
                 {"1 + 1 == 2", "true"},
                 {"1 < 2 && 2 < 3", "true"},
                 {"1 || 0 && 0", "true"},
                 {"none ?? 1 || 0", "true"},
                 {"none ?? 3 + 4", "7"},
                 {"none ?? 0 ? 1 : 2", "2"},
                 {"!zero + 1", "2"},
                 {"head_dim ?? seven // two", "3"},
                 {"(i + 1) % 4 == 0", "true"},
                 {"word == 'full_attention' && i == L - 5", "true"}});
}

TEST(Formula, KeepsNull) {
  expect_values({{"none + 1", "null"},
                 {"1 - none", "null"},
                 {"none * 0", "null"},
                 {"none ^ 2", "null"},
                 {"none < 1", "null"},
                 {"1 >= none", "null"},
                 {"-none", "null"},
                 {"word + 1", "null"},
                 {"-word", "null"},
                 {"none // 2 ?? 8", "8"},
                 {"sqrt(none)", "null"},
                 {"max(none, 1)", "null"},
                 {"min(1, none)", "null"},
                 {"none ? 1 : 2", "2"},
                 {"none && 1", "false"},
                 {"none || 1", "true"}});
}

TEST(Formula, LooksIntoListsAndObjects) {
  expect_values({{"list[0]", "10"},
                 {"list[two]", "30"},
                 {"list[3]", "null"},
                 {"list[-1]", "null"},
                 {"list[none]", "null"},
                 {"list['a']", "null"},
                 {"seven[0]", "null"},
                 {"none[0]", "null"},
                 {"object[5]", "50"},
                 {"object[7]", "70"},
                 {"object[6]", "null"},
                 {"object['name']", "\"x\""},
                 {"object['none']", "null"},
                 {"object['inner']['deep']", "3"},
                 {"rows[1].theta", "2.5"},
                 {"rows[1].nothing", "null"},
                 {"rows[9].theta", "null"},
                 {"rows[0].theta + rows[1].theta", "4"},
                 {"[1, 2, 3][1]", "2"}});
  EXPECT_EQ(Formula("[1, 'a', none]").evaluate([](const std::string&) { return nullptr; }).array().size(), 3u);
}

TEST(Formula, Calls) {
  expect_values({{"sqrt(16)", "4"},
                 {"ln(1)", "0"},
                 {"int(2.9)", "2"},
                 {"int(-2.9)", "-2"},
                 {"min(7, 2)", "2"},
                 {"max(7, 2)", "7"},
                 {"max(seven // 2, 32)", "32"},
                 {"len(list)", "3"},
                 {"len(no_list)", "0"},
                 {"len(seven)", "null"},
                 {"index(list, 20)", "1"},
                 {"index(words, 'a')", "0"},
                 {"index(list, 5)", "null"},
                 {"index(seven, 5)", "null"},
                 {"has(list, 30)", "true"},
                 {"has(list, 31)", "false"},
                 {"has(none, 1)", "false"},
                 {"len(repeat(words, 7))", "7"},
                 {"repeat(words, 7)[4]", "\"b\""},
                 {"repeat(words, none)", "null"},
                 {"repeat(no_list, 3)", "null"},
                 {"repeat(list, 10000)", "null"},
                 {"int(10 * half + 0.9)", "5"}});
}

TEST(Formula, NamesWhatItAsksFor) {
  EXPECT_EQ(Formula("head_dim ?? hidden_size // num_attention_heads").names(),
            (std::vector<std::string>{"head_dim", "hidden_size", "num_attention_heads"}));
  EXPECT_EQ(Formula("max(a, list[i]) + rope.factor + 'word' + null").names(),
            (std::vector<std::string>{"a", "list", "i", "rope.factor"}));
  EXPECT_TRUE(Formula("1").names().empty());
  EXPECT_TRUE(Formula().names().empty());
  EXPECT_TRUE(Formula().evaluate([](const std::string&) { return nullptr; }).is_null());
}

TEST(Formula, RefusesWhatIsNone) {
  const std::initializer_list<std::pair<std::string, std::string>> broken = {
      {"", "byte 0"},         {"1 +", "byte 3"},   {"(1", "byte 2"},     {"1)", "byte 1"},    {"'word", "byte 1"},
      {"a b", "byte 2"},      {"[1, 2", "byte 5"}, {"list[1", "byte 6"}, {"c ? 1", "byte 5"}, {"min(1", "byte 5"},
      {"a = b", "byte 2"},    {"a & b", "byte 2"}, {"# 1", "byte 0"},    {"[]", "byte 1"},    {"len()", "byte 4"},
      {"rows[0].", "byte 8"}, {"1 ?? ", "byte 5"}, {"* 2", "byte 0"}};
  for (const auto& [text, place] : broken) {
    SCOPED_TRACE(text);
    expect_error(ErrorKind::unsupported, "[formula] not understood at " + place,
                 [&, formula = text] { Formula{formula}; });
  }
  expect_error(ErrorKind::unsupported, "unknown function nothing", [] { value_of("nothing(1)"); });
  expect_error(ErrorKind::unsupported, "unknown function min", [] { value_of("min(1)"); });
}

TEST(Formula, TakesWhatIsNotEmptyForTrue) {
  for (const char* text : {"1", "-1", "0.5", "\"a\"", "[0]", "{\"a\": 0}", "true"}) {
    EXPECT_TRUE(is_true(parse_json(text, "value"))) << text;
  }
  for (const char* text : {"0", "0.0", "\"\"", "[]", "{}", "false", "null"}) {
    EXPECT_FALSE(is_true(parse_json(text, "value"))) << text;
  }
}

}  // namespace
}  // namespace posenc::models::formula_test
