// Gradients of adding and concatenating positions against finite differences of the forward functions, in f64.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "posenc/embed.h"
#include "posenc/position_ids.h"
#include "support/expect_error.h"
#include "support/finite_difference.h"
#include "support/plain_philox.h"
#include "support/row_cases.h"

namespace posenc::embed_gradient_test {
namespace {

constexpr std::int64_t kBatch = 2, kTokens = 6, kWidth = 5, kXWidth = 3;
constexpr std::int64_t kIds[] = {3, 0, 9, 9, 6, 1, 2, 3, 3, 5, 8, 7};  // [B, N], some twice
const EmbedOptions kOptions[] = {{}, {.scale = -1.7, .dropout = {.p = 0.3, .seed = 4, .step = 2, .first_row = 1}}};

PositionView batch_ids() { return position_view(make_view(kIds, {kBatch, kTokens})); }

enum class Join { add, concat };
std::int64_t x_width(Join join) { return join == Join::add ? kWidth : kXWidth; }
std::int64_t out_width(Join join) { return join == Join::add ? kWidth : kXWidth + kWidth; }

// Sums of out * grad: what the gradients are the derivatives of. The forward functions are linear in x and, but for
// l2, in the table.
double loss(Join join, const TypedBlock& x, const PositionView& positions, const InputRows& rows,
            const TypedBlock& grad, const EmbedOptions& options) {
  TypedBlock out(DType::f64, kBatch, kTokens, out_width(join));
  join == Join::add ? add_positions(x.view(), positions, rows, out.view(), options)
                    : concat_positions(x.view(), positions, rows, out.view(), options);
  double sum = 0.0;
  const std::vector<double> values = out.values(), weights = grad.values();
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  return sum;
}

void backward(Join join, const ConstView& grad, const PositionView& positions, const InputRows& rows,
              const EmbedGradients& gradients, const EmbedOptions& options) {
  join == Join::add ? add_positions_backward(grad, positions, rows, gradients, options)
                    : concat_positions_backward(grad, positions, rows, gradients, options);
}

struct Case {
  explicit Case(Join join)
      : x(DType::f64, kBatch, kTokens, x_width(join)), grad(DType::f64, kBatch, kTokens, out_width(join), {.gap = 2}) {
    x.set_values(random_numbers(kBatch * kTokens * x_width(join), 21));
    grad.set_values(random_numbers(kBatch * kTokens * out_width(join), 22));
  }
  TypedBlock x, grad;
};

template <class Check>
void for_every_case(const Check& check) {
  const RowCases cases(kWidth, DType::f64);
  for (const Join join : {Join::add, Join::concat}) {
    for (const EmbedOptions& options : kOptions) {
      for (const auto& row_case : cases.all()) {
        const auto& name = row_case.first;
        const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
        SCOPED_TRACE(name + (join == Join::add ? " added" : " concatenated"));
        check(join, cases, rows, options);
      }
    }
  }
}

TEST(InputGradient, IsTheDerivativeAndIsWritten) {
  for_every_case([](Join join, const RowCases&, const InputRows& rows, const EmbedOptions& options) {
    Case c(join);
    TypedBlock input(DType::f64, kBatch, kTokens, x_width(join), {.gap = 1});
    input.set_values(std::vector<double>(c.x.values().size(), 1e9));
    backward(join, c.grad.view(), batch_ids(), rows, {.input = input.view()}, options);
    EXPECT_TRUE(input.gaps_are_whole());
    for (std::int64_t b = 0; b < kBatch; ++b) {
      for (std::int64_t n = 0; n < kTokens; ++n) {
        for (std::int64_t m = 0; m < x_width(join); ++m) {
          double& value = c.x.view()[b][n].as<double>()[m];
          const double wanted = derivative(value, [&] { return loss(join, c.x, batch_ids(), rows, c.grad, options); });
          ASSERT_NEAR(input.at(b, n, m), wanted, 1e-9) << b << ", " << n << ", " << m;
        }
      }
    }
  });
}

TEST(InputGradient, GoesOverGradOut) {
  for_every_case([](Join join, const RowCases&, const InputRows& rows, const EmbedOptions& options) {
    Case c(join);
    TypedBlock input(DType::f64, kBatch, kTokens, x_width(join));
    backward(join, c.grad.view(), batch_ids(), rows, {.input = input.view()}, options);
    std::vector<double> wanted_table(RowCases::kRows * kWidth, 0.0), table(wanted_table);
    const bool learned = rows.index() >= 2;
    const auto view = [&](std::vector<double>& numbers) {
      return learned ? make_view(numbers.data(), {RowCases::kRows, kWidth}) : View{};
    };
    backward(join, c.grad.view(), batch_ids(), rows, {.learned = view(wanted_table)}, options);
    View head = c.grad.view();
    head.shape[2] = x_width(join);
    backward(join, c.grad.view(), batch_ids(), rows, {.input = head, .learned = view(table)}, options);
    for (std::int64_t b = 0; b < kBatch; ++b)
      for (std::int64_t n = 0; n < kTokens; ++n)
        for (std::int64_t m = 0; m < x_width(join); ++m) ASSERT_EQ(c.grad.at(b, n, m), input.at(b, n, m));
    EXPECT_EQ(table, wanted_table);
    EXPECT_TRUE(c.grad.gaps_are_whole());
  });
}

// In every dtype: dropped, times the factor, times the scale, each rounded.
TEST(InputGradient, RoundsStepByStep) {
  const RowCases cases(kWidth);
  const EmbedOptions options{.scale = 1.3, .dropout = {.p = 0.3, .seed = 4}};
  for (const DType dtype : float_types()) {
    TypedBlock grad(dtype, kBatch, kTokens, kWidth), input(dtype, kBatch, kTokens, kWidth);
    grad.set_values(random_numbers(kBatch * kTokens * kWidth, 22));
    add_positions_backward(grad.view(), batch_ids(), StreamedRows{&cases.schedule()}, {.input = input.view()}, options);
    for (std::int64_t b = 0; b < kBatch; ++b) {
      for (std::int64_t n = 0; n < kTokens; ++n) {
        for (std::int64_t m = 0; m < kWidth; ++m) {
          const DType real = dtype == DType::f64 ? DType::f64 : DType::f32;
          const auto round = [&](double value) { return rounded_to(real, value); };
          const double kept = round(grad.at(b, n, m) * round(1.0 / 0.7));
          const double wanted = plain::dropped(0.3, 4, 0, b, n, m) ? 0.0 : round(round(1.3) * kept);
          ASSERT_EQ(input.at(b, n, m), rounded_to(dtype, wanted));
        }
      }
    }
  }
}

TEST(LearnedGradient, IsTheDerivativeAndIsAdded) {
  for_every_case([](Join join, const RowCases& cases, const InputRows& rows, const EmbedOptions& options) {
    if (rows.index() < 2) return;
    Case c(join);
    const std::vector<double> before = random_numbers(RowCases::kRows * kWidth, 23);
    std::vector<double> table = before;
    backward(join, c.grad.view(), batch_ids(), rows, {.learned = make_view(table.data(), {RowCases::kRows, kWidth})},
             options);
    for (std::int64_t row = 0; row < RowCases::kRows; ++row) {
      for (std::int64_t m = 0; m < kWidth; ++m) {
        double& value = cases.table().flat()[row].as<double>()[m];
        const double wanted = derivative(value, [&] { return loss(join, c.x, batch_ids(), rows, c.grad, options); });
        const auto i = static_cast<std::size_t>(row * kWidth + m);
        ASSERT_NEAR(table[i] - before[i], wanted, 1e-8) << row << ", " << m;
      }
    }
  });
}

// Rows of length 0, or next to it, are divided by a constant.
TEST(LearnedGradient, OfARowWithoutLength) {
  const std::vector<double> table = {0.0, 0.0, 0.0, 3e-14, 4e-14, 0.0}, grad = {1.0, -2.0, 0.5, 1.0, -2.0, 0.5};
  std::vector<double> gradient(6, 0.0);
  const LearnedRows rows{{.past_end = PastEnd::error, .normalize = Normalize::l2}, make_view(table.data(), {2, 3})};
  add_positions_backward(make_view(grad.data(), {2, 3}), PositionView::range(0, 2), rows,
                         {.learned = make_view(gradient.data(), {2, 3})});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(gradient[i], grad[i] * 1e12);
}

TEST(LearnedGradient, PaddingRowStaysZero) {
  const RowCases cases(kWidth);
  Case c(Join::add);
  std::vector<float> all(RowCases::kRows * kWidth, 0.0f), padded(all);
  const View grad = c.grad.view();
  const auto run = [&](const Learned& spec, std::vector<float>& table) {
    add_positions_backward(grad, batch_ids(), cases.learned(spec),
                           {.learned = make_view(table.data(), {RowCases::kRows, kWidth})});
  };
  run({.past_end = PastEnd::clamp}, all);
  run({.past_end = PastEnd::clamp, .padding_row = 3}, padded);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i / kWidth == 3) {
      EXPECT_NE(all[i], 0.0f);
      EXPECT_EQ(padded[i], 0.0f);
    } else {
      EXPECT_EQ(padded[i], all[i]);
    }
  }
}

