// PoPE, xPos and the temperature of queries against plain loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "posenc/half.h"
#include "posenc/pope.h"
#include "posenc/query_temperature.h"
#include "posenc/rotate.h"
#include "posenc/xpos.h"
#include "support/expect_error.h"
#include "support/finite_difference.h"
#include "support/plain_turns.h"

namespace posenc::query_turns_test {
namespace {

using namespace plain;  // NOLINT

struct Shape {
  std::int64_t tokens, heads, width;
  std::int64_t size() const { return tokens * heads * width; }
};

TEST(Pope, IsItsDefinition) {
  for (const PopeOrder order : {PopeOrder::interleaved, PopeOrder::halves}) {
    for (const Magnitude magnitude : {Magnitude::softplus, Magnitude::relu, Magnitude::identity}) {
      const Pope spec{.head_dim = 7, .base = 500.0, .rotary_dim = 5, .order = order, .magnitude = magnitude};
      const PopeAngles angles(spec);
      ASSERT_EQ(angles.out_dim(), 12);
      const Numbers x = normal_numbers(3 * 2 * 7, 1, 3.0), delta = normal_numbers(2 * 5, 2, 2.0);
      const Numbers places = {-3.5, 0.0, 1234.0};
      Numbers keys(3 * 2 * 12), queries(keys);
      const PositionView positions = PositionView::of(places.data(), 3);
      const ConstView view = make_view(x.data(), {3, 2, 7}), deltas = make_view(delta.data(), {2, 5});
      pope_keys(view, positions, angles, make_view(keys.data(), {3, 2, 12}), {.delta = deltas});
      pope_queries(view, positions, angles, make_view(queries.data(), {3, 2, 12}));
      for (std::int64_t n = 0; n < 3; ++n) {
        for (std::int64_t h = 0; h < 2; ++h) {
          const Numbers head = part(x, (n * 2 + h) * 7, 7);
          const double p = places[static_cast<std::size_t>(n)];
          const Numbers key = plain_pope(spec, head, p, part(delta, h * 5, 5)), query = plain_pope(spec, head, p, {});
          for (std::size_t i = 0; i < 12; ++i) {
            const auto at = static_cast<std::size_t>((n * 2 + h) * 12) + i;
            EXPECT_NEAR(keys[at], key[i], 1e-11) << i;
            EXPECT_NEAR(queries[at], query[i], 1e-11) << i;
          }
        }
      }
    }
  }
}

TEST(Pope, NarrowTypesStridesAndWorkersGiveTheSame) {
  const PopeAngles angles(Pope{.head_dim = 6, .order = PopeOrder::halves});
  const Shape shape{70, 2, 6};
  const Numbers x = normal_numbers(shape.size(), 3), delta = normal_numbers(12, 4);
  std::vector<float> narrow(x.begin(), x.end()), out(x.size() * 2), strided(out);
  std::vector<f16> half(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) half[i] = to_f16(x[i]);
  const PositionView positions = PositionView::range(100000, 70);
  const PopeOptions options{.delta = make_view(delta.data(), {2, 6})};
  pope_keys(make_view(narrow.data(), {70, 2, 6}), positions, angles, make_view(out.data(), {70, 2, 12}), options);
  // Heads before tokens, a batch of one, and workers.
  std::vector<float> turned(narrow.size());
  for (std::size_t n = 0; n < 70; ++n) {
    for (std::size_t h = 0; h < 2; ++h) std::copy_n(&narrow[(n * 2 + h) * 6], 6, &turned[(h * 70 + n) * 6]);
  }
  const Workers workers(3);
  pope_keys(make_view(turned.data(), {1, 2, 70, 6}).swap(1, 2), positions, angles,
            make_view(strided.data(), {1, 70, 2, 12}), {.delta = options.delta, .workers = &workers});
  EXPECT_EQ(out, strided);
  std::vector<float> wide(out.size());
  std::vector<f16> rounded(out.size());
  pope_keys(make_view(half.data(), {70, 2, 6}), positions, angles, make_view(wide.data(), {70, 2, 12}), options);
  pope_keys(make_view(half.data(), {70, 2, 6}), positions, angles, make_view(rounded.data(), {70, 2, 12}), options);
  for (std::size_t n = 0; n < 140; ++n) {
    const Numbers exact = plain_pope(angles.spec(), part(x, static_cast<std::int64_t>(n) * 6, 6),
                                     100000.0 + static_cast<double>(n / 2), part(delta, n % 2 == 0 ? 0 : 6, 6));
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(out[n * 12 + i], exact[i], 1e-6);
      EXPECT_NEAR(wide[n * 12 + i], exact[i], 2e-3);
      EXPECT_EQ(rounded[n * 12 + i].bits, to_f16(static_cast<double>(wide[n * 12 + i])).bits);
    }
  }
}

TEST(Pope, MagnitudesAreExactFarOut) {
  const PopeAngles angles(Pope{.head_dim = 1});
  for (const double x : {-700.0, -40.0, -1e-9, 0.0, 30.0, 1e6}) {
    double pair[2];
    pope_queries(make_view(&x, {1, 1, 1}), PositionView::range(0, 1), angles, make_view(pair, {1, 1, 2}));
    const auto wide = static_cast<long double>(x);
    const long double wanted = std::log1p(std::exp(-std::fabs(wide))) + std::max(wide, 0.0L);
    EXPECT_NEAR(pair[0] / static_cast<double>(wanted), 1.0, 4e-16) << x;
    EXPECT_EQ(pair[1], 0.0);
  }
}

// The score of one query and key, by the operations.
double pope_score(const PopeAngles& angles, double t, double s, const Numbers& q, const Numbers& k,
                  const Numbers& delta) {
  Numbers q_out(static_cast<std::size_t>(angles.out_dim())), k_out(q_out);
  const auto head = [](const Numbers& x) { return make_view(x.data(), {1, 1, static_cast<std::int64_t>(x.size())}); };
  pope_queries(head(q), PositionView::of(&t, 1), angles, make_view(q_out.data(), {1, 1, angles.out_dim()}));
  pope_keys(head(k), PositionView::of(&s, 1), angles, make_view(k_out.data(), {1, 1, angles.out_dim()}),
            {.delta = make_view(delta.data(), {1, angles.rotary_dim()})});
  return dot(q_out, k_out);
}

TEST(Pope, ScoresAreCosinesOfTheDistanceAlone) {
  const PopeAngles angles(Pope{.head_dim = 10, .rotary_dim = 8});
  const Numbers q = normal_numbers(10, 5), k = normal_numbers(10, 6), delta = normal_numbers(8, 7);
  for (const double distance : {0.0, 1.0, 17.0, -250.0}) {
    double wanted = q[8] * k[8] + q[9] * k[9];
    for (std::size_t c = 0; c < 8; ++c) {
      wanted += std::log1p(std::exp(q[c])) * std::log1p(std::exp(k[c])) *
                std::cos(distance * std::pow(10000.0, -static_cast<double>(c) / 8.0) + delta[c]);
    }
    for (const double t : {0.0, 3.0, 1e6}) {
      EXPECT_NEAR(pope_score(angles, t, t + distance, q, k, delta), wanted, 1e-9) << t;
    }
  }
}

TEST(Pope, BeginsWithTheKernelOfSmallWeights) {
  struct Known {
    std::int64_t width;
    std::vector<std::pair<double, double>> at;  // distance, (ln 2)^2 / sqrt(d) sum of cosines
  };
  const Known known[] = {
      {16, {{0, 1.922}, {1, 1.839}, {4, 1.401}, {16, 0.952}, {64, 1.033}, {256, 0.800}}},
      {32, {{0, 2.718}, {1, 2.626}, {4, 2.033}, {16, 1.645}, {64, 1.181}, {256, 0.961}, {512, 0.504}}},
      {64, {{0, 3.844}, {1, 3.729}, {4, 2.918}, {16, 2.384}, {64, 1.833}, {256, 1.233}, {512, 0.843}}}};
  for (const Known& one : known) {
    const PopeAngles angles(Pope{.head_dim = one.width});
    const Numbers zero(static_cast<std::size_t>(one.width));
    for (const auto& point : one.at) {
      const double score = pope_score(angles, 5.0, 5.0 + point.first, zero, zero, zero);
      EXPECT_NEAR(score / std::sqrt(static_cast<double>(one.width)), point.second, 5.1e-4) << point.first;
    }
  }
}

TEST(Pope, IsARotationOfMagnitudes) {
  const PopeAngles angles(Pope{.head_dim = 5});
  const Numbers x = normal_numbers(5, 8);
  Numbers pairs(10), out(10);
  for (std::size_t c = 0; c < 5; ++c) pairs[2 * c] = std::log1p(std::exp(x[c]));
  const RotaryAngles rotary(
      Rotary{.head_dim = 10, .layout = Layout::interleaved, .inv_freq = make_schedule(angles.spec()).inv_freq});
  rotate(make_view(pairs.data(), {1, 1, 10}), PositionView::range(77, 1), rotary);
  pope_queries(make_view(x.data(), {1, 1, 5}), PositionView::range(77, 1), angles, make_view(out.data(), {1, 1, 10}));
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(out[i], pairs[i], 1e-14);
}

TEST(Pope, TurnsWithItsAxes) {
  const Pope spec{.head_dim = 3, .axes = 2, .sections = {2, 1}};
  const PopeAngles angles(spec);
  const Numbers x = {0.1, 0.2, 0.3};
  const std::int64_t place[] = {4, 9};
  PositionView positions = PositionView::of(place, 1);
  positions.axes = positions.token_stride = 2;
  Numbers out(6);
  pope_queries(make_view(x.data(), {1, 1, 3}), positions, angles, make_view(out.data(), {1, 1, 6}));
  const double wanted[] = {4.0, 4.0 * 0.01, 9.0};  // 10000^(-1/2), and the ladder anew
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(std::atan2(out[2 * c + 1], out[2 * c]), std::remainder(wanted[c], 2.0 * std::numbers::pi), 1e-12);
}

TEST(Pope, GradientsAreDifferences) {
  for (const Magnitude magnitude : {Magnitude::softplus, Magnitude::relu, Magnitude::identity}) {
    const PopeAngles angles(Pope{.head_dim = 4, .rotary_dim = 3, .magnitude = magnitude});
    for (const bool keys : {false, true}) {
      Numbers x = normal_numbers(40 * 2 * 4, 9), delta = normal_numbers(6, 10);
      const Numbers grad_out = normal_numbers(40 * 2 * 7, 11);
      const PositionView positions = PositionView::range(-5, 40);
      const auto options = [&](const Workers* workers = nullptr) {
        return PopeOptions{.delta = make_view(static_cast<const double*>(delta.data()), {2, 3}), .workers = workers};
      };
      const ConstView view = make_view(static_cast<const double*>(x.data()), {40, 2, 4});
      const auto loss = [&] {
        Numbers out(40 * 2 * 7);
        (keys ? pope_keys : pope_queries)(view, positions, angles, make_view(out.data(), {40, 2, 7}), options());
        return dot(out, grad_out);
      };
      Numbers grad_x(x.size()), grad_delta(6, 1.0);
      const auto backward = [&](const Workers* workers) {
        const PopeInputs inputs{view, make_view(grad_out.data(), {40, 2, 7})};
        const PopeGradients gradients{make_view(grad_x.data(), {40, 2, 4}), make_view(grad_delta.data(), {2, 3})};
        (keys ? pope_keys_backward : pope_queries_backward)(inputs, positions, angles, gradients, options(workers));
      };
      backward(nullptr);
      const Numbers alone = grad_delta;
      grad_delta.assign(6, 1.0);
      const Workers workers(4);
      backward(&workers);
      EXPECT_EQ(grad_delta, alone);
      for (double& number : grad_delta) number -= 1.0;  // it is added to
      expect_gradient("x", x, grad_x, loss, 1e-7);
      expect_gradient("delta", delta, grad_delta, loss, 1e-7);
    }
  }
}

TEST(Pope, AClampHasNoGradientOutside) {
  const PopeAngles angles(Pope{.head_dim = 3, .delta_clamp = DeltaClamp::forward});
  const Numbers x = {0.5, 0.5, 0.5}, grad_out = {1, 2, 3, 4, 5, 6};
  Numbers delta = {0.3, -1.0, -7.0}, grad(3), out(6), clamped(6);
  const PositionView positions = PositionView::range(2, 1);
  const PopeOptions options{.delta = make_view(static_cast<const double*>(delta.data()), {1, 3})};
  const ConstView view = make_view(x.data(), {1, 1, 3});
  pope_keys_backward({view, make_view(grad_out.data(), {1, 1, 6})}, positions, angles,
                     {.delta = make_view(grad.data(), {1, 3})}, options);
  EXPECT_EQ(grad[0], 0.0);
  EXPECT_NE(grad[1], 0.0);
  EXPECT_EQ(grad[2], 0.0);
  pope_keys(view, positions, angles, make_view(out.data(), {1, 1, 6}), options);
  project_delta(make_view(delta.data(), {3}));
  EXPECT_EQ(delta, (Numbers{0.0, -1.0, -2.0 * std::numbers::pi}));
  pope_keys(view, positions, angles, make_view(clamped.data(), {1, 1, 6}), options);
  EXPECT_EQ(out, clamped);
}

TEST(Xpos, IsItsDefinitionInEveryLayout) {
  for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative}) {
    const Xpos spec{.head_dim = 10,
                    .base = 100.0,
                    .layout = layout,
                    .rotary_dim = 6,
                    .first_channel = 2,
                    .gamma = 0.7,
                    .scale_base = 40.0,
                    .center = 12.5};
    const XposAngles angles(spec);
    const Numbers x = normal_numbers(30, 12), places = {0.0, 33.0, -7.25};
    const PositionView positions = PositionView::of(places.data(), 3);
    for (const bool key : {false, true}) {
      Numbers out(30), back(30);
      const ConstView view = make_view(x.data(), {3, 1, 10});
      (key ? xpos_keys : xpos_queries)(view, positions, angles, make_view(out.data(), {3, 1, 10}), {});
      for (std::int64_t n = 0; n < 3; ++n) {
        const Numbers wanted = plain_xpos(spec, part(x, n * 10, 10), places[static_cast<std::size_t>(n)], key);
        for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(out[static_cast<std::size_t>(n) * 10 + c], wanted[c], 1e-12);
      }
      // What undoes one is the gradient of the other; and <A x, y> = <x, A' y>.
      (key ? xpos_queries_backward : xpos_keys_backward)(make_view(out.data(), {3, 1, 10}), positions, angles,
                                                         make_view(back.data(), {3, 1, 10}), {});
      for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(back[i], x[i], 1e-13);
      const Numbers y = normal_numbers(30, 13);
      (key ? xpos_keys_backward : xpos_queries_backward)(make_view(y.data(), {3, 1, 10}), positions, angles,
                                                         make_view(back.data(), {3, 1, 10}), {});
      EXPECT_NEAR(dot(out, y), dot(x, back), 1e-12);
    }
  }
}

