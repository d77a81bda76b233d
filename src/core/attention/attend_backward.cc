#include <algorithm>
#include <optional>
#include <string>

#include "core/attention/attend_call.h"
#include "core/attention/attend_forward.h"
#include "core/attention/attend_gradient.h"
#include "core/biases/bias_term.h"
#include "core/rows/convert_row.h"
#include "posenc/attend.h"

namespace posenc {
namespace {

constexpr const char* kWhere = "attend_backward";

void check_grad_out(const attention::AttendCall& call, const ConstView& grad_out) {
  base::check_view(grad_out, attention::attend_rule(call, call.q, call.shape.value_width), kWhere, "grad_out");
}

void check_delta_gradient(const attention::AttendCall& call, const AttendInputs& inputs,
                          const AttendGradients& gradients) {
  const View& delta = gradients.pope_delta;
  if (call.options.pope == nullptr)
    base::refuse(kWhere, "the gradient of pope_delta is requested but there is no pope");
  const std::int64_t heads = call.delta_on_keys ? call.shape.key_heads : call.shape.heads;
  const std::int64_t channels = call.options.pope->rotary_dim();
  const base::NamedView written{"the gradient of pope_delta", delta};
  base::check_view(
      delta,
      {.dtypes = base::kReals, .shape = {heads, channels}, .channels = base::Channels::any, .use = base::Use::write},
      kWhere, written.name);
  call.check_apart(written);
  for (const base::NamedView& other : {base::NamedView{"grad_out", inputs.grad_out},
                                       {"the gradient of q", gradients.q},
                                       {"the gradient of k", gradients.k},
                                       {"the gradient of v", gradients.v},
                                       {"pope_delta", call.options.pope_delta}}) {
    base::check_apart(written, other, kWhere);
  }
}

void check_gradients(const attention::AttendCall& call, const AttendInputs& inputs, const AttendGradients& gradients) {
  const View* views[] = {&gradients.q, &gradients.k, &gradients.v};
  const ConstView* likes[] = {&call.q, &call.k, &call.v};
  const char* names[] = {"the gradient of q", "the gradient of k", "the gradient of v"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (views[i]->data == nullptr && views[i]->rank == 0) continue;
    attention::check_attend_output(call, *views[i], *likes[i], likes[i]->shape[3], names[i]);
    base::check_apart({names[i], *views[i]}, {"grad_out", inputs.grad_out}, kWhere);
    for (std::size_t j = 0; j < i; ++j) base::check_apart({names[i], *views[i]}, {names[j], *views[j]}, kWhere);
  }
  if (gradients.sinks.data != nullptr) {
    const View& sinks = gradients.sinks;
    if (call.options.sinks.data == nullptr)
      base::refuse(kWhere, "the gradient of sinks is requested but there are no sinks");
    base::check_view(
        sinks,
        {.dtypes = base::kReals, .shape = {call.shape.heads}, .channels = base::Channels::any, .use = base::Use::write},
        kWhere, "the gradient of sinks");
  }
  if (gradients.pope_delta.data != nullptr) check_delta_gradient(call, inputs, gradients);
  if (!gradients.bias.empty()) {
    base::require(call.options.bias != nullptr, kWhere, "gradients of a bias are requested but there is no bias");
    call.options.bias->term().check_gradients(gradients.bias, kWhere);
  }
  if (!gradients.term.empty()) {
    base::require(call.options.term != nullptr, kWhere, "gradients of a score term are requested but there is no term");
    call.options.term->values().parameters().check_gradients(gradients.term, kWhere);
  }
}

// Converts [B, N, H, channels], with or without batch, to another float type.
void convert(const ConstView& from, const View& to) {
  const ConstView in = base::with_axes(from, 4);
  const View out = base::with_axes(to, 4);
  for (std::int64_t b = 0; b < in.shape[0]; ++b) {
    for (std::int64_t n = 0; n < in.shape[1]; ++n) rows::convert_heads(in[b][n], out[b][n]);
  }
}

template <class Real>
View contiguous(std::vector<Real>& numbers, const ConstView& like, std::int64_t channels) {
  return make_view(numbers.data(), {like.shape[0], like.shape[1], like.shape[2], channels});
}
template <class Real>
View contiguous(std::vector<Real>& numbers, const ConstView& like) {
  return contiguous(numbers, like, like.shape[3]);
}

// The gradients of PoPE for queries or keys, with those of delta if delta is on that side.
PopeGradients pope_gradients(const View& x, const AttendGradients& gradients, bool delta) {
  return {.x = x.data == nullptr ? View{} : base::with_axes(x, 4), .delta = delta ? gradients.pope_delta : View{}};
}

// Converts the gradient of the queries after rotation to the gradient of q.
void turn_back_queries(const attention::AttendCall& call, const View& sums, const AttendGradients& gradients) {
  const AttendOptions& options = call.options;
  const PositionView& positions = call.query_positions;
  const bool delta = !call.delta_on_keys && gradients.pope_delta.data != nullptr;
  if (gradients.q.data == nullptr && !delta) return;
  if (options.temperature != nullptr) scale_queries(sums, positions, *options.temperature, sums, {options.workers});
  if (options.pope != nullptr) {
    return pope_queries_backward({call.q, sums}, positions, *options.pope,
                                 pope_gradients(gradients.q, gradients, delta), call.pope_options(false));
  }
  if (options.xpos != nullptr) {
    xpos_queries_backward(sums, positions, *options.xpos, sums, {.workers = options.workers});
  }
  if (options.rotary) {
    rotate_backward(sums, positions, *options.rotary, {.output_scale = call.query_factor, .workers = options.workers});
  }
  convert(sums, gradients.q);
}

void turn_back_keys(const attention::AttendCall& call, const View& sums, const AttendGradients& gradients) {
  const AttendOptions& options = call.options;
  const PositionView& positions = call.key_positions;
  const bool delta = call.delta_on_keys && gradients.pope_delta.data != nullptr;
  if (gradients.k.data == nullptr && !delta) return;
  if (options.pope != nullptr) {
    return pope_keys_backward({call.k, sums}, positions, *options.pope, pope_gradients(gradients.k, gradients, delta),
                              call.pope_options(true));
  }
  if (call.rotate_keys && options.xpos != nullptr) {
    xpos_keys_backward(sums, positions, *options.xpos, sums, {.workers = options.workers});
  }
  if (call.rotate_keys && options.rotary) {
    rotate_backward(sums, positions, *options.rotary, {.workers = options.workers});
  }
  convert(sums, gradients.k);
}

template <class Real>
void run(const attention::AttendCall& call, const AttendInputs& inputs, const AttendGradients& gradients) {
  const attention::AttendShape& shape = call.shape;
  const AttendOptions& options = call.options;
  const attention::AttendOperands<Real> operands(call);
  std::optional<attention::TermRows<Real>> term;
  if (options.term != nullptr) term.emplace(options.term->values(), call.query_positions, call.key_positions);
  const attention::TermRows<Real>* rows = term ? &*term : nullptr;
  std::vector<Real> grad_out(static_cast<std::size_t>(inputs.grad_out.size()));
  convert(inputs.grad_out, contiguous(grad_out, base::with_axes(inputs.grad_out, 4)));
  std::vector<Real> out(grad_out.size());
  std::vector<Real> log_sum_exp(static_cast<std::size_t>(shape.batch * shape.heads * shape.queries));
  attention::attend_forward<Real>(call, operands, rows,
                                  {make_view(out.data(), {shape.batch, shape.queries, shape.heads, shape.value_width}),
                                   make_view(log_sum_exp.data(), {shape.batch, shape.heads, shape.queries}),
                                   {}});
  attention::AttendSums<Real> sums =
      attention::attend_gradient<Real>(call, operands, rows, {grad_out, out, log_sum_exp});
  turn_back_queries(call, contiguous(sums.q, call.q, shape.width), gradients);
  turn_back_keys(call, contiguous(sums.k, call.k, shape.width), gradients);
  if (gradients.v.data != nullptr) convert(contiguous(sums.v, call.v), gradients.v);
  if (gradients.sinks.data != nullptr) spec::add_to_gradient(sums.sinks, gradients.sinks);
  if (!gradients.bias.empty()) options.bias->term().store_gradients(sums.bias, shape.heads, gradients.bias);
  if (!gradients.term.empty()) {
    attention::store_term_gradients(options.term->values(), call.query_positions, call.key_positions, sums.terms,
                                    gradients.term);
  }
}

}  // namespace

void attend_backward(const AttendInputs& inputs, const AttendGradients& gradients, const AttendOptions& options) {
  const attention::AttendCall call(inputs.q, inputs.k, inputs.v, options, kWhere);
  check_grad_out(call, inputs.grad_out);
  check_gradients(call, inputs, gradients);
  if (call.shape.batch == 0) return;
  if (call.shape.queries == 0) {  // without queries, no key has a gradient
    std::vector<double> zeros(static_cast<std::size_t>(std::max(call.k.size(), call.v.size())));
    if (gradients.k.data != nullptr) convert(contiguous(zeros, call.k), gradients.k);
    if (gradients.v.data != nullptr) convert(contiguous(zeros, call.v), gradients.v);
    return;
  }
  call.is_double() ? run<double>(call, inputs, gradients) : run<float>(call, inputs, gradients);
}

}  // namespace posenc
