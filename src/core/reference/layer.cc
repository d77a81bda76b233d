#include <cmath>
#include <cstddef>
#include <vector>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

using Rows = std::vector<double>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Applies a linear layer to every row of x.
Rows linear_rows(const double* x, std::int64_t rows, std::int64_t width, std::span<const double> weight,
                 std::span<const double> bias) {
  const std::int64_t outputs = static_cast<std::int64_t>(weight.size()) / width;
  Rows out(at(rows * outputs));
  for (std::int64_t n = 0; n < rows; ++n) {
    linear({x + n * width, at(width)}, weight, bias, out.data() + n * outputs);
  }
  return out;
}

Rows norm_rows(const Rows& x, std::int64_t width, const LayerNormNumbers& norm) {
  Rows out(x.size());
  for (std::size_t start = 0; start < x.size(); start += at(width)) {
    layer_norm({x.data() + start, at(width)}, norm, out.data() + start);
  }
  return out;
}

void drop(const LayerNumbers& numbers, int place, std::int64_t width, Rows& x) {
  if (!numbers.keep) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    x[i] *= numbers.keep(place, index / width, index % width);
  }
}

Rows feed_forward(const LayerNumbers& numbers, const Rows& x) {
  const std::int64_t width = numbers.attention.width;
  const std::int64_t rows = static_cast<std::int64_t>(x.size()) / width;
  const std::int64_t hidden_width = static_cast<std::int64_t>(numbers.linear1_weight.size()) / width;
  Rows hidden = linear_rows(x.data(), rows, width, numbers.linear1_weight, numbers.linear1_bias);
  for (double& value : hidden) {
    value = numbers.gelu ? value * 0.5 * std::erfc(-value / std::sqrt(2.0)) : std::fmax(value, 0.0);
  }
  drop(numbers, 1, hidden_width, hidden);
  Rows out = linear_rows(hidden.data(), rows, hidden_width, numbers.linear2_weight, numbers.linear2_bias);
  drop(numbers, 2, width, out);
  return out;
}

Rows sum(Rows a, const Rows& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace

void linear(std::span<const double> x, std::span<const double> weight, std::span<const double> bias, double* out) {
  const std::size_t outputs = weight.size() / x.size();
  for (std::size_t o = 0; o < outputs; ++o) {
    out[o] = bias.empty() ? 0.0 : bias[o];
    for (std::size_t i = 0; i < x.size(); ++i) out[o] += weight[o * x.size() + i] * x[i];
  }
}

void layer_norm(std::span<const double> x, const LayerNormNumbers& norm, double* out) {
  const auto width = static_cast<double>(x.size());
  double mean = 0.0, variance = 0.0;
  for (const double value : x) mean += value / width;
  for (const double value : x) variance += (value - mean) * (value - mean) / width;
  for (std::size_t m = 0; m < x.size(); ++m) {
    out[m] = (x[m] - mean) / std::sqrt(variance + norm.eps);
    if (!norm.weight.empty()) out[m] *= norm.weight[m];
    if (!norm.bias.empty()) out[m] += norm.bias[m];
  }
}

void multi_head(const Attention& problem, const MultiHeadNumbers& numbers, const double* x, const double* context,
                double* out, double* weights) {
  const std::int64_t width = numbers.width;
  const std::int64_t query_rows = problem.heads * problem.width, key_rows = problem.key_heads * problem.width;
  const auto project = [&](const double* from, std::int64_t tokens, std::int64_t first, std::int64_t count) {
    const auto bias = numbers.in_bias.empty() ? numbers.in_bias : numbers.in_bias.subspan(at(first), at(count));
    return linear_rows(from, tokens, width, numbers.in_weight.subspan(at(first * width), at(count * width)), bias);
  };
  const Rows q = project(x, problem.queries, 0, query_rows);
  const Rows k = project(context, problem.keys, query_rows, key_rows);
  const Rows v = project(context, problem.keys, query_rows + key_rows, key_rows);
  Rows mixed(at(problem.queries * query_rows));
  attend(problem, q.data(), k.data(), v.data(), mixed.data(), weights);
  const Rows result = linear_rows(mixed.data(), problem.queries, query_rows, numbers.out_weight, numbers.out_bias);
  for (std::size_t i = 0; i < result.size(); ++i) out[i] = result[i];
}

void layer(const Attention& problem, const LayerNumbers& numbers, const double* encoded, const double* residual,
           double* out, double* weights) {
  const std::int64_t width = numbers.attention.width;
  const std::size_t size = at(problem.queries * width);
  const Rows read(encoded, encoded + size), carried(residual, residual + size);
  const Rows attended = numbers.norm_first ? norm_rows(read, width, numbers.norm1) : read;
  Rows mixed(size);
  multi_head(problem, numbers.attention, attended.data(), attended.data(), mixed.data(), weights);
  drop(numbers, 0, width, mixed);
  Rows y = sum(carried, mixed);
  if (!numbers.norm_first) y = norm_rows(y, width, numbers.norm1);
  if (!numbers.linear1_weight.empty()) {
    y = sum(y, feed_forward(numbers, numbers.norm_first ? norm_rows(y, width, numbers.norm2) : y));
    if (!numbers.norm_first) y = norm_rows(y, width, numbers.norm2);
  }
  for (std::size_t i = 0; i < size; ++i) out[i] = y[i];
}

}  // namespace posenc::reference
