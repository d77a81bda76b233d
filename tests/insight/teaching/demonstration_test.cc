#include "posenc/insight/demonstration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "posenc/models/encoding.h"
#include "posenc/random.h"
#include "posenc/reference.h"
#include "support/expect_error.h"
#include "support/numbers.h"

namespace posenc::demonstration_test {
namespace {

using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

// Normal float32 numbers, row by row. Matrix w of a model with seed s has the seed 64 s + w.
Numbers drawn(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed) {
  std::vector<float> numbers(static_cast<std::size_t>(rows * columns));
  fill_random(make_view(numbers.data(), {rows, columns}), {.std = std, .seed = seed});
  return Numbers(numbers.begin(), numbers.end());
}

// The model by the plain definitions, in double.
struct Plain {
  PermutationQuestion question;
  std::int64_t width = question.width;

  std::int64_t tokens() const { return static_cast<std::int64_t>(question.words.size()); }
  Numbers matrix(std::int64_t rows, std::uint64_t which) const {
    return drawn(rows, width, 1.0 / std::sqrt(static_cast<double>(width)), 64 * question.seed + which);
  }
  Numbers embed(const Words& sentence) const {
    std::map<std::string, std::int64_t> rows;
    for (const std::string& word : question.words) rows.emplace(word, static_cast<std::int64_t>(rows.size()));
    const Numbers table = drawn(static_cast<std::int64_t>(rows.size()), width, 1.0, 64 * question.seed);
    Numbers result;
    for (const std::string& word : sentence) {
      result.insert(result.end(), table.begin() + rows.at(word) * width, table.begin() + (rows.at(word) + 1) * width);
    }
    return result;
  }

  Numbers attention(const Spec& spec, Numbers x) const {
    reference::Attention problem{.queries = tokens(), .keys = tokens(), .heads = question.heads};
    problem.key_heads = question.heads;
    problem.width = problem.value_width = width / question.heads;
    problem.softmax_scale = 1.0 / std::sqrt(static_cast<double>(problem.width));
    const Encoding begun = make_encoding(spec, {}, Missing::draw, question.seed);
    std::vector<reference::Numbers> parameters;
    for (const Parameter& given : begun.parameters()) {  // T5's table, in double
      const auto count = static_cast<std::size_t>(given.value.size());
      parameters.push_back({"table", {32, question.heads}, {given.value.as<double>(), count}});
    }
    problem.bias = [&](std::int64_t h, std::int64_t n, std::int64_t s) {
      return reference::bias(spec, parameters, h, static_cast<double>(n), static_cast<double>(s));
    };
    if (const auto* sinusoidal = std::get_if<Sinusoidal>(&spec)) {
      Numbers row(static_cast<std::size_t>(width));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t m = i % row.size();
        reference::sinusoidal_row(*sinusoidal, static_cast<double>(i / row.size()), row.data());
        x[i] += row[m];
      }
    }
    const Numbers in = matrix(3 * width, 1), back = matrix(width, 2);
    Numbers out(x.size());
    reference::multi_head(problem, {.width = width, .in_weight = in, .out_weight = back}, x.data(), x.data(),
                          out.data());
    return out;
  }

  // out[n] += W x[at], if token `at` exists.
  void add_product(const double* weights, const Numbers& x, std::int64_t at, double* out) const {
    if (at < 0 || at >= tokens()) return;
    for (std::int64_t m = 0; m < width; ++m) {
      for (std::int64_t c = 0; c < width; ++c) {
        out[m] += weights[m * width + c] * x[static_cast<std::size_t>(at * width + c)];
      }
    }
  }
  Numbers recurrence(const Numbers& x) const {
    const Numbers before = matrix(width, 3), input = matrix(width, 4);
    Numbers out(x.size());
    for (std::int64_t n = 0; n < tokens(); ++n) {
      double* row = out.data() + n * width;
      add_product(input.data(), x, n, row);
      add_product(before.data(), out, n - 1, row);
      for (std::int64_t m = 0; m < width; ++m) row[m] = std::tanh(row[m]);
    }
    return out;
  }
  Numbers filter(const Numbers& x) const {
    const Numbers taps = matrix(3 * width, 5);
    Numbers out(x.size());
    for (std::int64_t n = 0; n < tokens(); ++n) {
      for (int tap = 0; tap < 3; ++tap) {
        add_product(taps.data() + tap * width * width, x, n + tap - 1, out.data() + n * width);
      }
    }
    return out;
  }

