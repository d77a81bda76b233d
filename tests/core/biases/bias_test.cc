// Biases: the same numbers as the plain definition, whatever positions, types and tiles; and their gradients.
#include "posenc/bias.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/bias_cases.h"
#include "support/expect_error.h"

namespace posenc::bias_test {
namespace {

using bias_cases::all_cases;
using bias_cases::BiasCase;
using bias_cases::kHeads;
using bias_cases::kMatrix;

std::vector<double> filled(const Bias& bias, const PositionView& queries, const PositionView& keys) {
  const std::int64_t heads = bias.heads() == 0 ? kHeads : bias.heads();
  std::vector<double> out(static_cast<std::size_t>(heads * queries.count * keys.count), 1234.0);
  fill_bias(bias, queries, keys, make_view(out.data(), {heads, queries.count, keys.count}));
  return out;
}

bool reads_rows(const BiasCase& c) {
  return std::holds_alternative<Clipped>(c.spec) || std::holds_alternative<T5>(c.spec) ||
         std::holds_alternative<MatrixBias>(c.spec);
}

// Equal, or near where both are finite.
bool is_near(double got, double wanted, double tolerance) {
  return got == wanted || std::fabs(got - wanted) <= tolerance * std::max(1.0, std::fabs(wanted));
}

constexpr double kDouble = 1e-13;

std::int64_t in_range(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); }

// Positions of every form: ranges of any step, i32 and i64 ids, f64, with a batch or without.
struct AnyPositions {
  AnyPositions(std::int64_t batch, std::int64_t count, std::int64_t low, std::int64_t high, bool real) {
    switch (in_range(0, real ? 3 : 2)) {
      case 0: {
        const std::int64_t step = in_range(-2, 3);
        const std::int64_t span = (count - 1) * std::abs(step);
        if (span > high - low) break;
        const std::int64_t start = in_range(low, high - span);
        view = PositionView::range(step < 0 ? start + span : start, count, step);
        return;
      }
      case 1:
        for (std::int64_t i = 0; i < batch * count; ++i)
          small.push_back(static_cast<std::int32_t>(in_range(low, high)));
        view = PositionView::of(small.data(), count);
        break;
      case 2:
        for (std::int64_t i = 0; i < batch * count; ++i) large.push_back(in_range(low, high));
        view = PositionView::of(large.data(), count);
        break;
      default:
        for (std::int64_t i = 0; i < batch * count; ++i) {
          reals.push_back(static_cast<double>(in_range(low * 8, high * 8)) / 8.0);
        }
        view = PositionView::of(reals.data(), count);
    }
    if (view.count == 0) view = PositionView::range(low, count, 0);
    if (view.data == nullptr) return;
    view.batch = batch;
    view.batch_stride = count;
  }
  double at(std::int64_t b, std::int64_t n) const { return view.real(view.batch == 1 ? 0 : b, n); }

