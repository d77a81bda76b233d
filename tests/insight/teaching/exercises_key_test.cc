// Works out the answers of exercises again from the numbers in their texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "insight/teaching/question_text.h"
#include "posenc/bias.h"
#include "posenc/insight/exercises.h"
#include "posenc/rotate.h"
#include "posenc/table.h"

namespace posenc::exercises_key_test {
namespace {

using namespace question_text;  // NOLINT: numbers_of, has

double dot(const Values& a, const Values& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Values turned(double a, double b, double angle) {
  return {a * std::cos(angle) - b * std::sin(angle), a * std::sin(angle) + b * std::cos(angle)};
}

// The row of a position as the question writes it.
Values written_row(const std::string& text, double p, double width, double base) {
  return as_written(text, sinusoidal_row(p + first_of(text), width, base));
}

Values derivative_by_hand(const std::string& text, double p, double width, double base) {
  const Values row = sinusoidal_row(p + first_of(text), width, base);
  Values slopes;
  for (std::size_t c = 0; c < row.size(); c += 2) {
    const double w = std::pow(base, -static_cast<double>(c) / width);
    slopes.push_back(w * row[c + 1]);
    slopes.push_back(-w * row[c]);
  }
  return as_written(text, slopes);
}

Values sinusoidal_by_hand(const std::string& text) {
  const Values n = numbers_of(text);
  const double factor = has(text, "(multiplier=") ? numbers_after(text, "(multiplier=")[0] : 1.0;
  if (has(text, "are in the channels")) {
    const Values row = written_row(text, n[3], n[4], n[5]);
    return {row[static_cast<std::size_t>(n[1])], row[static_cast<std::size_t>(n[2])]};
  }
  if (has(text, "Compute PE(") || has(text, "in symbols")) {
    return chosen(written_row(text, n[0], n[1], n[2]), channels_of(text, static_cast<int>(n[1])));
  }
  if (has(text, "With first=")) return {std::sin(n[0] + n.at(n.size() - 1))};
  if (has(text, "A lecture counts")) return {std::sin(n[3] - 1)};
  if (has(text, "How long is the row")) {
    const Values row = sinusoidal_row(n[0], n[1], 10000);
    return {std::fabs(factor) * std::sqrt(dot(row, row))};
  }
  if (has(text, "slowest pair")) return {2 * std::numbers::pi * std::pow(n[1], (n[0] - 2) / n[0])};
  if (has(text, "dot product")) {
    std::vector<int> channels = channels_of(text, static_cast<int>(n[0]));
    if (has(text, "over the pairs i = 0 and i = 1 only")) channels = {0, 1, 2, 3};
    return {
        factor * factor *
        dot(chosen(sinusoidal_row(n[2], n[0], n[1]), channels), chosen(sinusoidal_row(n[3], n[0], n[1]), channels))};
  }
  if (has(text, "= M PE(p)")) return {std::cos(n[0]), std::sin(n[0]), -std::sin(n[0]), std::cos(n[0])};
  if (has(text, "derivative")) {
    return chosen(derivative_by_hand(text, n[2], n[0], n[1]), channels_of(text, static_cast<int>(n[0])));
  }
  return {};
}

Values rotary_by_hand(const std::string& text) {
  const Values n = numbers_of(text);
  const double sign = has(text, "negative angle") ? -1 : 1;
  if (has(text, "How many angles")) return {n[1] / 2};
  if (has(text, "is rotated together")) {
    const double window = has(text, "Of the") ? n[1] : n[0];
    return {n.back() + window / 2, n.back() + 1};
  }
  if (has(text, "pair after the rotation")) return turned(n[1], n[2], sign * n[3]);
  if (has(text, "dot product")) return {dot(turned(n[1], n[2], sign * n[3]), turned(n[4], n[5], sign * n[6]))};
  if (has(text, "for one full turn")) {
    const double window = has(text, "Of the") ? n[1] : n[0], base = numbers_after(text, "base ")[0];
    return {2 * std::numbers::pi * std::pow(base, 2 * numbers_after(text, "does pair ")[0] / window)};
  }
  if (has(text, "Compute R(")) {
    const double c = std::cos(n[2] - n[1]), s = std::sin(n[2] - n[1]);
    return {c, -s, s, c};
  }
  return {};
}

Values softmax_by_hand(const std::string& text) {
  const Values n = numbers_of(text), scores = numbers_after(text, "keys are "),
               biases = numbers_after(text, "biases are ");
  Values weights;
  double total = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(n[0]); ++k) {
    const double slope = has(text, "ALiBi") ? numbers_after(text, "the slope ")[0] : 0.0;
    const double bias = has(text, "ALiBi") ? -slope * (3.0 - static_cast<double>(k)) : biases[k];
    weights.push_back(std::exp(scores[k] + bias));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

// The authors' code: slopes of the power of two below, then every other one of twice that power.
double authors_slope(double heads, double h, double bias_max) {
  double power = 1;
  while (2 * power <= heads) power *= 2;
  return h <= power ? std::exp2(-bias_max * h / power) : std::exp2(-bias_max * (2 * (h - power) - 1) / (2 * power));
}

Values alibi_by_hand(const std::string& text) {
  const Values n = numbers_of(text);
  const double bias_max = has(text, "bias_max") ? n[1] : 8;
  if (has(text, "the slope of head")) return {authors_slope(n[0], numbers_after(text, "of head ")[0], bias_max)};
  if (has(text, "Which slope does head")) return {authors_slope(n[0], numbers_after(text, "does head ")[0], bias_max)};
  if (has(text, "key_position")) return {n[0] * n[2]};
  if (has(text, "Which bias do")) return {-n[0] * (n[1] - n[2])};
  if (has(text, "weight of the far key")) return {std::exp(-n[0] * n[1])};
  return {};
}

Values table_by_hand(const std::string& text) {
  const Values n = numbers_of(text);
  if (has(text, "does clipped:")) return {n[0] * (2 * n[1] + 1)};
  if (has(text, "does t5:")) return {n[0] * (has(text, "buckets=") ? n[1] : 32)};
  if (has(text, "Which row is read")) {
    const double offset = has(text, "key - query") ? n[5] - n[4] : n[4] - n[5];
    return {std::clamp(offset, n[0], n[1]) + n[1]};
  }
  if (has(text, "A relative bias is")) return {std::exp(n[0]) / (std::exp(n[0]) + (n[3] - 1) * std::exp(n[2]))};
  if (has(text, "Which bucket is read for a query")) return {n[1] - n[2]};
  if (has(text, "Which bucket is read for a key")) {
    const double exact = n[0] / 2, steps = std::log(n[2] / exact) / std::log(n[1] / exact) * (n[0] - exact);
    return {n[2] < exact ? n[2] : std::min(n[0] - 1, exact + std::floor(steps))};
  }
  return {};
}

Values by_hand(const std::string& spec, const std::string& text) {
  if (has(text, "Which weights does the softmax give")) return softmax_by_hand(text);
  if (spec.starts_with("sinusoidal")) return sinusoidal_by_hand(text);
  if (spec.starts_with("rotary")) return rotary_by_hand(text);
  return spec.starts_with("alibi") ? alibi_by_hand(text) : table_by_hand(text);
}

std::vector<Question> sheet(const std::string& spec, std::uint64_t seed) {
  return make_exercises(parse_spec(spec), seed);
}

TEST(ExerciseKeys, AreWhatPlainArithmeticGives) {
  for (const char* spec : {"sinusoidal:width=64",
                           "sinusoidal:width=6,first=1,order=halves",
                           "rotary:head_dim=128",
                           "rotary:head_dim=2",
                           "rotary:head_dim=8,rotary_dim=4",
                           "rotary:head_dim=64,rotary_dim=6,base=500000",
                           "rotary:head_dim=16,partial_rotary_factor=0.25",
                           "sinusoidal:width=2",
                           "sinusoidal:width=8,base=100",
                           "sinusoidal:width=512",
                           "sinusoidal:width=8,order=cos_halves,multiplier=-2",
                           "sinusoidal:width=64,order=halves,first=2",
                           "sinusoidal:width=4,order=cos_interleaved,multiplier=0.5",
                           "sinusoidal:width=10",
                           "rotary:head_dim=64,rotary_dim=16,rope_offset=8,layout=half_negative",
                           "alibi:heads=8",
                           "alibi:heads=12",
                           "alibi:heads=6,form=key_position,bias_max=4",
                           "t5:heads=8",
                           "t5:heads=2,direction=causal,buckets=64",
                           "t5:heads=1,buckets=4",
                           "clipped:heads=4,max_distance=8",
                           "clipped:heads=1,max_distance=3,offset=query_minus_key"}) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      for (const Question& question : sheet(spec, seed)) {
        if (question.kind != AnswerKind::numeric && question.kind != AnswerKind::symbolic) continue;
        SCOPED_TRACE(std::string(spec) + ", seed " + std::to_string(seed) + ": " + question.text);
        const Values values = by_hand(spec, question.text);
        ASSERT_EQ(values.size(), question.values.size());
        EXPECT_EQ(grade({question}, {{question.id, answer_text(values, -1)}}).marks.at(0).verdict,
                  AnswerVerdict::right);
        const double tolerance = has(question.text, "biases are") ? 1e-5 : 1e-9;
        for (std::size_t i = 0; i < values.size(); ++i) {
          EXPECT_NEAR(question.values[i], values[i], tolerance * std::max(1.0, std::fabs(values[i])));
        }
      }
    }
  }
}

double bias_at(const Spec& spec, std::int64_t head, double query, double key) {
  const Bias bias(spec);
  Values out(static_cast<std::size_t>(bias.heads()));
  fill_bias(bias, PositionView::of(&query, 1), PositionView::of(&key, 1), make_view(out.data(), {bias.heads(), 1, 1}));
  return out[static_cast<std::size_t>(head)];
}

Values rotated(const Rotary& spec, Values x, double position) {
  const RotaryAngles angles(spec);
  rotate(make_view(x.data(), {1, 1, spec.head_dim}), PositionView::of(&position, 1), angles);
  return x;
}

TEST(ExerciseKeys, RespectTheFormOfABias) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const char* form : {"symmetric", "causal", "key_position"}) {
      const Spec spec = parse_spec("alibi:heads=8,form=" + std::string(form));
      const Question question = find(make_exercises(spec, seed), "Which bias do");
      const Values n = numbers_of(question.text);
      const auto head = static_cast<std::int64_t>(-std::log2(n[0])) - 1;
      EXPECT_NEAR(question.values.at(0), bias_at(spec, head, n[1], n[2]), 1e-12) << question.text;
    }
    for (const std::int64_t first : {0, 1}) {
      const Sandwich spec = {.heads = 4, .width = 4, .base = 10.0, .first = first};
      const Question question = find(make_exercises(spec, seed), "which bias does head 1");
      const double d = numbers_after(question.text, "at distance ")[0];
      EXPECT_NEAR(question.values.at(0), bias_at(spec, 0, d, 0.0), 1e-12) << question.text;
    }
  }
}