  void expect_row(const PermutationRow& row, const std::function<Numbers(const Numbers&)>& layer) const {
    Words moved;
    for (const std::int64_t from : question.order) moved.push_back(question.words[static_cast<std::size_t>(from)]);
    const Numbers plain = layer(embed(question.words)), other = layer(embed(question.others.at(0)));
    const Numbers permuted = layer(embed(moved));
    double sum = 0.0, largest = 0.0, pooled = 0.0;
    for (std::int64_t m = 0; m < width; ++m) {
      double pool = 0.0;
      for (std::int64_t n = 0; n < tokens(); ++n) {
        const auto at = [&](std::int64_t token) { return static_cast<std::size_t>(token * width + m); };
        const double apart = std::fabs(permuted[at(n)] - plain[at(question.order[static_cast<std::size_t>(n)])]);
        sum += apart;
        largest = std::max(largest, apart);
        pool += plain[at(n)] - other[at(n)];
      }
      pooled = std::max(pooled, std::fabs(pool) / static_cast<double>(tokens()));
    }
    EXPECT_NEAR(row.mean, sum / static_cast<double>(plain.size()), 4e-6) << row.name;
    EXPECT_NEAR(row.largest, largest, 4e-6) << row.name;
    ASSERT_EQ(row.pooled.size(), 1u);
    EXPECT_NEAR(row.pooled[0].largest, pooled, 4e-6) << row.name;
    EXPECT_EQ(row.pooled[0].unseen == Unseen::not_so, pooled > 1e-5) << row.name;
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(row.outputs.at(i), plain[i], 4e-6) << row.name;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const std::size_t token = i / static_cast<std::size_t>(width), m = i % static_cast<std::size_t>(width);
      const auto from = static_cast<std::size_t>(question.order[token]) * static_cast<std::size_t>(width) + m;
      EXPECT_NEAR(row.moved.at(from), permuted[i], 4e-6) << row.name;
    }
    EXPECT_EQ(row.sees_order, largest > 1e-5) << row.name;
  }
};

TEST(DemonstratePermutation, IsThePlainDefinition) {
  const std::vector<Spec> specs = {Sinusoidal{.width = 12}, Alibi{.heads = 3}, T5{.heads = 3}, Window{.right = 0}};
  const PermutationQuestion question{.words = {"b", "a", "b", "c", "d"},
                                     .order = {4, 2, 0, 1, 3},
                                     .others = {{"d", "c", "a", "b", "b"}},
                                     .width = 12,
                                     .heads = 3,
                                     .seed = 5,
                                     .specs = specs,
                                     .outputs = true};
  const PermutationResult result = demonstrate_permutation(question);
  EXPECT_EQ(result.words, question.words);
  EXPECT_EQ(result.moved, (Words{"d", "b", "b", "a", "c"}));
  EXPECT_EQ(result.others, question.others);
  EXPECT_EQ(result.order, question.order);
  EXPECT_EQ(result.rounding, 1e-6);
  ASSERT_EQ(result.rows.size(), 7u);
  const Plain plain{question};
  for (std::size_t i = 0; i < 5; ++i) {
    const Spec spec = i == 0 ? Spec(NoPosition{}) : specs[i - 1];
    const PermutationRow& row = result.rows[i];
    EXPECT_EQ(row.name, to_text(spec));
    EXPECT_EQ(to_text(row.spec.value()), row.name);
    EXPECT_EQ(row.note, i == 4 ? "no encoding: a causal mask alone" : i == 3 ? "untrained" : "");
    EXPECT_EQ(row.sees_order, i > 0) << row.name;
    plain.expect_row(row, [&](const Numbers& x) { return plain.attention(spec, x); });
  }
  plain.expect_row(result.rows[5], [&](const Numbers& x) { return plain.recurrence(x); });
  plain.expect_row(result.rows[6], [&](const Numbers& x) { return plain.filter(x); });
  EXPECT_EQ(result.rows[5].name, "recurrence");
  EXPECT_EQ(result.rows[6].name, "filter of 3 tokens");
  EXPECT_FALSE(result.rows[6].spec.has_value());
  EXPECT_EQ(result.rows[6].note, "order is built in");
}

