// The arguments of a transformer layer, checked, and its forward pass, which keeps what the backward pass needs.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/aligned_vector.h"
#include "core/layers/layer_checks.h"
#include "core/layers/linear.h"
#include "posenc/embed.h"
#include "posenc/layer.h"

namespace posenc::layers {

// The places of LayerDropout, in the order of its fields.
enum class DropPlace : std::uint32_t { input, weights, attention, activation, feed_forward };

// Views and options must outlive it.
struct LayerCall {
  // Throws if x, weights, rows and options do not fit together.
  LayerCall(const ConstView& x, const TransformerLayer& layer, const LayerOptions& options, std::string_view where);

  LayerChecks check;
  const TransformerLayer& layer;
  const LayerOptions& options;
  ConstView x;
  std::int64_t batch = 1, tokens = 0, width = 0, hidden = 0;  // B, N, M, F
  PositionView positions;
  MultiHeadOptions attention;  // as given, plus the dropout of the layer
  EmbedOptions embed;
  LinearWeights linear1, linear2;

  bool is_pre() const noexcept { return layer.norm == NormPlace::pre; }
  bool feeds_forward() const noexcept { return layer.feed_forward.linear1_weight.rank > 0; }
  std::int64_t lines() const noexcept { return batch * tokens; }
  const Workers* workers() const noexcept { return options.attention.attend.workers; }
  Dropout dropout(DropPlace place) const;
  // Returns contiguous rows as a view with the shape of x.
  template <class Real>
  View as_tokens(base::AlignedVector<Real>& rows) const {
    if (x.rank == 2) return make_view(rows.data(), {tokens, width});
    return make_view(rows.data(), {batch, tokens, width});
  }
  // Applies the dropout of a place to rows with `channels` channels.
  template <class Real>
  void drop(DropPlace place, base::AlignedVector<Real>& rows, std::int64_t channels) const;
};

// The result of every step: [B N, M], except hidden and active, which are [B N, F]. h, r and y are those of
// posenc/layer.h.
template <class Real>
struct LayerPass {
  base::AlignedVector<Real> encoded;   // h
  base::AlignedVector<Real> attended;  // input of attention: norm1(h), or empty if it is h
  base::AlignedVector<Real> sum1;      // r + output of attention
  base::AlignedVector<Real> y;         // norm1(sum1), or empty if it is sum1
  base::AlignedVector<Real> fed;       // input of the feed-forward part: norm2(y), or empty if it is y
  base::AlignedVector<Real> hidden;    // before the activation
  base::AlignedVector<Real> active;    // after the activation and its dropout
  base::AlignedVector<Real> sum2;      // y + output of the feed-forward part, or empty without one

  base::AlignedVector<Real>& attention_input() { return attended.empty() ? encoded : attended; }
  base::AlignedVector<Real>& middle() { return y.empty() ? sum1 : y; }
  base::AlignedVector<Real>& feed_input() { return fed.empty() ? middle() : fed; }
};

// Runs the forward pass. `attention` is call.attention, with or without the optional outputs.
template <class Real>
LayerPass<Real> run_layer(const LayerCall& call, const MultiHeadOptions& attention);

// a += b.
template <class Real>
void add_to(base::AlignedVector<Real>& a, const base::AlignedVector<Real>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
}

}  // namespace posenc::layers