TEST(Xpos, ScoresSeeTheDistanceAndNotTheCenter) {
  const Numbers q = normal_numbers(8, 14), k = normal_numbers(8, 15);
  const auto score = [&](double center, double t, double s) {
    const XposAngles angles(Xpos{.head_dim = 8, .scale_base = 64.0, .center = center});
    Numbers a = q, b = k;
    const View a_view = make_view(a.data(), {1, 1, 8}), b_view = make_view(b.data(), {1, 1, 8});
    xpos_queries(a_view, PositionView::of(&t, 1), angles, a_view);
    xpos_keys(b_view, PositionView::of(&s, 1), angles, b_view);
    return dot(a, b);
  };
  const double wanted = score(0.0, 20.0, 3.0);
  EXPECT_NEAR(score(500.0, 20.0, 3.0), wanted, 1e-12);
  EXPECT_NEAR(score(500.0, 1020.0, 1003.0), wanted, 1e-11);
  EXPECT_GT(std::fabs(score(0.0, 20.0, 4.0) - wanted), 1e-3);
}

TEST(Xpos, RefusesPositionsWhoseFactorsAreNoNumbers) {
  const XposAngles angles(Xpos{.head_dim = 4});
  std::vector<float> narrow(4, 1.0f);
  std::vector<f16> half(4, to_f16(1.0));
  Numbers wide(4, 1.0);
  const auto turn = [&](View x, std::int64_t p) { xpos_keys(x, PositionView::range(p, 1), angles, x); };
  // ln(0.4 / 1.4) = -1.2528: factors reach 2^126 after 512 * 87.3 / 1.2528 positions.
  turn(make_view(narrow.data(), {1, 1, 4}), 35600);
  expect_error(ErrorKind::bad_input, "position 36000 is too far from center=0: the factor of pair 0 would be", [&] {
    turn(make_view(narrow.data(), {1, 1, 4}), 36000);
  });
  expect_error(ErrorKind::bad_input, "outside f16; choose a center among the positions, or f64", [&] {
    turn(make_view(half.data(), {1, 1, 4}), -5000);
  });
  turn(make_view(wide.data(), {1, 1, 4}), 280000);
  expect_error(ErrorKind::bad_input, "outside f64", [&] { turn(make_view(wide.data(), {1, 1, 4}), -300000); });
}

