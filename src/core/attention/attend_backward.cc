#include <algorithm>
#include <optional>
#include <string>

#include "core/attention/attend_call.h"
#include "core/attention/attend_forward.h"
#include "core/attention/attend_gradient.h"
#include "core/base/memory_overlap.h"
#include "core/biases/bias_term.h"
#include "core/rows/convert_row.h"
#include "posenc/attend.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr const char* kWhere = "attend_backward";

[[noreturn]] void refuse(const std::string& message) {
  fail(ErrorKind::usage, "[" + std::string(kWhere) + "] " + message);
}

void check_grad_out(const attention::AttendCall& call, const ConstView& grad_out) {
  const ConstView view = grad_out.rank == 3 ? attention::with_batch(grad_out) : grad_out;
  const bool narrow = call.q.dtype == DType::f16 || call.q.dtype == DType::bf16;
  const attention::AttendShape& shape = call.shape;
  const bool fits = grad_out.rank == (call.batched ? 4 : 3) && view.shape[0] == shape.batch &&
                    view.shape[1] == shape.queries && view.shape[2] == shape.heads &&
                    view.shape[3] == shape.value_width && (view.shape[3] == 1 || view.strides[3] == 1) &&
                    (view.data != nullptr || view.size() == 0) &&
                    (grad_out.dtype == call.q.dtype || (narrow && grad_out.dtype == DType::f32));
  if (fits) return;
  refuse("grad_out must have the shape of out, [" + std::to_string(shape.batch) + ", " + std::to_string(shape.queries) +
         ", " + std::to_string(shape.heads) + ", " + std::to_string(shape.value_width) +
         "] (without a batch, the last three), and the dtype of q" + (narrow ? ", or f32," : "") + " but is " +
         shape_text(grad_out) + " " + std::string(to_text(grad_out.dtype)));
}

void check_delta_gradient(const attention::AttendCall& call, const AttendInputs& inputs,
                          const AttendGradients& gradients) {
  const View& delta = gradients.pope_delta;
  if (call.options.pope == nullptr) refuse("the gradient of pope_delta is asked for but there is no pope");
  const std::int64_t heads = call.delta_on_keys ? call.shape.key_heads : call.shape.heads;
  const std::int64_t channels = call.options.pope->rotary_dim();
  if (delta.rank != 2 || delta.shape[0] != heads || delta.shape[1] != channels ||
      (delta.dtype != DType::f32 && delta.dtype != DType::f64) || base::reaches_too_far(delta) ||
      base::overlaps_itself(delta)) {
    refuse("the gradient of pope_delta must be [" + std::to_string(heads) + ", " + std::to_string(channels) +
           "] of f32 or f64 without overlaps but is " + shape_text(delta) + " " + std::string(to_text(delta.dtype)));
  }
  for (const ConstView& other : {inputs.q, inputs.k, inputs.v, inputs.grad_out, ConstView(gradients.q),
                                 ConstView(gradients.k), ConstView(gradients.v), call.options.pope_delta}) {
    if (!base::share_memory(other, delta)) continue;
    refuse("the gradient of pope_delta must be apart from inputs and other gradients but shares memory with one");
  }
}

void check_gradients(const attention::AttendCall& call, const AttendInputs& inputs, const AttendGradients& gradients) {
  const View* views[] = {&gradients.q, &gradients.k, &gradients.v};
  const ConstView* likes[] = {&call.q, &call.k, &call.v};
  const char* names[] = {"the gradient of q", "the gradient of k", "the gradient of v"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (views[i]->data == nullptr && views[i]->rank == 0) continue;
    attention::check_attend_output(call, *views[i], *likes[i], likes[i]->shape[3], names[i]);
    if (base::share_memory(inputs.grad_out, *views[i])) {
      refuse(std::string(names[i]) + " must be apart from grad_out but shares memory");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (views[j]->data == nullptr || !base::share_memory(*views[i], *views[j])) continue;
      refuse(std::string(names[i]) + " must be apart from " + names[j] + " but shares memory");
    }
  }
  if (gradients.sinks.data != nullptr) {
    const View& sinks = gradients.sinks;
    if (call.options.sinks.data == nullptr) refuse("the gradient of sinks is asked for but there are no sinks");
    if (sinks.rank != 1 || sinks.shape[0] != call.shape.heads ||
        (sinks.dtype != DType::f32 && sinks.dtype != DType::f64)) {
      refuse("the gradient of sinks must be [" + std::to_string(call.shape.heads) + "] of f32 or f64 but is " +
             shape_text(sinks) + " " + std::string(to_text(sinks.dtype)));
    }
  }
  if (gradients.pope_delta.data != nullptr) check_delta_gradient(call, inputs, gradients);
  if (!gradients.bias.empty()) {
    if (call.options.bias == nullptr) refuse("gradients of a bias are asked for but there is none");
    call.options.bias->term().check_gradients(gradients.bias, kWhere);
  }
  if (!gradients.term.empty()) {
    if (call.options.term == nullptr) refuse("gradients of a score term are asked for but there is none");
    call.options.term->values().parameters().check_gradients(gradients.term, kWhere);
  }
}

// [B, N, H, channels] or without a batch, into another float type.
void convert(const ConstView& from, const View& to) {
  const ConstView in = attention::with_batch(from);
  const View out = attention::with_batch(to);
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

// What PoPE does to the gradient of a side: with the sums of its angles where delta is that side's.
PopeGradients pope_gradients(const View& x, const AttendGradients& gradients, bool delta) {
  return {.x = x.data == nullptr ? View{} : attention::with_batch(x), .delta = delta ? gradients.pope_delta : View{}};
}

// The gradient of queries as they met the keys, into that of q as it came in.
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
  convert(inputs.grad_out, contiguous(grad_out, attention::with_batch(inputs.grad_out)));
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
  if (call.shape.queries == 0) {  // nothing looked at the keys
    std::vector<double> zeros(static_cast<std::size_t>(std::max(call.k.size(), call.v.size())));
    if (gradients.k.data != nullptr) convert(contiguous(zeros, call.k), gradients.k);
    if (gradients.v.data != nullptr) convert(contiguous(zeros, call.v), gradients.v);
    return;
  }
  call.is_double() ? run<double>(call, inputs, gradients) : run<float>(call, inputs, gradients);
}

}  // namespace posenc