  std::vector<std::int32_t> small;
  std::vector<std::int64_t> large;
  std::vector<double> reals;
  PositionView view;
};

RC_GTEST_PROP(BiasProperty, FilledAndAddedInTilesAsThePlainDefinition, ()) {
  const BiasCase c = *rc::gen::elementOf(all_cases());
  const Bias bias = c.bias();
  const bool matrix = std::holds_alternative<MatrixBias>(c.spec);
  const std::int64_t low = matrix ? 0 : -20, high = matrix ? kMatrix - 1 : 40;
  const std::int64_t batch = in_range(1, 2), n = in_range(1, 9), s = in_range(1, 12);
  const AnyPositions queries(batch, n, low, high, !reads_rows(c)), keys(batch, s, low, high, !reads_rows(c));
  std::vector<double> all(static_cast<std::size_t>(batch * kHeads * n * s), 1234.0);
  fill_bias(bias, queries.view, keys.view, make_view(all.data(), {batch, kHeads, n, s}));
  std::size_t index = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      for (std::int64_t i = 0; i < n * s; ++i) {
        const double wanted = c.value(h, queries.at(b, i / s), keys.at(b, i % s));
        if (!is_near(all[index++], wanted, kDouble)) RC_FAIL(c.name + ": " + std::to_string(wanted));
      }
    }
  }
  // Other types round that once.
  const DType dtype = *rc::gen::element(DType::f32, DType::f16, DType::bf16);
  TypedBlock narrow(dtype, batch * kHeads, n, s, {.gap = in_range(0, 3)});
  View out = narrow.view();
  out.rank = 4;
  out.shape = {batch, kHeads, n, s};
  out.strides = {kHeads * out.strides[0], out.strides[0], out.strides[1], 1};
  fill_bias(bias, queries.view, keys.view, out);
  const std::vector<double> rounded = narrow.values();
  for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(rounded[i] == rounded_to(dtype, all[i]));
  RC_ASSERT(narrow.gaps_are_whole());

  // A tile of one head, in its own strides, gets the same numbers on top of the scores.
  Tile tile{.batch = in_range(0, batch - 1), .head = in_range(0, kHeads - 1)};
  tile.first_query = in_range(0, n - 1);
  tile.queries = in_range(0, n - tile.first_query);
  tile.first_key = in_range(0, s - 1);
  tile.keys = in_range(0, s - tile.first_key);
  TypedBlock scores(DType::f32, 1, tile.queries, tile.keys, {.gap = in_range(0, 3), .backwards = in_range(0, 1) == 1});
  const std::vector<double> before = random_numbers(tile.queries * tile.keys, 17);
  scores.set_values(before);
  add_bias(bias, tile, queries.view, keys.view, scores.flat());
  for (std::int64_t r = 0; r < tile.queries; ++r) {
    for (std::int64_t k = 0; k < tile.keys; ++k) {
      const std::int64_t q = tile.first_query + r, key = tile.first_key + k;
      const auto added =
          static_cast<float>(all[static_cast<std::size_t>(((tile.batch * kHeads + tile.head) * n + q) * s + key)]);
      const auto score = static_cast<float>(before[static_cast<std::size_t>(r * tile.keys + k)]);
      const double factor = c.factor(tile.head, queries.at(tile.batch, q), keys.at(tile.batch, key));
      const double wanted = factor * static_cast<double>(score) + static_cast<double>(added);
      const double got = scores.at(0, r, k);
      // Without a factor to the bit.
      const bool right = bias.has_factor() ? is_near(got, wanted, 2e-7) : got == static_cast<double>(score + added);
      if (!right) RC_FAIL(c.name);
    }
  }
  RC_ASSERT(scores.gaps_are_whole());
}

// More queries and keys than a block has, ids among them, and positions at the ends of what there is.
TEST(Bias, BlocksAndFarPositions) {
  std::vector<std::int64_t> ids(700);
  for (std::size_t n = 0; n < ids.size(); ++n) ids[n] = n < 40 ? 0 : static_cast<std::int64_t>(n - 40);
  const PositionView forms[] = {PositionView::range(100, 700), PositionView::range(-500, 700, 2),
                                PositionView::of(ids.data(), 700)};
  for (const BiasCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    if (std::holds_alternative<MatrixBias>(c.spec)) continue;
    const bias_cases::PlainBias plain(c);
    for (const PositionView& keys : forms) {
      const PositionView queries = keys.slice(30, 130);
      const std::vector<double> all = filled(c.bias(), queries, keys);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < all.size(); i += 7) {
        const auto at = static_cast<std::int64_t>(i);
        const double query = queries.real(0, at / 700 % 130), key = keys.real(0, at % 700);
        if (!is_near(all[i], plain.value(at / (130 * 700), query, key), kDouble)) ++wrong;
      }
      EXPECT_EQ(wrong, 0U);
      if (c.name != "alibi") continue;
      TypedBlock narrow(DType::bf16, kHeads, queries.count, keys.count);
      fill_bias(c.bias(), queries, keys, narrow.view());
      EXPECT_EQ(narrow.at(1, 129, 699), rounded_to(DType::bf16, all[(130 + 129) * 700 + 699]));
    }
    const PositionView left = PositionView::range(-kMaxPosition, 2), right = PositionView::range(kMaxPosition - 2, 3);
    for (const auto& [queries, keys] : {std::pair(left, right), std::pair(right, left)}) {
      const std::vector<double> far = filled(c.bias(), queries, keys);
      for (std::size_t i = 0; i < far.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const double query = queries.real(0, at / keys.count % queries.count), key = keys.real(0, at % keys.count);
        // The plain definition rounds angles of 4e9 radians.
        const double tolerance = std::holds_alternative<Sandwich>(c.spec) ? 2e-5 : kDouble;
        EXPECT_TRUE(is_near(far[i], plain.value(at / (queries.count * keys.count), query, key), tolerance)) << far[i];
      }
    }
  }
}

