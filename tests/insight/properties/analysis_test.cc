// The numbers of posenc/insight/analysis.h against naive loops over the plain definitions, and against published ones.
#include "posenc/insight/analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "posenc/half.h"
#include "posenc/random.h"
#include "posenc/reference.h"
#include "posenc/rotate.h"
#include "support/expect_error.h"

namespace posenc::analysis_test {
namespace {

std::vector<double> plain_row(const Sinusoidal& spec, double position) {
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, row.data());
  return row;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  return std::sqrt(std::max(dot(a, a) + dot(b, b) - 2.0 * dot(a, b), 0.0));
}

// Odd widths of both rules, orders, zeros, multipliers, real first positions: all that changes rows.
std::vector<Sinusoidal> every_form() {
  return {{.width = 8},
          {.width = 7},
          {.width = 7, .order = Order::cos_halves},
          {.width = 9, .odd = OddWidth::zero, .multiplier = 0.5},
          {.width = 6, .base = 50.0, .first = 2, .order = Order::halves, .multiplier = 3.0},
          {.width = 6, .base = 20.0, .first = 1, .zero_position = 4},
          {.width = 5, .base = 20.0, .first = 1, .zero_position = 4},
          {.width = 4, .inv_freq = {2.0, -0.25}},
          {.width = 1}};
}

TEST(RowAnalysis, BoundsAreThoseOfANaiveLoop) {
  for (const Sinusoidal& spec : every_form()) {
    const SinusoidalSchedule schedule = make_schedule(spec);
    const RowBounds found = row_bounds(StreamedRows{&schedule}, PositionView::range(-5, 300));
    RowBounds expected{1e9, -1e9, 0, 0, 1e9, 0};
    for (int p = -5; p < 295; ++p) {
      const std::vector<double> row = plain_row(spec, p);
      for (const double x : row) {
        if (x < expected.smallest) expected.smallest = x, expected.smallest_position = p;
        if (x > expected.largest) expected.largest = x, expected.largest_position = p;
      }
      expected.smallest_norm = std::min(expected.smallest_norm, std::sqrt(dot(row, row)));
      expected.largest_norm = std::max(expected.largest_norm, std::sqrt(dot(row, row)));
    }
    const auto text = to_text(Spec(spec));
    EXPECT_NEAR(found.smallest, expected.smallest, 1e-12) << text;
    EXPECT_NEAR(found.largest, expected.largest, 1e-12) << text;
    EXPECT_EQ(found.smallest_position, expected.smallest_position) << text;
    EXPECT_EQ(found.largest_position, expected.largest_position) << text;
    EXPECT_NEAR(found.smallest_norm, expected.smallest_norm, 1e-12) << text;
    EXPECT_NEAR(found.largest_norm, expected.largest_norm, 1e-12) << text;
  }
}

TEST(RowAnalysis, NearestRowsAreThoseOfAllPairs) {
  for (const Sinusoidal& spec : every_form()) {
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{3}, std::int64_t{-2}}) {
      const SinusoidalSchedule schedule = make_schedule(spec);
      const PositionView range = PositionView::range(2, 70, step);
      const NearestRows found = nearest_rows(StreamedRows{&schedule}, range);
      double nearest = 1e9;
      for (std::int64_t a = 0; a < 70; ++a) {
        for (std::int64_t b = a + 1; b < 70; ++b) {
          nearest = std::min(nearest, distance(plain_row(spec, range.real(0, a)), plain_row(spec, range.real(0, b))));
        }
      }
      const auto text = to_text(Spec(spec)) + " in steps of " + std::to_string(step);
      EXPECT_NEAR(found.distance, nearest, 1e-7) << text;
      EXPECT_NEAR(distance(plain_row(spec, found.first), plain_row(spec, found.second)), nearest, 1e-7) << text;
      EXPECT_NE(found.first, found.second) << text;
      EXPECT_EQ(found.compared, 70 * 69 / 2) << text;
      EXPECT_FALSE(found.sampled) << text;
    }
  }
}

