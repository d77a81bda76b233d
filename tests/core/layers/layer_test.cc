// A transformer layer against the plain definition and finite differences.
#include "posenc/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "posenc/files/load_layer.h"
#include "posenc/files/safetensors.h"
#include "posenc/reference.h"
#include "support/expect_error.h"
#include "support/finite_difference.h"
#include "support/numbers.h"
#include "support/plain_philox.h"
#include "support/temporary_folder.h"

namespace posenc::layer_test {
namespace {

using Numbers = std::vector<double>;

constexpr std::int64_t kBatch = 2, kTokens = 5, kWidth = 6, kHeads = 2, kHidden = 7, kRows = 9;
constexpr std::int64_t kIds[] = {3, 0, 8, 8, 6, 1, 2, 3, 3, 5};

Numbers random_numbers(std::int64_t count, unsigned seed) { return ::random_numbers(count, seed, 1.0); }

struct Variant {
  NormPlace norm = NormPlace::post;
  Activation activation = Activation::relu;
  Residual residual = Residual::encoded;
  bool feeds = true;
  bool drops = false;
  bool encodes = true;
};

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (int i = 0; i < 32; ++i) {
    variants.push_back({i & 1 ? NormPlace::pre : NormPlace::post, i & 2 ? Activation::gelu : Activation::relu,
                        i & 4 ? Residual::input : Residual::encoded, (i & 8) == 0, (i & 16) != 0});
  }
  variants.push_back({.encodes = false});
  variants.push_back({.norm = NormPlace::pre, .drops = true, .encodes = false});
  return variants;
}

// One layer with all its numbers in double: the encoding is a learned table.
struct Case {
  explicit Case(const Variant& v) : variant(v) {}

  TransformerLayer layer() const {
    const auto view = [](const Numbers& numbers, std::int64_t rows, std::int64_t columns) {
      return columns == 0 ? make_view(numbers.data(), {rows}) : make_view(numbers.data(), {rows, columns});
    };
    TransformerLayer result{.attention = {.heads = kHeads,
                                          .in_proj_weight = view(in_weight, 3 * kWidth, kWidth),
                                          .in_proj_bias = view(in_bias, 3 * kWidth, 0),
                                          .out_proj_weight = view(out_weight, kWidth, kWidth),
                                          .out_proj_bias = view(out_bias, kWidth, 0)},
                            .norm1 = {view(norm1_weight, kWidth, 0), view(norm1_bias, kWidth, 0), 1e-3},
                            .norm2 = {view(norm2_weight, kWidth, 0), view(norm2_bias, kWidth, 0)},
                            .norm = variant.norm,
                            .activation = variant.activation,
                            .residual = variant.residual};
    if (variant.feeds) {
      result.feed_forward = {view(linear1_weight, kHidden, kWidth), view(linear1_bias, kHidden, 0),
                             view(linear2_weight, kWidth, kHidden), view(linear2_bias, kWidth, 0)};
    }
    return result;
  }
  LayerOptions options() const {
    LayerOptions result;
    if (variant.encodes) {
      result.rows = LearnedRows{{.past_end = PastEnd::error}, make_view(table.data(), {kRows, kWidth})};
      result.positions = PositionView{.source = PositionView::Source::i64,
                                      .data = kIds,
                                      .batch = kBatch,
                                      .count = kTokens,
                                      .batch_stride = kTokens};
      result.scale = 1.5;
    }
    result.attention.attend.mask.causal = Causal::end;
    if (variant.drops) {
      result.dropout = {.input = variant.encodes ? 0.3 : 0.0,
                        .weights = 0.2,
                        .attention = 0.25,
                        .activation = 0.4,
                        .feed_forward = 0.1,
                        .seed = 11,
                        .step = 5,
                        .first_row = 1};
    }
    return result;
  }
  ConstView tokens(const Numbers& numbers) const { return make_view(numbers.data(), {kBatch, kTokens, kWidth}); }
  Numbers forward() const {
    Numbers out(x.size());
    apply_layer(tokens(x), layer(), make_view(out.data(), {kBatch, kTokens, kWidth}), options());
    return out;
  }
  double loss() const {
    const Numbers out = forward();
    return std::inner_product(out.begin(), out.end(), grad_out.begin(), 0.0);
  }

