// A bias with its parameters in double: what attention evaluates, tile by tile.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "posenc/bias.h"

namespace posenc::detail {

class BiasValues {
 public:
  BiasValues(BiasSchedule schedule, const Parameters& parameters);

  const BiasSchedule& schedule() const noexcept { return schedule_; }

  // Throws unless the bias has a value for all pairs of these positions, for `heads` heads. `where` opens the message.
  // Everything below expects that this passed.
  void check(std::int64_t heads, const PositionView& queries, const PositionView& keys, std::string_view where) const;

  // scores[q * stride + k] += factor * bias of the tile's query q and key k; Real is float or double.
  template <class Real>
  void add(const Tile& tile, const PositionView& queries, const PositionView& keys, double factor, Real* scores,
           std::int64_t stride) const;

  // Gradients are summed in double per head, gradient_size() numbers each (0: nothing is learned), and then added to
  // the caller's views: `sums` is [H][gradient_size()]. grad_scores is of scores to which factor * bias was added.
  std::int64_t gradient_size() const noexcept;
  template <class Real>
  void add_gradient(const Tile& tile, const PositionView& queries, const PositionView& keys, double factor,
                    const Real* grad_scores, std::int64_t stride, double* head_sums) const;
  void check_gradients(const Gradients& gradients, std::string_view where) const;
  void store_gradients(std::span<const double> sums, std::int64_t heads, const Gradients& gradients) const;

 private:
  BiasSchedule schedule_;
};

}  // namespace posenc::detail
