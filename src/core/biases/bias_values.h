// A bias with its parameters in double: what attention evaluates, tile by tile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/biases/bias_term.h"
#include "core/spec/bound_parameters.h"
#include "posenc/bias.h"

namespace posenc::biases {

class BiasValues {
 public:
  BiasValues(const Spec& spec, const Parameters& parameters, std::string_view where);
  explicit BiasValues(BiasSchedule schedule);  // of what has no parameters: a function
  BiasValues(const BiasValues&) = delete;
  BiasValues& operator=(const BiasValues&) = delete;

  const BiasSchedule& schedule() const noexcept { return schedule_; }

  // Throws unless the bias has a value for all pairs of these positions, for `heads` heads. `where` opens the message.
  // Everything below expects that this passed.
  void check(std::int64_t heads, const PositionView& queries, const PositionView& keys, std::string_view where) const;
  // What is still read of the caller's memory, or null: outputs must be apart from it.
  ConstView memory() const noexcept { return term_->memory(); }

  // Whether scores are also multiplied: score = factor of the pair * score + bias.
  bool has_factor() const noexcept { return term_->has_factor(); }

  // scores[q * stride + k] += scale * bias of the tile's query q and key k, after they were multiplied by the factor of
  // the pair, where there is one. Real is float or double; the bias is rounded to it once.
  template <class Real>
  void add(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale, Real* scores,
           std::int64_t stride) const;

  // Gradients are summed in double per head, gradient_size() numbers each (0: nothing is learned), and then added to
  // the caller's views: `sums` is [H][gradient_size()]. grad_scores is of scores that add gave. Where has_factor(),
  // scores_before is what add got (else it may be null), and grad_scores becomes the gradient of that.
  std::int64_t gradient_size() const noexcept { return term_->gradient_size(); }
  template <class Real>
  void add_gradient(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale,
                    const Real* scores_before, Real* grad_scores, std::int64_t stride, double* head_sums) const;
  void check_gradients(const Gradients& gradients, std::string_view where) const;
  void store_gradients(std::span<const double> sums, std::int64_t heads, const Gradients& gradients) const;

 private:
  BiasSchedule schedule_;
  spec::BoundParameters parameters_;
  std::unique_ptr<BiasTerm> term_;  // refers to both
};

}  // namespace posenc::biases
