// One transformer layer, checked and settled, and its forward pass with all that the backward pass needs of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/aligned_vector.h"
#include "core/layers/layer_checks.h"
#include "core/layers/linear.h"
#include "posenc/embed.h"
#include "posenc/layer.h"

namespace posenc::layers {

// The places of LayerDropout, in its order.
enum class DropPlace : std::uint32_t { input, weights, attention, activation, feed_forward };

// Views and options must outlive it.
struct LayerCall {
  // Throws unless x, weights, rows and options fit.
  LayerCall(const ConstView& x, const TransformerLayer& layer, const LayerOptions& options, std::string_view where);

  LayerChecks check;
  const TransformerLayer& layer;
  const LayerOptions& options;
  ConstView x;
  std::int64_t batch = 1, tokens = 0, width = 0, hidden = 0;  // B, N, M, F
  PositionView positions;
  MultiHeadOptions attention;  // with its dropout, and as given
  EmbedOptions embed;
  LinearWeights linear1, linear2;

  bool is_pre() const noexcept { return layer.norm == NormPlace::pre; }
  bool feeds_forward() const noexcept { return layer.feed_forward.linear1_weight.rank > 0; }
  std::int64_t lines() const noexcept { return batch * tokens; }
  const Workers* workers() const noexcept { return options.attention.attend.workers; }
  Dropout dropout(DropPlace place) const;
  // Contiguous rows in the shape of x.
  template <class Real>
  View as_tokens(base::AlignedVector<Real>& rows) const {
    if (x.rank == 2) return make_view(rows.data(), {tokens, width});
    return make_view(rows.data(), {batch, tokens, width});
  }
  // Drops what a place drops of rows that are `channels` wide.
  template <class Real>
  void drop(DropPlace place, base::AlignedVector<Real>& rows, std::int64_t channels) const;
};

// What every step gave; [B N, M] but for hidden and active, [B N, F].
template <class Real>
struct LayerPass {
  base::AlignedVector<Real> encoded;   // h
  base::AlignedVector<Real> attended;  // what attention read: norm1(h), or empty where that is h
  base::AlignedVector<Real> sum1;      // r + what attention gave
  base::AlignedVector<Real> y;         // norm1(sum1), or empty where that is sum1
  base::AlignedVector<Real> fed;       // what the feed-forward part read: norm2(y), or empty where that is y
  base::AlignedVector<Real> hidden;    // before the activation
  base::AlignedVector<Real> active;    // behind it, and behind its dropout
  base::AlignedVector<Real> sum2;      // y + what it gave, or empty without it

  base::AlignedVector<Real>& attention_input() { return attended.empty() ? encoded : attended; }
  base::AlignedVector<Real>& middle() { return y.empty() ? sum1 : y; }
  base::AlignedVector<Real>& feed_input() { return fed.empty() ? middle() : fed; }
};

// `attention` is the call's, or that without its outputs.
template <class Real>
LayerPass<Real> run_layer(const LayerCall& call, const MultiHeadOptions& attention);

// a += b.
template <class Real>
void add_to(base::AlignedVector<Real>& a, const base::AlignedVector<Real>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
}

}  // namespace posenc::layers