// Summed in double in the order of the tokens, then rounded: float sums would lose the small ones.
TEST(LearnedGradient, RoundsOnce) {
  const std::vector<float> table(1, 1.0f);
  const std::vector<std::int64_t> ids(1001, 0);
  std::vector<float> grad(1001, 0x1p-24f);
  grad[0] = 1.0f;
  float gradient = 2.0f;
  add_positions_backward(make_view(grad.data(), {1001, 1}), PositionView::of(ids.data(), 1001),
                         LearnedRows{{.past_end = PastEnd::error}, make_view(table.data(), {1, 1})},
                         {.learned = make_view(&gradient, {1, 1})});
  EXPECT_EQ(gradient, static_cast<float>(3.0 + 1000 * 0x1p-24));
  EXPECT_NE(gradient, 3.0f);
}

TEST(Gradients, AreTheSameBitsForEveryNumberOfWorkersAndLayout) {
  for_every_case([](Join join, const RowCases&, const InputRows& rows, EmbedOptions options) {
    const bool learned = rows.index() >= 2;
    const bool streamed = rows.index() == 1 || (rows.index() == 3 && std::get<3>(rows).fixed.index() == 1);
    Case c(join);
    std::vector<std::vector<double>> wanted;
    for (int threads = 0; threads <= 5; ++threads) {
      const Workers workers(std::max(threads, 1));
      options.workers = threads == 0 ? nullptr : &workers;
      TypedBlock input(DType::f64, kBatch, kTokens, x_width(join)), table(DType::f64, 1, RowCases::kRows, kWidth),
          grad(DType::f64, kBatch, kTokens, out_width(join), {.gap = threads, .tokens_first = threads % 2 == 1});
      grad.set_values(c.grad.values());
      table.set_values(random_numbers(RowCases::kRows * kWidth, 31));
      std::vector<double> inv_freq(streamed ? 3 : 0, 0.125);
      backward(join, grad.view(), batch_ids(), rows,
               {.input = input.view(), .learned = learned ? table.flat() : View{}, .inv_freq = inv_freq}, options);
      const std::vector<std::vector<double>> got = {input.values(), table.values(), inv_freq};
      if (threads == 0) wanted = got;
      ASSERT_EQ(got, wanted) << threads << " workers";
    }
  });
}