TEST(QueryTemperature, IsItsFormula) {
  const QueryTemperature floors{.scale = 0.2, .length = 10, .first = 1};
  EXPECT_EQ(query_factor(floors, 8), 1.0);
  EXPECT_NEAR(query_factor(floors, 9), 1.0 + 0.2 * std::log(2.0), 1e-15);
  EXPECT_NEAR(query_factor(floors, 1000), 1.0 + 0.2 * std::log(101.0), 1e-15);
  EXPECT_EQ(query_factor(floors, -1), 1.0);
  const QueryTemperature beam{.scale = 0.1, .length = 2048, .form = TemperatureForm::power};
  EXPECT_NEAR(query_factor(beam, 4095), std::pow(3.0, 0.1), 1e-15);
  expect_error(ErrorKind::bad_input, "positions must be at least -1 but got -2", [&] { query_factor(floors, -2); });
  std::vector<float> q(2 * 3 * 4, 1.5f);
  const std::int32_t ids[] = {5, 25, 95, 9, 10, 11};
  PositionView positions = PositionView::of(ids, 3);
  positions.batch = 2;
  positions.batch_stride = 3;
  const View view = make_view(q.data(), {2, 3, 1, 4});
  scale_queries(view, positions, floors, view);
  for (std::size_t n = 0; n < 6; ++n) {
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_EQ(q[n * 4 + c], 1.5f * static_cast<float>(query_factor(floors, ids[n])));
  }
}

