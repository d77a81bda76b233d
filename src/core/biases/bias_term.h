// A bias with its parameters, in double. A kind of bias derives its term from BiasTerm and implements the value for a
// query and several keys; the base class adds these values to tiles of scores.
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

// Queries and keys are given by their positions, as doubles; integer positions are exact.
class BiasTerm {
 public:
  BiasTerm(BiasSchedule schedule, spec::BoundParameters parameters)
      : schedule_(std::move(schedule)), parameters_(std::move(parameters)) {}
  BiasTerm(const BiasTerm&) = delete;
  BiasTerm& operator=(const BiasTerm&) = delete;
  virtual ~BiasTerm() = default;

  // Called by attention.

  const BiasSchedule& schedule() const noexcept { return schedule_; }

  // Throws unless the bias has a value for all pairs of these positions, for `heads` heads. Messages begin with
  // [where]. All functions below require that this has passed.
  void check(std::int64_t heads, const PositionView& queries, const PositionView& keys, std::string_view where) const;

  // scores[q * stride + k] += scale * bias of the tile's query q and key k. Scores are first multiplied by the factor
  // of the pair, if the bias has factors. Real is float or double; the bias is rounded to it once.
  template <class Real>
  void add(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale, Real* scores,
           std::int64_t stride) const;

  // add_gradient sums gradients in double, gradient_size() numbers per head (0: no parameters); store_gradients adds
  // the sums, [H][gradient_size()], to the caller's views. grad_scores is the gradient of the result of add. If
  // has_factor(), scores_before is the input of add (else it may be null), and grad_scores is replaced by the gradient
  // of that input.
  template <class Real>
  void add_gradient(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale,
                    const Real* scores_before, Real* grad_scores, std::int64_t stride, double* head_sums) const;
  void check_gradients(const Gradients& gradients, std::string_view where) const;
  void store_gradients(std::span<const double> sums, std::int64_t heads, const Gradients& gradients) const;

  // Implemented by each kind.

  // Writes values[k] = bias of the head at the query and keys[k].
  virtual void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const = 0;

  // Whether the bias depends only on the offset, for queries up to largest_query: (query, key) then has the same value
  // as (0, key - query).
  virtual bool by_offset(double /*largest_query*/) const noexcept { return false; }
  // Whether the bias depends on the key alone.
  virtual bool by_key() const noexcept { return false; }
  // Whether positions are used as indices.
  virtual bool needs_integers() const noexcept { return false; }
  // Throws if a pair of these positions has no value.
  virtual void check_pairs(const PositionView& /*queries*/, const PositionView& /*keys*/,
                           std::string_view /*where*/) const {}
  // The caller's memory that is read at every use, or null if all was copied: outputs must not overlap it.
  virtual ConstView memory() const noexcept { return {}; }

  // The factor on scores, applied before the bias: score = factor of the pair * score + bias.
  virtual bool has_factor() const noexcept { return false; }
  virtual void fill_factor(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                           double* /*values*/) const {}

  // The gradients of the parameters: adds to the gradient_size() sums of a head, for each parameter and key k, grads[k]
  // times the derivative of the value at keys[k]. For the factor, grads[k] is the gradient of the score times the score
  // before it.
  virtual std::int64_t gradient_size() const noexcept { return 0; }
  virtual void sum_gradient(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                            const double* /*grads*/, double* /*sums*/) const {}
  virtual void sum_factor_gradient(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                                   const double* /*grads*/, double* /*sums*/) const {}
  // Returns the gradient of a parameter, in its shape, from the sums of all heads, [heads][gradient_size()].
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

// The functions that a kind of bias defines in addition to its fields. Both expect a valid spec of that kind.
struct BiasRow {
  BiasSchedule (*schedule)(const Spec& spec) = nullptr;
  std::unique_ptr<BiasTerm> (*term)(const Spec& spec, spec::BoundParameters parameters) = nullptr;
};

// The usual row: calls `schedule` for the schedule, and constructs a Term from the spec and the parameters.
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