TEST(ExerciseKeys, RespectTheWindowAndTheDirectionOfRotation) {
  for (const char* text :
       {"rotary:head_dim=64,rotary_dim=16,rope_offset=8", "rotary:head_dim=32,rope_offset=-16,rotary_dim=16",
        "rotary:head_dim=64,partial_rotary_factor=0.25", "rotary:head_dim=8"}) {
    const Question question = find(sheet(text, 5), "is rotated together");
    const double channel = numbers_after(question.text, "together with channel ")[0];
    for (const Layout layout : {Layout::half, Layout::interleaved}) {
      Rotary spec = std::get<Rotary>(parse_spec(text));
      spec.layout = layout;
      Values x(static_cast<std::size_t>(spec.head_dim));
      x[static_cast<std::size_t>(channel)] = 1.0;
      Values out = rotated(spec, x, 3.0);
      out[static_cast<std::size_t>(channel)] = 0.0;
      const auto other = std::find_if(out.begin(), out.end(), [](double value) { return value != 0.0; });
      EXPECT_EQ(question.values.at(layout == Layout::half ? 0 : 1), static_cast<double>(other - out.begin())) << text;
    }
  }
  // All questions describe the same head.
  for (const Question& question : sheet("rotary:head_dim=64,rotary_dim=16", 5)) {
    EXPECT_FALSE(has(question.text, "All 64")) << question.text;
  }
  for (const Layout layout : {Layout::half, Layout::half_negative}) {
    const Question question =
        find(make_exercises(Rotary{.head_dim = 64, .layout = layout}, 3), "pair after the rotation");
    const Values n = numbers_of(question.text);
    const Values out = rotated({.head_dim = 2, .layout = layout}, {n[1], n[2]}, n[3]);
    EXPECT_NEAR(question.values.at(0), out[0], 1e-12);
    EXPECT_NEAR(question.values.at(1), out[1], 1e-12);
  }
}