void expect_refused(const Spec& spec, const std::string& part) {
  expect_error(ErrorKind::bad_input, part, [&] { validate(spec); });
}

TEST(QuerySpecs, NameTheFieldThatIsWrong) {
  expect_refused(Pope{}, "head_dim");
  expect_refused(Pope{.head_dim = 8, .base = 0.0}, "base");
  expect_refused(Pope{.head_dim = 8, .rotary_dim = 9}, "rotary_dim must be at most head_dim, 8, but got 9");
  expect_refused(Pope{.head_dim = 8, .inv_freq = {1.0}}, "inv_freq must have one number per channel, 8, but has 1");
  expect_refused(Pope{.head_dim = 2, .inv_freq = {1.0, std::nan("")}}, "inv_freq");
  expect_refused(Pope{.head_dim = 8, .axes = 2}, "axes=2 needs sections");
  expect_refused(Pope{.head_dim = 8, .axes = 2, .sections = {4, 3}},
                 "must sum to the channels that rotate, 8, but sum to 7");
  expect_refused(Pope{.head_dim = 8, .axes = 2, .sections = {8}},
                 "sections must have one number per axis, 2, but has 1");
  expect_refused(Pope{.head_dim = 8, .sections = {8}}, "sections are for several axes");
  expect_refused(Xpos{.head_dim = 7}, "head_dim must be even but got 7");
  expect_refused(Xpos{.head_dim = 8, .first_channel = 1}, "the window must be inside the head");
  expect_refused(Xpos{.head_dim = 8, .gamma = 0.0}, "gamma must be above 0");
  expect_refused(Xpos{.head_dim = 8, .gamma = std::nan("")}, "gamma");
  expect_refused(Xpos{.head_dim = 8, .scale_base = -1.0}, "scale_base must be above 0");
  expect_refused(Xpos{.head_dim = 8, .inv_freq = {1.0}}, "inv_freq must have one number per pair, 4, but has 1");
  expect_refused(QueryTemperature{.length = 0}, "length must be");
  expect_refused(QueryTemperature{.scale = HUGE_VAL}, "scale");
  for (const char* text :
       {"pope:head_dim=6,rotary_dim=4,order=halves,delta_clamp=forward", "pope:head_dim=6,axes=2,sections=4/2",
        "xpos:head_dim=8,gamma=0.5,center=2", "temperature:length=16384,first=0", "temperature"}) {
    EXPECT_EQ(to_text(parse_spec(text)), text);
  }
}

