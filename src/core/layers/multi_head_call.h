// The arguments of multi-head attention, checked, for the forward and the backward pass.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/attention/attend_call.h"
#include "core/base/aligned_vector.h"
#include "core/layers/layer_checks.h"
#include "core/layers/linear.h"
#include "posenc/multi_head.h"

namespace posenc::layers {

// Views and options must outlive it.
struct MultiHeadCall {
  // Throws if x, context and weights do not fit together.
  MultiHeadCall(const ConstView& x, const MultiHeadAttention& weights, const MultiHeadOptions& options,
                std::string_view where);

  LayerChecks check;
  const MultiHeadAttention& weights;
  const MultiHeadOptions& options;
  ConstView x;
  ConstView context;                                         // x if no context is given
  bool crosses;                                              // whether a context is given
  std::int64_t batch = 1, queries = 0, keys = 0, width = 0;  // B, N, S, M
  std::int64_t heads = 0, key_heads = 0, head_dim = 0;       // H, G, D
  LinearWeights in, query_in, key_value_in, out;

  std::int64_t query_width() const noexcept { return heads * head_dim; }
  std::int64_t key_width() const noexcept { return key_heads * head_dim; }
  // The distance in numbers from one row of queries to the next, and from one row of keys or values to the next.
  std::int64_t query_pitch() const noexcept { return query_width() + (crosses ? 0 : 2 * key_width()); }
  std::int64_t key_pitch() const noexcept { return 2 * key_width() + (crosses ? 0 : query_width()); }
  const Workers* workers() const noexcept { return options.attend.workers; }
  // Returns rows of tokens as heads: [N, heads, D], with a batch axis if x has one.
  View as_heads(void* rows, std::int64_t tokens, std::int64_t count, std::int64_t pitch) const;
};

// Queries, keys and values, or their gradients, in memory of their own. If all come from x, a row holds a token's
// queries, keys and values.
template <class Real>
struct MultiHeadRows {
  explicit MultiHeadRows(const MultiHeadCall& call);

  base::AlignedVector<Real> query_memory;  // [B N, query_pitch]
  base::AlignedVector<Real> key_memory;    // [B S, key_pitch], only with a context
  View q, k, v;
};

// Throw if `out`, the outputs in the options or the gradients have the wrong shape, or overlap a view that is read
// later.
void check_outputs(const MultiHeadCall& call, const View& out);
void check_gradients(const MultiHeadCall& call, const ConstView& grad_out, const MultiHeadGradients& gradients);

// Return the views that multi-head attention reads, and the gradients that it writes, each with the name of its
// parameter or input.
std::vector<NamedView> read_views(const ConstView& x, const MultiHeadAttention& weights,
                                  const MultiHeadOptions& options);
std::vector<NamedView> written_views(const MultiHeadGradients& gradients);

template <class Real>
void project(const MultiHeadCall& call, MultiHeadRows<Real>& rows);

}  // namespace posenc::layers