// 301 tokens: more than the pieces that frequencies are summed in, with a row of zeros inside one of them.
TEST(Gradients, OfManyTokensAreTheSameBitsForEveryNumberOfWorkers) {
  const SinusoidalSchedule schedule = make_schedule({.width = 6, .zero_position = 100});
  const std::vector<double> grad = random_numbers(301 * 6, 9);
  std::vector<double> wanted;
  for (int threads = 1; threads <= 5; ++threads) {
    const Workers workers(threads);
    std::vector<double> inv_freq(3, 0.0);
    add_positions_backward(make_view(grad.data(), {301, 6}), PositionView::range(0, 301), StreamedRows{&schedule},
                           {.inv_freq = inv_freq}, {.workers = &workers});
    if (threads == 1) wanted = inv_freq;
    EXPECT_EQ(inv_freq, wanted);
  }
  double plain = 0.0;
  for (std::size_t n = 0; n < 301; ++n) {
    const double angle = static_cast<double>(n) * schedule.inv_freq[1];
    if (n == 100) continue;
    plain += static_cast<double>(n) * (grad[n * 6 + 2] * std::cos(angle) - grad[n * 6 + 3] * std::sin(angle));
  }
  EXPECT_NEAR(wanted[1], plain, 1e-9);
}

// The loss of a sinusoidal encoding as a function of its spec.
double loss_of(const Sinusoidal& spec, const PositionView& positions, const std::vector<double>& grad, bool concat,
               const EmbedOptions& options) {
  const SinusoidalSchedule schedule = make_schedule(spec);
  const std::int64_t width = concat ? spec.width + 2 : spec.width, count = positions.count;
  std::vector<double> x(static_cast<std::size_t>(count * width), 0.5), out(x.size());
  if (concat) {
    concat_positions(make_view(x.data(), {count, 2}), positions, StreamedRows{&schedule},
                     make_view(out.data(), {count, width}), options);
  } else {
    add_positions(make_view(x.data(), {count, width}), positions, StreamedRows{&schedule},
                  make_view(out.data(), {count, width}), options);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * grad[i];
  return sum;
}

void check_frequencies(const Sinusoidal& spec, const PositionView& positions, bool concat,
                       const EmbedOptions& options) {
  SCOPED_TRACE(to_text(Spec(spec)) + (concat ? " concatenated" : " added"));
  const SinusoidalSchedule schedule = make_schedule(spec);
  const std::int64_t width = concat ? spec.width + 2 : spec.width;
  const std::vector<double> grad = random_numbers(positions.count * width, 41);
  std::vector<double> gradient(schedule.inv_freq.size(), 100.0);
  const ConstView grad_view = make_view(grad.data(), {positions.count, width});
  const EmbedGradients gradients{.inv_freq = gradient};
  concat ? concat_positions_backward(grad_view, positions, StreamedRows{&schedule}, gradients, options)
         : add_positions_backward(grad_view, positions, StreamedRows{&schedule}, gradients, options);
  for (double& value : gradient) value -= 100.0;  // it was added to

  Sinusoidal listed{.width = spec.width,
                    .inv_freq = schedule.inv_freq,
                    .first = spec.first,
                    .order = spec.order,
                    .odd = spec.odd,
                    .multiplier = spec.multiplier,
                    .zero_position = spec.zero_position};
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const auto f = [&] { return loss_of(listed, positions, grad, concat, options); };
    ASSERT_NEAR(gradient[j], derivative(listed.inv_freq[j], f), 2e-7) << "pair " << j;
  }
  const SinusoidalGradients chained = chain_rule(spec, gradient);
  Sinusoidal varied = spec;
  const auto f = [&] { return loss_of(varied, positions, grad, concat, options); };
  EXPECT_NEAR(chained.frequency_scale, derivative(varied.frequency_scale, f), 1e-6);
  if (!spec.inv_freq.empty()) {
    EXPECT_EQ(chained.base, 0.0);
    EXPECT_EQ(chained.exponent_factor, 0.0);
    return;
  }
  EXPECT_NEAR(chained.base, derivative(varied.base, f), 1e-6);
  EXPECT_NEAR(chained.exponent_factor, derivative(varied.exponent_factor, f), 1e-6);
}