TEST(ExerciseKeys, RespectOrdersAndTerms) {
  for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
    const TransformerXl spec = {.heads = 1, .head_dim = 4, .width = 8, .base = 100.0, .order = order};
    const Question question = find(make_exercises(spec, 2), "sinusoidal row of the distance");
    const double d = numbers_of(question.text)[0];
    EXPECT_EQ(numbers_of(question.text)[1], 8.0);  // its own width
    Values row(8);
    fill_table(make_schedule(Sinusoidal{.width = 8, .base = 100.0, .order = order}), PositionView::of(&d, 1),
               make_view(row.data(), {1, 8}));
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(question.values.at(i), row[i], 1e-12) << question.text;
  }
  const Question clamped =
      find(sheet("transformer_xl:heads=1,head_dim=4,width=8,clamp_distance=1", 2), "sinusoidal row of the distance");
  EXPECT_EQ(numbers_of(clamped.text)[0], 1.0);
  const Question score = find(sheet("shaw:head_dim=2,left=1,right=1,term=query_and_key", 4), "With Shaw's vectors");
  const Values n = numbers_of(score.text);
  EXPECT_EQ(score.values.at(0), n[0] * n[2] + n[1] * n[3] + n[0] * n[4] + n[1] * n[5] + n[2] * n[4] + n[3] * n[5]);
}