TEST(RowAnalysis, NearestRowsOfListsAndTables) {
  const SinusoidalSchedule schedule = make_schedule({.width = 8});
  const std::vector<double> places = {0.5, 7.25, 7.5, 90.0, 200.0};
  const NearestRows real = nearest_rows(StreamedRows{&schedule}, PositionView::of(places.data(), 5));
  EXPECT_EQ(real.first, 7.25);
  EXPECT_EQ(real.second, 7.5);
  std::vector<float> table(6 * 3);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i * i);
  for (std::size_t m = 0; m < 3; ++m) table[5 * 3 + m] = table[3 + m];
  const Learned spec{.past_end = PastEnd::error};
  const LearnedRows rows{spec, make_view(table.data(), {6, 3})};
  const NearestRows same = nearest_rows(rows, PositionView::range(0, 6));
  EXPECT_EQ(same.distance, 0.0);
  EXPECT_EQ(same.first, 1.0);
  EXPECT_EQ(same.second, 5.0);
  EXPECT_EQ(same.compared, 15);
  table[4] = NAN;
  expect_error(ErrorKind::bad_input, "[nearest_rows] channel 1 at position 1",
               [&] { nearest_rows(rows, PositionView::range(0, 6)); });
  expect_error(ErrorKind::usage, "at least 2", [&] { nearest_rows(rows, PositionView::range(0, 1)); });
}

TEST(RowAnalysis, OfEqualBoundsTheFirstPlaceIsNamed) {
  const std::vector<double> table = {0, -1, -1, 2, 2};
  const LearnedRows rows{{.past_end = PastEnd::error}, make_view(table.data(), {5, 1})};
  const RowBounds bounds = row_bounds(rows, PositionView::range(0, 5));
  EXPECT_EQ(bounds.smallest_position, 1.0);
  EXPECT_EQ(bounds.largest_position, 3.0);
  EXPECT_EQ(bounds.smallest_norm, 0.0);
}

// Of three rows the zero one lies nearest to both others: at distance 1, and they at 2 sin 1.2 from each other.
TEST(RowAnalysis, TheZeroRowMayBeTheNearest) {
  const SinusoidalSchedule schedule = make_schedule({.width = 2, .inv_freq = {1.2}, .zero_position = 1});
  const NearestRows nearest = nearest_rows(StreamedRows{&schedule}, PositionView::range(0, 3));
  EXPECT_NEAR(nearest.distance, 1.0, 1e-15);
  EXPECT_EQ(nearest.first, 0.0);
  EXPECT_EQ(nearest.second, 1.0);
}

TEST(RowAnalysis, NearestRowsOfARandomTable) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    std::vector<double> table(60 * 3);
    fill_random(make_view(table.data(), {60, 3}), {.std = 1.0, .seed = seed});
    const LearnedRows rows{{.past_end = PastEnd::error}, make_view(table.data(), {60, 3})};
    const NearestRows found = nearest_rows(rows, PositionView::range(0, 60));
    double nearest = 1e9;
    for (std::size_t a = 0; a < 60; ++a) {
      for (std::size_t b = a + 1; b < 60; ++b) {
        const std::vector<double> left(&table[3 * a], &table[3 * a] + 3), right(&table[3 * b], &table[3 * b] + 3);
        nearest = std::min(nearest, distance(left, right));
      }
    }
    EXPECT_NEAR(found.distance, nearest, 1e-7);
    EXPECT_EQ(found.compared, 60 * 59 / 2);
  }
}

