// Attention: what must hold of it, and what it refuses.
#include "posenc/attend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "posenc/random.h"
#include "support/attend_case.h"
#include "support/expect_error.h"

namespace attend_test {
namespace {

using posenc::AttendOptions;
using posenc::Causal;
using posenc::DType;
using posenc::ErrorKind;
using posenc::make_view;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

AttendCase small_case(DType dtype = DType::f64) {
  AttendCase one;
  one.dtype = dtype;
  one.queries = one.keys = 7;
  one.fill(3);
  return one;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0.0 : kInfinity;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) worst = std::fmax(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(Attend, ManyBlocksAndWorkersGiveTheSameBits) {
  AttendCase one;
  one.dtype = DType::f32;
  one.queries = 200;
  one.keys = 300;
  one.heads = 4;
  one.width = one.value_width = 16;
  one.mask.causal = Causal::end;
  one.bias = posenc::Alibi{.heads = 4};
  one.dropout = {.p = 0.1, .seed = 5};
  one.fill(8);
  const AttendResult alone = one.run();
  const posenc::Workers workers(3);
  const AttendResult together = one.run(&workers);
  EXPECT_EQ(alone.out, together.out);
  EXPECT_EQ(alone.weights, together.weights);
  const AttendResult wanted = one.expected();
  EXPECT_LT(largest_difference(alone.out, wanted.out), 2e-5);
  EXPECT_LT(largest_difference(alone.weights, wanted.weights), 2e-6);
}

// Sums over blocks of keys are scaled down together when a larger score comes.
TEST(Attend, VectorsOnValuesAcrossBlocksOfKeys) {
  AttendCase one;
  one.queries = 70;
  one.keys = 400;
  one.term = posenc::Shaw{.head_dim = 4, .left = 3, .right = 2};
  one.term_numbers = {{"keys", {6, 4}, random_numbers(24, 1)}, {"values", {6, 4}, random_numbers(24, 2)}};
  one.fill(6);
  for (std::size_t i = 0; i < one.k.size(); ++i) one.k[i] *= static_cast<double>(i) / 400.0;  // larger and larger
  const AttendResult got = one.run(), wanted = one.expected();
  EXPECT_LT(largest_difference(got.out, wanted.out), 1e-12);
  EXPECT_LT(largest_difference(got.weights, wanted.weights), 1e-12);
}

TEST(Attend, LargeScoresDoNotOverflow) {
  AttendCase one = small_case(DType::f32);
  one.queries = one.keys = 150;
  one.fill(1);
  for (double& value : one.q) value *= 1e4;
  const AttendResult got = one.run();
  EXPECT_LT(largest_difference(got.weights, one.expected().weights), 1e-2);  // q.k itself is rounded at 1e4 * 2^-24
  for (const double value : got.out) ASSERT_TRUE(std::isfinite(value));
  for (std::size_t row = 0; row < got.log_sum_exp.size(); ++row) {
    double sum = 0.0;
    for (std::size_t s = 0; s < 150; ++s) sum += got.weights[row * 150 + s];
    ASSERT_NEAR(sum, 1.0, 1e-5);
  }
}

TEST(Attend, InfiniteBiasesHideKeys) {
  AttendCase one = small_case();
  one.bias = posenc::MatrixBias{.heads = 2};
  std::vector<double> values(2 * 7 * 7, 0.0);
  for (std::size_t i = 0; i < 7; ++i) values[i * 7 + 3] = -kInfinity;       // key 3 of head 0
  for (std::size_t j = 0; j < 7; ++j) values[49 + 2 * 7 + j] = -kInfinity;  // all keys of query 2 of head 1
  one.bias_numbers = {{"values", {2, 7, 7}, values}};
  const AttendResult got = one.run();
  const AttendResult wanted = one.expected();
  EXPECT_LT(largest_difference(got.out, wanted.out), 1e-14);
  EXPECT_EQ(got.weights[3], 0.0);
  EXPECT_EQ(got.log_sum_exp[7 + 2], -kInfinity);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(got.out[(2 * 2 + 1) * 4 + c], 0.0);
}

TEST(Attend, ZerosAreNoBiasAndABiasOfAllKeysChangesNothing) {
  AttendCase one = small_case();
  const AttendResult plain = one.run();
  one.bias = posenc::Clipped{.heads = 2, .max_distance = 3};
  one.bias_numbers = {{"table", {7, 2}, std::vector<double>(14, 0.0)}};
  EXPECT_EQ(one.run().out, plain.out);
  std::fill(one.bias_numbers[0].values.begin(), one.bias_numbers[0].values.end(), 5.0);
  EXPECT_LT(largest_difference(one.run().out, plain.out), 1e-14);
}

// Everything that depends on distances alone is blind to where the sequence begins.
TEST(Attend, AShiftOfAllPositionsChangesNothingForRelativeKinds) {
  const std::vector<double> table = random_numbers(200, 9);
  const auto numbers = [&](const char* name, std::vector<std::int64_t> shape, std::size_t count) {
    return Numbers{name, std::move(shape), {table.begin(), table.begin() + static_cast<std::ptrdiff_t>(count)}};
  };
  std::vector<AttendCase> cases(7, small_case());
  cases[0].bias = posenc::Alibi{.heads = 2};
  cases[1].bias = posenc::T5{.heads = 2, .buckets = 8, .max_distance = 6};
  cases[1].bias_numbers = {numbers("table", {8, 2}, 16)};
  cases[2].bias = posenc::Sandwich{.heads = 2, .width = 8};
  cases[3].term = posenc::Shaw{.head_dim = 4, .left = 2, .right = 1};
  cases[3].term_numbers = {numbers("keys", {4, 4}, 16), numbers("values", {4, 4}, 16)};
  cases[4].term = posenc::TransformerXl{.heads = 2, .head_dim = 4, .width = 6};
  cases[4].term_numbers = {numbers("u", {2, 4}, 8), numbers("v", {2, 4}, 8), numbers("position_weight", {8, 6}, 48)};
  cases[5].rotary = posenc::Rotary{.head_dim = 4};
  cases[6].bias = posenc::Fire{.heads = 2, .width = 3, .length = 4.0};
  cases[6].bias_numbers = {
      numbers("c", {1}, 1),       numbers("length_factor", {1}, 1), numbers("in_weight", {3, 1}, 3),
      numbers("in_bias", {3}, 3), numbers("out_weight", {2, 3}, 6), numbers("out_bias", {2}, 2)};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    AttendCase one = cases[i];
    const AttendResult here = one.run();
    for (std::int64_t n = 0; n < 7; ++n) one.query_ids.push_back(n + 1000);
    one.key_ids = one.query_ids;
    const double change = largest_difference(here.out, one.run().out);
    if (i == 6) {
      EXPECT_GT(change, 1e-4) << "fire depends on the query's place";
    } else {
      EXPECT_LT(change, 1e-11) << "case " << i;
    }
  }
}

TEST(Attend, QueriesWithoutPositionsStandWhereTheirKeysStand) {
  const posenc::Bias bias(posenc::Alibi{.heads = 2});
  std::vector<double> q(3 * 2 * 4), k(7 * 2 * 4), with(q.size()), without(q.size());
  posenc::fill_random(make_view(q.data(), {6, 4}), {.std = 1.0, .seed = 1});
  posenc::fill_random(make_view(k.data(), {14, 4}), {.std = 1.0, .seed = 2});
  const std::vector<std::int64_t> ids = {100, 101, 105, 106, 107, 120, 121};
  const auto run = [&](const posenc::Mask& mask, const posenc::PositionView& queries, std::vector<double>& out) {
    posenc::attend(make_view(q.data(), {3, 2, 4}), make_view(k.data(), {7, 2, 4}), make_view(k.data(), {7, 2, 4}),
                   make_view(out.data(), {3, 2, 4}),
                   {.bias = &bias,
                    .mask = mask,
                    .query_positions = queries,
                    .key_positions = posenc::PositionView::of(ids.data(), 7)});
  };
  for (const auto& [mask, first] :
       {std::pair{posenc::Mask{.causal = Causal::end}, 4}, std::pair{posenc::Mask{.causal = Causal::start}, 0},
        std::pair{posenc::Mask{.query_offset = 2}, 2}}) {
    run(mask, posenc::PositionView::of(ids.data() + first, 3), with);
    run(mask, {}, without);
    EXPECT_EQ(with, without) << first;
  }
  expect_error(ErrorKind::usage, "query_positions must be given: the mask aligns queries with keys 5 to 7",
               [&] { run({.query_offset = 5}, {}, without); });
}

TEST(ShawRow, RefusesPositionsBeyondTheirRange) {
  const posenc::Shaw spec{.head_dim = 1, .left = 1, .right = 1};
  EXPECT_EQ(posenc::shaw_row(spec, -posenc::kMaxPosition, posenc::kMaxPosition), 2);
  expect_error(ErrorKind::usage, "positions must be from -2147483647 to 2147483647", [&] {
    posenc::shaw_row(spec, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  });
}

TEST(Attend, LinearBiasesByFunctionAreThoseOfTheSpec) {
  const AttendCase one = small_case();
  const posenc::Bias spec(posenc::Alibi{.heads = 2});
  const std::vector<double> slopes = posenc::alibi_slopes({.heads = 2});
  const posenc::Bias function(2, [slopes](std::int64_t head, double i, double j) {
    return -slopes[static_cast<std::size_t>(head)] * std::abs(i - j);
  });
  std::vector<double> a(one.q.size()), b(one.q.size());
  const auto heads = [](auto* data) { return make_view(data, {7, 2, 4}); };
  posenc::attend(heads(one.q.data()), heads(one.k.data()), heads(one.v.data()), heads(a.data()), {.bias = &spec});
  posenc::attend(heads(one.q.data()), heads(one.k.data()), heads(one.v.data()), heads(b.data()), {.bias = &function});
  EXPECT_EQ(a, b);
}

TEST(Attend, ATableAndAnglesRotateAlike) {
  const AttendCase one = small_case();
  const posenc::Rotary spec{.head_dim = 4};
  const posenc::RotaryTable table(spec, 7, DType::f64);
  std::vector<double> by_table(one.q.size()), rotated_before(one.q.size()), k(one.k), q(one.q);
  const auto heads = [](auto* data) { return make_view(data, {7, 2, 4}); };
  posenc::attend(heads(one.q.data()), heads(one.k.data()), heads(one.v.data()), heads(by_table.data()),
                 {.rotary = table});
  posenc::rotate(heads(k.data()), posenc::PositionView::range(0, 7), table);
  posenc::attend(heads(one.q.data()), heads(k.data()), heads(one.v.data()), heads(rotated_before.data()),
                 {.rotary = table, .keys_rotated = true});
  EXPECT_EQ(by_table, rotated_before);
  posenc::rotate(heads(q.data()), posenc::PositionView::range(0, 7), table);
  posenc::attend(heads(q.data()), heads(k.data()), heads(one.v.data()), heads(rotated_before.data()));
  EXPECT_EQ(by_table, rotated_before);
}

TEST(Attend, DropsTheShareOfWeightsThatItIsAskedTo) {
  AttendCase one;
  one.queries = one.keys = 64;
  one.value_width = 64;
  one.heads = one.key_heads = 1;
  one.fill(2);
  std::fill(one.v.begin(), one.v.end(), 0.0);
  for (std::size_t s = 0; s < 64; ++s) one.v[s * 64 + s] = 1.0;  // the output is the dropped weights themselves
  one.dropout = {.p = 0.25, .seed = 11};
  const AttendResult got = one.run();
  int zeros = 0;
  for (std::size_t i = 0; i < got.out.size(); ++i) {
    zeros += got.out[i] == 0.0 ? 1 : 0;
    if (got.out[i] != 0.0) {
      ASSERT_NEAR(got.out[i], got.weights[i] / 0.75, 1e-15);
    }
  }
  EXPECT_NEAR(zeros / 4096.0, 0.25, 0.03);
}

TEST(Attend, NumbersThatAreNoneShow) {
  AttendCase one = small_case();
  one.keys = 1;
  one.fill(1);
  one.q[0] = std::numeric_limits<double>::quiet_NaN();
  const AttendResult got = one.run();
  EXPECT_TRUE(std::isnan(got.out[0]));
  EXPECT_FALSE(std::isnan(got.out[4]));
}

TEST(Attend, WhatMasksShow) {
  const auto shown = [](const posenc::Mask& mask, std::int64_t queries, std::int64_t keys) {
    std::string text;
    for (std::int64_t n = 0; n < queries; ++n) {
      for (std::int64_t s = 0; s < keys; ++s) text += posenc::sees(mask, {1, queries, keys}, 0, n, s) ? '1' : '0';
      text += ' ';
    }
    return text;
  };
  // Queries before the first key reach it only as far as their window does.
  EXPECT_EQ(shown({.right = 6}, 8, 2), "10 11 11 11 11 11 11 11 ");
  EXPECT_EQ(shown({.right = 2000000000}, 3, 1), "1 1 1 ");
  EXPECT_EQ(shown({.sink_keys = 3, .chunk = 1}, 4, 4), "1110 1110 1110 1111 ");
  EXPECT_EQ(shown({.causal = Causal::end, .left = 0, .sink_keys = 1}, 3, 3), "100 110 101 ");
  // A row that began before the first key that is left: chunks count from there.
  const std::int64_t start = -1, end = 9;
  const posenc::ConstView starts = make_view(&start, {1}), ends = make_view(&end, {1});
  EXPECT_EQ(shown({.causal = Causal::end, .chunk = 2, .starts = starts, .ends = ends}, 4, 4), "1000 0100 0110 0001 ");
  EXPECT_EQ(shown({.causal = Causal::end, .sink_keys = 1, .chunk = 2, .starts = starts}, 4, 4), "1000 1100 1110 1001 ");
  EXPECT_EQ(posenc::first_beside({.causal = Causal::end}, {1, 2, 5}), 3);
  EXPECT_EQ(posenc::first_beside({.causal = Causal::start}, {1, 2, 5}), 0);
  EXPECT_EQ(posenc::first_beside({}, {1, 5, 2}), -3);
  EXPECT_EQ(posenc::first_beside({.query_offset = 7}, {1, 2, 5}), 7);
  expect_error(ErrorKind::usage, "n must be 0 to 2 but got 3", [&] { posenc::key_range({}, {1, 3, 3}, 0, 3); });
  expect_error(ErrorKind::usage, "b must be 0 to 0", [&] { posenc::key_range({}, {1, 3, 3}, 1000000000, 0); });
}

TEST(Attend, PaddingMayHoldAnything) {
  AttendCase one = small_case();
  one.batch = 2;
  one.fill(4);
  one.mask.causal = Causal::end;
  one.starts = {2, 0};
  one.ends = {7, 5};
  one.shown_keys = {1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  one.rotary = posenc::Rotary{.head_dim = 4};
  const AttendResult clean = one.run();
  const auto spoil = [&](std::vector<double>& tokens, std::size_t b, std::size_t s) {
    std::fill_n(tokens.begin() + static_cast<std::ptrdiff_t>((b * 7 + s) * 2 * 4), 8, std::nan(""));
  };
  for (std::vector<double>* tokens : {&one.k, &one.v}) {
    spoil(*tokens, 0, 0);
    spoil(*tokens, 0, 3);
    spoil(*tokens, 1, 6);
  }
  EXPECT_EQ(one.run().out, clean.out);
  std::vector<double> grad(one.q.size(), 1.0), dq(one.q.size()), dk(one.k.size()), dv(one.v.size());
  const auto view = [](auto* data) { return make_view(data, {2, 7, 2, 4}); };
  const std::unique_ptr<AttendCase::Call> call = one.call();
  posenc::attend_backward({view(one.q.data()), view(one.k.data()), view(one.v.data()), view(grad.data())},
                          {.q = view(dq.data()), .k = view(dk.data()), .v = view(dv.data())}, call->options);
  for (const std::vector<double>* gradient : {&dq, &dk, &dv}) {
    for (const double value : *gradient) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(Attend, NoQueriesIsNothing) {
  AttendCase one = small_case();
  one.queries = 0;
  one.q.clear();
  EXPECT_TRUE(one.run().out.empty());
}

// Bad calls: the message names what is wrong, and nothing is written.
class AttendErrors : public ::testing::Test {
 protected:
  AttendErrors() : q(7 * 4 * 4), k(7 * 2 * 4), v(7 * 2 * 4), out(7 * 4 * 4, 9.0) {}
  ~AttendErrors() override {
    for (const double value : out) EXPECT_EQ(value, 9.0);
  }

  void expect(const std::string& part, const AttendOptions& options) {
    expect_error(ErrorKind::usage, part, [&] { posenc::attend(q_view, k_view, v_view, out_view, options); });
  }
  void expect(const std::string& part) { expect(part, {}); }

  std::vector<double> q, k, v, out;
  posenc::ConstView q_view = make_view(static_cast<const double*>(q.data()), {7, 4, 4});
  posenc::ConstView k_view = make_view(static_cast<const double*>(k.data()), {7, 2, 4});
  posenc::ConstView v_view = make_view(static_cast<const double*>(v.data()), {7, 2, 4});
  posenc::View out_view = make_view(out.data(), {7, 4, 4});
};

TEST_F(AttendErrors, Shapes) {
  k_view.shape[1] = 3;
  expect("k and v must have the same number of heads but have 3 and 2");
  v_view.shape[1] = 3;
  expect("the number of heads of q must be a multiple of that of k and v, 3, but is 4");
  k_view = v_view = make_view(static_cast<const double*>(k.data()), {0, 2, 4});
  expect("k and v must have at least one token but have shape [0, 2, 4]");
  k_view = make_view(static_cast<const double*>(k.data()), {7, 2, 3});
  v_view = make_view(static_cast<const double*>(v.data()), {7, 2, 4});
  expect("k must have as many channels as q, 4, but has 3");
  k_view = make_view(static_cast<const double*>(k.data()), {6, 2, 4});
  expect("k and v must have the same number of tokens but have 6 and 7");
  k_view = make_view(static_cast<const double*>(k.data()), {1, 7, 2, 4});
  expect("q, k and v must have the same number of axes");
  k_view = make_view(reinterpret_cast<const float*>(k.data()), {7, 2, 4});
  expect("q, k and v must have the same dtype but are f64, f32 and f64");
  k_view = make_view(reinterpret_cast<const std::int64_t*>(k.data()), {7, 2, 4});
  expect("k must be f32, f64, f16 or bf16 but is i64");
  k_view = make_view(static_cast<const double*>(k.data()), {7, 2, 4}).swap(1, 2);
  expect("k must have contiguous channels but the stride of its last axis is 4");
  k_view = {nullptr, DType::f64, 3, {7, 2, 4}, {8, 4, 1}};
  expect("k must not be null");
}

TEST_F(AttendErrors, Outputs) {
  out_view = make_view(out.data(), {7, 4, 3});
  expect("out must be [7, 4, 4] but is [7, 4, 3]");
  out_view = make_view(q.data(), {7, 4, 4});
  expect("out must not overlap q");
  out_view = make_view(out.data(), {7, 4, 4});
  std::vector<double> extra(4 * 7 * 7);
  expect("weights must be [4, 7, 7] or [1, 4, 7, 7] but is [7, 7]", {.weights = make_view(extra.data(), {7, 7})});
  expect("log_sum_exp must be [4, 7] or [1, 4, 7] but is [4, 6]", {.log_sum_exp = make_view(extra.data(), {4, 6})});
  out_view = make_view(extra.data(), {7, 4, 4});
  expect("out must not overlap weights", {.weights = make_view(extra.data(), {4, 7, 7})});
}

TEST_F(AttendErrors, Numbers) {
  expect("scale must be finite but got inf", {.softmax_scale = kInfinity});
  const posenc::Bias before(posenc::Alibi{.heads = 4, .added = posenc::Added::before_scale});
  expect("scale must be above 0 if a bias is added before it but got 0", {.bias = &before, .softmax_scale = 0.0});
  expect("softcap must be at least 0 and finite but got -1", {.softcap = -1.0});
  expect("dropout p must be at least 0 and below 1 but got 1", {.dropout = {.p = 1.0}});
  std::vector<double> sinks(4, std::nan(""));
  expect("sinks must be [4], one per head, but is [3]", {.sinks = make_view(sinks.data(), {3})});
  expect("sinks must be numbers below infinity but head 0 has nan", {.sinks = make_view(sinks.data(), {4})});
}

TEST_F(AttendErrors, Masks) {
  expect("mask left must be at least 0 and below 2^31 but got -1", {.mask = {.left = -1}});
  expect("mask right must be at least 0", {.mask = {.right = -2}});
  expect("mask chunk must be at least 0", {.mask = {.chunk = -1}});
  expect("mask sink_keys must be at least 0", {.mask = {.sink_keys = -1}});
  expect("mask query_offset must be from", {.mask = {.query_offset = std::int64_t{1} << 40}});
  expect("mask causal must be none, end or start but got 7", {.mask = {.causal = static_cast<Causal>(7)}});
  const std::vector<std::uint8_t> bytes(49);
  const std::vector<std::int64_t> ids(7);
  expect("mask keys must be [7] or [1, 7] but is [6]", {.mask = {.keys = make_view(bytes.data(), {6})}});
  expect("mask pairs must be [7, 7] or [1, 7, 7] but is [7]", {.mask = {.pairs = make_view(bytes.data(), {7})}});
  expect("mask documents must be i32 or i64 but is u8", {.mask = {.documents = make_view(bytes.data(), {7})}});
  expect("mask starts must be [1] but is [7]", {.mask = {.starts = make_view(ids.data(), {7})}});
  const std::vector<std::int64_t> far = {std::int64_t{1} << 40};
  expect(
      "mask ends must be from -2147483647 to 2147483647 but row 0 "
      "has",
      {.mask = {.ends = make_view(far.data(), {1})}});
}

TEST_F(AttendErrors, EncodingsThatDoNotFit) {
  const posenc::Bias three(posenc::Alibi{.heads = 3});
  expect("heads", {.bias = &three});
  const std::vector<double> rows(100, 0.5);
  const posenc::ScoreTerm wide(posenc::Shaw{.head_dim = 8, .left = 1, .right = 1},
                               {{"keys", make_view(rows.data(), {3, 8})}});
  expect("the shaw term must have head_dim 4 like q but has 8", {.term = &wide});
  const posenc::ScoreTerm heads(posenc::Shaw{.head_dim = 4, .left = 1, .right = 1},
                                {{"keys", make_view(rows.data(), {2, 3, 4})}});
  expect("the shaw term must have as many heads as q, 4, but has 2", {.term = &heads});
  const posenc::ScoreTerm strict(posenc::Shaw{.head_dim = 4, .left = 1, .right = 1, .past = posenc::PastTable::error},
                                 {{"keys", make_view(rows.data(), {3, 4})}});
  expect("the shaw term has vectors for offsets -1 to 1 (past=error) but positions have offsets -6 to 6",
         {.term = &strict});
  const posenc::RotaryAngles eight(posenc::Rotary{.head_dim = 8});
  expect("the rotary encoding must have heads of 4 channels like q and k but has 8", {.rotary = eight});
  const posenc::RotaryTable table(posenc::Rotary{.head_dim = 4}, 6, DType::f64);
  expect_error(ErrorKind::bad_input, "positions must be integers from 0 to 5, the range of the table, but got 6",
               [&] { posenc::attend(q_view, k_view, v_view, out_view, {.rotary = table}); });
  const std::vector<double> reals(7, 0.5);
  const posenc::ScoreTerm shared(posenc::Shaw{.head_dim = 4, .left = 1, .right = 1},
                                 {{"keys", make_view(rows.data(), {3, 4})}});
  expect("needs integer positions but they are f64",
         {.term = &shared, .query_positions = posenc::PositionView::of(reals.data(), 7)});
  expect("query_positions must be one per token", {.query_positions = posenc::PositionView::range(0, 3)});
  expect_error(ErrorKind::usage, "spec must be shaw or transformer_xl but is alibi",
               [] { posenc::ScoreTerm(posenc::Alibi{.heads = 2}, {}); });
}

TEST_F(AttendErrors, OutputsThatAreRead) {
  std::vector<double> both(2 * 112 + 7, 0.0);
  out_view = make_view(both.data(), {7, 4, 4});
  expect("out must not overlap sinks", {.sinks = make_view(both.data() + 100, {4})});
  const posenc::Bias matrix(posenc::MatrixBias{.heads = 4}, {{"values", make_view(both.data() + 50, {7, 7})}});
  expect("out must not overlap the values of the bias", {.bias = &matrix});
  expect("out must not overlap mask pairs",
         {.mask = {.pairs = make_view(reinterpret_cast<const std::uint8_t*>(both.data()), {7, 7})}});
  expect("out must not overlap the positions",
         {.query_positions = posenc::PositionView::of(static_cast<const double*>(both.data()), 7)});
}

TEST_F(AttendErrors, Gradients) {
  const auto expect_backward = [&](const std::string& part, const posenc::AttendGradients& gradients,
                                   const AttendOptions& options = {}) {
    expect_error(ErrorKind::usage, part, [&] {
      posenc::attend_backward({q_view, k_view, v_view, q_view}, gradients, options);
    });
  };
  std::vector<double> grad(200);
  expect_backward("the gradient of k must be [7, 2, 4] but is [7, 4, 4]", {.k = make_view(grad.data(), {7, 4, 4})});
  expect_backward("the gradient of k must not overlap the gradient of q",
                  {.q = make_view(grad.data(), {7, 4, 4}), .k = make_view(grad.data() + 50, {7, 2, 4})});
  expect_backward("the gradient of sinks is requested but there are no sinks", {.sinks = make_view(grad.data(), {4})});
  expect_backward("gradients of a bias are requested but there is no bias",
                  {.bias = {{"table", make_view(grad.data(), {4})}}});
  expect_error(ErrorKind::usage, "grad_out must be [7, 4, 4] but is [7, 2, 4]", [&] {
    posenc::attend_backward({q_view, k_view, v_view, k_view}, {});
  });
}

}  // namespace
}  // namespace attend_test
