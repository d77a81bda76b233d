// The backward pass over prepared operands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/attend_call.h"
#include "core/attention/attend_operands.h"
#include "core/attention/term_values.h"

namespace posenc::attention {

// Inputs of the backward pass in addition to the operands, all contiguous and of type Real: the gradient of out and out
// itself, [B, N, H, Dv], and the log of the sums, [B, H, N].
template <class Real>
struct AttendSaved {
  std::span<const Real> grad_out;
  std::span<const Real> out;
  std::span<const Real> log_sum_exp;
};

// Outputs of the backward pass: gradients of the rotated queries [B, N, H, D] and keys [B, S, G, D], of values
// [B, S, G, Dv], and per head the sums of the parameters' gradients.
template <class Real>
struct AttendSums {
  std::vector<Real> q, k, v;
  std::vector<double> sinks;    // [H]
  std::vector<double> bias;     // [H][gradient_size]
  std::vector<TermSums> terms;  // [H]
};

template <class Real>
AttendSums<Real> attend_gradient(const AttendCall& call, const AttendOperands<Real>& operands,
                                 const TermRows<Real>* term, const AttendSaved<Real>& saved);

}  // namespace posenc::attention