TEST(RowAnalysis, ManyRowsOfATableAreSampledAndSaidToBe) {
  const std::int64_t count = 20000;
  std::vector<double> table(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<double>(i);
  table[12345] = 12344.25;
  const LearnedRows rows{{.past_end = PastEnd::error}, make_view(table.data(), {count, 1})};
  const NearestRows nearest = nearest_rows(rows, PositionView::range(0, count));
  EXPECT_TRUE(nearest.sampled);
  EXPECT_EQ(nearest.first, 12344.0);
  EXPECT_EQ(nearest.second, 12345.0);
  EXPECT_EQ(nearest.distance, 0.25);
  EXPECT_LT(nearest.compared, std::int64_t{1} << 27);
}

TEST(RowAnalysis, StepsHaveTheirPublishedLength) {
  for (const auto& [width, norm] : std::map<std::int64_t, double>{{64, 1.472}, {128, 1.953}}) {
    const SinusoidalSchedule schedule = make_schedule({.width = width});
    const StepNorms steps = step_norms(StreamedRows{&schedule}, PositionView::range(0, 1000));
    EXPECT_NEAR(steps.mean, norm, 5e-4);
    EXPECT_NEAR(steps.smallest, steps.largest, 1e-13);
  }
  const SinusoidalSchedule odd = make_schedule({.width = 3});
  const StepNorms steps = step_norms(StreamedRows{&odd}, PositionView::range(0, 50));
  double largest = 0.0;
  for (int p = 0; p < 49; ++p)
    largest = std::max(largest, distance(plain_row({.width = 3}, p), plain_row({.width = 3}, p + 1)));
  EXPECT_NEAR(steps.largest, largest, 1e-9);
  EXPECT_LT(steps.smallest, steps.largest);
}

TEST(RowAnalysis, CollisionsAreWhereRoundingFirstMovesAWholeNumber) {
  EXPECT_EQ(first_collision(DType::bf16), 257);
  EXPECT_EQ(first_collision(DType::f16), 2049);
  EXPECT_EQ(first_collision(DType::f32), 16777217);
  EXPECT_EQ(first_collision(DType::f64), 9007199254740993);
  for (int n = 1; n < 257; ++n) EXPECT_EQ(to_double(to_bf16(n)), n);
  EXPECT_NE(to_double(to_bf16(257)), 257);
  for (int n = 1; n < 2049; ++n) EXPECT_EQ(to_double(to_f16(n)), n);
  EXPECT_NE(to_double(to_f16(2049)), 2049);
  expect_error(ErrorKind::usage, "dtype must be f32", [] { first_collision(DType::i64); });
}

TEST(RowAnalysis, ShiftIsLinearToRounding) {
  const SinusoidalSchedule schedule = make_schedule({.width = 64});
  EXPECT_LT(shift_residual(schedule, 5, PositionView::range(5, 1)), 1e-15);
  EXPECT_LT(shift_residual(schedule, 5.5, PositionView::range(0, 1000)), 4e-15);
  EXPECT_GT(shift_residual(schedule, 5.5, PositionView::range(0, 1000)), 0.0);
  EXPECT_LT(shift_residual(schedule, 1000, PositionView::range(-500, 1000)), 4e-15);
  EXPECT_LT(shift_composition_residual(schedule, 5, 7.25), 1e-15);
  for (const Sinusoidal& spec : every_form()) {
    const SinusoidalSchedule any = make_schedule(spec);
    if (any.sine.count == any.cosine.count) {
      EXPECT_LT(shift_residual(any, 3, PositionView::range(0, 50)), 1e-14) << to_text(Spec(spec));
    } else {
      expect_error(ErrorKind::usage, "width must be even", [&] { shift_residual(any, 3, PositionView::range(0, 50)); });
    }
  }
}

TEST(DistanceAnalysis, DotProductsArePublishedOnes) {
  const std::vector<double> curve = distance_curve(make_schedule({.width = 64}), 64);
  const std::map<std::size_t, double> published = {{0, 32.0},    {1, 30.917},  {2, 28.304}, {5, 23.504},
                                                   {10, 21.052}, {20, 18.879}, {50, 15.674}};
  for (const auto& [k, value] : published) EXPECT_NEAR(curve[k], value, 5e-4) << k;
  EXPECT_EQ(first_rise(curve), 6);
  EXPECT_EQ(first_rise(distance_curve(make_schedule({.width = 128}), 64)), 12);
  const Sinusoidal spec{.width = 6, .base = 50.0, .order = Order::halves, .multiplier = 3.0};
  const std::vector<double> own = distance_curve(make_schedule(spec), 20);
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(own[static_cast<std::size_t>(k)], dot(plain_row(spec, 11), plain_row(spec, 11 + k)), 1e-12);
  }
  expect_error(ErrorKind::usage, "width must be even", [] { distance_curve(make_schedule({.width = 7}), 5); });
}

