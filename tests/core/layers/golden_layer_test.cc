// Layers that PyTorch computed: golden/README.md says which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "golden/case.h"
#include "posenc/layer.h"

namespace posenc::golden_layer_test {
namespace {

using Numbers = std::vector<double>;
using golden::Tensor;

std::string path(const std::string& name) { return POSENC_TESTS "/golden/layer/" + name + ".json"; }

struct GoldenAttention {
  explicit GoldenAttention(const Json& json)
      : in_weight(*json.find("in_proj_weight")),
        in_bias(*json.find("in_proj_bias")),
        out_weight(*json.find("out_proj.weight")),
        out_bias(*json.find("out_proj.bias")) {}
  MultiHeadAttention view(std::int64_t heads) const {
    return {heads, 0, in_weight.view(), in_bias.view(), out_weight.view(), out_bias.view()};
  }
  Tensor in_weight, in_bias, out_weight, out_bias;
};

// The layer of nn.MultiheadAttention and nn.LayerNorm, by both residuals. Returns out.
Numbers check_postnorm(const std::string& name, Residual residual, bool heads) {
  const golden::Case one(path(name));
  const Tensor x(one.input("x")), pe(one.input("pe"));
  const GoldenAttention attention(one.input("attention"));
  const Tensor weight(*one.input("norm").find("weight")), bias(*one.input("norm").find("bias"));
  const TransformerLayer layer{.attention = attention.view(one.integer("num_heads")),
                               .norm1 = {weight.view(), bias.view(), one.input("layer_norm_eps").number()},
                               .residual = residual};
  Numbers out(x.values.size()), average(36), per_head(72);
  const SinusoidalSchedule schedule = make_schedule(Sinusoidal{.width = 8});
  const InputRows encodings[] = {FixedRows{pe.view()}, StreamedRows{&schedule}};
  for (const InputRows& rows : encodings) {
    apply_layer(x.view(), layer, make_view(out.data(), {1, 6, 8}),
                {.rows = rows,
                 .attention = {.attend = {.weights = make_view(per_head.data(), {1, 2, 6, 6})},
                               .average_weights = make_view(average.data(), {1, 6, 6})}});
    one.compare("out", out, 1e-12);
    one.compare("average_attention", average, 1e-12);
    if (heads) one.compare("per_head_attention", per_head, 1e-12);
  }
  return out;
}

TEST(GoldenLayer, PostNorm) {
  const Numbers encoded = check_postnorm("f_postnorm_layer", Residual::encoded, true);
  const Numbers bare = check_postnorm("f_postnorm_layer_input_residual", Residual::input, false);
  double largest = 0.0;
  for (std::size_t i = 0; i < bare.size(); ++i) largest = std::max(largest, std::abs(bare[i] - encoded[i]));
  EXPECT_NEAR(largest, 0.679, 5e-4);  // as docs/layer.md says
}

// One token at all six positions: the distance between rows of the output shows what the layer still knows of
// positions.
TEST(GoldenLayer, TheBareResidualKeepsLittleOfThePositions) {
  const golden::Case one(path("f_postnorm_layer"));
  const Tensor x(one.input("x")), pe(one.input("pe"));
  const GoldenAttention attention(one.input("attention"));
  const Tensor weight(*one.input("norm").find("weight")), bias(*one.input("norm").find("bias"));
  const auto distance = [&](Residual residual) {
    const TransformerLayer layer{
        .attention = attention.view(2), .norm1 = {weight.view(), bias.view()}, .residual = residual};
    double sum = 0.0;
    for (std::size_t token = 0; token < 6; ++token) {
      Numbers same(48), out(48);
      for (std::size_t i = 0; i < 48; ++i) same[i] = x.values[token * 8 + i % 8];
      apply_layer(make_view(static_cast<const double*>(same.data()), {6, 8}), layer, make_view(out.data(), {6, 8}),
                  {.rows = FixedRows{pe.view()}});
      for (std::size_t pair = 0; pair < 36; ++pair) {
        double square = 0.0;
        for (std::size_t m = 0; m < 8; ++m) square += std::pow(out[pair / 6 * 8 + m] - out[pair % 6 * 8 + m], 2);
        sum += std::sqrt(square) / (6.0 * 30.0);
      }
    }
    return sum;
  };
  EXPECT_NEAR(distance(Residual::encoded), 0.452, 5e-4);  // as docs/layer.md says
  EXPECT_NEAR(distance(Residual::input), 0.032, 5e-4);
}

TEST(GoldenLayer, PreNormWithFeedForward) {
  const golden::Case one(path("f_encoder_layer_prenorm"));
  const auto tensor = [&](const char* name) { return Tensor(one.input(name)); };
  const Tensor x = tensor("x"), pe = tensor("pe"), in_weight = tensor("self_attn.in_proj_weight"),
               in_bias = tensor("self_attn.in_proj_bias"), out_weight = tensor("self_attn.out_proj.weight"),
               out_bias = tensor("self_attn.out_proj.bias"), linear1 = tensor("linear1.weight"),
               linear1_bias = tensor("linear1.bias"), linear2 = tensor("linear2.weight"),
               linear2_bias = tensor("linear2.bias"), norm1 = tensor("norm1.weight"), norm1_bias = tensor("norm1.bias"),
               norm2 = tensor("norm2.weight"), norm2_bias = tensor("norm2.bias");
  const double eps = one.input("layer_norm_eps").number();
  const TransformerLayer layer{
      .attention = {one.integer("num_heads"), 0, in_weight.view(), in_bias.view(), out_weight.view(), out_bias.view()},
      .norm1 = {norm1.view(), norm1_bias.view(), eps},
      .feed_forward = {linear1.view(), linear1_bias.view(), linear2.view(), linear2_bias.view()},
      .norm2 = {norm2.view(), norm2_bias.view(), eps},
      .norm = NormPlace::pre};
  Numbers out(x.values.size());
  apply_layer(x.view(), layer, make_view(out.data(), {1, 6, 8}), {.rows = FixedRows{pe.view()}});
  one.compare("out", out, 1e-12);
}

TEST(GoldenLayer, AttentionCommutesWithAPermutationUnlessPositionsAreAdded) {
  const golden::Case one(path("f_permutation_equivariance"));
  const Tensor x(one.input("x")), pe(one.input("pe")), order(one.input("permutation"));
  const GoldenAttention attention(one.input("attention"));
  const auto run = [&](bool permuted, bool encoded) {
    Numbers input(x.values.size()), out(x.values.size());
    for (std::size_t n = 0; n < 6; ++n) {
      const std::size_t from = permuted ? static_cast<std::size_t>(order.values[n]) : n;
      for (std::size_t m = 0; m < 8; ++m) {
        input[n * 8 + m] = x.values[from * 8 + m] + (encoded ? pe.values[n * 8 + m] : 0.0);
      }
    }
    multi_head_attend(make_view(static_cast<const double*>(input.data()), {1, 6, 8}),
                      attention.view(one.integer("num_heads")), make_view(out.data(), {1, 6, 8}));
    return out;
  };
  const auto difference = [&](const Numbers& straight, const Numbers& permuted) {
    double largest = 0.0;
    for (std::size_t i = 0; i < straight.size(); ++i) {
      const auto from = static_cast<std::size_t>(order.values[i / 8]);
      largest = std::max(largest, std::abs(permuted[i] - straight[from * 8 + i % 8]));
    }
    return largest;
  };
  one.compare("out", run(false, false), 1e-12);
  one.compare("out_of_permuted", run(true, false), 1e-12);
  one.compare("out_with_pe", run(false, true), 1e-12);
  one.compare("out_with_pe_of_permuted", run(true, true), 1e-12);
  EXPECT_LT(difference(run(false, false), run(true, false)), 1e-14);
  EXPECT_NEAR(difference(run(false, true), run(true, true)), one.output("max_abs_difference_with_pe").number(), 1e-12);
}

}  // namespace
}  // namespace posenc::golden_layer_test
