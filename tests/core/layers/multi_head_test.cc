#include "posenc/multi_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "posenc/half.h"
#include "posenc/reference.h"
#include "support/expect_error.h"
#include "support/finite_difference.h"
#include "support/numbers.h"

namespace posenc::multi_head_test {
namespace {

using Numbers = std::vector<double>;

Numbers random_numbers(std::int64_t count, unsigned seed) {
  Numbers numbers = ::random_numbers(count, seed, 1.0);
  for (double& number : numbers) number = std::round(number * 64.0) / 64.0;  // exact in 16 bits
  return numbers;
}

struct Size {
  std::int64_t batch = 2, queries = 5, keys = 0, width = 6, heads = 4, key_heads = 4,
               head_dim = 3;  // keys 0: no context

  std::int64_t seen() const { return keys > 0 ? keys : queries; }
  std::int64_t packed() const { return (heads + 2 * key_heads) * head_dim; }
};

// One problem with all its numbers in double.
struct Case {
  explicit Case(const Size& s)
      : size(s),
        x(random_numbers(s.batch * s.queries * s.width, 1)),
        context(random_numbers(s.batch * s.keys * s.width, 2)),
        in_weight(random_numbers(s.packed() * s.width, 3)),
        in_bias(random_numbers(s.packed(), 4)),
        out_weight(random_numbers(s.width * s.heads * s.head_dim, 5)),
        out_bias(random_numbers(s.width, 6)),
        grad_out(random_numbers(s.batch * s.queries * s.width, 7)) {}

  ConstView tokens(const Numbers& numbers, std::int64_t count) const {
    return make_view(numbers.data(), {size.batch, count, size.width});
  }
  ConstView x_view() const { return tokens(x, size.queries); }
  MultiHeadAttention weights() const {
    return {.heads = size.heads,
            .key_heads = size.key_heads,
            .in_proj_weight = make_view(in_weight.data(), {size.packed(), size.width}),
            .in_proj_bias = make_view(in_bias.data(), {size.packed()}),
            .out_proj_weight = make_view(out_weight.data(), {size.width, size.heads * size.head_dim}),
            .out_proj_bias = make_view(out_bias.data(), {size.width})};
  }
  MultiHeadOptions options() const {
    MultiHeadOptions result;
    if (size.keys > 0) result.context = tokens(context, size.keys);
    return result;
  }
  Numbers forward(MultiHeadOptions options) const {
    Numbers out(x.size());
    multi_head_attend(x_view(), weights(), make_view(out.data(), {size.batch, size.queries, size.width}), options);
    return out;
  }
  double loss(const MultiHeadOptions& options) const {
    const Numbers out = forward(options);
    double sum = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * grad_out[i];
    return sum;
  }
  // The plain definition, and the weights of every head.
  Numbers plain(reference::Attention problem, Numbers& weights) const {
    problem.queries = size.queries;
    problem.keys = size.seen();
    problem.heads = size.heads;
    problem.key_heads = size.key_heads;
    problem.width = problem.value_width = size.head_dim;
    problem.softmax_scale = 1.0 / std::sqrt(static_cast<double>(size.head_dim));
    const reference::MultiHeadNumbers numbers{size.width, in_weight, in_bias, out_weight, out_bias};
    Numbers out(x.size());
    const std::int64_t map = size.heads * size.queries * size.seen(), row = size.queries * size.width;
    weights.resize(static_cast<std::size_t>(size.batch * map));
    for (std::int64_t b = 0; b < size.batch; ++b) {
      const double* from = size.keys > 0 ? context.data() + b * size.keys * size.width : x.data() + b * row;
      reference::multi_head(problem, numbers, x.data() + b * row, from, out.data() + b * row, weights.data() + b * map);
    }
    return out;
  }