  // 0 or 1 / (1 - p), by the words of LayerDropout.
  double kept(double p, std::uint32_t place, std::int64_t b, std::int64_t n, std::int64_t m) const {
    if (!variant.drops) return 1.0;
    const auto seed = plain::philox({place, 0, 0, 0}, 11);
    return plain::dropped(p, seed[0] | std::uint64_t{seed[1]} << 32, 5, b, n, m) ? 0.0 : 1.0 / (1.0 - p);
  }
  Numbers plain_row(std::int64_t b, Numbers& weights) const {
    Numbers residual(x.begin() + b * kTokens * kWidth, x.begin() + (b + 1) * kTokens * kWidth), encoded = residual;
    for (std::size_t i = 0; i < encoded.size() && variant.encodes; ++i) {
      const auto n = static_cast<std::int64_t>(i) / kWidth, m = static_cast<std::int64_t>(i) % kWidth;
      const double row = table[static_cast<std::size_t>(kIds[b * kTokens + n] * kWidth + m)];
      encoded[i] = (1.5 * residual[i] + row) * kept(0.3, 0, b + 1, n, m);
    }
    if (variant.residual == Residual::encoded) residual = encoded;
    reference::Attention problem{.queries = kTokens, .keys = kTokens, .heads = kHeads, .key_heads = kHeads};
    problem.width = problem.value_width = kWidth / kHeads;
    problem.softmax_scale = 1.0 / std::sqrt(3.0);
    problem.sees = [](std::int64_t n, std::int64_t s) { return s <= n; };
    problem.keep = [&](std::int64_t h, std::int64_t n, std::int64_t s) {
      return kept(0.2, 1, (b + 1) * kHeads + h, n, s);
    };
    reference::LayerNumbers numbers{.attention = {kWidth, in_weight, in_bias, out_weight, out_bias},
                                    .norm1 = {norm1_weight, norm1_bias, 1e-3},
                                    .norm2 = {norm2_weight, norm2_bias, 1e-5},
                                    .norm_first = variant.norm == NormPlace::pre,
                                    .gelu = variant.activation == Activation::gelu};
    if (variant.feeds) {
      numbers.linear1_weight = linear1_weight;
      numbers.linear1_bias = linear1_bias;
      numbers.linear2_weight = linear2_weight;
      numbers.linear2_bias = linear2_bias;
    }
    numbers.keep = [&](int place, std::int64_t n, std::int64_t m) {
      const double p[] = {0.25, 0.4, 0.1};
      return kept(p[place], static_cast<std::uint32_t>(place + 2), b + 1, n, m);
    };
    Numbers out(encoded.size());
    weights.resize(kHeads * kTokens * kTokens);
    reference::layer(problem, numbers, encoded.data(), residual.data(), out.data(), weights.data());
    return out;
  }