TEST(DemonstratePermutation, TriesOneOfEverySort) {
  const PermutationResult result = demonstrate_permutation({});
  EXPECT_EQ(result.moved, (Words{"sat", "the", "the", "cat", "mat", "on"}));
  EXPECT_EQ(result.others, (std::vector<Words>{{"the", "mat", "sat", "on", "the", "cat"}}));
  Words names;
  for (const PermutationRow& row : result.rows) {
    names.push_back(row.name);
    const bool none = row.name == "none";
    EXPECT_EQ(row.sees_order, !none) << row.name;
    EXPECT_EQ(row.largest < result.rounding, none) << row.name;
    EXPECT_EQ(row.pooled.at(0).largest < result.rounding, none) << row.name;
    EXPECT_EQ(row.unseen, none ? Unseen::no_positions : Unseen::not_so) << row.name;
    EXPECT_TRUE(row.outputs.empty());
    const bool untrained = row.name.starts_with("learned") || row.name.starts_with("t5") ||
                           row.name.starts_with("clipped") || row.name.starts_with("shaw");
    EXPECT_EQ(row.note == "untrained", untrained) << row.name;
    EXPECT_LE(row.mean, row.largest);
  }
  EXPECT_EQ(names, (Words{"none", "sinusoidal:width=32", "learned:rows=6,width=32,past_end=error", "rotary:head_dim=8",
                          "alibi:heads=4", "t5:heads=4", "clipped:heads=4,max_distance=4",
                          "shaw:head_dim=8,left=4,right=4", "window:right=0", "recurrence", "filter of 3 tokens"}));
}

TEST(DemonstratePermutation, IsAFunctionOfTheSeed) {
  const auto of_seed = [](std::uint64_t seed) {
    Numbers numbers;
    for (const PermutationRow& row : demonstrate_permutation({.width = 8, .heads = 2, .seed = seed}).rows) {
      if (row.sees_order) numbers.insert(numbers.end(), {row.mean, row.largest, row.pooled.at(0).largest});
    }
    return numbers;
  };
  const Numbers first = of_seed(1), second = of_seed(2);
  EXPECT_EQ(first, of_seed(1));
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NE(first[i], second[i]) << i;
}

TEST(DemonstratePermutation, ChoosesAnOrderThatSymmetryDoesNotHide) {
  const PermutationResult five = demonstrate_permutation({.words = {"a", "b", "c", "d", "e"}, .specs = {NoPosition{}}});
  EXPECT_EQ(five.order, (std::vector<std::int64_t>{1, 3, 0, 2, 4}));
  EXPECT_EQ(five.others, std::vector<Words>{five.moved});
  // Distances are the same backwards, sides are not.
  const PermutationResult reversed =
      demonstrate_permutation({.order = {5, 4, 3, 2, 1, 0}, .specs = {Alibi{.heads = 4}, T5{.heads = 4}}});
  EXPECT_FALSE(reversed.rows[1].sees_order);
  EXPECT_EQ(reversed.rows[1].unseen, Unseen::same_distances);
  EXPECT_GT(reversed.rows[1].causal.value(), 0.01);
  EXPECT_GT(reversed.rows[1].pooled.at(0).largest, reversed.rounding);
  EXPECT_EQ(reversed.rows[1].pooled.at(0).unseen, Unseen::not_so);
  EXPECT_TRUE(reversed.rows[2].sees_order);
  EXPECT_FALSE(reversed.rows[2].causal.has_value());
}