TEST(FrequencyGradient, IsTheDerivative) {
  const Sinusoidal specs[] = {
      {.width = 6, .base = 20.0},
      {.width = 7,
       .base = 9.0,
       .frequency_scale = 0.7,
       .first = 3,
       .order = Order::cos_interleaved,
       .multiplier = -2.0},
      {.width = 7, .base = 5.0, .exponent_factor = 0.5, .order = Order::halves, .odd = OddWidth::zero},
      {.width = 9, .base = 5.0, .spacing = Spacing::even_width, .order = Order::cos_halves, .zero_position = 4},
      {.width = 8, .base = 3.0, .spacing = Spacing::half, .shift = 0.5, .exponent_factor = -0.5, .first = -2},
      {.width = 2, .base = 3.0, .spacing = Spacing::half},
      {.width = 1, .base = 3.0},
      {.width = 5, .frequency_scale = 1.5, .inv_freq = {0.3, -0.2, 0.01}, .first = 1, .zero_position = 3},
  };
  const double real[] = {0.5, 2.0, 3.25, 4.0, 2.0};
  for (const Sinusoidal& spec : specs) {
    for (const EmbedOptions& options : kOptions) {
      for (const bool concat : {false, true}) {
        check_frequencies(spec, PositionView::range(0, 7), concat, options);
        check_frequencies(spec, PositionView::of(real, 5), concat, options);
      }
    }
  }
}

TEST(FrequencyGradient, OfAHybridIsThatOfItsFixedPart) {
  const RowCases cases(kWidth, DType::f64);
  Case c(Join::add);
  const StreamedRows streamed{&cases.schedule()};
  std::vector<double> alone(3, 0.0), hybrid(3, 0.0);
  add_positions_backward(c.grad.view(), batch_ids(), streamed, {.inv_freq = alone});
  add_positions_backward(c.grad.view(), batch_ids(), HybridRows{streamed, cases.learned({.past_end = PastEnd::clamp})},
                         {.inv_freq = hybrid});
  EXPECT_EQ(hybrid, alone);
  EXPECT_NE(alone[0], 0.0);
}

TEST(ChainRule, RefusesAnotherNumberOfPairs) {
  const double gradient[3] = {};
  expect_error(ErrorKind::usage, "[chain_rule] the gradient of inv_freq must have one number per pair, 2, but has 3",
               [&] { chain_rule({.width = 4}, gradient); });
  expect_error(ErrorKind::bad_input, "width must be at least 1", [&] { chain_rule({}, gradient); });
}

TEST(Gradients, OfNothingAreNothing) {
  const RowCases cases(kWidth);
  const EmbedGradients gradients{.input = make_view<float>(nullptr, {0, kWidth})};
  add_positions_backward(make_view<float>(nullptr, {0, kWidth}), PositionView::range(0, 0),
                         cases.learned({.past_end = PastEnd::clamp}), gradients);
  Case c(Join::add);
  const std::vector<std::byte> before = c.grad.bytes();
  add_positions_backward(c.grad.view(), batch_ids(), cases.learned({.past_end = PastEnd::clamp}), {});
  EXPECT_EQ(c.grad.bytes(), before);
}

}  // namespace
}  // namespace posenc::embed_gradient_test
