// What published code makes of queries and keys beside the usual rotary modules: golden/README.md says which.
#include <gtest/gtest.h>

#include <cmath>

#include "golden/case.h"
#include "posenc/pope.h"
#include "posenc/query_temperature.h"
#include "posenc/rotate.h"
#include "posenc/xpos.h"

namespace posenc::golden_query_test {
namespace {

using golden::Case;
using golden::Tensor;

Case query_case(const std::string& name) { return Case(POSENC_TESTS "/golden/query/" + name + ".json"); }

// [B, H, N, D] or [H, N, D] as the files have them, with tokens before heads.
template <class AnyView>
AnyView tokens_first(const AnyView& view) {
  return view.rank == 4 ? view.swap(1, 2) : view.swap(0, 1);
}

// What `act` makes of a tensor, in its own order, with other channels at the end.
template <class Act>
std::vector<double> made_of(const Tensor& tensor, std::int64_t channels, const Act& act) {
  std::vector<std::int64_t> shape = tensor.shape;
  std::vector<double> out(tensor.values.size() / static_cast<std::size_t>(shape.back()) *
                          static_cast<std::size_t>(channels));
  const View view = shape.size() == 4 ? make_view(out.data(), {shape[0], shape[1], shape[2], channels})
                                      : make_view(out.data(), {shape[0], shape[1], channels});
  act(tokens_first(tensor.view()), tokens_first(view));
  return out;
}

TEST(GoldenQuery, PopeIsThatOfPopePytorch) {
  const Case c = query_case("e_pope");
  const PopeAngles angles(Pope{.head_dim = 6, .delta_clamp = DeltaClamp::forward});
  const Tensor q(c.input("q")), k(c.input("k")), bias(c.input("bias")), places(c.input("positions"));
  const PositionView positions = PositionView::of(places.values.data(), 4);
  const std::vector<double> q_out =
      made_of(q, 12, [&](const ConstView& x, const View& out) { pope_queries(x, positions, angles, out); });
  const std::vector<double> k_out = made_of(k, 12, [&](const ConstView& x, const View& out) {
    pope_keys(x, positions, angles, out, {.delta = bias.view()});
  });
  c.compare("q_out", q_out, 5e-6);
  c.compare("k_out", k_out, 5e-6);
  std::vector<double> scores;
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t t = 0; t < 4; ++t) {
      for (std::size_t s = 0; s < 4; ++s) {
        double sum = 0.0;
        for (std::size_t i = 0; i < 12; ++i) sum += q_out[(h * 4 + t) * 12 + i] * k_out[(h * 4 + s) * 12 + i];
        scores.push_back(sum);
      }
    }
  }
  c.compare("ref64_scores", scores, 1e-12);
}

TEST(GoldenQuery, PopePassesTheOtherChannelsRaw) {
  const Case c = query_case("e_pope_partial_decode");
  const PopeAngles angles(Pope{.head_dim = 8, .rotary_dim = 6, .delta_clamp = DeltaClamp::forward});
  const Tensor q(c.input("q_last_2")), k(c.input("k")), bias(c.input("bias"));
  c.compare(
      "q_out",
      made_of(q, 14,
              [&](const ConstView& x, const View& out) { pope_queries(x, PositionView::range(2, 2), angles, out); }),
      2e-6);
  c.compare("k_out",
            made_of(k, 14,
                    [&](const ConstView& x, const View& out) {
                      pope_keys(x, PositionView::range(0, 4), angles, out, {.delta = bias.view()});
                    }),
            2e-6);
}

TEST(GoldenQuery, AxialPopeBeginsAnewOnEveryAxis) {
  const Case c = query_case("e_pope_axial");
  const RotarySchedule schedule = make_schedule(Pope{.head_dim = 6, .axes = 2, .sections = {4, 2}});
  const Tensor places(c.output("positions"));
  std::vector<double> angles;
  for (std::size_t n = 0; n < 6; ++n) {
    for (std::size_t i = 0; i < 6; ++i) {
      angles.push_back(places.values[2 * n] * schedule.inv_freq[i] +
                       places.values[2 * n + 1] * schedule.inv_freq[6 + i]);
    }
  }
  c.compare("freqs", angles, 2e-7);
  Tensor bias(c.input("bias"));
  project_delta(make_view(bias.values.data(), {2, 6}));
  c.compare("bias", bias.values, 0.0);
}

void check_xpos(const std::string& name, const Xpos& spec, double tolerance = 2e-6) {
  const Case c = query_case(name);
  const XposAngles angles(spec);
  const Tensor q(c.input("q")), k(c.input("k"));
  const PositionView positions = PositionView::range(0, 5);
  c.compare(
      "q_out",
      made_of(q, spec.head_dim, [&](const ConstView& x, const View& out) { xpos_queries(x, positions, angles, out); }),
      tolerance);
  c.compare(
      "k_out",
      made_of(k, spec.head_dim, [&](const ConstView& x, const View& out) { xpos_keys(x, positions, angles, out); }),
      tolerance);
}