TEST(ExerciseKeys, AskAboutTheWidthOfTheSpec) {
  EXPECT_TRUE(has(find(sheet("xpos:head_dim=64", 1), "What is zeta").text, "xPos with 64 channels"));
  EXPECT_TRUE(has(find(sheet("sandwich:heads=2,width=8", 1), "which bias does").text, "Sandwich of width 8"));
  EXPECT_TRUE(has(find(sheet("transformer_xl:heads=1,head_dim=4,width=6", 1), "sinusoidal row of").text, "width 6"));
  EXPECT_TRUE(has(find(sheet("window:left=0,right=0", 1), "How many keys").text, "window:left=0,right=0"));
  EXPECT_TRUE(has(find(sheet("chunked:size=1", 1), "In which chunk").text, "1 position;"));
  EXPECT_TRUE(has(find(sheet("rotary:head_dim=8,rotary_dim=4", 1), "is rotated together").text, "Of the 8 channels"));
  // Too wide to calculate by hand.
  EXPECT_TRUE(has(find(sheet("sandwich:heads=2,width=64", 1), "which bias does").text, "Sandwich of width 4"));
}

// A step of training is about a row of the table, and about the position that reads it.
TEST(ExerciseKeys, TrainARowOfTheTable) {
  for (const char* spec : {"learned:rows=10,width=8,first=2,past_end=clamp", "learned:rows=3,width=2,past_end=error",
                           "learned:rows=4,width=1,first=3,past_end=error",
                           "hybrid:fixed.width=6,learned.rows=5,"
                           "learned.past_end=clamp,learned.first=1"}) {
    const Spec parsed = parse_spec(spec);
    const auto* hybrid = std::get_if<Hybrid>(&parsed);
    const Learned& table = hybrid != nullptr ? hybrid->learned : std::get<Learned>(parsed);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Question question = find(make_exercises(parsed, seed), "step of gradient descent");
      const double p = numbers_after(question.text, "uses position ")[0];
      const double row = numbers_after(question.text, "reads row ")[0];
      EXPECT_EQ(row, p + static_cast<double>(table.first)) << question.text;
      EXPECT_LT(row, static_cast<double>(table.rows)) << question.text;
      const std::int64_t width = hybrid != nullptr ? hybrid->fixed.width : table.width;
      EXPECT_EQ(question.values.size(), width == 1 ? 1u : 2u);
      const std::string part = width > 2 ? "of its " + std::to_string(width) + " numbers" : "its ";
      EXPECT_TRUE(has(question.text, part)) << question.text;
    }
  }
}

