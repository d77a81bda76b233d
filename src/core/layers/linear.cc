#include "core/layers/linear.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "core/base/float_types.h"
#include "core/base/memory_overlap.h"
#include "core/base/with_axes.h"
#include "core/kernels/matmul.h"
#include "core/kernels/transpose_block.h"

namespace posenc::layers {
namespace {

// Divides rows evenly into parts. A product takes 6 rows at a time and copies its other operand, so the length of a
// part is a multiple of 6 and at least 48. The results do not depend on where a part begins.
class Parts {
 public:
  Parts(std::int64_t rows, const Workers* workers) : rows_(rows) {
    const std::int64_t threads = workers != nullptr ? workers->count() : 1;
    length_ = std::max<std::int64_t>(kLeast, ((rows + threads - 1) / threads + 5) / 6 * 6);
  }
  std::int64_t count() const { return (rows_ + length_ - 1) / length_; }
  std::int64_t first(std::int64_t part) const { return part * length_; }
  std::int64_t length(std::int64_t part) const { return std::min(length_, rows_ - first(part)); }

 private:
  static constexpr std::int64_t kLeast = 48;
  std::int64_t rows_;
  std::int64_t length_;
};

// Calls visit(element, i) for the elements of a view in C order; T is the element type of the view.
template <class T, class Void, class Visit>
void for_each_element(const BasicView<Void>& any, const Visit& visit) {
  const BasicView<Void> view = base::with_axes(any, 4);
  const std::array<std::int64_t, 4>& n = view.shape;
  const std::array<std::int64_t, 4>& s = view.strides;
  auto* const data = view.template as<T>();
  std::int64_t i = 0;
  for (std::int64_t a = 0; a < n[0]; ++a) {
    for (std::int64_t b = 0; b < n[1]; ++b) {
      for (std::int64_t c = 0; c < n[2]; ++c) {
        for (std::int64_t d = 0; d < n[3]; ++d) visit(data[a * s[0] + b * s[1] + c * s[2] + d * s[3]], i++);
      }
    }
  }
}

}  // namespace

template <class Real>
ContiguousNumbers<Real>::ContiguousNumbers(const ConstView& view) : data_(view.as<Real>()) {
  if (view.data == nullptr || (view.dtype == dtype_of<Real>() && base::is_contiguous(view))) return;
  memory_.resize(static_cast<std::size_t>(view.size()));
  data_ = memory_.data();
  base::with_float_type(view.dtype, [&](auto type) {
    for_each_element<decltype(type)>(view, [&](auto element, std::int64_t i) {
      memory_[static_cast<std::size_t>(i)] = static_cast<Real>(base::widen(element));
    });
  });
}

template <class Real>
void store_numbers(const Real* numbers, const View& view) {
  base::with_float_type(view.dtype, [&](auto type) {
    using T = decltype(type);
    for_each_element<T>(
        view, [&](T& element, std::int64_t i) { element = base::narrow<T>(static_cast<double>(numbers[i])); });
  });
}

template <class Real>
void add_numbers(const Real* numbers, const View& view) {
  base::with_float_type(view.dtype, [&](auto type) {
    using T = decltype(type);
    for_each_element<T>(view, [&](T& element, std::int64_t i) {
      element = base::narrow<T>(base::widen(element) + static_cast<double>(numbers[i]));
    });
  });
}

template <class Real>
void linear(const Real* x, std::int64_t rows, const LinearWeights& weights, Real* y, const Workers* workers) {
  const std::int64_t outputs = weights.weight.shape[0], inputs = weights.weight.shape[1];
  const ContiguousNumbers<Real> weight(weights.weight);
  const ContiguousNumbers<Real> bias(weights.bias);
  base::AlignedVector<Real> columns(static_cast<std::size_t>(inputs * outputs));
  kernels::transpose_block(
      kernels::TransposedBlock<Real, Real>{outputs, inputs, weight.data(), inputs, columns.data(), outputs});
  const Parts parts(rows, workers);
  run_parts(workers, parts.count(), [&](std::int64_t part) {
    const std::int64_t first = parts.first(part), count = parts.length(part);
    Real* const out = y + first * outputs;
    for (std::int64_t row = 0; row < count && weights.bias.rank > 0; ++row) {
      std::copy_n(bias.data(), outputs, out + row * outputs);
    }
    kernels::multiply_add(
        kernels::MatrixProduct<Real>{.rows = count,
                                     .columns = outputs,
                                     .depth = inputs,
                                     .a = x + first * inputs,
                                     .a_row = inputs,
                                     .b = columns.data(),
                                     .b_stride = outputs,
                                     .c = out,
                                     .c_stride = outputs,
                                     .into = weights.bias.rank > 0 ? kernels::Into::add : kernels::Into::overwrite});
  });
}

namespace {

template <class Real>
void input_gradient(const LinearInputs<Real>& in, const ConstView& weight_view, const LinearGradients<Real>& gradients,
                    const Workers* workers) {
  const std::int64_t outputs = weight_view.shape[0], inputs = weight_view.shape[1];
  const ContiguousNumbers<Real> weight(weight_view);
  const Parts parts(in.rows, workers);
  run_parts(workers, parts.count(), [&](std::int64_t part) {
    const std::int64_t first = parts.first(part);
    kernels::multiply_add(
        kernels::MatrixProduct<Real>{.rows = parts.length(part),
                                     .columns = inputs,
                                     .depth = outputs,
                                     .a = in.grad_y + first * outputs,
                                     .a_row = outputs,
                                     .b = weight.data(),
                                     .b_stride = inputs,
                                     .c = gradients.x + first * inputs,
                                     .c_stride = inputs,
                                     .into = gradients.add_x ? kernels::Into::add : kernels::Into::overwrite});
  });
}

// The work is divided by rows of the weight, so that each thread has its own sums.
template <class Real>
void weight_gradient(const LinearInputs<Real>& in, std::int64_t outputs, const View& gradient, const Workers* workers) {
  const std::int64_t inputs = gradient.shape[1];
  const Parts parts(outputs, workers);
  run_parts(workers, parts.count(), [&](std::int64_t part) {
    const std::int64_t first = parts.first(part), count = parts.length(part);
    base::AlignedVector<Real> sums(static_cast<std::size_t>(count * inputs));
    kernels::multiply_add(kernels::MatrixProduct<Real>{.rows = count,
                                                       .columns = inputs,
                                                       .depth = in.rows,
                                                       .a = in.grad_y + first,
                                                       .a_row = 1,
                                                       .a_column = outputs,
                                                       .b = in.x,
                                                       .b_stride = inputs,
                                                       .c = sums.data(),
                                                       .c_stride = inputs});
    add_numbers(sums.data(), row_slice(gradient, first, count));
  });
}

}  // namespace

template <class Real>
void linear_backward(const LinearInputs<Real>& inputs, const LinearWeights& weights,
                     const LinearGradients<Real>& gradients, const Workers* workers) {
  const std::int64_t outputs = weights.weight.shape[0];
  if (gradients.x != nullptr) input_gradient(inputs, weights.weight, gradients, workers);
  if (gradients.weight.rank > 0) weight_gradient(inputs, outputs, gradients.weight, workers);
  if (gradients.bias.rank == 0) return;
  std::vector<double> sums(static_cast<std::size_t>(outputs), 0.0);
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      sums[static_cast<std::size_t>(o)] += static_cast<double>(inputs.grad_y[row * outputs + o]);
    }
  }
  add_numbers(sums.data(), gradients.bias);
}

template class ContiguousNumbers<float>;
template class ContiguousNumbers<double>;
template void store_numbers(const float*, const View&);
template void store_numbers(const double*, const View&);
template void add_numbers(const float*, const View&);
template void add_numbers(const double*, const View&);
template void linear(const float*, std::int64_t, const LinearWeights&, float*, const Workers*);
template void linear(const double*, std::int64_t, const LinearWeights&, double*, const Workers*);
template void linear_backward(const LinearInputs<float>&, const LinearWeights&, const LinearGradients<float>&,
                              const Workers*);
template void linear_backward(const LinearInputs<double>&, const LinearWeights&, const LinearGradients<double>&,
                              const Workers*);

}  // namespace posenc::layers
