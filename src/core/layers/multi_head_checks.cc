#include <string>

#include "core/attention/term_values.h"
#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/layers/multi_head_call.h"

namespace posenc::layers {
namespace {

constexpr const void* kNone = nullptr;

ConstView weights_like(const MultiHeadCall& call) {
  if (call.x.rank == 2) return make_view(kNone, call.x.dtype, {call.queries, call.keys});
  return make_view(kNone, call.x.dtype, {call.batch, call.queries, call.keys});
}

void check_token_gradient(const MultiHeadCall& call, const View& view, const ConstView& like, const char* name) {
  call.check.gradient(view, like, name);
  if (view.rank == 0 || view.dtype == like.dtype || view.dtype == DType::f64) return;
  base::refuse(call.check.where, "the gradient of ", name, " must be f64 like ", name, " but is f32");
}

// Makes those checks of attend_backward that would otherwise fail only after other gradients have been written.
void check_attention_gradients(const MultiHeadCall& call, const MultiHeadGradients& gradients) {
  const AttendOptions& options = call.options.attend;
  call.check.gradient(gradients.sinks, options.sinks, "sinks");
  if (!gradients.bias.empty()) {
    base::require(options.bias != nullptr, call.check.where, "gradients of a bias are requested but there is no bias");
    options.bias->term().check_gradients(gradients.bias, call.check.where);
  }
  if (!gradients.term.empty()) {
    if (options.term == nullptr)
      base::refuse(call.check.where, "gradients of a score term are requested but there is no score term");
    options.term->values().parameters().check_gradients(gradients.term, call.check.where);
  }
}

}  // namespace

std::vector<NamedView> read_views(const ConstView& x, const MultiHeadAttention& weights,
                                  const MultiHeadOptions& options) {
  return {{"x", x},
          {"context", options.context},
          {"in_proj_weight", weights.in_proj_weight},
          {"in_proj_bias", weights.in_proj_bias},
          {"out_proj_weight", weights.out_proj_weight},
          {"out_proj_bias", weights.out_proj_bias},
          {"sinks", options.attend.sinks}};
}

std::vector<NamedView> written_views(const MultiHeadGradients& gradients) {
  std::vector<NamedView> views = {{"x", gradients.x},
                                  {"context", gradients.context},
                                  {"in_proj_weight", gradients.in_proj_weight},
                                  {"in_proj_bias", gradients.in_proj_bias},
                                  {"out_proj_weight", gradients.out_proj_weight},
                                  {"out_proj_bias", gradients.out_proj_bias},
                                  {"sinks", gradients.sinks}};
  for (const Gradient& bias : gradients.bias) views.push_back({bias.name, bias.value});
  for (const Gradient& term : gradients.term) views.push_back({term.name, term.value});
  return views;
}

void check_outputs(const MultiHeadCall& call, const View& out) {
  const MultiHeadOptions& options = call.options;
  call.check.token_output(out, call.x, "out");
  if (options.average_weights.rank > 0) {
    call.check.token_output(options.average_weights, weights_like(call), "average_weights");
  }
  const std::vector<NamedView> written = {{"out", out},
                                          {"average_weights", options.average_weights},
                                          {"attend.weights", options.attend.weights},
                                          {"attend.log_sum_exp", options.attend.log_sum_exp}};
  base::check_apart(written, call.check.where);
  const std::vector<NamedView> read = read_views(call.x, call.weights, options);
  for (std::size_t i = 1; i < written.size(); ++i) call.check.apart_from(written[i], read);  // `out` is written last
}

void check_gradients(const MultiHeadCall& call, const ConstView& grad_out, const MultiHeadGradients& gradients) {
  const LayerChecks& check = call.check;
  check.same_as_x(grad_out, call.x, "grad_out");
  check_token_gradient(call, gradients.x, call.x, "x");
  check_token_gradient(call, gradients.context, call.options.context, "context");
  check.gradient(gradients.in_proj_weight, call.in.weight, "in_proj_weight");
  check.gradient(gradients.in_proj_bias, call.in.bias, "in_proj_bias");
  check.gradient(gradients.out_proj_weight, call.out.weight, "out_proj_weight");
  check.gradient(gradients.out_proj_bias, call.out.bias, "out_proj_bias");
  check_attention_gradients(call, gradients);
  std::vector<NamedView> read = read_views(call.x, call.weights, call.options);
  read.push_back({"grad_out", grad_out});
  check.gradients_apart(written_views(gradients), read);
}

}  // namespace posenc::layers
