// Verdicts on encodings other than plain rotations, and on those that depend on the sequence length or the layer.
#include <gtest/gtest.h>

#include <cmath>

#include "posenc/bias.h"
#include "posenc/models/compare.h"
#include "posenc/query_temperature.h"
#include "posenc/reference.h"
#include "posenc/score_term.h"
#include "support/numbers.h"
#include "support/turned_head.h"

namespace posenc::compare_kinds_test {
namespace {

Comparison compare_texts(const std::string& a, const std::string& b, const CompareOptions& options = {}) {
  return compare(parse_spec(a), parse_spec(b), options);
}

std::vector<double> row_of(const std::string& text, double position) {
  const auto spec = std::get<Sinusoidal>(parse_spec(text));
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, row.data());
  return row;
}

TEST(CompareInput, OrdersArePermutations) {
  const std::string a = "sinusoidal:width=8";
  for (const char* order : {"cos_interleaved", "halves", "cos_halves"}) {
    const std::string b = a + ",order=" + order;
    const Comparison result = compare_texts(a, b);
    EXPECT_EQ(result.verdict, Agreement::equal_up_to_permutation) << b;
    for (const double p : {0.0, 1.0, 77.0})
      expect_near(row_of(b, p), permuted(row_of(a, p), result.permutation), 1e-12);
  }
  EXPECT_EQ(compare_texts(a, "sinusoidal:width=8,inv_freq=1/0.1/0.01/0.001").verdict, Agreement::equal);
}

TEST(CompareInput, RowsThatDiffer) {
  const Comparison shifted = compare_texts("sinusoidal:width=8", "sinusoidal:width=8,first=1");
  EXPECT_EQ(shifted.verdict, Agreement::different);
  EXPECT_EQ(shifted.first_position, 0);
  const Comparison spacing = compare_texts("sinusoidal:width=8", "sinusoidal:width=8,spacing=half");
  EXPECT_EQ(spacing.first_position, 1);
  EXPECT_EQ(spacing.differs->place, "channel");
  EXPECT_EQ(spacing.differs->index, 2);
  const Comparison zero = compare_texts("sinusoidal:width=8", "sinusoidal:width=8,first=2,zero_position=7");
  EXPECT_EQ(zero.first_position, 0);
  const Comparison pad = compare_texts("sinusoidal:width=8,first=2", "sinusoidal:width=8,first=2,zero_position=7");
  EXPECT_EQ(pad.first_position, 5);
  EXPECT_EQ(compare_texts("sinusoidal:width=8", "sinusoidal:width=8,multiplier=2").differs->what, "multiplier");
  EXPECT_EQ(compare_texts("sinusoidal:width=8", "sinusoidal:width=10").differs->what, "width");
  const Comparison odd = compare_texts("sinusoidal:width=7", "sinusoidal:width=7,odd=zero");
  EXPECT_EQ(odd.first_position, 1);  // a sine is zero at position 0
  EXPECT_EQ(odd.differs->index, 6);
}

TEST(CompareInput, LearnedTables) {
  const Comparison result = compare_texts("learned:past_end=clamp", "learned:past_end=clamp,rows=16");
  EXPECT_EQ(result.verdict, Agreement::equal);
  EXPECT_EQ(result.condition, "if the learned tables are the same");
  EXPECT_EQ(compare_texts("learned:past_end=clamp,rows=10", "learned:past_end=error,rows=10").first_position, 10);
  EXPECT_EQ(compare_texts("learned:past_end=clamp,rows=10", "learned:past_end=clamp,rows=12").first_position, 10);
  EXPECT_EQ(compare_texts("learned:past_end=clamp", "learned:past_end=clamp,first=2").first_position, 0);
  EXPECT_EQ(compare_texts("hybrid:fixed.width=8,learned.past_end=clamp",
                          "hybrid:fixed.width=8,fixed.base=100,learned.past_end=clamp")
                .first_position,
            1);
  EXPECT_EQ(
      compare_texts("concat:0.axis=0,0.width=4,1.axis=1,1.width=4", "concat:0.axis=1,0.width=4,1.axis=0,1.width=4")
          .verdict,
      Agreement::equal_up_to_permutation);
}

// Attention weights of one query over the keys up to it, with equal scores.
std::vector<double> causal_weights(const Spec& spec, std::int64_t head, std::int64_t query) {
  std::vector<double> weights;
  double sum = 0.0;
  for (std::int64_t key = 0; key <= query; ++key) {
    weights.push_back(
        std::exp(reference::bias(spec, {}, head, static_cast<double>(query), static_cast<double>(key)) -
                 reference::bias(spec, {}, head, static_cast<double>(query), static_cast<double>(query))));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

TEST(CompareBias, FormsOfAlibiUnderACausalMask) {
  const Spec a = parse_spec("alibi:heads=4");
  for (const char* form : {"causal", "key_position"}) {
    const Spec b = parse_spec("alibi:heads=4,form=" + std::string(form));
    const Comparison result = compare(a, b);
    EXPECT_EQ(result.verdict, Agreement::equal_in_scores) << form;
    EXPECT_EQ(result.condition, "under a causal mask");
    EXPECT_EQ(result.sentence.find("a causal mask hides those ahead") != std::string::npos,
              form == std::string("causal"));
    for (const std::int64_t head : {0, 3}) expect_near(causal_weights(a, head, 40), causal_weights(b, head, 40), 1e-12);
  }
}

TEST(CompareBias, Slopes) {
  const Comparison result = compare_texts("alibi:heads=6", "alibi:heads=6,rule=geometric");
  EXPECT_EQ(result.verdict, Agreement::different);
  EXPECT_EQ(result.first_position, 1);
  EXPECT_EQ(result.differs->what, "slope");
  EXPECT_EQ(result.differs->index, 0);
  EXPECT_EQ(result.differs->a.number(), alibi_slopes(Alibi{.heads = 6})[0]);
  EXPECT_EQ(compare_texts("alibi:heads=8", "alibi:heads=8,rule=geometric").verdict, Agreement::equal);
  EXPECT_EQ(compare_texts("alibi:heads=6", "alibi:heads=8").differs->what, "heads");
  // Rounded to bfloat16, slopes that are powers of two are exact, products are not.
  const Comparison rounded =
      compare_texts("alibi:heads=8,form=key_position", "alibi:heads=8,form=key_position,precision=bfloat16");
  EXPECT_EQ(rounded.verdict, Agreement::different);
  EXPECT_EQ(rounded.differs->what, "bias");
}

TEST(CompareBias, FirstBucketThatDiffers) {
  const T5 a{.heads = 2, .buckets = 32, .max_distance = 128}, b{.heads = 2, .buckets = 32, .max_distance = 256};
  const Comparison result = compare(a, b);
  std::int64_t distance = 0;
  while (t5_bucket(a, -distance) == t5_bucket(b, -distance)) ++distance;
  EXPECT_EQ(result.verdict, Agreement::different);
  EXPECT_EQ(result.first_position, distance);
  EXPECT_EQ(result.differs->index, -distance);
  EXPECT_EQ(result.differs->a.integer(), t5_bucket(a, -distance));
  EXPECT_EQ(result.differs->b.integer(), t5_bucket(b, -distance));
  const Comparison causal = compare_texts("t5:heads=2,buckets=32,direction=causal", "t5:heads=2,buckets=64");
  EXPECT_EQ(causal.verdict, Agreement::equal_in_scores);
  EXPECT_NE(causal.condition.find("under a causal mask"), std::string::npos);
  EXPECT_EQ(compare_texts("t5:heads=2", "t5:heads=2,added=before_scale").differs->what, "added");
}

TEST(CompareBias, RowsInTheOtherDirection) {
  const Comparison result =
      compare_texts("clipped:heads=2,max_distance=3", "clipped:heads=2,max_distance=3,offset=query_minus_key");
  EXPECT_EQ(result.verdict, Agreement::equal_up_to_permutation);
  EXPECT_EQ(result.permutation, (std::vector<std::int64_t>{6, 5, 4, 3, 2, 1, 0}));
  const Comparison shaw =
      compare_texts("shaw:head_dim=8,left=2,right=1", "shaw:head_dim=8,left=1,right=2,offset=query_minus_key");
  EXPECT_EQ(shaw.verdict, Agreement::equal_up_to_permutation);
  const Shaw a{.head_dim = 8, .left = 2, .right = 1};
  const Shaw b{.head_dim = 8, .left = 1, .right = 2, .offset = Offset::query_minus_key};
  for (const std::int64_t key : {-5, -2, -1, 0, 1, 4}) {
    EXPECT_EQ(shaw.permutation[static_cast<std::size_t>(shaw_row(a, 0, key))], shaw_row(b, 0, key));
  }
  EXPECT_EQ(compare_texts("shaw:head_dim=8,left=2,right=2", "shaw:head_dim=8,left=2,right=2,past=error").first_position,
            3);
}

TEST(CompareBias, NoRowIsNotARow) {
  const std::string clip = "shaw:head_dim=8,left=2,right=2", zero = clip + ",past=zero";
  for (const auto& [a, b] : {std::pair(clip, zero), std::pair(zero, clip)}) {
    EXPECT_EQ(compare_texts(a, b).verdict, Agreement::different);
    EXPECT_EQ(compare_texts(a, b).first_position, 3);
  }
}

TEST(CompareBias, OtherKinds) {
  EXPECT_EQ(compare_texts("sandwich:heads=2,width=8", "sandwich:heads=2,width=8,first=0").first_position, 1);
  EXPECT_EQ(compare_texts("sandwich:heads=2,width=8", "sandwich:heads=2,width=8,direction=causal").verdict,
            Agreement::equal_in_scores);
  EXPECT_EQ(compare_texts("kerple:heads=2", "kerple:heads=2,kernel=power").differs->what, "kernel");
  EXPECT_EQ(compare_texts("kerple:heads=2", "kerple:heads=2,direction=causal").verdict, Agreement::equal_in_scores);
  EXPECT_EQ(compare_texts("fire:heads=2", "fire:heads=2,length=100").differs->what, "length");
  EXPECT_EQ(compare_texts("window:left=7,right=0", "window:left=9,right=0").first_position, 8);
  EXPECT_EQ(compare_texts("window:left=7,right=0", "window:left=7").verdict, Agreement::equal_in_scores);
  EXPECT_EQ(compare_texts("window:left=5000", "window:left=6000").verdict, Agreement::equal);
  EXPECT_EQ(compare_texts("chunked:size=4", "chunked:size=8").first_position, 4);
  EXPECT_EQ(compare_texts("transformer_xl:heads=2,head_dim=4,width=8",
                          "transformer_xl:heads=2,head_dim=4,width=8,order=interleaved")
                .verdict,
            Agreement::equal_up_to_permutation);
  EXPECT_EQ(compare_texts("transformer_xl:heads=2,head_dim=4,width=8",
                          "transformer_xl:heads=2,head_dim=4,width=8,clamp_distance=9")
                .first_position,
            10);
}

TEST(CompareQuery, PopeXposAndTemperature) {
  EXPECT_EQ(compare_texts("pope:head_dim=8", "pope:head_dim=8,order=halves").verdict, Agreement::equal_in_scores);
  EXPECT_EQ(compare_texts("pope:head_dim=8", "pope:head_dim=8,magnitude=relu").first_position, 0);
  EXPECT_EQ(compare_texts("pope:head_dim=8", "pope:head_dim=8,base=100").differs->index, 1);
  EXPECT_EQ(compare_texts("xpos:head_dim=8", "xpos:head_dim=8,center=100").verdict, Agreement::equal_in_scores);
  EXPECT_EQ(compare_texts("xpos:head_dim=8", "xpos:head_dim=8,layout=half").verdict,
            Agreement::equal_up_to_permutation);
  EXPECT_EQ(compare_texts("xpos:head_dim=8", "xpos:head_dim=8,gamma=0.5").verdict, Agreement::different);
  // A pair without rotation may still grow.
  EXPECT_EQ(compare_texts("xpos:head_dim=4,inv_freq=0/0", "xpos:head_dim=4,inv_freq=0/0,gamma=0.5").verdict,
            Agreement::different);
  const QueryTemperature a{.scale = 0.1, .length = 100}, b{.scale = 0.2, .length = 100};
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.first_position, 99);
  EXPECT_EQ(result.differs->a.number(), query_factor(a, 99));
  EXPECT_EQ(compare(a, b, {.positions = 99}).verdict, Agreement::equal);
}

TEST(CompareLengths, EqualUpToTheTrainedLength) {
  const Comparison result =
      compare_texts("rotary:head_dim=64", "rotary:head_dim=64,scaling=dynamic,factor=2,original_positions=2048");
  EXPECT_EQ(result.verdict, Agreement::different);
  ASSERT_EQ(result.lengths.size(), 2U);
  EXPECT_EQ(result.lengths[0].verdict, Agreement::equal);
  EXPECT_EQ(result.lengths[0].last, 2048);
  EXPECT_EQ(result.lengths[1].first, 2049);
  EXPECT_EQ(result.lengths[1].last, 0);
  const std::string dynamic = "rotary:head_dim=64,scaling=dynamic,factor=2,original_positions=2048";
  EXPECT_EQ(compare_texts("rotary:head_dim=64", dynamic, {.sequence_length = 2048}).verdict, Agreement::equal);
  EXPECT_EQ(compare_texts("rotary:head_dim=64", dynamic, {.sequence_length = 2049}).verdict, Agreement::different);
  const std::string longer = "rotary:head_dim=64,scaling=dynamic,factor=2,original_positions=4096";
  const Comparison both = compare_texts(dynamic, longer);
  ASSERT_EQ(both.lengths.size(), 2U);
  EXPECT_EQ(both.lengths[1].first, 2049);
}

TEST(CompareLengths, ListsByLength) {
  const std::string fields =
      "rotary:head_dim=4,scaling=longrope,short_factor=1/2,long_factor=4/8,original_positions=64,factor=4";
  const Comparison result = compare_texts(fields, fields + ",list=long_factor");
  ASSERT_EQ(result.lengths.size(), 2U);
  EXPECT_EQ(result.lengths[0].verdict, Agreement::different);
  EXPECT_EQ(result.lengths[0].last, 64);
  EXPECT_EQ(result.lengths[1].verdict, Agreement::equal);
}

TEST(CompareLayers, EveryLayerOrOne) {
  const std::string gemma = "rotary:head_dim=64,base=1e6,local_base=10000";
  const Comparison result = compare_texts(gemma, "rotary:head_dim=64,base=1e6");
  EXPECT_EQ(result.verdict, Agreement::different);
  EXPECT_NE(result.sentence.find("layer 0 and those like it"), std::string::npos) << result.sentence;
  EXPECT_EQ(compare_texts(gemma, "rotary:head_dim=64,base=1e6", {.layer = 5}).verdict, Agreement::equal);
  EXPECT_EQ(compare_texts(gemma, "rotary:head_dim=64", {.layer = 4}).verdict, Agreement::equal);
  EXPECT_EQ(compare_texts(gemma, gemma + ",layout=interleaved").verdict, Agreement::equal_up_to_permutation);
  EXPECT_EQ(compare_texts(gemma, gemma + ",global_every=5").verdict, Agreement::different);
}

}  // namespace
}  // namespace posenc::compare_kinds_test
