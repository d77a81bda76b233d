// Worked examples of queries and keys: biases, score terms, and the words of a sentence.
#include <gtest/gtest.h>

#include <cmath>
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
  expect_error(ErrorKind::usage, "needs the parameter table",
               [&] { steps_of("clipped:heads=1,max_distance=16777216"); });
  const std::vector<Step> none = explain_pairs(
      NoPosition{},
      {.queries = positions.view().slice(1, 1), .keys = positions, .scores = {1, 2, 3, 4}, .causal = true});
  const double e = std::exp(1.0);
  expect_near(step_of(none, "weights").values, {1 / (1 + e), e / (1 + e), 0, 0}, 1e-15);
}

}  // namespace
}  // namespace posenc::explain_test
