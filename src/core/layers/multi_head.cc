#include "posenc/multi_head.h"

#include <vector>

#include "core/layers/multi_head_call.h"

namespace posenc {
namespace {

using base::AlignedVector;
using layers::MultiHeadCall;
using layers::MultiHeadRows;

// Averages weights [B, H, N, S], of any strides, over the heads.
template <class Real>
void store_average(const MultiHeadCall& call, const View& weights) {
  const std::int64_t lines = call.queries * call.keys;
  const layers::ContiguousNumbers<Real> numbers(weights);
  std::vector<double> average(static_cast<std::size_t>(call.batch * lines), 0.0);
  for (std::int64_t b = 0; b < call.batch; ++b) {
    for (std::int64_t h = 0; h < call.heads; ++h) {
      const Real* const from = numbers.data() + (b * call.heads + h) * lines;
      for (std::int64_t i = 0; i < lines; ++i) {
        average[static_cast<std::size_t>(b * lines + i)] += static_cast<double>(from[i]);
      }
    }
  }
  for (double& weight : average) weight /= static_cast<double>(call.heads);
  layers::store_numbers(average.data(), call.options.average_weights);
}

template <class Real>
void run(const MultiHeadCall& call, const View& out) {
  MultiHeadRows<Real> rows(call);
  AttendOptions options = call.options.attend;
  const attention::AttendCall attention(rows.q, rows.k, rows.v, options, call.check.where);
  attention.check_extra(options.weights, "attend.weights", attention.weights_shape());
  attention.check_extra(options.log_sum_exp, "attend.log_sum_exp", attention.log_sum_exp_shape());
  const bool averages = call.options.average_weights.rank > 0;
  AlignedVector<Real> weights;
  if (averages && options.weights.rank == 0) {
    weights.resize(static_cast<std::size_t>(call.batch * call.heads * call.queries * call.keys));
    options.weights = make_view(weights.data(), {call.batch, call.heads, call.queries, call.keys});
    if (call.x.rank == 2) options.weights = options.weights[0];
  }
  layers::project(call, rows);
  const std::int64_t lines = call.batch * call.queries;
  AlignedVector<Real> mixed(static_cast<std::size_t>(lines * call.query_width() + 1));
  attend(rows.q, rows.k, rows.v, call.as_heads(mixed.data(), call.queries, call.heads, call.query_width()), options);
  if (averages) store_average<Real>(call, options.weights);
  AlignedVector<Real> result(static_cast<std::size_t>(lines * call.width));
  layers::linear(mixed.data(), lines, call.out, result.data(), call.workers());
  layers::store_numbers(result.data(), out);
}

}  // namespace

void multi_head_attend(const ConstView& x, const MultiHeadAttention& weights, const View& out,
                       const MultiHeadOptions& options) {
  const MultiHeadCall call(x, weights, options, "multi_head_attend");
  layers::check_outputs(call, out);
  if (x.size() == 0) return;
  x.dtype == DType::f64 ? run<double>(call, out) : run<float>(call, out);
}

}  // namespace posenc
