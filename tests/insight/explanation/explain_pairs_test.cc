// Worked examples of queries and keys: biases, score terms, and the words of a sentence.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "insight/explanation/explained.h"
#include "posenc/position.h"
#include "support/expect_error.h"

namespace posenc::explain_test {
namespace {

TEST(ExplainPairs, ShowsTheWordsOfASentence) {
  const Positions at = parse_positions("0:4");
  ExplainPairs pairs{.queries = at, .keys = at};
  pairs.words = {"I", "saw", "her", "duck"};
  const std::vector<Step> steps = explain_pairs(parse_spec("clipped:heads=1,max_distance=2"), pairs);
  EXPECT_EQ(step_of(steps, "words").title, "The words: I saw her duck");
  EXPECT_EQ(lines_of(steps, "words"),
            "position  0  1    2    3\n"
            "word      I  saw  her  duck\n"
            "seen from \"duck\": \"I\" 3 before, \"saw\" 2 before, \"her\" 1 before\n"
            "Count steps, not words: \"her\" is 1 before \"duck\", not 2.\n"
            "Put a word in front of the sentence: every position grows by 1, and every distance stays the same. A\n"
            "relative encoding sees the distances only.\n");
  EXPECT_EQ(step_of(steps, "derivation").lines.at(2).rfind("her  at 2    offset 2 - 3 = -1", 0), 0u);
  // A bias that does not depend on distance only must not claim that it does.
  for (const char* spec : {"fire:heads=1", "matrix:heads=1", "chunked:size=2"}) {
    EXPECT_EQ(lines_of(explain_pairs(parse_spec(spec), pairs), "words").find("in front of"), std::string::npos) << spec;
  }
  const Positions first = parse_positions("1");
  pairs.queries = first;
  EXPECT_NE(lines_of(explain_pairs(parse_spec("shaw:head_dim=2,left=1,right=1"), pairs), "words")
                .find("seen from \"saw\": \"I\" 1 before, \"her\" 1 after, \"duck\" 2 after"),
            std::string::npos);
  pairs.words.pop_back();
  expect_error(ErrorKind::usage, "words must be one per key, 4, but there are 3",
               [&] { explain_pairs(parse_spec("none"), pairs); });
}

TEST(ExplainPairs, SaysWhatABiasOnItselfDoes) {
  const Positions at = parse_positions("0:3");
  const auto meaning = [&](std::vector<double> table) {
    ExplainPairs pairs{.queries = at, .keys = at};
    pairs.parameters = {{"table", make_view(table.data(), {5, 1})}};
    return lines_of(explain_pairs(parse_spec("clipped:heads=1,max_distance=2"), pairs), "meaning");
  };
  EXPECT_NE(meaning({-1, -1, 2, -1, -1}).find("tagging"), std::string::npos);
  EXPECT_EQ(meaning({-1, 0.5, 2, -1, -1}).find("tagging"), std::string::npos);
  EXPECT_NE(meaning({-1, 0.5, 2, -1, -1}).find("largest at distance 0"), std::string::npos);
  EXPECT_NE(meaning({3, 0.5, 2, -1, -1}).find("attends most to the key at 0"), std::string::npos);
  EXPECT_NE(meaning({1, 1, 1, 1, 1}).find("changes no softmax weight"), std::string::npos);
}

TEST(ExplainPairs, InventsWhatIsLearned) {
  const Positions positions = parse_positions("0:4");
  const auto steps_of = [&](const std::string& spec) {
    return explain_pairs(parse_spec(spec), {.queries = positions, .keys = positions});
  };
  for (const char* text : {"clipped:heads=2,max_distance=2", "t5:heads=2", "kerple:heads=2",
                           "kerple:heads=1,kernel=power", "fire:heads=2", "matrix:heads=1"}) {
    SCOPED_TRACE(text);
    const std::vector<Step> steps = steps_of(text);
    EXPECT_NE(lines_of(steps, "formula").find("made up"), std::string::npos);
    const std::vector<double> weights = step_of(steps, "weights").values;
    EXPECT_NEAR(weights.at(0) + weights.at(1) + weights.at(2) + weights.at(3), 1.0, 1e-12);
    EXPECT_NE(steps.back().name, "reproduce");
  }
  for (const char* text : {"clipped:heads=2,max_distance=2", "kerple:heads=2"}) {
    EXPECT_NE(lines_of(steps_of(text), "formula").find("were not trained"), std::string::npos) << text;
  }
  expect_error(ErrorKind::usage, "needs the parameter table",
               [&] { steps_of("clipped:heads=1,max_distance=16777216"); });
  const std::vector<Step> none = explain_pairs(
      NoPosition{},
      {.queries = positions.view().slice(1, 1), .keys = positions, .scores = {1, 2, 3, 4}, .causal = true});
  const double e = std::exp(1.0);
  expect_near(step_of(none, "weights").values, {1 / (1 + e), e / (1 + e), 0, 0}, 1e-15);
}

// "in_bias = [0.1, 0.2], ...": the numbers after a name, wherever lines are broken.
std::vector<double> numbers_after(const std::string& text, const std::string& name) {
  std::size_t at = text.find(name + " = ");
  EXPECT_NE(at, std::string::npos) << name << " is not in\n" << text;
  if (at == std::string::npos) return {};
  at += name.size() + 3;
  std::string list = text.substr(at, (text[at] == '[' ? text.find(']', at) : text.find_first_of(",\n", at)) - at);
  for (char& c : list) c = c == '[' || c == ',' ? ' ' : c;
  std::istringstream stream(list);
  std::vector<double> numbers;
  for (double number; stream >> number;) numbers.push_back(number);
  return numbers;
}

// From the printed numbers alone, every bias can be computed again.
TEST(ExplainPairs, PrintsTheNumbersThatItMadeUp) {
  const Positions at = parse_positions("0:4");
  const auto steps_of = [&](const char* spec) {
    return explain_pairs(parse_spec(spec), {.queries = at, .keys = at, .head = 1});
  };
  for (const bool log : {true, false}) {
    const std::vector<Step> steps = steps_of(log ? "kerple:heads=2" : "kerple:heads=2,kernel=power");
    const std::string rule = lines_of(steps, "formula");
    const double p = numbers_after(rule, "p_1").at(0), a = numbers_after(rule, "a_1").at(0);
    std::vector<double> expected;
    for (const double d : {3.0, 2.0, 1.0, 0.0}) expected.push_back(log ? -p * std::log1p(a * d) : -a * std::pow(d, p));
    expect_near(step_of(steps, "derivation").values, expected, 1e-12);
  }
  const std::vector<Step> steps = steps_of("fire:heads=2");
  const std::string rule = lines_of(steps, "formula");
  const auto of = [&](const char* name) { return numbers_after(rule, name); };
  const double c = of("c").at(0), length = std::fabs(512.0 * of("length_factor").at(0));
  const std::vector<double> in = of("in_weight"), bias = of("in_bias"), out = of("out_weight[1]");
  ASSERT_EQ(in.size(), 32u);
  ASSERT_EQ(bias.size(), 32u);
  ASSERT_EQ(out.size(), 32u);
  std::vector<double> expected;
  for (const double d : {3.0, 2.0, 1.0, 0.0}) {
    const double x = std::log1p(std::fabs(c * d)) / (std::log1p(std::fabs(c * std::fmax(3.0, length))) + 1e-6);
    expected.push_back(of("out_bias[1]").at(0));
    for (std::size_t k = 0; k < in.size(); ++k) expected.back() += out[k] * std::fmax(in[k] * x + bias[k], 0.0);
  }
  expect_near(step_of(steps, "derivation").values, expected, 1e-9);
}

TEST(ExplainPairs, PrintsTheVectorsOfItsProducts) {
  const Positions at = parse_positions("0:2");
  const std::vector<Step> xl =
      explain_pairs(parse_spec("transformer_xl:heads=2,head_dim=2,width=4"), {.queries = at, .keys = at, .head = 1});
  const std::string text = lines_of(xl, "numbers");
  const std::vector<double> q = numbers_after(text, "q"), k = numbers_after(text, "k"), r = numbers_after(text, "s(1)"),
                            u = numbers_after(text, "u"), v = numbers_after(text, "v");
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.at(0) * b.at(0) + a.at(1) * b.at(1);
  };
  const std::vector<double> terms = step_of(xl, "terms").values;
  expect_near({terms.begin(), terms.begin() + 4}, {dot(q, k), dot(q, r), dot(u, k), dot(v, r)}, 1e-4);
  const std::vector<Step> sum = explain_pairs(parse_spec("sinusoidal:width=2"), {.queries = at, .keys = at});
  const std::string vectors = lines_of(sum, "vectors");
  const std::string key = vectors.substr(vectors.find("key at 0"));
  const std::vector<double> parts = step_of(sum, "parts").values;
  expect_near({parts.begin(), parts.begin() + 4},
              {dot(numbers_after(vectors, "x"), numbers_after(key, "x")), dot(numbers_after(vectors, "x"), {0.0, 1.0}),
               dot({std::sin(1.0), std::cos(1.0)}, numbers_after(key, "x")), std::cos(1.0)},
              1e-12);
}

}  // namespace
}  // namespace posenc::explain_test