TEST(DistanceAnalysis, RisesAndEnvelopes) {
  EXPECT_EQ(first_rise(std::vector<double>{3, 2, 2, 1}), std::nullopt);
  EXPECT_EQ(first_rise(std::vector<double>{3, 2, 1, 1.5}), 3);
  EXPECT_EQ(first_rise({}), std::nullopt);
  EXPECT_EQ(falling_envelope(std::vector<double>{3, 1, 2, 0, 1}), (std::vector<double>{3, 2, 2, 1, 1}));
}

// The mean over random q of q.R(k)q, by rotating with the library, is what the kernel says.
TEST(DistanceAnalysis, RotatedScoresFollowTheKernel) {
  const Rotary spec{.head_dim = 32, .base = 100.0, .attention_factor = 1.5};
  const std::vector<double> kernel = score_kernel(make_schedule(spec), 40);
  const ScoreBand band = rotated_score_band(spec, {.distances = 40, .draws = 4000});
  for (std::size_t k = 0; k < 40; ++k) {
    double mean = 0.0;
    for (int i = 0; i < 16; ++i) mean += std::cos(static_cast<double>(k) * std::pow(100.0, -i / 16.0)) / 16.0;
    EXPECT_NEAR(kernel[k], 2.25 * mean, 1e-12);
    EXPECT_NEAR(band.mean[k], kernel[k], 0.03) << k;
    EXPECT_LT(band.low[k], band.mean[k]);
    EXPECT_GT(band.high[k], band.mean[k]);
  }
  const ScoreBand apart = rotated_score_band(spec, {.distances = 3, .draws = 4000, .same_content = false});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(apart.mean[k], 0.0, 0.03);
    EXPECT_NEAR(apart.high[k], 1.96 * 2.25 / std::sqrt(32.0), 0.06);  // a sum of D products of variance 1 / D^2
  }
  expect_error(ErrorKind::usage, "axes must be 1", [] {
    score_kernel(make_schedule(Rotary{.head_dim = 8, .axes = 2, .axis_of_pair = {0, 0, 1, 1}}), 3);
  });
}

TEST(DistanceAnalysis, ChannelsThatDoNotTurnKeepTheirScore) {
  const Rotary spec{.head_dim = 16, .base = 100.0, .rotary_dim = 4, .attention_factor = 1.5};
  const std::vector<double> kernel = score_kernel(make_schedule(spec), 5);
  const ScoreBand band = rotated_score_band(spec, {.distances = 5, .draws = 20000});
  for (std::size_t k = 0; k < 5; ++k) {
    const auto at = static_cast<double>(k);
    EXPECT_NEAR(kernel[k], (2.25 * (std::cos(at) + std::cos(0.1 * at)) + 6.0) / 8.0, 1e-12);
    EXPECT_NEAR(band.mean[k], kernel[k], 0.02) << k;
  }
}

