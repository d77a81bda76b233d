#include "core/layers/multi_head_call.h"

#include <string>

#include "core/base/refuse.h"

namespace posenc::layers {
namespace {

void check_out_weight(const LayerChecks& check, const MultiHeadAttention& weights) {
  const ConstView& out = weights.out_proj_weight;
  if (out.rank != 2 || out.shape[1] < 1 || out.shape[1] % weights.heads != 0) {
    base::refuse(check.where, "out_proj_weight must be [M, H D] with a width that is a multiple of heads, ",
                 weights.heads, ", but is ", shape_text(out));
  }
}

void check_context(const LayerChecks& check, const ConstView& x, const ConstView& context) {
  const base::Shape wanted = x.rank == 3 ? base::Shape{x.shape[0], "S", x.shape[2]} : base::Shape{"S", x.shape[1]};
  base::check_view(context, {.dtypes = x.dtype, .shape = wanted, .like = "x"}, check.where, "context");
}

}  // namespace

MultiHeadCall::MultiHeadCall(const ConstView& x_given, const MultiHeadAttention& weights_given,
                             const MultiHeadOptions& options_given, std::string_view where)
    : check{where},
      weights(weights_given),
      options(options_given),
      x(x_given),
      context(options_given.context.rank > 0 ? options_given.context : x_given),
      crosses(options_given.context.rank > 0) {
  check.tokens(x, "x");
  if (crosses) check_context(check, x, context);
  key_heads = check.key_heads(weights.heads, weights.key_heads);
  check_out_weight(check, weights);
  const auto tokens = static_cast<std::size_t>(x.rank - 2);
  batch = x.rank == 3 ? x.shape[0] : 1;
  queries = x.shape[tokens];
  keys = context.shape[tokens];
  width = x.shape[tokens + 1];
  if (width < 1) base::refuse(check.where, "x must have at least 1 channel but is ", shape_text(x));
  heads = weights.heads;
  head_dim = weights.out_proj_weight.shape[1] / heads;
  const std::int64_t packed = query_width() + 2 * key_width();
  check.weight(weights.in_proj_weight, {packed, width}, "in_proj_weight");
  check.optional_weight(weights.in_proj_bias, {packed}, "in_proj_bias");
  check.weight(weights.out_proj_weight, {width, query_width()}, "out_proj_weight");
  check.optional_weight(weights.out_proj_bias, {width}, "out_proj_bias");
  in = {weights.in_proj_weight, weights.in_proj_bias};
  query_in = {row_slice(in.weight, 0, query_width()), row_slice(in.bias, 0, query_width())};
  key_value_in = {row_slice(in.weight, query_width(), 2 * key_width()),
                  row_slice(in.bias, query_width(), 2 * key_width())};
  out = {weights.out_proj_weight, weights.out_proj_bias};
}

View MultiHeadCall::as_heads(void* rows, std::int64_t tokens, std::int64_t count, std::int64_t pitch) const {
  if (x.rank == 2) return {rows, x.dtype, 3, {tokens, count, head_dim}, {pitch, head_dim, 1}};
  return {rows, x.dtype, 4, {batch, tokens, count, head_dim}, {tokens * pitch, pitch, head_dim, 1}};
}

// Allocates one extra row, so that the pointer is valid even without tokens.
template <class Real>
MultiHeadRows<Real>::MultiHeadRows(const MultiHeadCall& call)
    : query_memory(static_cast<std::size_t>((call.batch * call.queries + 1) * call.query_pitch())),
      key_memory(static_cast<std::size_t>(call.crosses ? (call.batch * call.keys + 1) * call.key_pitch() : 0)) {
  Real* const queries = query_memory.data();
  Real* const keys = call.crosses ? key_memory.data() : queries + call.query_width();
  q = call.as_heads(queries, call.queries, call.heads, call.query_pitch());
  k = call.as_heads(keys, call.keys, call.key_heads, call.key_pitch());
  v = call.as_heads(keys + call.key_width(), call.keys, call.key_heads, call.key_pitch());
}

template <class Real>
void project(const MultiHeadCall& call, MultiHeadRows<Real>& rows) {
  const ContiguousNumbers<Real> x(call.x);
  const std::int64_t lines = call.batch * call.queries;
  if (!call.crosses) return linear(x.data(), lines, call.in, rows.query_memory.data(), call.workers());
  const ContiguousNumbers<Real> context(call.context);
  linear(x.data(), lines, call.query_in, rows.query_memory.data(), call.workers());
  linear(context.data(), call.batch * call.keys, call.key_value_in, rows.key_memory.data(), call.workers());
}

template struct MultiHeadRows<float>;
template struct MultiHeadRows<double>;
template void project(const MultiHeadCall&, MultiHeadRows<float>&);
template void project(const MultiHeadCall&, MultiHeadRows<double>&);

}  // namespace posenc::layers