TEST(Bias, ShiftedPositionsChangeNothingThatIsRelative) {
  const PositionView all = PositionView::range(0, 11), shifted = PositionView::range(1001, 11);
  for (const BiasCase& c : all_cases()) {
    SCOPED_TRACE(c.name);
    if (std::holds_alternative<MatrixBias>(c.spec)) continue;
    const bool moves = c.name == "fire" || c.name.find("key_position") != std::string::npos ||
                       c.name.find("chunked") != std::string::npos;
    EXPECT_EQ(filled(c.bias(), all, all) == filled(c.bias(), shifted, shifted), !moves);
  }
}

TEST(Bias, AlibiByFunctionAndByMatrix) {
  const Bias alibi(Alibi{.heads = 6});
  const std::vector<double> slopes = alibi_slopes({.heads = 6});
  EXPECT_EQ(slopes, (std::vector<double>{0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125}));
  const Bias function(6, [&](std::int64_t head, double query, double key) {
    return -slopes[static_cast<std::size_t>(head)] * std::fabs(query - key);
  });
  const PositionView all = PositionView::range(0, 9);
  const std::vector<double> wanted = filled(alibi, all, all);
  EXPECT_EQ(filled(function, all, all), wanted);
  const Bias matrix(MatrixBias{.heads = 6}, {{"values", make_view(wanted.data(), {6, 9, 9})}});
  EXPECT_EQ(filled(matrix, all, all), wanted);
}

// Where every distance has a bucket of its own, buckets are a clipped table.
TEST(Bias, CausalT5IsAClippedTableForShortTexts) {
  constexpr std::int64_t kTokens = 7;
  const std::vector<double> table = random_numbers(2 * kTokens * 2, 3);
  const Bias t5(T5{.heads = 2, .buckets = 2 * kTokens, .max_distance = 50, .direction = T5Direction::causal},
                {{"table", make_view(table.data(), {2 * kTokens, 2})}});
  std::vector<double> by_offset;
  for (std::int64_t offset = 1 - kTokens; offset < kTokens; ++offset) {
    const auto row = static_cast<std::size_t>(std::max<std::int64_t>(-offset, 0));
    by_offset.insert(by_offset.end(), {table[2 * row], table[2 * row + 1]});
  }
  const Bias clipped(Clipped{.heads = 2, .max_distance = kTokens - 1},
                     {{"table", make_view(by_offset.data(), {2 * kTokens - 1, 2})}});
  const PositionView all = PositionView::range(0, kTokens);
  EXPECT_EQ(filled(t5, all, all), filled(clipped, all, all));
}

TEST(Bias, SlopesOfBothRules) {
  const std::vector<double> interleaved = alibi_slopes({.heads = 12});
  EXPECT_EQ(interleaved[7], 1.0 / 256);
  EXPECT_DOUBLE_EQ(interleaved[8], std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(interleaved[11], std::exp2(-3.5));
  EXPECT_DOUBLE_EQ(alibi_slopes({.heads = 12, .rule = SlopeRule::geometric})[4], std::exp2(-10.0 / 3));
  EXPECT_EQ(alibi_slopes({.heads = 4, .bias_max = 16.0})[3], std::exp2(-16.0));
  EXPECT_EQ(alibi_slopes({.heads = 5, .biased_heads = 2}), (std::vector<double>{0.0625, 0.00390625, 0, 0, 0}));
}

TEST(Bias, ScheduleSaysWhereItIsAdded) {
  EXPECT_EQ(make_bias_schedule(Alibi{.heads = 2, .added = Added::before_scale}).added, Added::before_scale);
  EXPECT_EQ(make_bias_schedule(Window{.left = 1}).heads, 0);
  const auto t5 = std::get<TableBias>(make_bias_schedule(T5{.heads = 2}).shape);
  EXPECT_LE(static_cast<std::int64_t>(t5.rows.size()), 2 * 128 + 1);
  EXPECT_EQ(t5.rows.front(), 15);
  EXPECT_EQ(t5.rows.back(), 31);
}

// Any float type and any strides: here every other column of a matrix read backwards.
TEST(Bias, ParametersOfAnyTypeAndStrides) {
  const BiasCase c = all_cases()[0];
  const PositionView all = PositionView::range(0, 9);
  const std::vector<double>& table = c.owned[0].values;
  for (const DType dtype : float_types()) {
    TypedBlock block(dtype, 1, 9, 2 * kHeads, {.backwards = true});
    std::vector<double> rounded(table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i) / kHeads, head = static_cast<std::int64_t>(i) % kHeads;
      block.set(0, row, 2 * head, table[i]);
      rounded[i] = rounded_to(dtype, table[i]);
    }
    View view = block.flat();
    view.shape[1] = kHeads;
    view.strides[1] = 2;
    const Bias strided(c.spec, {{"table", view}});
    const Bias plain(c.spec, {{"table", make_view(rounded.data(), {9, kHeads})}});
    EXPECT_EQ(filled(strided, all, all), filled(plain, all, all)) << to_text(dtype);
  }
}

