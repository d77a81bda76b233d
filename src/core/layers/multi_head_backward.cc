#include <vector>

#include "core/layers/multi_head_call.h"
#include "posenc/multi_head.h"

namespace posenc {
namespace {

using base::AlignedVector;
using layers::LinearInputs;
using layers::MultiHeadCall;
using layers::MultiHeadRows;
using layers::row_slice;

// Computes the gradients of the projections from those of queries, keys and values.
template <class Real>
void input_gradients(const MultiHeadCall& call, const MultiHeadRows<Real>& grads, const MultiHeadGradients& gradients) {
  const std::int64_t lines = call.batch * call.queries, key_lines = call.batch * call.keys;
  const View& weight = gradients.in_proj_weight;
  const View& bias = gradients.in_proj_bias;
  AlignedVector<Real> grad_x(static_cast<std::size_t>(gradients.x.rank > 0 ? lines * call.width : 0));
  AlignedVector<Real> grad_context(static_cast<std::size_t>(gradients.context.rank > 0 ? key_lines * call.width : 0));
  const layers::ContiguousNumbers<Real> x(call.x);
  const LinearInputs<Real> from_x{x.data(), grads.query_memory.data(), lines};
  if (!call.crosses) {
    layers::linear_backward<Real>(from_x, call.in, {grad_x.empty() ? nullptr : grad_x.data(), false, weight, bias},
                                  call.workers());
  } else {
    const layers::ContiguousNumbers<Real> context(call.context);
    const std::int64_t queries = call.query_width(), rest = 2 * call.key_width();
    layers::linear_backward<Real>(
        from_x, call.query_in,
        {grad_x.empty() ? nullptr : grad_x.data(), false, row_slice(weight, 0, queries), row_slice(bias, 0, queries)},
        call.workers());
    layers::linear_backward<Real>({context.data(), grads.key_memory.data(), key_lines}, call.key_value_in,
                                  {grad_context.empty() ? nullptr : grad_context.data(), false,
                                   row_slice(weight, queries, rest), row_slice(bias, queries, rest)},
                                  call.workers());
  }
  // These are written last, because they may overwrite the inputs.
  if (gradients.x.rank > 0) layers::store_numbers(grad_x.data(), gradients.x);
  if (gradients.context.rank > 0) layers::store_numbers(grad_context.data(), gradients.context);
}

template <class Real>
void run(const MultiHeadCall& call, const ConstView& grad_out, const MultiHeadGradients& gradients) {
  MultiHeadRows<Real> rows(call), grads(call);
  AttendOptions options = call.options.attend;
  options.weights = {};
  options.log_sum_exp = {};
  const attention::AttendCall check(rows.q, rows.k, rows.v, options, call.check.where);
  layers::project(call, rows);
  const std::int64_t lines = call.batch * call.queries;
  AlignedVector<Real> mixed(static_cast<std::size_t>(lines * call.query_width())), grad_mixed(mixed.size());
  const View mixed_heads = call.as_heads(mixed.data(), call.queries, call.heads, call.query_width());
  const View grad_heads = call.as_heads(grad_mixed.data(), call.queries, call.heads, call.query_width());
  if (gradients.out_proj_weight.rank > 0) attend(rows.q, rows.k, rows.v, mixed_heads, options);
  const layers::ContiguousNumbers<Real> grad(grad_out);
  const LinearInputs<Real> to_out{mixed.data(), grad.data(), lines};
  layers::linear_backward<Real>(to_out, call.out, {grad_mixed.data()}, call.workers());
  // This comes before any other write to the caller's gradients, because attend_backward makes checks that may throw.
  attend_backward({rows.q, rows.k, rows.v, grad_heads},
                  {.q = grads.q,
                   .k = grads.k,
                   .v = grads.v,
                   .sinks = gradients.sinks,
                   .pope_delta = gradients.pope_delta,
                   .bias = gradients.bias,
                   .term = gradients.term},
                  options);
  layers::linear_backward<Real>(to_out, call.out, {nullptr, false, gradients.out_proj_weight, gradients.out_proj_bias},
                                call.workers());
  input_gradients(call, grads, gradients);
}

}  // namespace

void multi_head_attend_backward(const MultiHeadInputs& inputs, const MultiHeadAttention& weights,
                                const MultiHeadGradients& gradients, const MultiHeadOptions& options) {
  const MultiHeadCall call(inputs.x, weights, options, "multi_head_attend_backward");
  layers::check_gradients(call, inputs.grad_out, gradients);
  if (inputs.x.size() == 0 && !call.crosses) return;
  call.x.dtype == DType::f64 ? run<double>(call, inputs.grad_out, gradients)
                             : run<float>(call, inputs.grad_out, gradients);
}

}  // namespace posenc
