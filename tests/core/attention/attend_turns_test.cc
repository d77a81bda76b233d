// PoPE, xPos and the temperature of queries inside attention, against plain loops and differences.
#include <gtest/gtest.h>

#include <cmath>

#include "posenc/attend.h"
#include "support/expect_error.h"
#include "support/finite_difference.h"
#include "support/plain_turns.h"

namespace posenc::attend_turns_test {
namespace {

using namespace plain;  // NOLINT: its words
using plain::Numbers;

// Attention with each of them is attention of what each makes of q and k.
struct Layer {
  std::int64_t queries = 3, keys = 5, heads = 4, groups = 2, width = 6;
  Numbers q = normal_numbers(3 * 4 * 6, 20), k = normal_numbers(5 * 2 * 6, 21), v = normal_numbers(5 * 2 * 2, 22);
  Numbers delta;

  ConstView view(const Numbers& x, std::int64_t tokens, std::int64_t count, std::int64_t channels) const {
    return make_view(x.data(), {tokens, count, channels});
  }
  AttendOptions options() const {
    AttendOptions made;
    made.mask.causal = Causal::end;
    made.key_positions = PositionView::range(10, 5);
    if (!delta.empty()) {
      made.pope_delta = make_view(delta.data(), {static_cast<std::int64_t>(delta.size()) / 4, 4});
    }
    return made;
  }
  Numbers attended(const AttendOptions& made) const {
    Numbers out(3 * 4 * 2);
    attend(view(q, 3, 4, 6), view(k, 5, 2, 6), view(v, 5, 2, 2), make_view(out.data(), {3, 4, 2}), made);
    return out;
  }
};

// Scores by plain loops over what is given, softmax, and values.
Numbers plain_attention(const Layer& layer, const std::vector<Numbers>& q, const std::vector<Numbers>& k,
                        double scale) {
  Numbers out;
  for (std::size_t n = 0; n < 3; ++n) {
    for (std::size_t h = 0; h < 4; ++h) {
      Numbers weights;
      double sum = 0.0;
      for (std::size_t s = 0; s <= n + 2; ++s) weights.push_back(std::exp(scale * dot(q[n * 4 + h], k[(s * 4) + h])));
      for (const double weight : weights) sum += weight;
      for (std::size_t c = 0; c < 2; ++c) {
        double value = 0.0;
        for (std::size_t s = 0; s <= n + 2; ++s) value += weights[s] / sum * layer.v[(s * 2 + h / 2) * 2 + c];
        out.push_back(value);
      }
    }
  }
  return out;
}

template <class Make>
std::vector<Numbers> heads_of(const Numbers& x, std::int64_t tokens, std::int64_t group, double first,
                              const Make& make) {
  std::vector<Numbers> heads;
  const std::int64_t own = 4 / group;
  for (std::int64_t n = 0; n < tokens; ++n) {
    for (std::int64_t h = 0; h < 4; ++h) {
      heads.push_back(make(part(x, (n * own + h / group) * 6, 6), first + static_cast<double>(n), h));
    }
  }
  return heads;
}

void expect_near(const Numbers& got, const Numbers& wanted, double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << i;
}

TEST(AttendTurns, PopeDividesByTheRootOfTheOriginalWidth) {
  const Pope spec{.head_dim = 6, .rotary_dim = 4};
  const PopeAngles angles(spec);
  for (const std::int64_t delta_heads : {2, 4}) {  // those of keys, or of queries that share them
    Layer layer;
    layer.delta = normal_numbers(delta_heads * 4, 23);
    AttendOptions options = layer.options();
    options.pope = &angles;
    const auto q = heads_of(layer.q, 3, 1, 12.0,
                            [&](const Numbers& x, double p, std::int64_t) { return plain_pope(spec, x, p, {}); });
    const auto k = heads_of(layer.k, 5, 2, 10.0, [&](const Numbers& x, double p, std::int64_t h) {
      return plain_pope(spec, x, p, part(layer.delta, (delta_heads == 4 ? h : h / 2) * 4, 4));
    });
    expect_near(layer.attended(options), plain_attention(layer, q, k, 1.0 / std::sqrt(6.0)), 1e-12);
  }
}

TEST(AttendTurns, XposAndTemperature) {
  const Xpos spec{.head_dim = 6, .scale_base = 9.0, .center = 11.0};
  const XposAngles angles(spec);
  const QueryTemperature temperature{.scale = 0.4, .length = 3};
  Layer layer;
  AttendOptions options = layer.options();
  options.xpos = &angles;
  options.temperature = &temperature;
  const auto q = heads_of(layer.q, 3, 1, 12.0, [&](const Numbers& x, double p, std::int64_t) {
    Numbers turned = plain_xpos(spec, x, p, false);
    for (double& number : turned) number *= 1.0 + 0.4 * std::log(1.0 + std::floor((p + 1.0) / 3.0));
    return turned;
  });
  const auto k = heads_of(layer.k, 5, 2, 10.0,
                          [&](const Numbers& x, double p, std::int64_t) { return plain_xpos(spec, x, p, true); });
  expect_near(layer.attended(options), plain_attention(layer, q, k, 1.0 / std::sqrt(6.0)), 1e-12);
}

void check_gradients(Layer& layer, const AttendOptions& options) {
  const Numbers grad_out = normal_numbers(24, 24);
  const auto loss = [&] { return dot(layer.attended(options), grad_out); };
  Numbers q(layer.q.size()), k(layer.k.size()), v(layer.v.size()), delta(layer.delta.size());
  AttendGradients gradients{
      .q = make_view(q.data(), {3, 4, 6}), .k = make_view(k.data(), {5, 2, 6}), .v = make_view(v.data(), {5, 2, 2})};
  if (!delta.empty()) gradients.pope_delta = make_view(delta.data(), {options.pope_delta.shape[0], 4});
  attend_backward({layer.view(layer.q, 3, 4, 6), layer.view(layer.k, 5, 2, 6), layer.view(layer.v, 5, 2, 2),
                   make_view(grad_out.data(), {3, 4, 2})},
                  gradients, options);
  expect_gradient("q", layer.q, q, loss);
  expect_gradient("k", layer.k, k, loss);
  expect_gradient("v", layer.v, v, loss);
  if (!delta.empty()) expect_gradient("delta", layer.delta, delta, loss);
}

TEST(AttendTurns, GradientsAreDifferences) {
  const QueryTemperature temperature{.scale = 0.4, .length = 3};
  const PopeAngles pope(Pope{.head_dim = 6, .rotary_dim = 4});
  const XposAngles xpos(Xpos{.head_dim = 6, .scale_base = 9.0, .center = 11.0});
  const RotaryAngles rotary(Rotary{.head_dim = 6});
  for (const std::int64_t delta_heads : {2, 4}) {
    Layer layer;
    layer.delta = normal_numbers(delta_heads * 4, 25);
    AttendOptions options = layer.options();
    options.pope = &pope;
    options.temperature = delta_heads == 2 ? &temperature : nullptr;
    check_gradients(layer, options);
  }
  Layer layer;
  AttendOptions options = layer.options();
  options.xpos = &xpos;
  options.temperature = &temperature;
  check_gradients(layer, options);
  options.xpos = nullptr;
  check_gradients(layer, options);
  options.rotary = rotary;
  check_gradients(layer, options);
}

// Padding may hold anything: what is hidden has no part in outputs and gradients.
TEST(AttendTurns, PaddingDoesNotReachPope) {
  const PopeAngles pope(Pope{.head_dim = 6, .rotary_dim = 4});
  Layer layer;
  layer.delta = normal_numbers(8, 26);
  std::fill_n(layer.k.begin(), 12, std::nan(""));
  const std::int64_t start = 1;
  AttendOptions options = layer.options();
  options.mask.starts = make_view(&start, {1});
  options.pope = &pope;
  for (const double number : layer.attended(options)) EXPECT_TRUE(std::isfinite(number));
  const Numbers grad_out = normal_numbers(24, 27);
  Numbers k(layer.k.size()), delta(8);
  attend_backward({layer.view(layer.q, 3, 4, 6), layer.view(layer.k, 5, 2, 6), layer.view(layer.v, 5, 2, 2),
                   make_view(grad_out.data(), {3, 4, 2})},
                  {.k = make_view(k.data(), {5, 2, 6}), .pope_delta = make_view(delta.data(), {2, 4})}, options);
  for (const double number : delta) EXPECT_TRUE(std::isfinite(number));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(k[i], 0.0);
}

TEST(AttendTurns, NameWhatIsWrong) {
  Layer layer;
  const RotaryAngles rotary(Rotary{.head_dim = 6});
  const PopeAngles four(Pope{.head_dim = 4});
  const PopeAngles six(Pope{.head_dim = 6, .rotary_dim = 4});
  const auto attended = [&](AttendOptions options) { layer.attended(options); };
  AttendOptions options = layer.options();
  options.pope = &four;
  expect_error(ErrorKind::usage, "[attend] the PoPE encoding must have heads of 6 channels",
               [&] { attended(options); });
  options.pope = &six;
  options.rotary = rotary;
  expect_error(ErrorKind::usage, "only one of rotary, pope and xpos", [&] { attended(options); });
  options.rotary.reset();
  options.keys_rotated = true;
  expect_error(ErrorKind::usage, "keys_rotated works only with rotary and xPos", [&] { attended(options); });
  options.keys_rotated = false;
  layer.delta = Numbers(12);
  options.pope_delta = layer.options().pope_delta;
  expect_error(ErrorKind::usage, "[attend] delta must be [2, 4] but is [3, 4]", [&] { attended(options); });
}

}  // namespace
}  // namespace posenc::attend_turns_test