TEST(GoldenQuery, XposIsThatOfThreePackages) {
  const auto center = static_cast<double>(lucidrains_center(5));
  EXPECT_EQ(center, 2.0);
  check_xpos("e_ret_xpos", {.head_dim = 8, .scale_base = 16.0, .center = center});
  check_xpos("e_xt_rotary_xpos_d4", {.head_dim = 8, .rotary_dim = 4, .center = center});
  check_xpos("e_xt_rotary_xpos_d8", {.head_dim = 8, .center = center});
  check_xpos("e_xt_rotary_xpos_base8_d8", {.head_dim = 8, .scale_base = 8.0, .center = center});
  EXPECT_EQ(torchscale_center(5), 3);
  EXPECT_EQ(torchscale_center(4, 2), 3);
  check_xpos("e_torchscale_xpos_base8_off0", {.head_dim = 8, .scale_base = 8.0, .center = 3.0});
}

std::vector<double> turned(const Tensor& x, const Rotary& spec, std::int64_t first) {
  return made_of(x, spec.head_dim, [&](const ConstView& in, const View& out) {
    rotate(in, PositionView::range(first, 5), RotaryAngles(spec), out);
  });
}

// The frequencies of a rule divided by a factor, as dividing positions does.
std::vector<double> divided(std::int64_t dim, double factor) {
  std::vector<double> inv_freq = make_schedule(Rotary{.head_dim = dim}).inv_freq;
  for (double& frequency : inv_freq) frequency /= factor;
  return inv_freq;
}

TEST(GoldenQuery, PlainRotationsOfTwoPackages) {
  const auto check = [](const std::string& name, Rotary spec) {
    const Case c = query_case(name);
    spec.layout = Layout::interleaved;
    const Tensor q(c.input("q"));
    c.compare("q_out", turned(q, spec, 0), 2e-6);
    if (name.starts_with("e_ret")) return c.compare("q_out_offset7", turned(q, spec, 7), 4e-6);
    c.compare("k_out", turned(Tensor(c.input("k")), spec, 0), 2e-6);
  };
  check("e_ret_theta500", {.head_dim = 8, .base = 500.0});
  check("e_ret_partial4", {.head_dim = 8, .rotary_dim = 4});
  check("e_ret_interp2", {.head_dim = 8, .inv_freq = divided(8, 2.0)});
  check("e_xt_rotary_plain_d8", {.head_dim = 8});
  check("e_xt_rotary_interp2_d4", {.head_dim = 8, .rotary_dim = 4, .inv_freq = divided(4, 2.0)});
  check("e_xt_rotary_rescale4_d4", {.head_dim = 8, .base = 10000.0 * std::pow(4.0, 4.0 / 2.0), .rotary_dim = 4});
  check("e_xt_rotary_rescale4_d8", {.head_dim = 8, .base = 10000.0 * std::pow(4.0, 8.0 / 6.0)});
}

// Angles of their own for every token: a frequency per pair at position 1.
TEST(GoldenQuery, LearnedRotations) {
  const Case c = query_case("e_ret_learned");
  const Tensor angles(c.input("rotations")), t(c.input("t"));
  std::vector<double> out(t.values.size());
  for (std::size_t row = 0; row < t.values.size() / 8; ++row) {
    const std::vector<double> own(angles.values.begin() + static_cast<std::ptrdiff_t>(4 * row),
                                  angles.values.begin() + static_cast<std::ptrdiff_t>(4 * row + 4));
    rotate(make_view(t.values.data() + 8 * row, {1, 1, 8}), PositionView::range(1, 1),
           RotaryAngles(Rotary{.head_dim = 8, .layout = Layout::interleaved, .inv_freq = own}),
           make_view(out.data() + 8 * row, {1, 1, 8}));
  }
  c.compare("out", out, 2e-6);
}

TEST(GoldenQuery, TemperaturesOfThreeModels) {
  const Case c = query_case("query_scale");
  for (const std::string name : {"llama4", "ministral3", "mistral4"}) {
    const QueryTemperature temperature{
        .scale = 0.1, .length = c.integer(name + "_length"), .first = c.integer(name + "_first")};
    std::vector<double> factors;
    for (const double p : Tensor(c.input(name + "_positions")).values) factors.push_back(query_factor(temperature, p));
    c.compare(name, factors, 2e-7);
  }
}

}  // namespace
}  // namespace posenc::golden_query_test
