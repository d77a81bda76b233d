// Gradients of attention against finite differences of the plain definition.
#include <gtest/gtest.h>

#include <random>

#include "support/finite_difference.h"
#include "support/random_attend_case.h"
#include "support/sanitized.h"

namespace attend_gradient_test {
namespace {

using posenc::DType;
using posenc::make_view;

struct SeededDraw {
  std::mt19937_64* random;
  std::int64_t operator()(std::int64_t low, std::int64_t high) const {
    return std::uniform_int_distribution<std::int64_t>(low, high)(*random);
  }
};

// A linear function of the output, so that its gradient by the output is `grad_out`.
double loss(const AttendCase& one, const std::vector<double>& grad_out) {
  const std::vector<double> out = one.expected().out;
  double sum = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * grad_out[i];
  return sum;
}

struct Found {
  std::vector<double> q, k, v, sinks;
  std::vector<Numbers> bias, term;
};

Found gradients_of(const AttendCase& one, const std::vector<double>& grad_out, const posenc::Workers* workers) {
  Found found{std::vector<double>(one.q.size()),
              std::vector<double>(one.k.size()),
              std::vector<double>(one.v.size()),
              std::vector<double>(one.sinks.size()),
              one.bias_numbers,
              one.term_numbers};
  const auto view = [&](auto* data, std::int64_t tokens, std::int64_t heads, std::int64_t channels) {
    return make_view(data, {one.batch, tokens, heads, channels});
  };
  posenc::AttendGradients gradients{.q = view(found.q.data(), one.queries, one.heads, one.width),
                                    .k = view(found.k.data(), one.keys, one.key_heads, one.width),
                                    .v = view(found.v.data(), one.keys, one.key_heads, one.value_width)};
  for (Numbers& numbers : found.bias) {
    std::fill(numbers.values.begin(), numbers.values.end(), 0.0);
    gradients.bias.push_back({numbers.name, Numbers::view_of(numbers.values.data(), numbers.shape)});
  }
  for (Numbers& numbers : found.term) {
    std::fill(numbers.values.begin(), numbers.values.end(), 0.0);
    gradients.term.push_back({numbers.name, Numbers::view_of(numbers.values.data(), numbers.shape)});
  }
  if (!one.sinks.empty()) gradients.sinks = make_view(found.sinks.data(), {one.heads});
  const std::unique_ptr<AttendCase::Call> call = one.call();
  call->options.workers = workers;
  posenc::attend_backward(
      {view(one.q.data(), one.queries, one.heads, one.width), view(one.k.data(), one.keys, one.key_heads, one.width),
       view(one.v.data(), one.keys, one.key_heads, one.value_width),
       view(grad_out.data(), one.queries, one.heads, one.value_width)},
      gradients, call->options);
  return found;
}

void compare(const char* what, const AttendCase& one, std::vector<double>& numbers, const std::vector<double>& got,
             const std::vector<double>& grad_out) {
  // Of large tables a sample: every number that posenc gave a gradient, and some others.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers.size() > 1000 && got[i] == 0.0 && i % 997 != 0) continue;
    const double wanted = derivative(numbers[i], [&] { return loss(one, grad_out); });
    ASSERT_NEAR(got[i], wanted, 2e-8 * (1.0 + std::abs(wanted))) << what << " " << i;
  }
}

// Sanitizers look at memory, which some rounds show as well as all.
constexpr int kRounds = POSENC_ADDRESS_SANITIZED != 0 ? 25 : 120;

TEST(AttendGradient, IsTheSlopeOfThePlainDefinition) {
  std::mt19937_64 random(20);
  int with_bias = 0, with_term = 0;
  for (int round = 0; round < kRounds; ++round) {
    AttendCase one = RandomAttendCase<SeededDraw>(SeededDraw{&random}).make();
    if (one.queries > 60) continue;  // too many numbers for differences
    SCOPED_TRACE("round " + std::to_string(round) + (one.bias ? " " + to_text(*one.bias) : "") +
                 (one.term ? " " + to_text(*one.term) : ""));
    one.dtype = DType::f64;
    const std::vector<double> grad_out =
        random_numbers(one.batch * one.queries * one.heads * one.value_width, static_cast<unsigned>(round));
    const Found found = gradients_of(one, grad_out, nullptr);
    compare("q", one, one.q, found.q, grad_out);
    compare("k", one, one.k, found.k, grad_out);
    compare("v", one, one.v, found.v, grad_out);
    compare("sink", one, one.sinks, found.sinks, grad_out);
    for (std::size_t i = 0; i < one.bias_numbers.size(); ++i) {
      compare(one.bias_numbers[i].name.c_str(), one, one.bias_numbers[i].values, found.bias[i].values, grad_out);
    }
    for (std::size_t i = 0; i < one.term_numbers.size(); ++i) {
      compare(one.term_numbers[i].name.c_str(), one, one.term_numbers[i].values, found.term[i].values, grad_out);
    }
    with_bias += one.bias_numbers.empty() ? 0 : 1;
    with_term += one.term_numbers.empty() ? 0 : 1;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(with_bias, kRounds / 6);
  EXPECT_GT(with_term, kRounds / 15);
}

TEST(AttendGradient, DoesNotDependOnWorkersNorOnTheType) {
  const posenc::Workers workers(3);
  std::mt19937_64 random(4);
  for (int round = 0; round < 60; ++round) {
    AttendCase one = RandomAttendCase<SeededDraw>(SeededDraw{&random}).make();
    one.dtype = DType::f64;
    const std::vector<double> grad_out =
        random_numbers(one.batch * one.queries * one.heads * one.value_width, static_cast<unsigned>(round));
    const Found alone = gradients_of(one, grad_out, nullptr);
    const Found together = gradients_of(one, grad_out, &workers);
    EXPECT_EQ(alone.q, together.q);
    EXPECT_EQ(alone.k, together.k);
    EXPECT_EQ(alone.v, together.v);
    EXPECT_EQ(alone.sinks, together.sinks);
    for (std::size_t i = 0; i < alone.bias.size(); ++i) EXPECT_EQ(alone.bias[i].values, together.bias[i].values);
    for (std::size_t i = 0; i < alone.term.size(); ++i) EXPECT_EQ(alone.term[i].values, together.term[i].values);
  }
}

}  // namespace
}  // namespace attend_gradient_test