// The loss of which gradients are taken: a random weight for every score of every head.
struct Loss {
  PositionView queries, keys;
  std::vector<double> scores = random_numbers(kHeads * queries.count * keys.count, 11);
  std::vector<double> weights = random_numbers(kHeads * queries.count * keys.count, 12);

  Tile tile(std::int64_t head) const { return {.head = head, .queries = queries.count, .keys = keys.count}; }
  std::int64_t size() const { return queries.count * keys.count; }
  View part(std::vector<double>& numbers, std::int64_t head) const {
    return make_view(numbers.data() + head * size(), {queries.count, keys.count});
  }
  double operator()(const BiasCase& c) const {
    const Bias bias = c.bias();
    std::vector<double> result = scores;
    for (std::int64_t h = 0; h < kHeads; ++h) add_bias(bias, tile(h), queries, keys, part(result, h));
    double sum = 0.0;
    for (std::size_t i = 0; i < result.size(); ++i) sum += result[i] == -INFINITY ? 0.0 : result[i] * weights[i];
    return sum;
  }
};

TEST(BiasGradient, AgreesWithFiniteDifferences) {
  const std::int64_t ids[] = {3, 0, 7, 7, 11, 2};
  for (BiasCase c : all_cases()) {
    const Loss losses[] = {{PositionView::range(1, 9), PositionView::range(0, 11)},
                           {PositionView::of(ids, 6), PositionView::range(0, 11)},
                           {PositionView::range(2, 4, 2), PositionView::range(0, 6, 2)}};
    for (Loss loss : losses) {
      SCOPED_TRACE(c.name);
      std::vector<std::vector<double>> gradients;
      for (const auto& owned : c.owned) gradients.emplace_back(owned.values.size(), 0.5);  // added to
      Gradients views;
      for (std::size_t p = 0; p < c.owned.size(); ++p) {
        views.push_back({c.owned[p].name, bias_cases::view_of(gradients[p].data(), c.owned[p].shape)});
      }
      const Bias bias = c.bias();
      std::vector<double> grad_before(loss.scores.size());
      for (std::int64_t h = 0; h < kHeads; ++h) {
        BiasGradientTile tile{loss.tile(h), loss.part(loss.weights, h)};
        if (bias.has_factor()) tile.scores_before = loss.part(loss.scores, h);
        tile.grad_before = loss.part(grad_before, h);
        add_bias_backward(bias, tile, loss.queries, loss.keys, views);
      }
      for (std::size_t p = 0; p < c.owned.size(); ++p) {
        for (std::size_t i = 0; i < gradients[p].size(); ++i) {
          const double kept = c.owned[p].values[i];
          constexpr double kStep = 1e-5;
          c.owned[p].values[i] = kept + kStep;
          const double above = loss(c);
          c.owned[p].values[i] = kept - kStep;
          const double wanted = (above - loss(c)) / (2 * kStep);
          c.owned[p].values[i] = kept;
          EXPECT_NEAR(gradients[p][i] - 0.5, wanted, 2e-6 * std::max(1.0, std::fabs(wanted))) << c.owned[p].name << i;
        }
      }
      for (std::size_t i = 0; i < loss.scores.size(); ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) % loss.size();
        const double query = loss.queries.real(0, at / loss.keys.count), key = loss.keys.real(0, at % loss.keys.count);
        EXPECT_NEAR(grad_before[i], loss.weights[i] * c.factor(static_cast<std::int64_t>(i) / loss.size(), query, key),
                    1e-12);
      }
    }
  }
}

