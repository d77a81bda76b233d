#include "core/text/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posenc::text::nearest_test {
namespace {

TEST(Nearest, FindsMisspeltWords) {
  const std::vector<std::string_view> known = {"sinusoidal", "rotary", "alibi", "learned"};
  EXPECT_EQ(nearest("sinusiodal", known), "sinusoidal");  // two letters exchanged
  EXPECT_EQ(nearest("sinusoid", known), "sinusoidal");    // letters missing
  EXPECT_EQ(nearest("rotaryy", known), "rotary");         // one too many
  EXPECT_EQ(nearest("alibl", known), "alibi");            // another letter
  EXPECT_EQ(nearest("learned", known), "learned");        // spelt right
}

TEST(Nearest, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat");
  EXPECT_EQ(nearest("bat", {"hat", "cat"}), "hat");
}

TEST(Nearest, TakesTheNearerOfTwo) {
  EXPECT_EQ(nearest("max_timescal", {"min_timescale", "max_timescale"}), "max_timescale");
}

TEST(Nearest, NeverChangesANumber) {
  EXPECT_EQ(nearest("gpt-2", {"gpt-1", "gpt-3"}), "");
  EXPECT_EQ(nearest("llama-3.2-8b", {"llama-3.1-8b"}), "");
  EXPECT_EQ(nearest("lama-3.1-8b", {"llama-3.1-8b"}), "llama-3.1-8b");
}

TEST(Nearest, TrustsTheFirstLetter) {
  EXPECT_EQ(nearest("rops", {"pops", "rope"}), "rope");
  EXPECT_EQ(nearest("roep", {"pope", "rope"}), "rope");
}

TEST(Nearest, CompletesABeginning) {
  EXPECT_EQ(nearest("heat", {"clocks", "heatmaps", "heatmap"}), "heatmap");
  EXPECT_EQ(nearest("he", {"heatmap"}), "");
}

TEST(Nearest, GivesNothingWhenNoneIsMeant) {
  EXPECT_EQ(nearest("frobnicate", {"list", "table", "plot"}), "");
  EXPECT_EQ(nearest("xy", {"ab"}), "");
  EXPECT_EQ(nearest("table", {}), "");
  EXPECT_EQ(nearest("", {"list"}), "");
}

TEST(Nearest, StandsLongWords) { EXPECT_EQ(nearest(std::string(5000, 'x'), {"list"}), ""); }

TEST(Hint, EndsAMessage) {
  EXPECT_EQ(hint("rotay", {"sinusoidal", "rotary"}), "; did you mean 'rotary'?");
  EXPECT_EQ(hint("frobnicate", {"list", "table"}), "");
}

TEST(Hint, TakesWhatHasNames) {
  struct Named {
    std::string name;
  };
  EXPECT_EQ(hint("wieght", std::vector<Named>{{"bias"}, {"weight"}}, &Named::name), "; did you mean 'weight'?");
}

TEST(Hint, ShowsNoControlCharacters) { EXPECT_EQ(hint("weigh", {"wei\x1bght"}), "; did you mean 'wei?ght'?"); }

}  // namespace
}  // namespace posenc::text::nearest_test
