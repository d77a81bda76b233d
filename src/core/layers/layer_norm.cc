#include "posenc/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/layers/layer_checks.h"
#include "core/layers/linear.h"

namespace posenc {
namespace {

using layers::LayerChecks;

constexpr std::int64_t kRowsPerPart = 64;

void check_norm(const LayerChecks& check, const ConstView& x, const LayerNorm& norm) {
  check.tokens(x, "x");
  const std::int64_t width = x.shape[static_cast<std::size_t>(x.rank - 1)];
  if (width < 1) base::refuse(check.where, "x must have at least 1 channel but is ", shape_text(x));
  check.optional_weight(norm.weight, {width}, "weight");
  check.optional_weight(norm.bias, {width}, "bias");
  base::require(norm.eps > 0.0 && std::isfinite(norm.eps), check.where, "eps must be above 0 and finite but got ",
                norm.eps);
}

// A normalised row in double, before weight and bias.
struct NormalRow {
  explicit NormalRow(std::int64_t width) : values(static_cast<std::size_t>(width)) {}

  void load(const ConstView& row, double eps) {
    base::load_row(row, values.data());
    const auto count = static_cast<double>(values.size());
    double sum = 0.0, squares = 0.0;
    for (const double value : values) sum += value;
    for (double& value : values) {
      value -= sum / count;
      squares += value * value;
    }
    scale = 1.0 / std::sqrt(squares / count + eps);
    for (double& value : values) value *= scale;
  }

  std::vector<double> values;
  double scale = 1.0;  // 1 / sqrt(variance + eps)
};

// Returns row `line` of [N, M] or [B, N, M].
template <class AnyView>
AnyView row_at(const AnyView& view, std::int64_t line) {
  return view.rank == 3 ? view[line / view.shape[1]][line % view.shape[1]] : view[line];
}

struct Norm {
  explicit Norm(const ConstView& x_given, const LayerNorm& norm)
      : x(x_given),
        width(x.shape[static_cast<std::size_t>(x.rank - 1)]),
        lines(x.size() / width),
        eps(norm.eps),
        weight(norm.weight),
        bias(norm.bias) {}

  // Calls visit(first, last) for pieces of the rows; the pieces do not depend on the workers.
  template <class Visit>
  void in_parts(const Workers* workers, const Visit& visit) const {
    run_parts(workers, parts(),
              [&](std::int64_t part) { visit(part * kRowsPerPart, std::min(lines, (part + 1) * kRowsPerPart)); });
  }
  std::int64_t parts() const { return (lines + kRowsPerPart - 1) / kRowsPerPart; }

  ConstView x;
  std::int64_t width, lines;
  double eps;
  layers::ContiguousNumbers<double> weight, bias;
};

// Replaces g, the gradient of the normalised row, by that of x: scale * (g - mean(g) - y mean(g y)).
void normal_backward(const NormalRow& row, std::vector<double>& grad) {
  const auto count = static_cast<double>(grad.size());
  double sum = 0.0, product = 0.0;
  for (std::size_t m = 0; m < grad.size(); ++m) {
    sum += grad[m];
    product += grad[m] * row.values[m];
  }
  for (std::size_t m = 0; m < grad.size(); ++m) {
    grad[m] = row.scale * (grad[m] - sum / count - row.values[m] * (product / count));
  }
}

// Writes the gradients of rows first to last - 1, and adds to the sums for weight and bias.
void backward_rows(const Norm& norm, const ConstView& grad_out, const View& grad_x, std::int64_t first,
                   std::int64_t last, double* weight_sums, double* bias_sums) {
  NormalRow row(norm.width);
  std::vector<double> grad(static_cast<std::size_t>(norm.width));
  for (std::int64_t line = first; line < last; ++line) {
    row.load(row_at(norm.x, line), norm.eps);
    base::load_row(row_at(grad_out, line), grad.data());
    for (std::size_t m = 0; m < grad.size(); ++m) {
      weight_sums[m] += grad[m] * row.values[m];
      bias_sums[m] += grad[m];
      if (norm.weight.data() != nullptr) grad[m] *= norm.weight.data()[m];
    }
    if (grad_x.rank == 0) continue;
    normal_backward(row, grad);
    base::store_row(grad.data(), row_at(grad_x, line));
  }
}

}  // namespace

void layer_norm(const ConstView& x, const LayerNorm& parameters, const View& out, const Workers* workers) {
  const LayerChecks check{"layer_norm"};
  check_norm(check, x, parameters);
  check.token_output(out, x, "out");
  base::check_in_place_or_apart({"out", out}, {"x", x}, check.where);
  base::check_apart({"out", out}, {"weight", parameters.weight}, check.where);
  base::check_apart({"out", out}, {"bias", parameters.bias}, check.where);
  const Norm norm(x, parameters);
  norm.in_parts(workers, [&](std::int64_t first, std::int64_t last) {
    NormalRow row(norm.width);
    for (std::int64_t line = first; line < last; ++line) {
      row.load(row_at(x, line), norm.eps);
      for (std::size_t m = 0; m < row.values.size(); ++m) {
        if (norm.weight.data() != nullptr) row.values[m] *= norm.weight.data()[m];
        if (norm.bias.data() != nullptr) row.values[m] += norm.bias.data()[m];
      }
      base::store_row(row.values.data(), row_at(out, line));
    }
  });
}

void layer_norm_backward(const LayerNormInputs& inputs, const LayerNorm& parameters,
                         const LayerNormGradients& gradients, const Workers* workers) {
  const LayerChecks check{"layer_norm_backward"};
  check_norm(check, inputs.x, parameters);
  check.same_as_x(inputs.grad_out, inputs.x, "grad_out");
  if (gradients.x.rank > 0) {
    check.token_output(gradients.x, inputs.x, "the gradient of x");
    const layers::NamedView written{"the gradient of x", gradients.x};
    base::check_in_place_or_apart(written, {"x", inputs.x}, check.where);
    base::check_in_place_or_apart(written, {"grad_out", inputs.grad_out}, check.where);
    base::check_apart(written, {"weight", parameters.weight}, check.where);
  }
  check.gradient(gradients.weight, parameters.weight, "weight");
  check.gradient(gradients.bias, parameters.bias, "bias");
  const layers::NamedView written[] = {{"the gradient of x", gradients.x},
                                       {"the gradient of weight", gradients.weight},
                                       {"the gradient of bias", gradients.bias}};
  base::check_apart(written, check.where);
  const Norm norm(inputs.x, parameters);
  const auto width = static_cast<std::size_t>(norm.width);
  // One pair of sums per part, added in the order of the parts, so that the result does not depend on the workers.
  std::vector<double> sums(static_cast<std::size_t>(norm.parts()) * 2 * width, 0.0);
  norm.in_parts(workers, [&](std::int64_t first, std::int64_t last) {
    double* const own = sums.data() + static_cast<std::size_t>(first / kRowsPerPart) * 2 * width;
    backward_rows(norm, inputs.grad_out, gradients.x, first, last, own, own + width);
  });
  std::vector<double> total(2 * width, 0.0);
  for (std::size_t i = 0; i < sums.size(); ++i) total[i % (2 * width)] += sums[i];
  if (gradients.weight.rank > 0) layers::add_numbers(total.data(), gradients.weight);
  if (gradients.bias.rank > 0) layers::add_numbers(total.data() + width, gradients.bias);
}

}  // namespace posenc