  Size size;
  Numbers x, context, in_weight, in_bias, out_weight, out_bias, grad_out;
};

void expect_near(const Numbers& got, const Numbers& wanted, double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << "number " << i;
}

const Size kSizes[] = {
    {},                                                                                            // as PyTorch
    {.key_heads = 2, .head_dim = 5},                                                               // shared keys
    {.keys = 7, .key_heads = 1},                                                                   // a context
    {.batch = 1, .queries = 70, .width = 33, .heads = 2, .key_heads = 2, .head_dim = 17},          // large
    {.batch = 3, .queries = 1, .keys = 1, .width = 1, .heads = 1, .key_heads = 1, .head_dim = 1},  // tiny
};

TEST(MultiHeadAttention, IsThePlainDefinition) {
  for (const Size& size : kSizes) {
    const Case c(size);
    const Bias alibi(Alibi{.heads = size.heads});
    const std::vector<double> slopes = alibi_slopes(Alibi{.heads = size.heads});
    const std::int64_t offset = size.seen() - size.queries;
    reference::Attention problem;
    problem.bias = [&](std::int64_t h, std::int64_t n, std::int64_t s) {
      return -slopes[static_cast<std::size_t>(h)] * std::abs(static_cast<double>(n + offset - s));
    };
    problem.sees = [&](std::int64_t n, std::int64_t s) { return s <= n + offset; };
    Numbers wanted_weights;
    const Numbers wanted = c.plain(problem, wanted_weights);
    MultiHeadOptions options = c.options();
    options.attend.bias = &alibi;
    options.attend.mask.causal = Causal::end;
    Numbers weights(wanted_weights.size()), average(weights.size() / static_cast<std::size_t>(size.heads));
    options.attend.weights = make_view(weights.data(), {size.batch, size.heads, size.queries, size.seen()});
    options.average_weights = make_view(average.data(), {size.batch, size.queries, size.seen()});
    expect_near(c.forward(options), wanted, 1e-12);
    expect_near(weights, wanted_weights, 1e-14);
    Numbers mean(average.size(), 0.0);
    const auto map = static_cast<std::size_t>(size.queries * size.seen());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      mean[i / map / static_cast<std::size_t>(size.heads) * map + i % map] +=
          weights[i] / static_cast<double>(size.heads);
    }
    expect_near(average, mean, 1e-15);
    options.attend.weights = {};  // the average alone is the same
    const Numbers first = average;
    c.forward(options);
    EXPECT_EQ(average, first);
  }
}

TEST(MultiHeadAttention, TakesOneSequenceAndLeavesBiasesOut) {
  Case c({.batch = 1});
  std::fill(c.in_bias.begin(), c.in_bias.end(), 0.0);
  std::fill(c.out_bias.begin(), c.out_bias.end(), 0.0);
  const Numbers wanted = c.forward({});
  MultiHeadAttention weights = c.weights();
  weights.in_proj_bias = {};
  weights.out_proj_bias = {};
  weights.key_heads = 0;
  Numbers out(c.x.size()), average(25);
  multi_head_attend(c.x_view()[0], weights, make_view(out.data(), {5, 6}),
                    {.average_weights = make_view(average.data(), {5, 5})});
  EXPECT_EQ(out, wanted);
  for (std::size_t n = 0; n < 5; ++n) {
    double sum = 0.0;
    for (std::size_t s = 0; s < 5; ++s) sum += average[n * 5 + s];
    EXPECT_NEAR(sum, 1.0, 1e-14);
  }
}

// Other types, strides and threads are other ways to the same numbers.
TEST(MultiHeadAttention, DoesNotDependOnTypeOfWeightsStridesOrWorkers) {
  const Case c({.queries = 70, .key_heads = 2});
  const Numbers wanted = c.forward({});
  MultiHeadAttention weights = c.weights();
  std::vector<bf16> narrow;
  for (const double number : c.in_weight) narrow.push_back(to_bf16(number));
  weights.in_proj_weight = make_view(narrow.data(), {c.size.packed(), c.size.width});
  Numbers turned(c.out_weight.size());
  for (std::int64_t m = 0; m < 6; ++m) {
    for (std::int64_t i = 0; i < 12; ++i) {
      turned[static_cast<std::size_t>(i * 6 + m)] = c.out_weight[static_cast<std::size_t>(m * 12 + i)];
    }
  }
  weights.out_proj_weight = make_view(static_cast<const double*>(turned.data()), {12, 6}).swap(0, 1);
  const Workers workers(3);
  MultiHeadOptions options;
  options.attend.workers = &workers;
  // Tokens of both rows side by side, a gap behind each; the result goes where x was.
  Numbers memory(70 * 16, 9.0);
  View x = make_view(memory.data(), {70, 2, 8}).swap(0, 1);
  x.shape[2] = 6;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t n = 0; n < 70; ++n) std::copy_n(c.x.data() + (b * 70 + n) * 6, 6, x[b][n].as<double>());
  }
  multi_head_attend(x, weights, x, options);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t n = 0; n < 70; ++n) {
      for (std::int64_t m = 0; m < 6; ++m) {
        ASSERT_EQ(x[b][n].as<double>()[m], wanted[static_cast<std::size_t>((b * 70 + n) * 6 + m)]);
      }
      EXPECT_EQ(x[b][n].as<double>()[6], 9.0);
    }
  }
}