TEST(DistanceAnalysis, OneDrawIsWhatRotateGives) {
  const Rotary spec{
      .head_dim = 12, .layout = Layout::half_negative, .rotary_dim = 8, .first_channel = 2, .attention_factor = 1.25};
  const ScoreBand band = rotated_score_band(spec, {.distances = 9, .draws = 1, .same_content = false, .seed = 3});
  std::vector<double> q(12), k(12);
  fill_random(make_view(q.data(), {1, 12}), {.std = 1.0 / std::sqrt(12.0), .seed = 3});
  fill_random(make_view(k.data(), {1, 12}), {.std = 1.0 / std::sqrt(12.0), .seed = 3 + 0x9e3779b97f4a7c15U});
  const RotaryAngles angles(spec);
  std::vector<double> turned_k = k;
  rotate(make_view(turned_k.data(), {1, 1, 12}), PositionView::range(100, 1), angles);
  for (std::int64_t distance = 0; distance < 9; ++distance) {
    std::vector<double> turned_q = q;
    rotate(make_view(turned_q.data(), {1, 1, 12}), PositionView::range(100 + distance, 1), angles);
    EXPECT_NEAR(band.mean[static_cast<std::size_t>(distance)], dot(turned_q, turned_k), 1e-13);
  }
}

TEST(DistanceAnalysis, BiasesByDistance) {
  const std::vector<double> alibi = bias_curve(Bias(Alibi{.heads = 8}), 1, 20.0, 10);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(alibi[static_cast<std::size_t>(k)], -0.25 * k);
  const std::vector<double> window = bias_curve(Bias(Window{.left = 3}), 0, 20.0, 6);
  EXPECT_EQ(window[3], 0.0);
  EXPECT_EQ(window[4], -INFINITY);
  const std::vector<double> real = bias_curve(Bias(Alibi{.heads = 8}), 0, 2.5, 4);
  EXPECT_EQ(real[3], -1.5);
  expect_error(ErrorKind::usage, "head must be below 8 but got 8",
               [] { bias_curve(Bias(Alibi{.heads = 8}), 8, 20.0, 10); });
}

TEST(DistanceAnalysis, EntropyOfWeights) {
  const EntropyOptions options{.lengths = {1, 16, 512}, .draws = 64};
  const std::vector<EntropyPoint> none = attention_entropy(NoPosition{}, {}, options);
  EXPECT_EQ(none[0].entropy, 0.0);
  EXPECT_EQ(none[1].near_share, 1.0);
  EXPECT_NEAR(none[2].uniform, std::log(512.0), 1e-12);
  EXPECT_NEAR(none[2].entropy, std::log(512.0) - 0.5, 0.05);  // a normal score of variance 1 costs half a nat
  EXPECT_NEAR(none[2].near_share, 16.0 / 512.0, 0.01);
  // With a slope of 1/2 weights fall by exp(-1/2) per step: the entropy stays near that of a geometric distribution.
  const std::vector<EntropyPoint> alibi = attention_entropy(Alibi{.heads = 8}, {}, options);
  const double ratio = std::exp(-0.5);
  const double geometric = -std::log(1.0 - ratio) + 0.5 * ratio / (1.0 - ratio);
  EXPECT_NEAR(alibi[2].entropy, geometric, 0.5);
  EXPECT_GT(alibi[2].near_share, 0.99);
  // Turning q and k of independent content changes no distribution.
  const std::vector<EntropyPoint> rotary = attention_entropy(Rotary{.head_dim = 64}, {}, options);
  EXPECT_NEAR(rotary[2].entropy, none[2].entropy, 0.1);
  expect_error(ErrorKind::usage, "must be none, a bias, a temperature or rotary but is learned",
               [&] { attention_entropy(Learned{.past_end = PastEnd::error}, {}, options); });
  expect_error(ErrorKind::usage, "lengths must ascend", [] {
    attention_entropy(NoPosition{}, {}, {.lengths = {4, 4}});
  });
}

TEST(LengthAnalysis, PairsThatCompleteATurn) {
  const std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> published = {
      {{16, 32}, 2},  {{16, 64}, 3}, {{32, 32}, 3}, {{32, 64}, 5},
      {{32, 128}, 6}, {{64, 32}, 6}, {{64, 64}, 9}, {{64, 128}, 11}};
  for (const auto& [key, count] : published) {
    const TurnsWithin turns = turns_within(make_schedule(Rotary{.head_dim = key.first}).inv_freq, key.second);
    EXPECT_EQ(turns.complete, count) << key.first << " " << key.second;
  }
  const TurnsWithin turns = turns_within(std::vector<double>{1.0, -0.01, 0.0}, 100);
  EXPECT_TRUE(turns.pairs[0].complete);
  EXPECT_NEAR(turns.pairs[0].turns, 99.0 / (2.0 * std::numbers::pi), 1e-12);
  EXPECT_EQ(turns.pairs[1].first_unseen, 100);
  EXPECT_EQ(turns.pairs[1].seen_again, 629.0);
  EXPECT_FALSE(turns.pairs[2].first_unseen.has_value());
  EXPECT_FALSE(turns.pairs[2].complete);
}