// The other sentence decides the permutation; a symmetric bias cannot tell a sentence from its reverse.
TEST(DemonstratePermutation, SaysWhichSentencesLookTheSame) {
  const PermutationResult result =
      demonstrate_permutation({.words = {"I", "love", "Paris"},
                               .others = {{"Paris", "love", "I"}, {"love", "I", "Paris"}},
                               .specs = {Alibi{.heads = 4}, Alibi{.heads = 4, .form = AlibiForm::causal},
                                         Window{.left = 1, .right = 1}, Sinusoidal{.width = 32}}});
  EXPECT_EQ(result.order, (std::vector<std::int64_t>{2, 1, 0}));
  const auto unseen = [&](std::size_t row) {
    std::vector<Unseen> list;
    for (const PooledPair& pair : result.rows.at(row).pooled) list.push_back(pair.unseen);
    return list;
  };
  using List = std::vector<Unseen>;
  EXPECT_EQ(unseen(0), List(3, Unseen::no_positions));
  EXPECT_EQ(unseen(1), (List{Unseen::same_distances, Unseen::not_so, Unseen::not_so}));
  EXPECT_EQ(unseen(2), List(3, Unseen::not_so));
  EXPECT_EQ(unseen(3), (List{Unseen::same_distances, Unseen::not_so, Unseen::not_so}));
  EXPECT_EQ(unseen(4), List(3, Unseen::not_so));
  EXPECT_EQ(result.rows[1].pooled[1].first, 0u);
  EXPECT_EQ(result.rows[1].pooled[2].first, 1u);
  EXPECT_EQ(result.rows[1].pooled[2].second, 2u);
  // The tokens may keep their places in another sense too: equal words.
  const PermutationResult equal = demonstrate_permutation({.words = {"a", "a", "b"}, .order = {1, 0, 2}});
  for (const PermutationRow& row : equal.rows) {
    EXPECT_LT(row.pooled.at(0).largest, equal.rounding) << row.name;
    EXPECT_EQ(row.pooled.at(0).unseen, Unseen::same_sentence) << row.name;
  }
}

TEST(DemonstratePermutation, RefusesWhatItCannotShow) {
  const auto refuses = [](const std::string& message, const PermutationQuestion& question,
                          ErrorKind kind = ErrorKind::usage) {
    expect_error(kind, message, [&] { demonstrate_permutation(question); });
  };
  const std::string name = "[demonstrate_permutation] ";
  refuses(name + "words must be 2 to 1024 but are 1", {.words = {"a"}});
  refuses(name + "words must be 2 to 1024 but are 1025", {.words = Words(1025, "a")});
  refuses(name + "heads must be 1 to 1024 but got 0", {.heads = 0});
  refuses(name + "width must be 2 to 4096 but got 0", {.width = 0});
  refuses(name + "width must be 2 to 4096 but got 4104", {.width = 4104});
  refuses(name + "width must be a multiple of 2 x heads, 8, but got 12", {.width = 12});
  refuses(name + "order must have a number for each of the 6 words but has 2", {.order = {1, 0}});
  refuses(name + "order must have every number from 0 to 5 once but lacks 2", {.order = {0, 1, 6, 3, 4, 5}});
  refuses(name + "order must move a word but leaves all where they are", {.order = {0, 1, 2, 3, 4, 5}});
  refuses(name + "other must have the words in another order, 'a b', but has 'a a'",
          {.words = {"a", "b"}, .others = {{"a", "a"}}});
  refuses("[learned] rows must be at most 2147483647",
          {.specs = {Learned{.rows = std::int64_t{1} << 62, .past_end = PastEnd::error}}}, ErrorKind::bad_input);
  refuses(name + "others must be at most 4 sentences but are 5",
          {.words = {"a", "b"}, .others = std::vector<Words>(5, {"b", "a"})});
  // Before any work: the first encoding would do.
  const Spec good = Sinusoidal{.width = 32};
  refuses(name + "'alibi:heads=3' has 3 heads but the layer has 4", {.specs = {good, Alibi{.heads = 3}}});
  refuses(name + "'sinusoidal:width=8' has width 8 but the tokens have width 32", {.specs = {Sinusoidal{.width = 8}}});
  refuses(name + "'rotary:head_dim=4' is for heads of 4 channels but they have 8", {.specs = {Rotary{.head_dim = 4}}});
  refuses(name + "position 3 of token [3] is past the end of the table, which has 3 positions",
          {.specs = {Learned{.rows = 3, .past_end = PastEnd::error}}}, ErrorKind::bad_input);
}