TEST(ExerciseKeys, SayOnceWhatTheyLeaveOut) {
  const std::vector<std::vector<std::string>> known = {
      {"sinusoidal:width=8,zero_position=3", "These questions leave out zero_position=3."},
      {"sinusoidal:width=7,spacing=even_width",
       "These questions leave out spacing=even_width. The width 7 is replaced by 8."},
      {"hybrid:fixed.width=8,fixed.order=halves,learned.past_end=clamp",
       "These questions leave out fixed.order=halves."},
      {"learned:rows=9,padding_row=1,past_end=clamp", "These questions leave out padding_row=1."},
      {"rotary:head_dim=8,exponent_dim=4", "These questions leave out exponent_dim=4."},
      {"rotary:head_dim=8,local_base=500,scaling=linear,factor=2,layer=1",
       "These questions leave out scaling=linear, local_base=500 and layer=1."},
      {"clipped:heads=1,max_distance=2,added=before_scale", "These questions leave out added=before_scale."},
      {"t5:heads=1,buckets=4", "Some questions use buckets=32 and max_distance=128."},
      {"alibi:heads=8,biased_heads=4,precision=bfloat16",
       "These questions leave out biased_heads=4 and precision=bfloat16."},
      {"kerple:heads=1,smallest=0.5", "These questions leave out smallest=0.5."},
      {"fire:heads=1,eps=0.1", "These questions leave out eps=0.1."},
      {"sandwich:heads=2,width=64", "Some questions use width=4."},
      {"sinusoidal:width=8,base=100,first=1,order=halves,multiplier=2", ""},
      {"rotary:head_dim=64,rotary_dim=16,scaling=yarn,factor=4,original_positions=4096", ""},
      {"alibi:heads=8,form=causal", ""},
      {"alibi:heads=12", ""},
      {"alibi:heads=1", "Some questions use heads=16 or heads=6."},
      {"window:left=0,right=0", ""},
      {"window", "The mask window is replaced by window:left=5,right=0."},
      {"chunked:size=1", ""},
      {"pope:head_dim=2", "Some questions use head_dim=64."},
      {"transformer_xl:heads=1,head_dim=4,width=64", "Some questions use width=4."},
      {"transformer_xl:heads=1,head_dim=4,width=8", ""},
      {"chunked:size=65", "The size 65 is replaced by 7."},
      {"rotary:head_dim=2", "Some questions are about a larger head, because this one has a single pair."}};
  for (const std::vector<std::string>& one : known) {
    EXPECT_EQ(exercises_remark(parse_spec(one[0]), 0), one[1]) << one[0];
    for (const Question& question : sheet(one[0], 1)) EXPECT_FALSE(has(question.text, "default")) << question.text;
  }
  const std::vector<Question> questions = sheet("rotary:head_dim=8", 1);
  for (const auto& write : {exercises_markdown, exercises_text, exercises_html}) {
    EXPECT_TRUE(has(write(questions, {.remark = "These leave out it."}), "These leave out it."));
  }
}

