#include <vector>

#include "detail/multi_head_call.h"
#include "posenc/multi_head.h"

namespace posenc {
namespace {

using detail::AlignedVector;
using detail::LinearInputs;
using detail::MultiHeadCall;
using detail::MultiHeadRows;
using detail::NamedView;
using detail::row_slice;

void check_token_gradient(const MultiHeadCall& call, const View& view, const ConstView& like, const char* name) {
  call.check.gradient(view, like, name);
  if (view.rank == 0 || view.dtype == like.dtype || view.dtype == DType::f64) return;
  call.check.refuse("the gradient of " + std::string(name) + " must be f64, as " + name + " is, but is f32");
}

void check_gradients(const MultiHeadCall& call, const ConstView& grad_out, const MultiHeadGradients& gradients) {
  const detail::LayerChecks& check = call.check;
  check.tokens(grad_out, "grad_out");
  if (shape_text(grad_out) != shape_text(call.x) || grad_out.dtype != call.x.dtype) {
    check.refuse("grad_out must be as x, " + shape_text(call.x) + " " + std::string(to_text(call.x.dtype)) +
                 ", but is " + shape_text(grad_out) + " " + std::string(to_text(grad_out.dtype)));
  }
  check_token_gradient(call, gradients.x, call.x, "x");
  check_token_gradient(call, gradients.context, call.options.context, "context");
  check.gradient(gradients.in_proj_weight, call.in.weight, "in_proj_weight");
  check.gradient(gradients.in_proj_bias, call.in.bias, "in_proj_bias");
  check.gradient(gradients.out_proj_weight, call.out.weight, "out_proj_weight");
  check.gradient(gradients.out_proj_bias, call.out.bias, "out_proj_bias");
  std::vector<NamedView> views = {{"the gradient of x", gradients.x},
                                  {"the gradient of context", gradients.context},
                                  {"the gradient of in_proj_weight", gradients.in_proj_weight},
                                  {"the gradient of in_proj_bias", gradients.in_proj_bias},
                                  {"the gradient of out_proj_weight", gradients.out_proj_weight},
                                  {"the gradient of out_proj_bias", gradients.out_proj_bias},
                                  {"the gradient of sinks", gradients.sinks}};
  for (const Gradient& bias : gradients.bias) views.push_back({bias.name, bias.value});
  for (const Gradient& term : gradients.term) views.push_back({term.name, term.value});
  check.apart(views);
}

// Gradients of the projections from those of queries, keys and values.
template <class Real>
void input_gradients(const MultiHeadCall& call, const MultiHeadRows<Real>& grads, const MultiHeadGradients& gradients) {
  const std::int64_t lines = call.batch * call.queries, key_lines = call.batch * call.keys;
  const View& weight = gradients.in_proj_weight;
  const View& bias = gradients.in_proj_bias;
  AlignedVector<Real> grad_x(static_cast<std::size_t>(gradients.x.rank > 0 ? lines * call.width : 0));
  AlignedVector<Real> grad_context(static_cast<std::size_t>(gradients.context.rank > 0 ? key_lines * call.width : 0));
  const detail::Numbers<Real> x(call.x);
  const LinearInputs<Real> from_x{x.data(), grads.query_memory.data(), lines};
  if (!call.crosses) {
    detail::linear_backward<Real>(from_x, call.in, {grad_x.empty() ? nullptr : grad_x.data(), false, weight, bias},
                                  call.workers());
  } else {
    const detail::Numbers<Real> context(call.context);
    const std::int64_t queries = call.query_width(), rest = 2 * call.key_width();
    detail::linear_backward<Real>(
        from_x, call.query_in,
        {grad_x.empty() ? nullptr : grad_x.data(), false, row_slice(weight, 0, queries), row_slice(bias, 0, queries)},
        call.workers());
    detail::linear_backward<Real>({context.data(), grads.key_memory.data(), key_lines}, call.key_value_in,
                                  {grad_context.empty() ? nullptr : grad_context.data(), false,
                                   row_slice(weight, queries, rest), row_slice(bias, queries, rest)},
                                  call.workers());
  }
  // Last: they may be written over what was read.
  if (gradients.x.rank > 0) detail::store_numbers(grad_x.data(), gradients.x);
  if (gradients.context.rank > 0) detail::store_numbers(grad_context.data(), gradients.context);
}

template <class Real>
void run(const MultiHeadCall& call, const ConstView& grad_out, const MultiHeadGradients& gradients) {
  MultiHeadRows<Real> rows(call), grads(call);
  AttendOptions options = call.options.attend;
  options.weights = {};
  options.log_sum_exp = {};
  const detail::AttendCall check(rows.q, rows.k, rows.v, options, call.check.where);
  detail::project(call, rows);
  const std::int64_t lines = call.batch * call.queries;
  AlignedVector<Real> mixed(static_cast<std::size_t>(lines * call.query_width())), grad_mixed(mixed.size());
  const View mixed_heads = call.as_heads(mixed.data(), call.queries, call.heads, call.query_width());
  const View grad_heads = call.as_heads(grad_mixed.data(), call.queries, call.heads, call.query_width());
  if (gradients.out_proj_weight.rank > 0) attend(rows.q, rows.k, rows.v, mixed_heads, options);
  const detail::Numbers<Real> grad(grad_out);
  const LinearInputs<Real> to_out{mixed.data(), grad.data(), lines};
  detail::linear_backward<Real>(to_out, call.out, {grad_mixed.data()}, call.workers());
  // Before anything else is written: it checks the gradients that are its own.
  attend_backward({rows.q, rows.k, rows.v, grad_heads},
                  {grads.q, grads.k, grads.v, gradients.sinks, gradients.bias, gradients.term}, options);
  detail::linear_backward<Real>(to_out, call.out, {nullptr, false, gradients.out_proj_weight, gradients.out_proj_bias},
                                call.workers());
  input_gradients(call, grads, gradients);
}

}  // namespace

void multi_head_attend_backward(const MultiHeadInputs& inputs, const MultiHead& weights,
                                const MultiHeadGradients& gradients, const MultiHeadOptions& options) {
  const MultiHeadCall call(inputs.x, weights, options, "multi_head_attend_backward");
  check_gradients(call, inputs.grad_out, gradients);
  if (inputs.x.size() == 0 && !call.crosses) return;
  call.x.dtype == DType::f64 ? run<double>(call, inputs.grad_out, gradients)
                             : run<float>(call, inputs.grad_out, gradients);
}

}  // namespace posenc