TEST(DemonstrateOrder, IsThePlainDefinition) {
  const std::int64_t width = 6;
  const std::uint64_t seed = 3;
  const OrderResult result = demonstrate_order(width, seed);
  const auto rounded = [](const Numbers& numbers, std::int64_t row) {
    Numbers part(numbers.begin() + row * width, numbers.begin() + (row + 1) * width);
    for (double& number : part) number = std::round(number * 10.0) / 10.0;
    return part;
  };
  const Numbers tokens = drawn(2, width, 1.0, 64 * seed), weights = drawn(width, width, 1.0, 64 * seed + 1);
  EXPECT_EQ(result.a, rounded(tokens, 0));
  EXPECT_EQ(result.b, rounded(tokens, 1));
  Numbers matrix;
  for (std::int64_t m = 0; m < width; ++m) {
    EXPECT_EQ(result.weights.at(static_cast<std::size_t>(m)), rounded(weights, m));
    for (const double weight : rounded(weights, m)) matrix.push_back(weight);
  }
  for (const bool swapped : {false, true}) {
    const OrderSide& side = swapped ? result.b_then_a : result.a_then_b;
    Numbers p(static_cast<std::size_t>(width)), r(p), a(p), b(p), projected(p);
    reference::sinusoidal_row({.width = width}, swapped ? 1.0 : 0.0, p.data());
    reference::sinusoidal_row({.width = width}, swapped ? 0.0 : 1.0, r.data());
    expect_near(swapped ? result.p1 : result.p0, p, 1e-15);
    const auto project = [&](const Numbers& x) {
      reference::linear(x, matrix, {}, projected.data());
      return projected;
    };
    double parts[4] = {};
    for (std::size_t m = 0; m < p.size(); ++m) {
      a[m] = result.a[m] + p[m];
      b[m] = result.b[m] + r[m];
      parts[0] += result.a[m] * result.b[m];
      parts[1] += result.a[m] * r[m];
      parts[2] += p[m] * result.b[m];
      parts[3] += p[m] * r[m];
    }
    expect_near(side.a, a, 1e-14);
    expect_near(side.b, b, 1e-14);
    expect_near(side.projected_a, project(a), 1e-14);
    expect_near(side.parts_a, project(a), 1e-14);
    expect_near(side.projected_b, project(b), 1e-14);
    expect_near(side.parts_b, project(b), 1e-14);
    expect_near(swapped ? result.projected_p1 : result.projected_p0, project(p), 1e-14);
    expect_near(swapped ? result.projected_b : result.projected_a, project(swapped ? result.b : result.a), 1e-14);
    const OrderScore& score = side.score;
    expect_near({score.content_content, score.content_position, score.position_content, score.position_position},
                Numbers(parts, parts + 4), 1e-14);
    EXPECT_NEAR(score.score, parts[0] + parts[1] + parts[2] + parts[3], 1e-13);
  }
  EXPECT_GT(std::fabs(result.a_then_b.score.score - result.b_then_a.score.score), 1e-3);
  EXPECT_NE(demonstrate_order(width, seed + 1).a, result.a);
}

TEST(DemonstrateOrder, RefusesWidths) {
  const auto refuses = [](std::int64_t width, const std::string& message) {
    expect_error(ErrorKind::usage, "[demonstrate_order] width " + message, [&] { demonstrate_order(width, 0); });
  };
  refuses(0, "must be 2 to 16 but got 0");
  refuses(18, "must be 2 to 16 but got 18");
  refuses(3, "must be even but got 3");
}