TEST(QuerySpecs, OperationsNameWhatIsWrong) {
  const PopeAngles pope(Pope{.head_dim = 4});
  Numbers x(8), out(16), delta(8);
  const ConstView view = make_view(static_cast<const double*>(x.data()), {1, 2, 4});
  const View wide = make_view(out.data(), {1, 2, 8});
  const PositionView one = PositionView::range(0, 1);
  const auto keys = [&](const ConstView& given) { pope_keys(view, one, pope, wide, {.delta = given}); };
  expect_error(ErrorKind::usage, "[pope_keys] delta must be [2, 4] but is [4, 2]", [&] {
    keys(make_view(delta.data(), {4, 2}));
  });
  delta[5] = HUGE_VAL;
  expect_error(ErrorKind::bad_input, "delta[1][1] must be finite", [&] { keys(make_view(delta.data(), {2, 4})); });
  expect_error(ErrorKind::usage, "out must be [1, 2, 8] but is [1, 2, 4]", [&] {
    pope_queries(view, one, pope, make_view(out.data(), {1, 2, 4}));
  });
  expect_error(ErrorKind::usage, "out must not overlap x", [&] {
    pope_queries(make_view(out.data(), {1, 2, 4}), one, pope, wide);
  });
  expect_error(ErrorKind::usage, "positions must be one per token",
               [&] { pope_queries(view, PositionView::range(0, 2), pope, wide); });
}

}  // namespace
}  // namespace posenc::query_turns_test
