#include "posenc/layer.h"

#include "core/layers/layer_call.h"
#include "core/layers/multi_head_call.h"

namespace posenc {
namespace {

template <class Real>
void run(const layers::LayerCall& call, const View& out) {
  layers::LayerPass<Real> pass = layers::run_layer<Real>(call, call.attention);
  base::AlignedVector<Real>& last = pass.sum2.empty() ? pass.middle() : pass.sum2;
  if (call.feeds_forward() && !call.is_pre()) {
    layer_norm(call.as_tokens(last), call.layer.norm2, call.as_tokens(last), call.workers());
  }
  layers::store_numbers(last.data(), out);
}

}  // namespace

void apply_layer(const ConstView& x, const TransformerLayer& layer, const View& out, const LayerOptions& options) {
  constexpr std::string_view kWhere = "apply_layer";
  const layers::LayerCall call(x, layer, options, kWhere);
  layers::check_outputs(layers::MultiHeadCall(x, layer.attention, options.attention, kWhere), out);
  const FeedForward& weights = layer.feed_forward;
  for (const layers::NamedView& written :
       {layers::NamedView{"average_weights", options.attention.average_weights},
        layers::NamedView{"attend.weights", options.attention.attend.weights},
        layers::NamedView{"attend.log_sum_exp", options.attention.attend.log_sum_exp}}) {
    call.check.apart_from(written, {{"x", x},
                                    {"norm1.weight", layer.norm1.weight},
                                    {"norm1.bias", layer.norm1.bias},
                                    {"linear1_weight", weights.linear1_weight},
                                    {"linear1_bias", weights.linear1_bias},
                                    {"linear2_weight", weights.linear2_weight},
                                    {"linear2_bias", weights.linear2_bias},
                                    {"norm2.weight", layer.norm2.weight},
                                    {"norm2.bias", layer.norm2.bias}});
  }
  if (x.size() == 0) return;
  x.dtype == DType::f64 ? run<double>(call, out) : run<float>(call, out);
}

}  // namespace posenc