// Below `smallest`, and a power above 2, parameters are used as that: nothing of theirs can change the score.
TEST(BiasGradient, ClampedParametersHaveNone) {
  const double p[] = {0.001, 3.0, 1.0}, a[] = {1.0, 0.001, -4.0};
  const Bias bias(Kerple{.heads = 3, .kernel = KerpleKernel::power},
                  {{"p", make_view(p, {3})}, {"a", make_view(a, {3})}});
  const PositionView all = PositionView::range(0, 4);
  const std::vector<double> ones(16, 1.0);
  float of_p[3] = {}, of_a[3] = {};
  for (std::int64_t h = 0; h < 3; ++h) {
    add_bias_backward(bias, {{.head = h, .queries = 4, .keys = 4}, make_view(ones.data(), {4, 4})}, all, all,
                      {{"p", make_view(of_p, {3})}, {"a", make_view(of_a, {3})}});
  }
  EXPECT_TRUE(of_p[0] == 0.0f && of_p[1] == 0.0f && of_p[2] != 0.0f);
  EXPECT_TRUE(of_a[0] != 0.0f && of_a[1] == 0.0f && of_a[2] == 0.0f);
}

constexpr auto kUsage = ErrorKind::usage;
constexpr auto kBad = ErrorKind::bad_input;

TEST(BiasErrors, Parameters) {
  std::vector<double> numbers(64, 0.25);
  const T5 t5{.heads = 2, .buckets = 8, .max_distance = 20};
  const auto table = make_view(numbers.data(), {8, 2});
  const auto refused = [](ErrorKind kind, const std::string& part, const Spec& spec, const Parameters& parameters) {
    expect_error(kind, part, [&] { Bias(spec, parameters); });
  };
  refused(kUsage, "[t5] t5 needs the parameter table, [8, 2]", t5, {});
  refused(kUsage, "did you mean 'table'? (it has table)", t5, {{"tabel", table}});
  refused(kUsage, "[t5] table must be given once", t5, {{"table", table}, {"table", table}});
  refused(kUsage, "[t5] table must be [8, 2] but is [2, 8]", t5, {{"table", make_view(numbers.data(), {2, 8})}});
  refused(kUsage, "[t5] table must be [8, 2] but is [16]", t5, {{"table", make_view(numbers.data(), {16})}});
  const std::int64_t integers[16] = {};
  refused(kUsage, "table must be f32, f64, f16 or bf16 but is i64", t5, {{"table", make_view(integers, {8, 2})}});
  refused(kUsage, "table must not be null", t5, {{"table", make_view(static_cast<double*>(nullptr), {8, 2})}});
  View far = table;
  far.strides = {INT64_MAX / 2, 1};
  refused(kUsage, "table must fit in the address space", t5, {{"table", far}});
  refused(kUsage, "[window] window learns nothing but got 'table'", Window{.left = 1}, {{"table", table}});
  const auto two = make_view(numbers.data(), {2});
  refused(kUsage, "kerple needs the parameter a, [2]", Kerple{.heads = 2}, {{"p", two}});
  refused(kUsage, "factor_a and factor_p must be given together", Kerple{.heads = 2}, {{"factor_a", two}});
  refused(kUsage, "no parameter 'exponent'", Kerple{.heads = 2, .kernel = KerpleKernel::power}, {{"exponent", two}});
  refused(kUsage, "values must be [any, any] or, per head, [2, any, any] but is [3, 2, 2]", MatrixBias{.heads = 2},
          {{"values", make_view(numbers.data(), {3, 2, 2})}});
  numbers[7] = NAN;
  refused(kBad, "[t5] table[3, 1] must be finite but is nan", t5, {{"table", table}});
  refused(kBad, "values[3, 1] must be finite or -inf but is nan", MatrixBias{.heads = 2}, {{"values", table}});
  numbers[7] = INFINITY;
  refused(kBad, "values[3, 1] must be finite or -inf but is inf", MatrixBias{.heads = 2}, {{"values", table}});
  numbers[7] = -INFINITY;
  refused(kBad, "[t5] table[3, 1] must be finite but is -inf", t5, {{"table", table}});
  Bias(MatrixBias{.heads = 2}, {{"values", table}});
  BiasCase fire = all_cases()[15];
  std::get<Fire>(fire.spec).eps = 0.0;
  fire.owned[0].values[0] = 0.0;
  expect_error(kBad, "[fire] c and length_factor must not be 0 if eps is 0", [&] { fire.bias(); });
}

