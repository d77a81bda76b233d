// One bias with its numbers, in double. A kind of bias derives its term from BiasTerm and says what it adds at a query
// and some keys; the base class adds that to tiles of scores.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spec/bound_parameters.h"
#include "core/spec/kind_row.h"
#include "posenc/bias.h"

namespace posenc::biases {

// Keys are positions as doubles, of integers exact.
class BiasTerm {
 public:
  BiasTerm(BiasSchedule schedule, spec::BoundParameters parameters)
      : schedule_(std::move(schedule)), parameters_(std::move(parameters)) {}
  BiasTerm(const BiasTerm&) = delete;
  BiasTerm& operator=(const BiasTerm&) = delete;
  virtual ~BiasTerm() = default;

  // What attention asks for.

  const BiasSchedule& schedule() const noexcept { return schedule_; }

  // Throws unless the bias has a value for all pairs of these positions, for `heads` heads. `where` opens the message.
  // Everything below expects that this passed.
  void check(std::int64_t heads, const PositionView& queries, const PositionView& keys, std::string_view where) const;

  // scores[q * stride + k] += scale * bias of the tile's query q and key k, after they were multiplied by the factor of
  // the pair, where there is one. Real is float or double; the bias is rounded to it once.
  template <class Real>
  void add(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale, Real* scores,
           std::int64_t stride) const;

  // Gradients are summed in double per head, gradient_size() numbers each (0: nothing is learned), and then added to
  // the caller's views: `sums` is [H][gradient_size()]. grad_scores is of scores that add gave. Where has_factor(),
  // scores_before is what add got (else it may be null), and grad_scores becomes the gradient of that.
  template <class Real>
  void add_gradient(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale,
                    const Real* scores_before, Real* grad_scores, std::int64_t stride, double* head_sums) const;
  void check_gradients(const Gradients& gradients, std::string_view where) const;
  void store_gradients(std::span<const double> sums, std::int64_t heads, const Gradients& gradients) const;

  // What a kind says.

  // values[k] = bias of the head at the query and keys[k].
  virtual void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const = 0;

  // Whether the offset alone decides, for queries up to the largest: then (0, key - query) has the same value.
  virtual bool by_offset(double /*largest_query*/) const noexcept { return false; }
  // Whether the key alone decides.
  virtual bool by_key() const noexcept { return false; }
  // Whether positions are read as indices.
  virtual bool needs_integers() const noexcept { return false; }
  // Throws where a pair of these positions has no value.
  virtual void check_pairs(const PositionView& /*queries*/, const PositionView& /*keys*/,
                           std::string_view /*where*/) const {}
  // What is still read of the caller's memory, or null where all was copied: outputs must be apart from it.
  virtual ConstView memory() const noexcept { return {}; }

  // What scores are multiplied by before the bias is added: score = factor of the pair * score + bias.
  virtual bool has_factor() const noexcept { return false; }
  virtual void fill_factor(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                           double* /*values*/) const {}

  // sums[gradient_size()] of a head += the derivatives, each key's times its number of grads; the same for the factor,
  // where grads are those of the scores times the scores before it.
  virtual std::int64_t gradient_size() const noexcept { return 0; }
  virtual void sum_gradient(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                            const double* /*grads*/, double* /*sums*/) const {}
  virtual void sum_factor_gradient(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                                   const double* /*grads*/, double* /*sums*/) const {}
  // The gradient of a parameter, in its shape, of the sums of all heads, [heads][gradient_size()].
  virtual std::vector<double> gradient_of(std::string_view /*name*/, std::span<const double> /*sums*/,
                                          std::int64_t /*heads*/) const {
    return {};
  }

 protected:
  const spec::BoundParameters& parameters() const noexcept { return parameters_; }

 private:
  BiasSchedule schedule_;
  spec::BoundParameters parameters_;
};

// What a kind of bias gives beside its fields. Both expect a spec of that kind, without errors.
struct BiasRow {
  BiasSchedule (*schedule)(const Spec& spec) = nullptr;
  std::unique_ptr<BiasTerm> (*term)(const Spec& spec, spec::BoundParameters parameters) = nullptr;
};

// The usual two: schedule_of(spec) of the kind, and a term that is constructed from the spec and the parameters.
template <auto schedule, class Term>
inline constexpr BiasRow kBiasRow = {
    spec::of_kind<schedule>, [](const Spec& spec, spec::BoundParameters parameters) -> std::unique_ptr<BiasTerm> {
      return std::make_unique<Term>(std::get<typename Term::Kind>(spec), std::move(parameters));
    }};

inline double distance_of(DistanceRule rule, double query, double key) noexcept {
  const double past = query - key;
  return rule == DistanceRule::causal ? (past > 0.0 ? past : 0.0) : (past < 0.0 ? -past : past);
}

}  // namespace posenc::biases