TEST(ModelAnalysis, MixingAnglesArePublishedOnes) {
  const std::vector<double> row = plain_row({.width = 128}, 0);
  const double root = std::sqrt(128.0);
  const Mixing half = mixing(row, {.std = 0.5, .tokens = 4000});  // the bounds: of a million tokens, by NumPy
  EXPECT_NEAR(half.angle, 54.9, 0.2);
  EXPECT_NEAR(half.angle_low, 47.7, 0.4);
  EXPECT_NEAR(half.angle_high, 62.56, 0.4);
  EXPECT_EQ(half.position_norm, 8.0);
  EXPECT_NEAR(half.token_norm, 0.5 * root, 0.03);
  EXPECT_NEAR(half.sum_norm, std::sqrt(64.0 + 32.0), 0.05);
  EXPECT_EQ(half.angles.size(), 4000U);
  EXPECT_NEAR(mixing(row, {.std = 1.0}).angle, 35.3, 0.2);
  EXPECT_NEAR(mixing(row, {.std = 1.0, .scale = root}).angle, 3.6, 0.05);
  EXPECT_NEAR(mixing(row, {.std = 1.0 / root}).angle, 82.9, 0.2);
  EXPECT_NEAR(mixing(row, {.std = 1.0 / root, .scale = root}).angle, 35.3, 0.2);
  expect_error(ErrorKind::usage, "std must be from 1e-70 to 1e70 but got 0", [&] { mixing(row, {.std = 0.0}); });
  expect_error(ErrorKind::usage, "std must be from 1e-70 to 1e70 but got 1e+200", [&] { mixing(row, {.std = 1e200}); });
  for (const double scale : {0.0, -1e71, 1e-71, std::numeric_limits<double>::quiet_NaN()}) {
    expect_error(ErrorKind::usage, "the size of scale must be from 1e-70 to 1e70",
                 [&] { mixing(row, {.scale = scale}); });
  }
  // At the borders, norms are numbers still, and a token without a size of its own is turned by 90 degrees.
  const Mixing large = mixing(row, {.std = 1e70, .scale = -1e70, .tokens = 10});
  EXPECT_TRUE(std::isfinite(large.sum_norm));
  EXPECT_NEAR(large.angle, 0.0, 1e-9);
  const Mixing small = mixing(row, {.std = 1e-70, .scale = 1e-70, .tokens = 4000});
  EXPECT_GT(small.token_norm, 0.0);
  EXPECT_NEAR(small.angle, 90.0, 0.5);
  EXPECT_NE(small.angle, 90.0);
}