TEST(BiasErrors, Specs) {
  const auto refused = [](ErrorKind kind, const std::string& part, const Spec& spec) {
    expect_error(kind, part, [&] { make_bias_schedule(spec); });
  };
  refused(kBad, "buckets must be even if direction is bidirectional", T5{.heads = 2, .buckets = 7});
  refused(kBad, "buckets must be at least 4", T5{.heads = 2, .buckets = 2});
  refused(kBad, "max_distance must be above the 8 distances", T5{.heads = 2, .max_distance = 8});
  refused(kBad, "left must be at least 0 but got -1", Window{.left = -1});
  refused(kBad, "heads must be at least 1 but got 0", Alibi{});
  refused(kBad, "biased_heads must be at most heads, 2, but got 3", Alibi{.heads = 2, .biased_heads = 3});
  refused(kBad, "size must be at least 1", Chunked{});
  refused(kBad, "width must be even", Sandwich{.heads = 2, .width = 7});
  refused(kBad, "every frequency must be finite", Sandwich{.heads = 2, .width = 8, .base = 5e-324});
  refused(kUsage, "[make_bias_schedule] 'rotary' is not a bias on scores: it rotates queries and keys",
          Rotary{.head_dim = 8});
  refused(kUsage, "'shaw' is not a bias on scores: its vectors act", Shaw{.head_dim = 8, .left = 1, .right = 1});
  refused(kUsage, "'sinusoidal' is not a bias on scores: it is added to the embeddings", Sinusoidal{.width = 8});
  expect_error(kUsage, "[Bias] 'none' is not a bias on scores: it adds nothing", [] { Bias(NoPosition{}); });
  expect_error(kUsage, "[Bias] function must not be empty", [] { Bias(2, BiasFunction()); });
  expect_error(kUsage, "heads must be at least 0 but got -1",
               [] { Bias(-1, [](std::int64_t, double, double) { return 0.0; }); });
}

TEST(BiasErrors, PositionsTilesAndScores) {
  std::vector<double> memory(400, 1.0);
  const PositionView ten = PositionView::range(0, 10), five = PositionView::range(0, 5);
  const View out = make_view(memory.data(), {2, 10, 5}), apart = make_view(memory.data() + 100, {2, 10, 5});
  const Bias alibi(Alibi{.heads = 2});
  const std::vector<double> table(16, 0.5);
  const Bias t5(T5{.heads = 2, .buckets = 8, .max_distance = 20}, {{"table", make_view(table.data(), {8, 2})}});
  const double reals[5] = {0.5};
  expect_error(kUsage, "[fill_bias] out must be [2, 10, 5] but is [3, 10, 5]", [&] {
    fill_bias(alibi, ten, five, make_view(memory.data(), {3, 10, 5}));
  });
  expect_error(kUsage, "out must be [2, 5, 10] but is [2, 10, 5]", [&] { fill_bias(alibi, five, ten, out); });
  expect_error(kUsage, "out must be f32, f64, f16 or bf16 but is i64", [&] {
    fill_bias(alibi, ten, five, make_view(memory.data(), DType::i64, {2, 10, 5}));
  });
  expect_error(kUsage, "positions of keys must be integers because they index table rows, but are f64",
               [&] { fill_bias(t5, ten, PositionView::of(reals, 5), out); });
  PositionView axes = five;
  axes.axes = 2;
  expect_error(kUsage, "must have one axis but have 2", [&] { fill_bias(alibi, ten, axes, out); });
  expect_error(kBad, "positions must be from",
               [&] { fill_bias(alibi, ten, PositionView::range(kMaxPosition, 5), out); });
  expect_error(kUsage, "out must not overlap the positions",
               [&] { fill_bias(alibi, ten, PositionView::of(memory.data() + 3, 5), out); });
  const Bias matrix(MatrixBias{.heads = 2}, {{"values", make_view(memory.data(), {10, 5})}});
  expect_error(kBad, "positions of keys must be 0 to 4, the size of the matrix, but got 9", [&] {
    fill_bias(matrix, ten, ten, make_view(memory.data() + 100, {2, 10, 10}));
  });
  expect_error(kBad, "positions of queries must be 0 to 9, the size of the matrix, but got -1",
               [&] { fill_bias(matrix, PositionView::range(-1, 10), five, apart); });
  expect_error(kUsage, "out must not overlap the values of the bias", [&] { fill_bias(matrix, ten, five, out); });

  const View scores = make_view(memory.data(), {4, 5});
  const Tile tile{.queries = 4, .keys = 5};
  const auto refused = [&](const std::string& part, Tile changed, const View& view) {
    expect_error(kUsage, part, [&] { add_bias(alibi, changed, ten, five, view); });
  };
  const auto with = [&](auto change) {
    Tile changed = tile;
    change(changed);
    return changed;
  };
  refused("[add_bias] the tile must be inside the 10 queries but has 4 starting at 7",
          with([](Tile& t) { t.first_query = 7; }), scores);
  refused("the tile must be inside the 5 keys but has 5 starting at", with([](Tile& t) { t.first_key = -1; }), scores);
  refused("head must be below 2 but got 2", with([](Tile& t) { t.head = 2; }), scores);
  refused("positions must have batch row -1", with([](Tile& t) { t.batch = -1; }), scores);
  refused("scores must be [4, 5], like the tile, but is [5, 4]", tile, make_view(memory.data(), {5, 4}));
  refused("scores must be f32 or f64 but is f16", tile, make_view(memory.data(), DType::f16, {4, 5}));
  View overlapping = scores;
  overlapping.strides[0] = 1;
  refused("scores must not overlap itself", tile, overlapping);
  EXPECT_EQ(memory, std::vector<double>(400, 1.0));
}

