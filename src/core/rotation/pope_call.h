// The arguments of a PoPE call and their checks, for the forward and the backward pass.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/with_axes.h"
#include "core/rotation/rotate_checks.h"
#include "posenc/pope.h"

namespace posenc::rotation {

enum class PopeSide : int { query, key };

// Returns head h of a token of [B, N, H, channels], as [1, channels].
template <class Void>
BasicView<Void> one_head(const BasicView<Void>& view, std::int64_t b, std::int64_t n, std::int64_t h) {
  BasicView<Void> head = view[b][n];
  head.data = head[h].data;
  head.shape[0] = 1;
  return head;
}

struct PopeCall {
  const PositionView& positions;
  const PopeAngles& angles;
  const PopeOptions& options;
  PopeSide side;
  std::string_view where;

  // The sign with which delta is added to the angle.
  double sign() const noexcept { return side == PopeSide::key ? 1.0 : -1.0; }
};

// Throws if x or delta do not fit the encoding, or a token has no position.
void check_pope_input(const ConstView& x, const PopeCall& call, std::string_view name);
// Throws unless `view` is like x except for the number of channels; its dtype is that of x, or f32 for 16-bit x.
void check_pope_like(const ConstView& view, const ConstView& x, std::int64_t channels, std::string_view name,
                     const PopeCall& call);
// The same for an output, which in addition must not overlap x, delta and positions.
void check_pope_output(const View& view, const ConstView& x, std::int64_t channels, std::string_view name,
                       const PopeCall& call);

// The cosines and sines of delta, [H][R], clamped if the spec asks for it, with the sign of the side; empty if delta
// was not given.
template <class Real>
struct PopeTurns {
  PopeTurns(const PopeCall& call, std::int64_t heads);

  bool empty() const noexcept { return cos.empty(); }

  std::vector<Real> cos, sin;
};

// Returns for each head and channel, [H][R], whether clamping stops the gradient of its angle; empty if it stops none.
std::vector<bool> pope_frozen(const PopeCall& call, std::int64_t heads);

// ln(1 + e^x) without overflow, and with full relative precision for small results.
template <class Real>
Real softplus(Real x) noexcept {
  return std::log1p(std::exp(-std::fabs(x))) + (x > Real(0) ? x : Real(0));
}
template <class Real>
Real sigmoid(Real x) noexcept {
  const Real small = std::exp(-std::fabs(x));
  return (x >= Real(0) ? Real(1) : small) / (Real(1) + small);
}

template <class Real>
Real magnitude_of(Magnitude magnitude, Real x) noexcept {
  if (magnitude == Magnitude::softplus) return softplus(x);
  return magnitude == Magnitude::relu && x < Real(0) ? Real(0) : x;
}
template <class Real>
Real magnitude_slope(Magnitude magnitude, Real x) noexcept {
  if (magnitude == Magnitude::softplus) return sigmoid(x);
  return magnitude == Magnitude::relu && !(x > Real(0)) ? Real(0) : Real(1);
}

// The cosines and sines of one token, and of one head if heads have their own angles.
template <class Real>
class PopeToken {
 public:
  PopeToken(const PopeCall& call, const PopeTurns<Real>& turns)
      : call_(call), turns_(turns), channels_(call.angles.rotary_dim()), cos_(size()), sin_(size()) {
    if (turns.empty()) return;
    head_cos_.resize(size());
    head_sin_.resize(size());
  }

  void move_to(std::int64_t b, std::int64_t n);
  void choose_head(std::int64_t h);
  const Real* cos() const noexcept { return turns_.empty() ? cos_.data() : head_cos_.data(); }
  const Real* sin() const noexcept { return turns_.empty() ? sin_.data() : head_sin_.data(); }

  // The index of the first number of channel c's pair.
  std::int64_t first(std::int64_t c) const noexcept { return is_interleaved() ? 2 * c : c; }
  std::int64_t second(std::int64_t c) const noexcept { return is_interleaved() ? 2 * c + 1 : c + channels_; }

 private:
  std::size_t size() const noexcept { return static_cast<std::size_t>(channels_); }
  bool is_interleaved() const noexcept { return call_.angles.spec().order == PopeOrder::interleaved; }

  const PopeCall& call_;
  const PopeTurns<Real>& turns_;
  std::int64_t channels_;
  std::vector<Real> cos_, sin_, head_cos_, head_sin_;
};

}  // namespace posenc::rotation