  Variant variant;
  Numbers x = random_numbers(kBatch * kTokens * kWidth, 1), grad_out = random_numbers(kBatch * kTokens * kWidth, 2);
  Numbers table = random_numbers(kRows * kWidth, 3);
  Numbers in_weight = random_numbers(3 * kWidth * kWidth, 4), in_bias = random_numbers(3 * kWidth, 5);
  Numbers out_weight = random_numbers(kWidth * kWidth, 6), out_bias = random_numbers(kWidth, 7);
  Numbers norm1_weight = random_numbers(kWidth, 8), norm1_bias = random_numbers(kWidth, 9);
  Numbers linear1_weight = random_numbers(kHidden * kWidth, 10), linear1_bias = random_numbers(kHidden, 11);
  Numbers linear2_weight = random_numbers(kHidden * kWidth, 12), linear2_bias = random_numbers(kWidth, 13);
  Numbers norm2_weight = random_numbers(kWidth, 14), norm2_bias = random_numbers(kWidth, 15);
};

TEST(Layer, IsThePlainDefinition) {
  for (const Variant& variant : all_variants()) {
    const Case c(variant);
    LayerOptions options = c.options();
    Numbers out(c.x.size()), weights(kBatch * kHeads * kTokens * kTokens), average(kBatch * kTokens * kTokens);
    options.attention.attend.weights = make_view(weights.data(), {kBatch, kHeads, kTokens, kTokens});
    options.attention.average_weights = make_view(average.data(), {kBatch, kTokens, kTokens});
    apply_layer(c.tokens(c.x), c.layer(), make_view(out.data(), {kBatch, kTokens, kWidth}), options);
    Numbers wanted, wanted_weights;
    for (std::int64_t b = 0; b < kBatch; ++b) {
      Numbers row_weights;
      const Numbers row = c.plain_row(b, row_weights);
      wanted.insert(wanted.end(), row.begin(), row.end());
      wanted_weights.insert(wanted_weights.end(), row_weights.begin(), row_weights.end());
    }
    expect_near(out, wanted, 1e-12);
    expect_near(weights, wanted_weights, 1e-13);
    EXPECT_NEAR(average[30], (weights[55] + weights[80]) / 2.0, 1e-15);
  }
}

// The gradient of every number of a layer, and the numbers themselves, in the same order.
struct WeightGradients {
  explicit WeightGradients(Case& c)
      : names{"x",
              "table",
              "in_proj_weight",
              "in_proj_bias",
              "out_proj_weight",
              "out_proj_bias",
              "norm1.weight",
              "norm1.bias",
              "linear1_weight",
              "linear1_bias",
              "linear2_weight",
              "linear2_bias",
              "norm2.weight",
              "norm2.bias"},
        values{&c.x,
               &c.table,
               &c.in_weight,
               &c.in_bias,
               &c.out_weight,
               &c.out_bias,
               &c.norm1_weight,
               &c.norm1_bias,
               &c.linear1_weight,
               &c.linear1_bias,
               &c.linear2_weight,
               &c.linear2_bias,
               &c.norm2_weight,
               &c.norm2_bias} {
    for (const Numbers* numbers : values) gradients.emplace_back(numbers->size(), 0.25);
  }
  bool is_there(std::size_t i, const Variant& variant) const {
    return i == 1 ? variant.encodes : i < 8 || variant.feeds;
  }
  LayerGradients views(const Variant& variant) {
    const auto view = [&](std::size_t i, std::int64_t rows, std::int64_t columns) {
      if (!is_there(i, variant)) return View{};
      double* const data = gradients[i].data();
      return columns == 0 ? make_view(data, {rows}) : make_view(data, {rows, columns});
    };
    return {.x = make_view(gradients[0].data(), {kBatch, kTokens, kWidth}),
            .attention = {.in_proj_weight = view(2, 3 * kWidth, kWidth),
                          .in_proj_bias = view(3, 3 * kWidth, 0),
                          .out_proj_weight = view(4, kWidth, kWidth),
                          .out_proj_bias = view(5, kWidth, 0)},
            .norm1 = {.weight = view(6, kWidth, 0), .bias = view(7, kWidth, 0)},
            .linear1_weight = view(8, kHidden, kWidth),
            .linear1_bias = view(9, kHidden, 0),
            .linear2_weight = view(10, kWidth, kHidden),
            .linear2_bias = view(11, kWidth, 0),
            .norm2 = {.weight = view(12, kWidth, 0), .bias = view(13, kWidth, 0)},
            .learned = view(1, kRows, kWidth)};
  }
  std::vector<std::string> names;
  std::vector<Numbers*> values;
  std::vector<Numbers> gradients;
};

TEST(Layer, GradientsAreDerivatives) {
  for (const Variant& variant : all_variants()) {
    if (variant.activation == Activation::relu && variant.residual == Residual::input) continue;  // seen with gelu
    Case c(variant);
    WeightGradients got(c);
    apply_layer_backward({c.tokens(c.x), c.tokens(c.grad_out)}, c.layer(), got.views(variant), c.options());
    for (std::size_t i = 0; i < got.names.size(); ++i) {
      if (!got.is_there(i, variant)) continue;
      Numbers gradient = got.gradients[i];
      for (double& number : gradient) number -= i == 0 ? 0.0 : 0.25;  // that of x is written, others are added to
      expect_gradient(
          got.names[i], *got.values[i], gradient, [&] { return c.loss(); }, 2e-7);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Layer, GradientsReachFrequenciesAndContext) {
  Case c({});
  SinusoidalSchedule schedule = make_schedule(Sinusoidal{.width = kWidth});
  Numbers context = random_numbers(kBatch * 3 * kWidth, 20), grad_context(context.size());
  Numbers inv_freq(schedule.inv_freq.size(), 0.0);
  LayerOptions options{.rows = StreamedRows{&schedule},
                       .attention = {.context = make_view(context.data(), {kBatch, 3, kWidth})}};
  apply_layer_backward(
      {c.tokens(c.x), c.tokens(c.grad_out)}, c.layer(),
      {.attention = {.context = make_view(grad_context.data(), {kBatch, 3, kWidth})}, .inv_freq = inv_freq}, options);
  const auto loss = [&] {
    Numbers out(c.x.size());
    apply_layer(c.tokens(c.x), c.layer(), make_view(out.data(), {kBatch, kTokens, kWidth}), options);
    return std::inner_product(out.begin(), out.end(), c.grad_out.begin(), 0.0);
  };
  expect_gradient("context", context, grad_context, loss, 2e-7);
  // Rows of a schedule follow its steps, not its frequencies: a listed one is made anew.
  const auto loss_of_list = [&](const Numbers& list) {
    schedule = make_schedule(Sinusoidal{.width = kWidth, .inv_freq = list});
    return loss();
  };
  Numbers list = schedule.inv_freq;
  expect_gradient(
      "inv_freq", list, inv_freq, [&] { return loss_of_list(list); }, 2e-6);
}

TEST(Layer, InFloatWithStridesAndWorkersIsNearDouble) {
  for (const Variant& variant : all_variants()) {
    const Case c(variant);
    const Workers workers(3);
    LayerOptions options = c.options();
    options.attention.attend.workers = &workers;
    std::vector<float> memory(kBatch * kTokens * 8, 9.0f);
    View x = make_view(memory.data(), {kTokens, kBatch, 8}).swap(0, 1);
    x.shape[2] = kWidth;
    for (std::int64_t i = 0; i < kBatch * kTokens; ++i) {
      std::copy_n(c.x.data() + i * kWidth, kWidth, x[i / kTokens][i % kTokens].as<float>());
    }
    apply_layer(x, c.layer(), x, options);
    const Numbers wanted = c.forward();
    for (std::int64_t i = 0; i < kBatch * kTokens; ++i) {
      const float* const row = x[i / kTokens][i % kTokens].as<float>();
      for (std::int64_t m = 0; m < kWidth; ++m) {
        ASSERT_NEAR(row[m], wanted[static_cast<std::size_t>(i * kWidth + m)], 2e-5);
      }
      EXPECT_EQ(row[kWidth], 9.0f);
    }
    Numbers alone(c.x.size());
    apply_layer(c.tokens(c.x), c.layer(), make_view(alone.data(), {kBatch, kTokens, kWidth}), options);
    EXPECT_EQ(alone, wanted);  // the same bits with workers
  }
}

// As many numbers as p says, the same again for the same step, others for another step, seed or place.
TEST(Layer, DropsByPlaceAndStep) {
  constexpr std::int64_t kMany = 200, kWide = 100;
  const Numbers zeros(kWide * kWide, 0.0), ones(kWide, 1.0), weight(3 * kWide * kWide, 0.0), x(kMany * kWide, 0.0);
  TransformerLayer layer{.attention = {.heads = 1,
                                       .in_proj_weight = make_view(weight.data(), {3 * kWide, kWide}),
                                       .out_proj_weight = make_view(zeros.data(), {kWide, kWide}),
                                       .out_proj_bias = make_view(ones.data(), {kWide})},
                         .feed_forward = {.linear1_weight = make_view(zeros.data(), {kWide, kWide}),
                                          .linear2_weight = make_view(zeros.data(), {kWide, kWide})},
                         .norm = NormPlace::pre};
  const auto run = [&](const LayerDropout& dropout) {
    Numbers out(kMany * kWide);
    apply_layer(make_view(x.data(), {kMany, kWide}), layer, make_view(out.data(), {kMany, kWide}),
                {.dropout = dropout});
    return out;
  };
  const Numbers attention = run({.attention = 0.3, .seed = 1});
  std::set<Numbers> different = {attention, run({.attention = 0.3, .seed = 2}),
                                 run({.attention = 0.3, .seed = 1, .step = 1})};
  EXPECT_EQ(attention, run({.attention = 0.3, .seed = 1}));
  // Ones after the feed-forward part instead of after attention: all that differs is the place.
  layer.attention.out_proj_bias = {};
  layer.feed_forward.linear2_bias = make_view(ones.data(), {kWide});
  different.insert(run({.feed_forward = 0.3, .seed = 1}));
  EXPECT_EQ(different.size(), 4u);
  for (const Numbers& out : different) {
    const auto dropped = std::count(out.begin(), out.end(), 0.0);
    EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(out.size()), 0.3, 0.02);
    EXPECT_EQ(std::count(out.begin(), out.end(), 1.0 / (1.0 - 0.3)), static_cast<std::ptrdiff_t>(out.size()) - dropped);
  }
}

TEST(LoadLayer, ReadsPyTorchsNames) {
  const Case c({.norm = NormPlace::pre});
  const TransformerLayer layer = c.layer();
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  const FeedForward& ff = layer.feed_forward;
  const std::string at = "encoder.3.";
  std::vector<NamedTensor> tensors = {{at + "self_attn.in_proj_weight", layer.attention.in_proj_weight},
                                      {at + "self_attn.in_proj_bias", layer.attention.in_proj_bias},
                                      {at + "self_attn.out_proj.weight", layer.attention.out_proj_weight},
                                      {at + "self_attn.out_proj.bias", layer.attention.out_proj_bias},
                                      {at + "linear1.weight", ff.linear1_weight},
                                      {at + "linear1.bias", ff.linear1_bias},
                                      {at + "linear2.weight", ff.linear2_weight},
                                      {at + "linear2.bias", ff.linear2_bias},
                                      {at + "norm1.weight", layer.norm1.weight},
                                      {at + "norm1.bias", layer.norm1.bias},
                                      {at + "norm2.weight", layer.norm2.weight},
                                      {at + "norm2.bias", layer.norm2.bias}};
  save_safetensors(path, tensors);
  const LayerArrays arrays = load_layer(path, at);
  TransformerLayer loaded = arrays.layer(kHeads);
  loaded.norm = NormPlace::pre;
  loaded.norm1.eps = layer.norm1.eps;
  Numbers out(c.x.size());
  apply_layer(c.tokens(c.x), loaded, make_view(out.data(), {kBatch, kTokens, kWidth}), c.options());
  EXPECT_EQ(out, c.forward());
  EXPECT_EQ(load_multi_head(path, at + "self_attn.").multi_head(2).in_proj_bias.shape[0], 3 * kWidth);
  expect_error(ErrorKind::bad_input, "in_proj_weight", [&] { load_layer(path, "encoder.4."); });
  tensors.push_back({at + "self_attn.bias_k", layer.norm1.bias});
  save_safetensors(path, tensors);
  expect_error(ErrorKind::unsupported, "model.safetensors: encoder.3.self_attn.bias_k", [&] { load_layer(path, at); });
  expect_error(ErrorKind::unsupported, "self_attn.bias_k", [&] { load_multi_head(path, at + "self_attn."); });
  tensors.resize(1);
  tensors.push_back({at + "self_attn.out_proj.weight", layer.attention.out_proj_weight});
  save_safetensors(path, tensors);
  const LayerArrays few = load_layer(path, at);
  EXPECT_EQ(few.layer(kHeads).feed_forward.linear1_weight.rank, 0);
  EXPECT_EQ(few.layer(kHeads).attention.in_proj_bias.rank, 0);
}

TEST(Layer, RefusesWhatDoesNotFit) {
  const Case c({});
  Numbers out(c.x.size(), 4.0);
  const View out_view = make_view(out.data(), {kBatch, kTokens, kWidth});
  const auto refused = [&](const std::string& part, const TransformerLayer& layer, const LayerOptions& options) {
    expect_error(ErrorKind::usage, part, [&] { apply_layer(c.tokens(c.x), layer, out_view, options); });
    EXPECT_EQ(out, Numbers(c.x.size(), 4.0));
  };
  TransformerLayer layer = c.layer();
  layer.norm1.eps = 0.0;
  refused("[apply_layer] norm1.eps must be above 0 and finite but got 0", layer, {});
  layer = c.layer();
  layer.norm2.bias = layer.attention.in_proj_bias;
  refused("norm2.bias must be [6] but is [18]", layer, {});
  layer = c.layer();
  layer.feed_forward.linear2_weight = layer.feed_forward.linear1_weight;
  refused("linear2_weight must be [6, 7] but is [7, 6]", layer, {});
  layer.feed_forward = {.linear2_bias = layer.norm1.bias};
  refused("linear1_weight must be given", layer, {});
  layer = c.layer();
  layer.attention.heads = 4;
  refused("[apply_layer] out_proj_weight must be [M, H D] with a width that is a multiple of heads, 4", layer, {});
  layer = c.layer();
  refused(
      "dropout of attention weights is set by "
      "dropout.weights",
      layer, {.attention = {.attend = {.dropout = {.p = 0.5}}}});
  refused("dropout p must be at least 0 and below 1 but got 1", layer, {.dropout = {.feed_forward = 1.0}});
  refused("scale and dropout.input need rows", layer, {.scale = 2.0});
  LayerOptions options = c.options();
  options.positions = PositionView::range(0, 4);
  refused("", layer, options);
  options = c.options();
  options.positions = PositionView::range(7, kTokens);
  expect_error(ErrorKind::bad_input, "[apply_layer] position 9 of token [2] is past the end of the table",
               [&] { apply_layer(c.tokens(c.x), layer, out_view, options); });
  const Bias alibi(Alibi{.heads = 3});
  options = c.options();
  options.attention.attend.bias = &alibi;
  refused("", layer, options);
  refused("average_weights must not overlap linear1_weight", layer,
          {.attention = {.average_weights = make_view(const_cast<double*>(c.linear1_weight.data()), {2, 5, 5})}});

  WeightGradients got(const_cast<Case&>(c));
  const std::vector<Numbers> before = got.gradients;
  const auto refused_backward = [&](const std::string& part, const LayerGradients& gradients,
                                    const LayerOptions& with) {
    expect_error(ErrorKind::usage, part, [&] {
      apply_layer_backward({c.tokens(c.x), c.tokens(c.grad_out)}, c.layer(), gradients, with);
    });
    EXPECT_EQ(got.gradients, before);
  };
  LayerGradients views = got.views(c.variant);
  views.norm1.x = views.x;
  refused_backward("attention.x, norm1.x and norm2.x must not be given", views, c.options());
  views = got.views(c.variant);
  views.linear1_bias = views.linear1_weight;
  refused_backward("the gradient of linear1_bias must be [7]", views, c.options());
  views = got.views(c.variant);
  refused_backward("the options have no rows", views, {});
  views.attention.bias = {{"table", views.learned}};
  refused_backward("gradients of a bias are requested but there is no bias", views, c.options());
  views = got.views(c.variant);
  views.norm2.weight = views.norm2.bias;
  refused_backward("the gradient of norm2.weight must not overlap the gradient of norm2.bias", views, c.options());
  options = c.options();
  options.attention.attend.bias = &alibi;
  refused_backward("", got.views(c.variant), options);
}

}  // namespace
}  // namespace posenc::layer_test
