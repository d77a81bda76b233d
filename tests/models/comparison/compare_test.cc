// Verdicts on two encodings, each proved by rotating random heads, by softmax, or by searching all positions.
#include "posenc/models/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "posenc/bias.h"
#include "posenc/reference.h"
#include "support/expect_error.h"
#include "support/numbers.h"
#include "support/turned_head.h"

namespace posenc::compare_test {
namespace {

Rotary rotary(const std::string& fields) { return std::get<Rotary>(parse_spec("rotary:" + fields)); }

Comparison compare_texts(const std::string& a, const std::string& b, const CompareOptions& options = {}) {
  return compare(parse_spec(a), parse_spec(b), options);
}

const std::vector<double>& probes() {
  static const std::vector<double> list = {0.0, 1.0, 17.0, 500.0, 4095.0};
  return list;
}

// Checks the claim of the verdict on rotated heads.
void expect_same_heads(const Rotary& a, const Rotary& b, const Comparison& result) {
  const std::vector<double> x = random_numbers(a.head_dim, 7);
  const auto& out = result.output_permutation.empty() ? result.permutation : result.output_permutation;
  for (const double position : probes()) {
    expect_near(turned_head(b, position, permuted(x, result.permutation)), permuted(turned_head(a, position, x), out),
                2e-6);
  }
}

void expect_same_scores(const Rotary& a, const Rotary& b, const Comparison& result) {
  const std::vector<double> q = random_numbers(a.head_dim, 1), k = random_numbers(a.head_dim, 2);
  for (const double query : probes()) {
    const ScoreAt at{query, 3.0};
    EXPECT_NEAR(score_of(b, at, permuted(q, result.permutation), permuted(k, result.permutation)),
                score_of(a, at, q, k), 1e-4 * static_cast<double>(a.head_dim));
  }
}

const std::vector<std::string>& every_kind() {
  static const std::vector<std::string> list = {
      "sinusoidal:width=7,first=2,zero_position=5",
      "learned:rows=8,past_end=clamp",
      "hybrid:fixed.width=8,learned.past_end=clamp",
      "concat:0.axis=0,0.width=4,1.axis=1,1.kind=learned,1.width=3,1.past_end=error",
      "fourier:axes=2,inv_freq=1/2/3/4",
      "rotary:head_dim=12,sections=1/2/3",
      "rotary:head_dim=8,scaling=dynamic,factor=2,original_positions=64",
      "rotary:head_dim=8,base=1e6,local_base=10000",
      "rotary:head_dim=16,sections=2/3/3,layout=full_width_half",
      "none",
      "clipped:heads=2,max_distance=4",
      "t5:heads=8",
      "alibi:heads=12",
      "kerple:heads=2",
      "fire:heads=2",
      "sandwich:heads=2,width=8",
      "matrix:heads=2",
      "shaw:head_dim=8,left=3,right=2",
      "transformer_xl:heads=2,head_dim=4,width=8",
      "window:left=5",
      "chunked:size=4",
      "pope:head_dim=8",
      "xpos:head_dim=8",
      "temperature:length=10",
  };
  return list;
}

TEST(Compare, EveryKindIsEqualToItself) {
  for (const std::string& text : every_kind()) {
    const Comparison result = compare_texts(text, text);
    EXPECT_EQ(result.verdict, Agreement::equal) << text << ": " << result.sentence;
    EXPECT_TRUE(result.permutation.empty() && result.output_permutation.empty()) << text;
    EXPECT_FALSE(result.first_position || result.differs) << text;
  }
}

TEST(Compare, KindsDifferFromEachOther) {
  EXPECT_EQ(compare_texts("rotary:head_dim=8", "none").first_position, 1);
  EXPECT_EQ(compare_texts("rotary:head_dim=8", "sinusoidal:width=8").first_position, 0);
  EXPECT_EQ(compare_texts("rotary:head_dim=8", "none").verdict, Agreement::different);
  // The same row, specified in two ways.
  EXPECT_EQ(compare_texts("sinusoidal:width=4", "concat:0.axis=0,0.width=4").verdict, Agreement::equal);
  EXPECT_EQ(compare_texts("sinusoidal:width=4,base=100", "fourier:inv_freq=1/0.1").verdict,
            Agreement::equal_up_to_permutation);
}

struct Case {
  const char* a;
  const char* b;
};

TEST(Compare, SameNumbersSaidInAnotherWay) {
  for (const Case& c : {Case{"head_dim=8", "head_dim=8,inv_freq=1/0.1/0.01/0.001"},
                        Case{"head_dim=8,layout=half_negative", "head_dim=8,scale=-1"},
                        Case{"head_dim=8,layout=interleaved,rotary_dim=4,exponent_dim=8",
                             "head_dim=8,layout=interleaved,scaling=p_rope,share=0.5"},
                        Case{"head_dim=8,rotary_dim=4,rope_offset=-4", "head_dim=8,rotary_dim=4,rope_offset=4"},
                        Case{"head_dim=8", "head_dim=8,scaling=linear,factor=1"}}) {
    const Rotary a = rotary(c.a), b = rotary(c.b);
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.verdict, Agreement::equal) << c.a << ": " << result.sentence;
    expect_same_heads(a, b, result);
  }
}

TEST(Compare, PermutationsOfChannels) {
  for (const Case& c :
       {Case{"head_dim=16", "head_dim=16,layout=interleaved"},
        Case{"head_dim=16", "head_dim=16,layout=interleaved_to_half"},
        Case{"head_dim=16", "head_dim=16,layout=half_negative"},
        Case{"head_dim=16,rotary_dim=6", "head_dim=16,rotary_dim=6,rope_offset=-6"},
        Case{"head_dim=16,rotary_dim=6", "head_dim=16,rotary_dim=6,rope_offset=3,layout=interleaved"},
        Case{"head_dim=6,inv_freq=1/0.5/0.1", "head_dim=6,inv_freq=0.1/1/0.5"},
        Case{"head_dim=6,inv_freq=1/0.5/0.1", "head_dim=6,inv_freq=0.1/-1/0.5"},
        Case{"head_dim=8,rotary_dim=4,exponent_dim=8", "head_dim=8,scaling=p_rope,share=0.5"},
        Case{"head_dim=12,axes=3,layout=half_per_axis", "head_dim=12,sections=2/2/2,axis_frequencies=restart"},
        Case{"head_dim=16,attention_factor=1.5", "head_dim=16,attention_factor=1.5,layout=interleaved"}}) {
    const Rotary a = rotary(c.a), b = rotary(c.b);
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.verdict, Agreement::equal_up_to_permutation) << c.b << ": " << result.sentence;
    expect_same_heads(a, b, result);
    expect_same_scores(a, b, result);
  }
}