TEST(MultiHeadAttention, InFloatIsNearDouble) {
  for (const Size& size : kSizes) {
    const Case c(size);
    const auto floats = [](const Numbers& numbers) { return std::vector<float>(numbers.begin(), numbers.end()); };
    const std::vector<float> x = floats(c.x), context = floats(c.context);
    std::vector<float> out(x.size());
    MultiHeadOptions options;
    if (size.keys > 0) options.context = make_view(context.data(), {size.batch, size.keys, size.width});
    multi_head_attend(make_view(x.data(), {size.batch, size.queries, size.width}), c.weights(),
                      make_view(out.data(), {size.batch, size.queries, size.width}), options);
    expect_near(Numbers(out.begin(), out.end()), c.forward(c.options()), 2e-5);
  }
}

struct AllGradients {
  explicit AllGradients(const Case& c)
      : x(c.x.size()),
        context(c.context.size()),
        in_weight(c.in_weight.size(), 0.5),
        in_bias(c.in_bias.size(), 0.5),
        out_weight(c.out_weight.size(), 0.5),
        out_bias(c.out_bias.size(), 0.5) {}
  MultiHeadGradients views(const Case& c) {
    const Size& s = c.size;
    MultiHeadGradients result{.x = make_view(x.data(), {s.batch, s.queries, s.width}),
                              .in_proj_weight = make_view(in_weight.data(), {s.packed(), s.width}),
                              .in_proj_bias = make_view(in_bias.data(), {s.packed()}),
                              .out_proj_weight = make_view(out_weight.data(), {s.width, s.heads * s.head_dim}),
                              .out_proj_bias = make_view(out_bias.data(), {s.width})};
    if (s.keys > 0) result.context = make_view(context.data(), {s.batch, s.keys, s.width});
    return result;
  }
  // Those of weights are added to what was there.
  static Numbers without_half(Numbers numbers) {
    for (double& number : numbers) number -= 0.5;
    return numbers;
  }
  Numbers x, context, in_weight, in_bias, out_weight, out_bias;
};

void expect_gradients(Case& c, const MultiHeadOptions& options, MultiHeadGradients extra = {}) {
  AllGradients got(c);
  MultiHeadGradients gradients = got.views(c);
  gradients.sinks = extra.sinks;
  gradients.bias = extra.bias;
  gradients.term = extra.term;
  multi_head_attend_backward({c.x_view(), c.tokens(c.grad_out, c.size.queries)}, c.weights(), gradients, options);
  const auto loss = [&] { return c.loss(options); };
  expect_gradient("x", c.x, got.x, loss);
  if (c.size.keys > 0) expect_gradient("context", c.context, got.context, loss);
  expect_gradient("in_proj_weight", c.in_weight, got.without_half(got.in_weight), loss);
  expect_gradient("in_proj_bias", c.in_bias, got.without_half(got.in_bias), loss);
  expect_gradient("out_proj_weight", c.out_weight, got.without_half(got.out_weight), loss);
  expect_gradient("out_proj_bias", c.out_bias, got.without_half(got.out_bias), loss);
}

TEST(MultiHeadAttention, GradientsAreDerivatives) {
  const Size wide{
      .batch = 1, .queries = 4, .width = 3, .heads = 6, .key_heads = 6, .head_dim = 4};  // more rows than one part has
  for (const Size& size : {Size{}, Size{.key_heads = 2}, Size{.keys = 7, .key_heads = 1}, wide}) {
    Case c(size);
    MultiHeadOptions options = c.options();
    options.attend.dropout = {.p = 0.2, .seed = 3};
    options.attend.mask.causal = Causal::end;
    expect_gradients(c, options);
  }
}