// Against the library.
TEST(ExerciseKeys, AskAboutTheScaling) {
  for (const char* text : {"rotary:head_dim=8,scaling=linear,factor=4",
                           "rotary:head_dim=128,scaling=yarn,factor=8,original_positions=4096",
                           "rotary:head_dim=64,scaling=llama3,factor=4,original_positions=8192",
                           "rotary:head_dim=64,scaling=ntk,factor=4"}) {
    const Rotary spec = std::get<Rotary>(parse_spec(text));
    const Question question = find(sheet(text, 3), "without the scaling, pair");
    const double pair = numbers_after(question.text, "without the scaling, pair ")[0];
    const double now = wavelengths(make_schedule(spec).inv_freq)[static_cast<std::size_t>(pair)];
    EXPECT_NEAR(question.values.at(0), now, 1e-9 * now) << question.text;
    const double before = numbers_after(question.text, "needs ")[0];
    EXPECT_NEAR(before, 2 * std::numbers::pi * std::pow(spec.base, 2 * pair / static_cast<double>(spec.head_dim)),
                1e-5);
    EXPECT_GT(now, before * 1.5);
    EXPECT_EQ(grade({question}, {{question.id, answer_text({before}, 2)}}).marks.at(0).note,
              "this is without the scaling");
  }
  const Question norm =
      find(sheet("rotary:head_dim=64,scaling=yarn,factor=4,original_positions=4096", 2), "How long is it then");
  EXPECT_NEAR(norm.values.at(0), 3.0 * (0.1 * std::log(4.0) + 1.0), 2e-4);
  EXPECT_EQ(grade({norm}, {{norm.id, "3"}}).marks.at(0).note,
            "the attention factor was left out; rotations alone keep lengths");
}

TEST(ExerciseKeys, AskWhatABiasForTheOwnTokenDoes) {
  for (const auto& [spec, bias] : {std::pair<const char*, const char*>{"clipped:heads=1,max_distance=2", "large at"},
                                   {"t5:heads=2", "large at distance 0 and negative"},
                                   {"alibi:heads=8", "slope of a head is so steep that its bias, 0 at distance 0,"},
                                   {"kerple:heads=2", "such a bias, 0 at distance 0,"}}) {
    const Question question = find(sheet(spec, 1), "which tasks does it suit");
    EXPECT_TRUE(has(question.text, bias)) << question.text;
    EXPECT_TRUE(has(question.points.at(1).text, "tagging"));
  }
  // A bias that grows with the position of the key is 0 nowhere special.
  for (const Question& question : sheet("alibi:heads=8,form=key_position", 1)) {
    EXPECT_FALSE(has(question.text, "which tasks does it suit")) << question.text;
  }
}

TEST(ExerciseKeys, DoNotAskTheSameTwice) {
  for (const char* text : {"sinusoidal:width=4", "sinusoidal:width=6", "sinusoidal:width=8", "sinusoidal:width=64",
                           "hybrid:fixed.width=8,learned.past_end=clamp"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<double> positions;
      for (const Question& question : sheet(text, seed)) {
        const bool row = has(question.text, "Compute PE(") || has(question.text, "adds PE(");
        if (row || has(question.text, "of PE(")) {
          if (has(question.text, "derivative") || has(question.text, "dot product")) continue;
          positions.push_back(numbers_after(question.text, "PE(")[0]);
        }
      }
      EXPECT_GE(positions.size(), 2u) << text;
      std::sort(positions.begin(), positions.end());
      EXPECT_EQ(std::adjacent_find(positions.begin(), positions.end()), positions.end()) << text << " seed " << seed;
    }
  }
  const Question symbols = find(sheet("sinusoidal:width=8", 0), "are in the channels");
  EXPECT_EQ(symbols.values.size(), 2u);
}

TEST(ExerciseKeys, SayThatAHybridTellsClampedPositionsApart) {
  const auto why = [](const std::string& spec) {
    return find(sheet(spec, 1), "What happens to a token").solution.at(0);
  };
  EXPECT_TRUE(has(why("hybrid:fixed.width=8,learned.past_end=clamp"), "the sinusoidal part still distinguishes them"));
  EXPECT_TRUE(has(why("learned:past_end=clamp"), "look the same"));
}

TEST(ExerciseKeys, HaveTheSharedQuestionUnlessItIsLeftOut) {
  for (const char* text :
       {"sinusoidal:width=6", "clipped:heads=1,max_distance=1", "rotary:head_dim=8", "alibi:heads=8"}) {
    const Spec spec = parse_spec(text);
    const std::vector<Question> all = make_exercises(spec, 3), fewer = make_exercises(spec, 3, {.long_context = false});
    ASSERT_EQ(fewer.size() + 1, all.size());
    EXPECT_TRUE(has(all.back().text, "16k"));
    for (std::size_t i = 0; i < fewer.size(); ++i) EXPECT_EQ(fewer[i].text, all[i].text);
  }
}

}  // namespace
}  // namespace posenc::exercises_key_test