TEST(BiasErrors, Gradients) {
  std::vector<double> grads(20, 1.0), scores(20), table(16, 0.5), gradient(16);
  const PositionView four = PositionView::range(0, 4), five = PositionView::range(0, 5);
  const BiasGradientTile tile{{.queries = 4, .keys = 5}, make_view(grads.data(), {4, 5})};
  const Bias t5(T5{.heads = 2, .buckets = 8, .max_distance = 20}, {{"table", make_view(table.data(), {8, 2})}});
  const auto refused = [&](const std::string& part, const Bias& bias, const Gradients& gradients,
                           const BiasGradientTile& changed) {
    expect_error(kUsage, part, [&] { add_bias_backward(bias, changed, four, five, gradients); });
  };
  const View right = make_view(gradient.data(), {8, 2});
  refused("t5 has no parameter 'tables'; did you mean 'table'?", t5, {{"tables", right}}, tile);
  refused("the gradient of table must be [8, 2], as the parameter, but is [2, 8]", t5,
          {{"table", make_view(gradient.data(), {2, 8})}}, tile);
  refused("the gradient of table must be f32 or f64 but is bf16", t5,
          {{"table", make_view(gradient.data(), DType::bf16, {8, 2})}}, tile);
  refused("the gradient of table must be given once", t5, {{"table", right}, {"table", right}}, tile);
  View thin = right;
  thin.strides[0] = 0;
  refused("the gradient of table must not overlap itself", t5, {{"table", thin}}, tile);
  refused("the gradient of slopes was asked for but the parameter was not given", Bias(Alibi{.heads = 2}),
          {{"slopes", make_view(gradient.data(), {2})}}, tile);
  BiasGradientTile changed = tile;
  changed.grad_scores.shape[0] = 3;
  refused("grad_scores must be [4, 5], like the tile, but is [3, 5]", t5, {}, changed);
  changed = tile;
  changed.grad_before = make_view(gradient.data(), DType::f32, {4, 5});
  refused("grad_before must be f64 but is f32", t5, {}, changed);
  const Bias kerple = all_cases()[13].bias();
  refused("scores_before must be [4, 5], like the tile, but is []", kerple, {}, tile);
  changed = tile;
  changed.scores_before = make_view(scores.data(), {4, 5});
  const View three = make_view(gradient.data(), {3});
  refused("the gradient of a must not overlap that of p", kerple, {{"p", three}, {"a", three}}, changed);
  EXPECT_EQ(gradient, std::vector<double>(16));
}

}  // namespace
}  // namespace posenc::bias_test