TEST(MultiHeadAttention, GradientsReachPositionsAndSinks) {
  Case c({.batch = 1});
  const RotaryAngles rotary(Rotary{.head_dim = 4});
  c = Case({.batch = 1, .head_dim = 4});
  Numbers table = random_numbers(5 * 4, 8), sinks = random_numbers(4, 9), keys = random_numbers(5 * 4, 10);
  Numbers grad_table(table.size(), 0.0), grad_sinks(sinks.size(), 0.0), grad_keys(keys.size(), 0.0);
  const auto with_options = [&](const auto& use) {
    const Bias bias(Clipped{.heads = 4, .max_distance = 2}, {{"table", make_view(table.data(), {5, 4})}});
    const ScoreTerm term(Shaw{.head_dim = 4, .left = 2, .right = 2}, {{"keys", make_view(keys.data(), {5, 4})}});
    return use(MultiHeadOptions{.attend = {.rotary = rotary,
                                           .bias = &bias,
                                           .term = &term,
                                           .softcap = 3.0,
                                           .sinks = make_view(static_cast<const double*>(sinks.data()), {4})}});
  };
  with_options([&](const MultiHeadOptions& options) {
    expect_gradients(c, options,
                     {.sinks = make_view(grad_sinks.data(), {4}),
                      .bias = {{"table", make_view(grad_table.data(), {5, 4})}},
                      .term = {{"keys", make_view(grad_keys.data(), {5, 4})}}});
  });
  const auto loss = [&] { return with_options([&](const MultiHeadOptions& options) { return c.loss(options); }); };
  expect_gradient("table", table, grad_table, loss);
  expect_gradient("sinks", sinks, grad_sinks, loss);
  expect_gradient("keys", keys, grad_keys, loss);
}

TEST(MultiHeadAttention, GradientsInPlaceInFloatAndOneByOneAreTheSame) {
  const Case c({.queries = 70, .keys = 9});
  AllGradients all(c);
  const MultiHeadInputs inputs{c.x_view(), c.tokens(c.grad_out, 70)};
  multi_head_attend_backward(inputs, c.weights(), all.views(c), c.options());
  AllGradients one(c);
  const MultiHeadGradients views = one.views(c);
  Case copy = c;
  MultiHeadOptions options = copy.options();
  const Workers workers(3);
  options.attend.workers = &workers;
  const auto run = [&](const MultiHeadGradients& wanted) {
    multi_head_attend_backward({copy.x_view(), copy.tokens(copy.grad_out, 70)}, copy.weights(), wanted, options);
  };
  run({.in_proj_weight = views.in_proj_weight});
  run({.in_proj_bias = views.in_proj_bias});
  run({.out_proj_weight = views.out_proj_weight});
  run({.out_proj_bias = views.out_proj_bias});
  run({.x = make_view(copy.grad_out.data(), {2, 70, 6}), .context = make_view(copy.context.data(), {2, 9, 6})});
  EXPECT_EQ(one.in_weight, all.in_weight);
  EXPECT_EQ(one.in_bias, all.in_bias);
  EXPECT_EQ(one.out_weight, all.out_weight);
  EXPECT_EQ(one.out_bias, all.out_bias);
  EXPECT_EQ(copy.grad_out, all.x);
  EXPECT_EQ(copy.context, all.context);

  const std::vector<float> x(c.x.begin(), c.x.end()), context(c.context.begin(), c.context.end()),
      grad(c.grad_out.begin(), c.grad_out.end());
  std::vector<float> grad_x(x.size()), grad_weight(c.in_weight.size(), 0.5f);
  multi_head_attend_backward(
      {make_view(x.data(), {2, 70, 6}), make_view(grad.data(), {2, 70, 6})}, c.weights(),
      {.x = make_view(grad_x.data(), {2, 70, 6}), .in_proj_weight = make_view(grad_weight.data(), {36, 6})},
      {.context = make_view(context.data(), {2, 9, 6})});
  expect_near(Numbers(grad_x.begin(), grad_x.end()), all.x, 1e-5);
  expect_near(Numbers(grad_weight.begin(), grad_weight.end()), all.in_weight, 1e-4);
}

TEST(MultiHeadAttention, OfNoTokensIsNothing) {
  Case c({.queries = 0});
  EXPECT_TRUE(c.forward({}).empty());
  Case crossed({.queries = 0, .keys = 3});
  AllGradients got(crossed);
  std::fill(got.context.begin(), got.context.end(), 7.0);
  multi_head_attend_backward({crossed.x_view(), crossed.x_view()}, crossed.weights(), got.views(crossed),
                             crossed.options());
  EXPECT_EQ(got.context, Numbers(got.context.size(), 0.0));
  EXPECT_EQ(got.in_weight, Numbers(got.in_weight.size(), 0.5));
}