TEST(ModelAnalysis, Costs) {
  const Cost table = cost_of(Sinusoidal{.width = 768}, 2048, DType::f32);
  EXPECT_EQ(table.table_bytes, 6291456);
  EXPECT_EQ(table.parameters, 0);
  EXPECT_LT(table.stream_bytes, 300000);
  EXPECT_EQ(cost_of(Learned{.width = 128, .rows = 512, .past_end = PastEnd::error}, 512, DType::f32).parameters, 65536);
  EXPECT_EQ(cost_of(T5{.heads = 8}, 10, DType::f32).parameters, 256);
  EXPECT_EQ(cost_of(T5{.heads = 8}, 10, DType::f16).table_bytes, 1600);
  EXPECT_EQ(cost_of(Alibi{.heads = 8}, 10, DType::f32).parameters, 0);
  EXPECT_EQ(cost_of(Rotary{.head_dim = 128}, 100, DType::f32).table_bytes, 51200);
  EXPECT_EQ(cost_of(Rotary{.head_dim = 128}, 100, DType::f32).flops_per_token, 384.0);
  EXPECT_EQ(cost_of(MatrixBias{.heads = 2}, 10, DType::f32).parameters, 200);
  for (const Spec& spec : {Spec(Shaw{.head_dim = 4, .left = 2, .right = 3}), Spec(TransformerXl{2, 4, 8}),
                           Spec(Kerple{.heads = 2}), Spec(Fire{.heads = 2}), Spec(Sandwich{2, 8})}) {
    EXPECT_GT(cost_of(spec, 10, DType::f32).flops_per_token, 0.0) << to_text(spec);
  }
  expect_error(ErrorKind::usage, "more bytes than can be counted",
               [] { cost_of(Alibi{.heads = 8}, std::int64_t{1} << 40, DType::f32); });
}

TEST(PrecisionAnalysis, Float32AnglesAreOffAsPublished) {
  double worst = 0.0, own = 0.0;
  for (const double frequency : make_schedule({.width = 512}).inv_freq) {
    worst = std::max(worst, pipeline_error(Pipeline::f32, frequency, 1000000));
    own = std::max(own, pipeline_error(Pipeline::posenc_f32, frequency, 1000000));
    EXPECT_LT(pipeline_error(Pipeline::bf16_table, frequency, 1000000), 0x1p-8);
  }
  EXPECT_NEAR(worst, 5e-2, 1.5e-2);
  EXPECT_LT(own, 3.02e-8);
  EXPECT_GT(pipeline_error(Pipeline::bf16, 1.0, 257), 0.4);  // read as 256, or one more than it
  EXPECT_TRUE(std::isinf(pipeline_error(Pipeline::f16, 1.0, 70000)));
  const std::vector<std::int64_t> positions = {1, 100, 256, 257, 300};
  EXPECT_EQ(first_beyond(Pipeline::bf16, 1.0, positions, 0.3), 257);
  EXPECT_EQ(first_beyond(Pipeline::posenc_f32, 1.0, positions, 1e-6), std::nullopt);
}

// The whole pipeline of every position and pair, in a plain loop; long double holds the exact angle to 2^-43.
TEST(PrecisionAnalysis, TheFirstWrongFloat32CosineIsFound) {
  const std::vector<double> inv_freq = make_schedule({.width = 64}).inv_freq;
  const auto wrong = [&](std::int64_t position) {
    for (const double frequency : inv_freq) {
      const float angle = static_cast<float>(position) * static_cast<float>(frequency);
      const long double exact = static_cast<long double>(position) * static_cast<long double>(frequency);
      const double cosine = static_cast<double>(static_cast<float>(std::cos(static_cast<double>(angle))));
      const double sine = static_cast<double>(static_cast<float>(std::sin(static_cast<double>(angle))));
      if (std::fabs(cosine - static_cast<double>(std::cos(exact))) > 1e-3) return true;
      if (std::fabs(sine - static_cast<double>(std::sin(exact))) > 1e-3) return true;
    }
    return false;
  };
  std::int64_t first = 1;
  while (!wrong(first)) ++first;
  EXPECT_EQ(first_beyond_f32(inv_freq, 1 << 22, 1e-3), first);
  EXPECT_EQ(first_beyond_f32(inv_freq, first, 1e-3), std::nullopt);
  EXPECT_EQ(first_beyond_f32(std::vector<double>{1.0, -0.25, 0.0}, 1 << 22, 1e-3), std::nullopt);
  EXPECT_EQ(first_beyond_f32({}, 1, 1e-3), std::nullopt);
  expect_error(ErrorKind::usage, "end must be from 1 to 16777216 but got 0", [] { first_beyond_f32({}, 0, 1e-3); });
}

}  // namespace
}  // namespace posenc::analysis_test
