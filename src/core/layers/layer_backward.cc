#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/layers/layer_call.h"
#include "core/layers/multi_head_call.h"
#include "core/rows/embed_checks.h"
#include "posenc/layer.h"

namespace posenc {
namespace {

using base::AlignedVector;
using layers::DropPlace;
using layers::LayerCall;
using layers::LayerPass;
using layers::NamedView;

constexpr std::string_view kWhere = "apply_layer_backward";

void check_embedding(const LayerCall& call, const ConstView& grad_out, const LayerGradients& gradients) {
  if (call.options.rows) {
    rows::check_backward(rows::Join::add, grad_out, call.positions, *call.options.rows,
                         {.learned = gradients.learned, .inv_freq = gradients.inv_freq}, call.embed);
  } else if (gradients.learned.rank > 0 || !gradients.inv_freq.empty()) {
    base::refuse(call.check.where, "gradients of rows are requested but the options have no rows");
  }
}

void check_gradients(const LayerCall& call, const ConstView& grad_out, const LayerGradients& gradients) {
  const TransformerLayer& layer = call.layer;
  base::require(gradients.attention.x.rank + gradients.norm1.x.rank + gradients.norm2.x.rank == 0, call.check.where,
                "the gradients attention.x, norm1.x and norm2.x must not be given: the gradient of the input is x");
  MultiHeadGradients attention = gradients.attention;
  attention.x = gradients.x;
  layers::check_gradients(layers::MultiHeadCall(call.x, layer.attention, call.options.attention, kWhere), grad_out,
                          attention);
  const bool feeds = call.feeds_forward();
  const LayerNorm norm2 = feeds ? layer.norm2 : LayerNorm{};
  const std::vector<std::pair<NamedView, const View*>> weights = {
      {{"norm1.weight", layer.norm1.weight}, &gradients.norm1.weight},
      {{"norm1.bias", layer.norm1.bias}, &gradients.norm1.bias},
      {{"linear1_weight", call.linear1.weight}, &gradients.linear1_weight},
      {{"linear1_bias", call.linear1.bias}, &gradients.linear1_bias},
      {{"linear2_weight", call.linear2.weight}, &gradients.linear2_weight},
      {{"linear2_bias", call.linear2.bias}, &gradients.linear2_bias},
      {{"norm2.weight", norm2.weight}, &gradients.norm2.weight},
      {{"norm2.bias", norm2.bias}, &gradients.norm2.bias}};
  std::vector<NamedView> read = layers::read_views(call.x, layer.attention, call.options.attention);
  read.push_back({"grad_out", grad_out});
  std::vector<NamedView> written = layers::written_views(attention);
  for (const auto& [weight, gradient] : weights) {
    call.check.gradient(*gradient, weight.view, weight.name);
    read.push_back(weight);
    written.push_back({weight.name, *gradient});
  }
  written.push_back({"the learned table", gradients.learned});
  call.check.gradients_apart(written, read);
  check_embedding(call, grad_out, gradients);
}

template <class Real>
Real slope(Activation activation, Real x) {
  if (activation == Activation::relu) return x > Real{0} ? Real{1} : Real{0};
  constexpr double kHalfRoot = 0.70710678118654752440, kDensity = 0.39894228040143267794;  // sqrt(1/2), 1/sqrt(2 pi)
  const auto wide = static_cast<double>(x);
  return static_cast<Real>(0.5 * std::erfc(-wide * kHalfRoot) + wide * kDensity * std::exp(-0.5 * wide * wide));
}

// Computes the gradient of the input of the feed-forward part from that of its output, both [B N, M].
template <class Real>
AlignedVector<Real> feed_forward_backward(const LayerCall& call, LayerPass<Real>& pass, AlignedVector<Real> grad,
                                          const LayerGradients& gradients) {
  call.drop(DropPlace::feed_forward, grad, call.width);
  AlignedVector<Real> grad_active(pass.active.size());
  layers::linear_backward<Real>({pass.active.data(), grad.data(), call.lines()}, call.linear2,
                                {grad_active.data(), false, gradients.linear2_weight, gradients.linear2_bias},
                                call.workers());
  call.drop(DropPlace::activation, grad_active, call.hidden);
  for (std::size_t i = 0; i < grad_active.size(); ++i) {
    grad_active[i] *= slope(call.layer.activation, pass.hidden[i]);
  }
  layers::linear_backward<Real>({pass.feed_input().data(), grad_active.data(), call.lines()}, call.linear1,
                                {grad.data(), false, gradients.linear1_weight, gradients.linear1_bias}, call.workers());
  return grad;
}

template <class Real>
void run(const LayerCall& call, const ConstView& grad_out, const LayerGradients& gradients) {
  const TransformerLayer& layer = call.layer;
  MultiHeadOptions attention = call.attention;
  attention.average_weights = attention.attend.weights = attention.attend.log_sum_exp = {};
  LayerPass<Real> pass = layers::run_layer<Real>(call, attention);
  const auto norm_backward = [&](AlignedVector<Real>& from, AlignedVector<Real>& grad, const LayerNorm& norm,
                                 const LayerNormGradients& wanted) {
    const View rows = call.as_tokens(grad);
    layer_norm_backward({call.as_tokens(from), rows}, norm, {rows, wanted.weight, wanted.bias}, call.workers());
  };
  AlignedVector<Real> grad(pass.encoded.size());
  layers::store_numbers(layers::ContiguousNumbers<Real>(grad_out).data(), call.as_tokens(grad));
  if (call.feeds_forward()) {
    if (!call.is_pre()) norm_backward(pass.sum2, grad, layer.norm2, gradients.norm2);
    AlignedVector<Real> fed = feed_forward_backward(call, pass, grad, gradients);
    if (call.is_pre()) norm_backward(pass.sum1, fed, layer.norm2, gradients.norm2);
    layers::add_to(grad, fed);
  }
  if (!call.is_pre()) norm_backward(pass.sum1, grad, layer.norm1, gradients.norm1);
  AlignedVector<Real> grad_input = grad;
  call.drop(DropPlace::attention, grad_input, call.width);
  MultiHeadGradients wanted = gradients.attention;
  wanted.x = call.as_tokens(grad_input);
  multi_head_attend_backward({call.as_tokens(pass.attention_input()), call.as_tokens(grad_input)}, layer.attention,
                             wanted, attention);
  if (call.is_pre()) norm_backward(pass.encoded, grad_input, layer.norm1, gradients.norm1);
  if (layer.residual == Residual::encoded) layers::add_to(grad_input, grad);
  if (call.options.rows) {
    const View rows = call.as_tokens(grad_input);
    add_positions_backward(rows, call.positions, *call.options.rows,
                           {.input = rows, .learned = gradients.learned, .inv_freq = gradients.inv_freq}, call.embed);
  }
  if (layer.residual == Residual::input) layers::add_to(grad_input, grad);
  if (gradients.x.rank > 0) layers::store_numbers(grad_input.data(), gradients.x);
}

}  // namespace

void apply_layer_backward(const LayerInputs& inputs, const TransformerLayer& layer, const LayerGradients& gradients,
                          const LayerOptions& options) {
  const LayerCall call(inputs.x, layer, options, kWhere);
  check_gradients(call, inputs.grad_out, gradients);
  if (inputs.x.size() == 0 && options.attention.context.rank == 0) return;
  call.x.dtype == DType::f64 ? run<double>(call, inputs.grad_out, gradients)
                             : run<float>(call, inputs.grad_out, gradients);
}

}  // namespace posenc