// What is wrong is said, and nothing is written.
TEST(MultiHeadAttention, RefusesWhatDoesNotFit) {
  const Case c(Size{});
  Numbers out(c.x.size(), 4.0);
  const View out_view = make_view(out.data(), {2, 5, 6});
  const auto refused = [&](const std::string& part, const MultiHeadAttention& weights,
                           const MultiHeadOptions& options = {}) {
    expect_error(ErrorKind::usage, "[multi_head_attend] " + part,
                 [&] { multi_head_attend(c.x_view(), weights, out_view, options); });
    EXPECT_EQ(out, Numbers(c.x.size(), 4.0));
  };
  MultiHeadAttention w = c.weights();
  w.heads = 0;
  refused("heads must be at least 1 but got 0", w);
  w = c.weights();
  w.key_heads = 3;
  refused("key_heads must divide heads, 4, but got 3", w);
  w = c.weights();
  w.heads = 5;
  w.key_heads = 0;
  refused("out_proj_weight must be [M, H D] with a width that is a multiple of heads, 5, but is [6, 12]", w);
  w = c.weights();
  w.in_proj_weight = w.in_proj_weight.swap(0, 1);
  refused("in_proj_weight must be [36, 6] but is [6, 36]", w);
  w = c.weights();
  w.in_proj_bias = w.out_proj_bias;
  refused("in_proj_bias must be [36] but is [6]", w);
  w = c.weights();
  w.out_proj_bias.dtype = DType::i64;
  refused("out_proj_bias must be f32, f64, f16 or bf16 but is i64", w);
  w.out_proj_bias = w.in_proj_bias;
  refused("out_proj_bias must be [6] but is [36]", w);
  w = c.weights();
  w.in_proj_weight.data = nullptr;
  refused("in_proj_weight must not be null", w);
  w = c.weights();
  const Bias alibi(Alibi{.heads = 3});
  refused("", w, {.attend = {.bias = &alibi}});
  Numbers map(2 * 5 * 5);
  refused("average_weights must be [2, 5, 5] but is [5, 5, 2]", w,
          {.average_weights = make_view(map.data(), {5, 5, 2})});
  refused("attend.weights must be [2, 4, 5, 5]", w, {.attend = {.weights = make_view(map.data(), {2, 5, 5})}});
  refused("out must not overlap average_weights", w, {.average_weights = make_view(out.data(), {2, 5, 5})});
  refused("context must be [2, S, 6] like x but is [1, 5, 12]", w, {.context = make_view(c.x.data(), {1, 5, 12})});

  const ConstView x = c.x_view();
  expect_error(ErrorKind::usage, "x must be [N, M] or [B, N, M] but is [60]",
               [&] { multi_head_attend(make_view(c.x.data(), {60}), w, out_view); });
  expect_error(ErrorKind::usage, "out must be [2, 5, 6] but is [10, 6]", [&] {
    multi_head_attend(x, w, make_view(out.data(), {10, 6}));
  });
  expect_error(ErrorKind::usage, "x must be f32 or f64 but is f16", [&] {
    multi_head_attend(make_view(x.data, DType::f16, {2, 5, 6}), w, out_view);
  });
  expect_error(ErrorKind::usage, "x must have contiguous channels but the stride of its last axis is 6",
               [&] { multi_head_attend(x.swap(1, 2), w, out_view); });
  const auto refused_backward = [&](const std::string& part, const MultiHeadInputs& inputs,
                                    const MultiHeadGradients& gradients) {
    expect_error(ErrorKind::usage, "[multi_head_attend_backward] " + part,
                 [&] { multi_head_attend_backward(inputs, w, gradients); });
    EXPECT_EQ(out, Numbers(c.x.size(), 4.0));
  };
  refused_backward("grad_out must be [2, 5, 6] like x but is [1, 5, 6]", {x, make_view(c.x.data(), {1, 5, 6})}, {});
  refused_backward("the gradient of x must be [2, 5, 6] but is [5, 6]", {x, x}, {.x = make_view(out.data(), {5, 6})});
  refused_backward(
      "the gradient of context must not be given because there is no "
      "context",
      {x, x}, {.context = out_view});
  refused_backward("the gradient of in_proj_bias must be [36]", {x, x}, {.in_proj_bias = make_view(out.data(), {6})});
  refused_backward("the gradient of x must not overlap the gradient of out_proj_bias", {x, x},
                   {.x = out_view, .out_proj_bias = make_view(out.data(), {6})});
}

}  // namespace
}  // namespace posenc::multi_head_test