// The loss and its gradients by the plain definitions: finite differences of a loss that shares nothing with the
// library's.
TEST(DemonstrateGradient, IsTheSlopeOfThePlainLoss) {
  const GradientQuestion question{.words = {"a", "b", "a"}, .width = 4, .seed = 3};
  const GradientDemonstration result = demonstrate_gradient(question);
  EXPECT_EQ(result.vocabulary, (Words{"a", "b"}));
  const auto random = [&](std::int64_t rows, double std, std::uint64_t which) {
    Numbers numbers(static_cast<std::size_t>(rows * 4));
    fill_random(make_view(numbers.data(), {rows, 4}), {.std = std, .seed = 64 * question.seed + which});
    return numbers;
  };
  const Numbers embeddings = random(2, 1.0, 0), in = random(12, 0.5, 1), back = random(4, 0.5, 2),
                targets = random(3, 1.0, 6), table = random(5, 0.02, 7);
  const std::size_t ids[] = {0, 1, 0};
  const auto loss = [&](const Numbers& words, const Numbers* learned) {
    Numbers x(12), out(12);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double row[4];
      reference::sinusoidal_row({.width = 4}, static_cast<double>(i / 4), row);
      x[i] = words[ids[i / 4] * 4 + i % 4] + (learned ? (*learned)[i] : row[i % 4]);
    }
    reference::Attention problem{.queries = 3, .keys = 3, .heads = 1};
    problem.key_heads = 1;
    problem.width = problem.value_width = 4;
    problem.softmax_scale = 0.5;
    reference::multi_head(problem, {.width = 4, .in_weight = in, .out_weight = back}, x.data(), x.data(), out.data());
    double sum = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += 0.5 * (out[i] - targets[i]) * (out[i] - targets[i]);
    return sum;
  };
  const auto expect_slopes = [&](const std::vector<Numbers>& gradient, const Numbers& numbers, const auto& of) {
    ASSERT_EQ(gradient.size() * 4, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Numbers above = numbers, below = numbers;
      above[i] += 1e-5;
      below[i] -= 1e-5;
      EXPECT_NEAR(gradient[i / 4][i % 4], (of(above) - of(below)) / 2e-5, 1e-8);
    }
  };
  EXPECT_NEAR(result.fixed.loss, loss(embeddings, nullptr), 1e-12);
  EXPECT_NEAR(result.learned.loss, loss(embeddings, &table), 1e-12);
  expect_slopes(result.fixed.embeddings, embeddings, [&](const Numbers& e) { return loss(e, nullptr); });
  expect_slopes(result.learned.embeddings, embeddings, [&](const Numbers& e) { return loss(e, &table); });
  expect_slopes(result.learned.table, table, [&](const Numbers& t) { return loss(embeddings, &t); });
  EXPECT_EQ(result.learned.table.at(3), Numbers(4, 0.0));  // no token is at these positions
  EXPECT_EQ(result.learned.table.at(4), Numbers(4, 0.0));
  EXPECT_TRUE(result.fixed.table.empty());
  EXPECT_EQ(result.fixed.learned_numbers, 0);
  EXPECT_EQ(result.learned.learned_numbers, 20);
  EXPECT_LT(result.fixed.difference, 1e-8);
  EXPECT_LT(result.learned.difference, 1e-8);
  EXPECT_NE(demonstrate_gradient({.seed = 1}).fixed.loss, demonstrate_gradient({.seed = 2}).fixed.loss);
}

TEST(DemonstrateGradient, RefusesWhatItCannotShow) {
  const auto refuses = [](const GradientQuestion& question, const std::string& message) {
    expect_error(ErrorKind::usage, "[demonstrate_gradient] " + message, [&] { demonstrate_gradient(question); });
  };
  refuses({.words = {"a"}}, "words must be 2 to 24 but are 1");
  refuses({.words = Words(25, "a")}, "words must be 2 to 24 but are 25");
  refuses({.width = 18}, "width must be 2 to 16 but got 18");
  refuses({.width = 3}, "width must be even but got 3");
}

}  // namespace
}  // namespace posenc::demonstration_test
