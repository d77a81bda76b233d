// Linear layers on contiguous rows of float or double, y = x W^T + b as in PyTorch, and their gradients.
#pragma once

#include <cstdint>

#include "core/base/aligned_vector.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc::layers {

// The elements of a view of up to four axes as contiguous numbers in C order: the view's own memory if that is
// contiguous and of type Real, else a copy; null for a null view.
template <class Real>
class ContiguousNumbers {
 public:
  explicit ContiguousNumbers(const ConstView& view);
  ContiguousNumbers(const ContiguousNumbers&) = delete;
  ContiguousNumbers& operator=(const ContiguousNumbers&) = delete;

  const Real* data() const noexcept { return data_; }

 private:
  base::AlignedVector<Real> memory_;
  const Real* data_;
};

// Write contiguous numbers to a view, or add them to it in double.
template <class Real>
void store_numbers(const Real* numbers, const View& view);
template <class Real>
void add_numbers(const Real* numbers, const View& view);

// Rows first to first + count - 1 of a view.
template <class Void>
BasicView<Void> row_slice(BasicView<Void> view, std::int64_t first, std::int64_t count) {
  if (view.rank == 0) return view;  // an omitted view stays omitted
  view.data = view[first].data;
  view.shape[0] = count;
  return view;
}

// y [rows, O] from x [rows, I]. The weight is [O, I]; the bias is [O] or omitted; any float dtype.
struct LinearWeights {
  ConstView weight;
  ConstView bias;
};
template <class Real>
void linear(const Real* x, std::int64_t rows, const LinearWeights& weights, Real* y, const Workers* workers);

// The gradients to compute from that of y. The gradient of x is overwritten, or accumulated if `add_x`; those of weight
// and bias are accumulated. Gradients that are null or omitted are not computed.
template <class Real>
struct LinearGradients {
  Real* x = nullptr;
  bool add_x = false;
  View weight = {};
  View bias = {};
};
template <class Real>
struct LinearInputs {
  const Real* x;
  const Real* grad_y;
  std::int64_t rows;
};
template <class Real>
void linear_backward(const LinearInputs<Real>& inputs, const LinearWeights& weights,
                     const LinearGradients<Real>& gradients, const Workers* workers);

}  // namespace posenc::layers