TEST(Compare, ThePermutationOfAConversion) {
  const Comparison result = compare_texts("rotary:head_dim=6", "rotary:head_dim=6,layout=interleaved");
  EXPECT_EQ(result.permutation, (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
  EXPECT_TRUE(result.output_permutation.empty());
  const Comparison to_half = compare_texts("rotary:head_dim=6", "rotary:head_dim=6,layout=interleaved_to_half");
  EXPECT_EQ(to_half.permutation, (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(to_half.output_permutation, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Compare, EqualInScoresOnly) {
  for (const Case& c :
       {Case{"head_dim=16,layout=interleaved", "head_dim=16,layout=interleaved_to_half"},
        Case{"head_dim=16,attention_factor=1.5", "head_dim=16,attention_factor=2.25,attention_factor_in=query"},
        Case{"head_dim=16,attention_factor=1.5",
             "head_dim=16,attention_factor=2.25,attention_factor_in=softmax,layout=interleaved"},
        Case{"head_dim=16,rotary_dim=8,attention_factor=2,attention_factor_in=query",
             "head_dim=16,rotary_dim=8,attention_factor=2,attention_factor_in=softmax"}}) {
    const Rotary a = rotary(c.a), b = rotary(c.b);
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.verdict, Agreement::equal_in_scores) << c.b << ": " << result.sentence;
    expect_same_scores(a, b, result);
  }
}

TEST(Compare, WhereAFactorIsCounts) {
  // A factor in the query reaches channels without rotation, a factor in the table does not.
  const Comparison partial =
      compare_texts("rotary:head_dim=16,rotary_dim=8,attention_factor=1.5",
                    "rotary:head_dim=16,rotary_dim=8,attention_factor=2.25,attention_factor_in=query");
  EXPECT_EQ(partial.verdict, Agreement::different);
  EXPECT_EQ(partial.first_position, 0);
  const Comparison whole = compare_texts("rotary:head_dim=16,attention_factor=1.5", "rotary:head_dim=16");
  EXPECT_EQ(whole.verdict, Agreement::different);
  EXPECT_EQ(whole.first_position, 0);
  EXPECT_EQ(whole.differs->a.number(), 1.5);
  EXPECT_NEAR(whole.difference, 0.5, 1e-12);
  // Pairs with frequency 0 are multiplied too.
  EXPECT_EQ(compare_texts("rotary:head_dim=8,layout=interleaved,rotary_dim=4,exponent_dim=8,attention_factor=2",
                          "rotary:head_dim=8,layout=interleaved,scaling=p_rope,share=0.5,attention_factor=2")
                .verdict,
            Agreement::different);
}

// The first position, found by trying all.
std::int64_t first_by_search(const RotarySchedule& a, const RotarySchedule& b, double tolerance) {
  for (std::int64_t p = 0;; ++p) {
    for (std::size_t i = 0; i < a.inv_freq.size(); ++i) {
      const double one = static_cast<double>(p) * a.inv_freq[i], other = static_cast<double>(p) * b.inv_freq[i];
      if (std::hypot(std::cos(one) - std::cos(other), std::sin(one) - std::sin(other)) > tolerance) return p;
    }
  }
}

TEST(Compare, FromWhichPositionOn) {
  const Rotary a = rotary("head_dim=8,inv_freq=1/0.5/0.01/0.001"),
               b = rotary("head_dim=8,inv_freq=1/0.5/0.0100003/0.001");
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.verdict, Agreement::different);
  EXPECT_EQ(result.first_position, first_by_search(make_schedule(a), make_schedule(b), 1e-6));
  EXPECT_EQ(result.differs->what, "inv_freq");
  EXPECT_EQ(result.differs->place, "pair");
  EXPECT_EQ(result.differs->index, 2);
  EXPECT_EQ(result.differs->a.number(), 0.01);
  EXPECT_EQ(result.differs->b.number(), 0.0100003);
  EXPECT_NEAR(result.difference, 2.0 * std::sin(0.5 * 4095.0 * 0.0000003), 1e-9);
  EXPECT_NE(result.sentence.find("different from position 4 on: pair 2"), std::string::npos) << result.sentence;
  const Comparison coarse = compare(a, b, {.positions = 100000, .tolerance = 0.01});
  EXPECT_EQ(coarse.first_position, first_by_search(make_schedule(a), make_schedule(b), 0.01));
}

TEST(Compare, WhatCannotShowIsEqual) {
  const Rotary a = rotary("head_dim=4,inv_freq=1/0.01"), b = rotary("head_dim=4,inv_freq=1/0.01000000013");
  const Comparison near = compare(a, b, {.positions = 1000});
  EXPECT_EQ(near.verdict, Agreement::equal) << near.sentence;
  EXPECT_EQ(near.first_position, 7693);
  EXPECT_EQ(compare(a, b, {.positions = 7693}).verdict, Agreement::equal);
  EXPECT_EQ(compare(a, b, {.positions = 7694}).verdict, Agreement::different);
  // Four units in the last place count as rounding, however long the text.
  Rotary rounded = a;
  rounded.inv_freq[1] += 4.0 * (std::nextafter(0.01, 1.0) - 0.01);
  const Comparison last = compare(a, rounded, {.positions = kMaxPosition, .tolerance = 1e-12});
  EXPECT_EQ(last.verdict, Agreement::equal);
  EXPECT_FALSE(last.first_position);
}

TEST(Compare, WindowsAndWidths) {
  const Comparison window = compare_texts("rotary:head_dim=16", "rotary:head_dim=16,rotary_dim=8,exponent_dim=16");
  EXPECT_EQ(window.verdict, Agreement::different);
  EXPECT_EQ(window.first_position, 1);
  EXPECT_EQ(window.differs->index, 4);
  EXPECT_EQ(window.differs->b.number(), 0.0);
  const Comparison width = compare_texts("rotary:head_dim=16", "rotary:head_dim=8");
  EXPECT_EQ(width.differs->what, "head_dim");
  EXPECT_EQ(width.first_position, 0);
}

TEST(Compare, AxesThatTextDoesNotSee) {
  const Comparison result = compare_texts("rotary:head_dim=12", "rotary:head_dim=12,sections=1/2/3");
  EXPECT_EQ(result.verdict, Agreement::different);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("as in text: equal"), std::string::npos) << result.notes[0];
  const Comparison axes = compare_texts("rotary:head_dim=12,sections=1/2/3", "rotary:head_dim=12,sections=1/3/2");
  EXPECT_EQ(axes.verdict, Agreement::different);
  EXPECT_EQ(axes.differs->index, 3);
}

// The first position at which float32 products differ, computed as the models do.
std::int64_t first_rounded(const std::vector<double>& inv_freq) {
  for (std::int64_t p = 1;; ++p) {
    for (const double f : inv_freq) {
      const float rounded = static_cast<float>(p) * static_cast<float>(f);
      if (std::fabs(static_cast<double>(rounded) - static_cast<double>(p) * f) > 1e-6) return p;
    }
  }
}

TEST(Compare, AnglesInFloat32) {
  const Comparison result = compare_texts("rotary:head_dim=64", "rotary:head_dim=64,precision=reference");
  EXPECT_EQ(result.verdict, Agreement::different);
  EXPECT_EQ(result.first_position, first_rounded(make_schedule(Rotary{.head_dim = 64}).inv_freq));
  // Frequencies that are float32 numbers already: only the product is rounded.
  const Rotary a = rotary("head_dim=4,inv_freq=1/0.7071067690849304"),
               b = rotary("head_dim=4,inv_freq=1/0.7071067690849304,precision=reference");
  const Comparison product = compare(a, b);
  EXPECT_EQ(product.first_position, first_rounded(a.inv_freq));
  EXPECT_EQ(product.differs->index, 1);
  EXPECT_GT(product.difference, 5e-5);  // half a unit in the last place of float32 at 2895 radians
  EXPECT_LT(product.difference, 2e-4);
  EXPECT_EQ(compare(b, a).first_position, product.first_position);
  EXPECT_EQ(compare(a, b, {.positions = 10}).verdict, Agreement::equal);
}

TEST(Compare, RefusesWhatIsOutOfRange) {
  expect_error(ErrorKind::usage, "tolerance must be above 0",
               [] { compare_texts("none", "none", {.tolerance = 0.0}); });
  expect_error(ErrorKind::usage, "positions must be from 1", [] { compare_texts("none", "none", {.positions = 0}); });
  expect_error(ErrorKind::bad_input, "head_dim", [] { compare(Rotary{}, Rotary{.head_dim = 8}); });
}

}  // namespace
}  // namespace posenc::compare_test
