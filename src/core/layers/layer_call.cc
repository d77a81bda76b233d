#include "core/layers/layer_call.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/refuse.h"
#include "core/layers/multi_head_call.h"
#include "core/rows/dropout_rows.h"
#include "core/rows/embed_checks.h"
#include "posenc/random.h"

namespace posenc::layers {
namespace {

constexpr std::int64_t kRowsPerPart = 64;

double probability(const LayerDropout& dropout, DropPlace place) {
  switch (place) {
    case DropPlace::input:
      return dropout.input;
    case DropPlace::weights:
      return dropout.weights;
    case DropPlace::attention:
      return dropout.attention;
    case DropPlace::activation:
      return dropout.activation;
    case DropPlace::feed_forward:
      break;
  }
  return dropout.feed_forward;
}

void check_norm(const LayerChecks& check, const LayerNorm& norm, std::int64_t width, const std::string& name) {
  check.optional_weight(norm.weight, {width}, name + ".weight");
  check.optional_weight(norm.bias, {width}, name + ".bias");
  if (norm.eps > 0.0 && std::isfinite(norm.eps)) return;
  base::refuse(check.where, name, ".eps must be above 0 and finite but got ", norm.eps);
}

void check_feed_forward(const LayerChecks& check, const FeedForward& weights, std::int64_t width) {
  if (weights.linear1_weight.rank == 0) {
    if (weights.linear1_bias.rank + weights.linear2_weight.rank + weights.linear2_bias.rank == 0) return;
    base::refuse(check.where, "linear1_weight must be given if other weights of the feed-forward part are given");
  }
  check.weight(weights.linear1_weight, {"F", width}, "linear1_weight");
  const std::int64_t hidden = weights.linear1_weight.shape[0];
  if (hidden < 1) {
    base::refuse(check.where, "linear1_weight must have at least 1 row but is ", shape_text(weights.linear1_weight));
  }
  check.optional_weight(weights.linear1_bias, {hidden}, "linear1_bias");
  check.weight(weights.linear2_weight, {width, hidden}, "linear2_weight");
  check.optional_weight(weights.linear2_bias, {width}, "linear2_bias");
}

void check_enum(const LayerChecks& check, int value, int count, const std::string& name) {
  if (value >= 0 && value < count) return;
  base::refuse(check.where, name, " must be one of its ", count, " values but is ", value);
}

void check_options(const LayerCall& call) {
  const LayerOptions& options = call.options;
  check_enum(call.check, static_cast<int>(call.layer.norm), 2, "norm");
  check_enum(call.check, static_cast<int>(call.layer.activation), 2, "activation");
  check_enum(call.check, static_cast<int>(call.layer.residual), 2, "residual");
  base::require(options.attention.attend.dropout.p == 0.0, call.check.where,
                "dropout of attention weights is set by dropout.weights, but attention.attend.dropout.p is ",
                options.attention.attend.dropout.p);
  base::require(options.rows || (options.scale == 1.0 && options.dropout.input == 0.0), call.check.where,
                "scale and dropout.input need rows");
  if (!options.rows && options.positions.count != 0) base::refuse(call.check.where, "positions need rows");
  for (const DropPlace place :
       {DropPlace::input, DropPlace::weights, DropPlace::attention, DropPlace::activation, DropPlace::feed_forward}) {
    rows::check_dropout(call.dropout(place), call.batch, call.tokens, call.check.where);
  }
}

template <class Real>
Real activate(Activation activation, Real x) {
  if (activation == Activation::relu) return x > Real{0} || std::isnan(x) ? x : Real{0};
  return x * Real{0.5} * std::erfc(-x * static_cast<Real>(0.70710678118654752440));
}

}  // namespace

LayerCall::LayerCall(const ConstView& x_given, const TransformerLayer& layer_given, const LayerOptions& options_given,
                     std::string_view where)
    : check{where},
      layer(layer_given),
      options(options_given),
      x(x_given),
      positions(options_given.positions),
      attention(options_given.attention) {
  const MultiHeadCall heads(x, layer.attention, options.attention, where);
  batch = heads.batch;
  tokens = heads.queries;
  width = heads.width;
  check_norm(check, layer.norm1, width, "norm1");
  check_feed_forward(check, layer.feed_forward, width);
  if (feeds_forward()) check_norm(check, layer.norm2, width, "norm2");
  check_options(*this);
  hidden = feeds_forward() ? layer.feed_forward.linear1_weight.shape[0] : 0;
  if (positions.count == 0) positions = PositionView::range(0, tokens);
  if (options.rows) check_rows(*options.rows, positions, where);
  attention.attend.dropout = dropout(DropPlace::weights);
  embed = {.scale = options.scale, .dropout = dropout(DropPlace::input), .workers = workers()};
  linear1 = {layer.feed_forward.linear1_weight, layer.feed_forward.linear1_bias};
  linear2 = {layer.feed_forward.linear2_weight, layer.feed_forward.linear2_bias};
}

Dropout LayerCall::dropout(DropPlace place) const {
  const LayerDropout& all = options.dropout;
  const PhiloxKey key = {static_cast<std::uint32_t>(all.seed), static_cast<std::uint32_t>(all.seed >> 32)};
  const PhiloxCounter seed = philox4x32({static_cast<std::uint32_t>(place), 0, 0, 0}, key);
  return {.p = probability(all, place),
          .seed = seed[0] | static_cast<std::uint64_t>(seed[1]) << 32,
          .step = all.step,
          .first_row = all.first_row,
          .first_token = all.first_token};
}

template <class Real>
void LayerCall::drop(DropPlace place, base::AlignedVector<Real>& rows, std::int64_t channels) const {
  const Dropout dropout = this->dropout(place);
  if (dropout.p == 0.0) return;
  const std::int64_t parts = (lines() + kRowsPerPart - 1) / kRowsPerPart;
  run_parts(workers(), parts, [&](std::int64_t part) {
    rows::DropoutRows mask(dropout, channels);
    const std::int64_t last = std::min(lines(), (part + 1) * kRowsPerPart);
    for (std::int64_t line = part * kRowsPerPart; line < last; ++line) {
      mask.apply(line / tokens, line % tokens, rows.data() + line * channels);
    }
  });
}

template <class Real>
LayerPass<Real> run_layer(const LayerCall& call, const MultiHeadOptions& attention) {
  const TransformerLayer& layer = call.layer;
  const auto size = static_cast<std::size_t>(call.lines() * call.width);
  const auto normed = [&](base::AlignedVector<Real>& from, const LayerNorm& norm) {
    base::AlignedVector<Real> to(size);
    layer_norm(call.as_tokens(from), norm, call.as_tokens(to), call.workers());
    return to;
  };
  LayerPass<Real> pass;
  pass.encoded.resize(size);
  if (call.options.rows) {
    add_positions(call.x, call.positions, *call.options.rows, call.as_tokens(pass.encoded), call.embed);
  } else {
    store_numbers(ContiguousNumbers<Real>(call.x).data(), call.as_tokens(pass.encoded));
  }
  if (call.is_pre()) pass.attended = normed(pass.encoded, layer.norm1);
  pass.sum1.resize(size);
  multi_head_attend(call.as_tokens(pass.attention_input()), layer.attention, call.as_tokens(pass.sum1), attention);
  call.drop(DropPlace::attention, pass.sum1, call.width);
  if (layer.residual == Residual::encoded) {
    add_to(pass.sum1, pass.encoded);
  } else {
    add_numbers(ContiguousNumbers<Real>(call.x).data(), call.as_tokens(pass.sum1));
  }
  if (!call.is_pre()) pass.y = normed(pass.sum1, layer.norm1);
  if (!call.feeds_forward()) return pass;
  if (call.is_pre()) pass.fed = normed(pass.sum1, layer.norm2);
  pass.hidden.resize(static_cast<std::size_t>(call.lines() * call.hidden));
  linear(pass.feed_input().data(), call.lines(), call.linear1, pass.hidden.data(), call.workers());
  pass.active.resize(pass.hidden.size());
  std::transform(pass.hidden.begin(), pass.hidden.end(), pass.active.begin(),
                 [&](Real value) { return activate(layer.activation, value); });
  call.drop(DropPlace::activation, pass.active, call.hidden);
  pass.sum2.resize(size);
  linear(pass.active.data(), call.lines(), call.linear2, pass.sum2.data(), call.workers());
  call.drop(DropPlace::feed_forward, pass.sum2, call.width);
  add_to(pass.sum2, pass.middle());
  return pass;
}

template void LayerCall::drop(DropPlace, base::AlignedVector<float>&, std::int64_t) const;
template void LayerCall::drop(DropPlace, base::AlignedVector<double>&, std::int64_t) const;
template LayerPass<float> run_layer(const LayerCall&, const MultiHeadOptions&);
template LayerPass<double> run_layer(const LayerCall&, const MultiHeadOptions&);

}  // namespace posenc::layers
