// One bias with its numbers: the value and the derivatives at a query and some keys. What BiasValues evaluates.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/spec/bound_parameters.h"
#include "posenc/bias.h"

namespace posenc::biases {

// Keys are positions as doubles, of integers exact; `heads`, where it matters, is the schedule's.
class BiasTerm {
 public:
  virtual ~BiasTerm() = default;

  // values[k] = bias of the head at the query and keys[k].
  virtual void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const = 0;

  // Whether the offset alone decides, for queries up to the largest: then (0, key - query) has the same value.
  virtual bool by_offset(double /*largest_query*/) const noexcept { return false; }
  // Whether the key alone decides.
  virtual bool by_key() const noexcept { return false; }
  // Whether positions are read as indices.
  virtual bool needs_integers() const noexcept { return false; }
  // Throws where a pair of these positions has no value.
  virtual void check(const PositionView& /*queries*/, const PositionView& /*keys*/, std::string_view /*where*/) const {}
  // Memory that is read while the bias is evaluated; null where all was copied.
  virtual ConstView memory() const noexcept { return {}; }

  // What scores are multiplied by before the bias is added.
  virtual bool has_factor() const noexcept { return false; }
  virtual void fill_factor(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                           double* /*values*/) const {}

  // sums[gradient_size()] of a head += the derivatives, each key's times its number of grads; the same for the factor,
  // where grads are those of the scores times the scores before it.
  virtual std::int64_t gradient_size() const noexcept { return 0; }
  virtual void add_gradient(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                            const double* /*grads*/, double* /*sums*/) const {}
  virtual void add_factor_gradient(std::int64_t /*head*/, double /*query*/, std::span<const double> /*keys*/,
                                   const double* /*grads*/, double* /*sums*/) const {}
  // The gradient of a parameter, in its shape, of the sums of all heads, [heads][gradient_size()].
  virtual std::vector<double> gradient_of(std::string_view /*name*/, std::span<const double> /*sums*/,
                                          std::int64_t /*heads*/) const {
    return {};
  }
};

// The term of a schedule. `parameters` must live as long as it.
std::unique_ptr<BiasTerm> make_bias_term(const BiasSchedule& schedule, const spec::BoundParameters& parameters);

// Those of some kinds have a source of their own.
std::unique_ptr<BiasTerm> make_kerple_term(const Kerple& spec, const spec::BoundParameters& parameters);
std::unique_ptr<BiasTerm> make_fire_term(const Fire& spec, const spec::BoundParameters& parameters);
std::unique_ptr<BiasTerm> make_matrix_term(const spec::BoundParameters& parameters);

inline double distance_of(DistanceRule rule, double query, double key) noexcept {
  const double past = query - key;
  return rule == DistanceRule::causal ? (past > 0.0 ? past : 0.0) : (past < 0.0 ? -past : past);
}

}  // namespace posenc::biases
