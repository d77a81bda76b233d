// A context planner: what happens to a rotary encoding beyond the length that it was trained on.
//
//     posenc::ContextPlan plan = posenc::plan_context(posenc::Rotary{.head_dim = 128}, 4096, 32768);
//     plan.complete;        // pairs that complete a turn in training: they have met every angle
//     plan.new_angles;      // pairs that meet angles at the target that training never had
//     plan.smallest_base;   // of a plain ladder that prefers like keys over unlike ones at every distance up to there
//
// The last is the bound of Men et al. (2024), "Base of RoPE bounds context length": sum_i cos(m theta_i) is what is
// left of the score of a query and a key that are alike, at distance m; below zero it prefers keys that are unlike. It
// is computed here, not taken from their table. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

struct ContextPlan {
  std::int64_t trained = 0;                    // positions 0 .. trained - 1
  std::int64_t target = 0;                     // positions 0 .. target - 1
  std::vector<double> turns;                   // of each pair in training, with its trained_scaling
  std::vector<double> turns_at_target;         // of each pair, with it
  std::vector<std::int64_t> complete;          // pairs that complete a turn in training
  std::vector<std::int64_t> new_angles;        // pairs that do not, and go a step or more beyond what training had
  std::optional<std::int64_t> first_negative;  // the smallest distance below target with sum_i cos(m theta_i) < 0
  double smallest_sum = 0.0;                   // the smallest of those sums over the distances below target, per pair
  std::optional<double> smallest_base;         // none where there is none up to 1e18 (too few pairs), and for
                                               // frequencies that are given or multiplied by a scale
};

// `spec` has one axis; its scaling is what is to be tried, the trained encoding has the trained_scaling of it. A
// scaling that depends on the length of the sequence is taken at the target, unless the spec says otherwise. Lengths
// are 1 to 2^20. The base takes most of the time: a second for 32768 positions, some ten for 131072, minutes for 2^20.
// `progress` is told meanwhile which share of all bases has been looked at, 0 to 1; the search ends where it finds one.
// It may throw.
POSENC_API ContextPlan plan_context(const Rotary& spec, std::int64_t trained, std::int64_t target,
                                    const std::function<void(double)>& progress = {});

// The smallest base b, to 1e-6 of itself, with sum_i cos(m theta_i) >= 0 for m = 1 .. target - 1, where theta_i =
// b^(-2i / dim) for i = 0 .. pairs - 1. Bases above it need not have the property: the sum is no simple function of b.
POSENC_API std::optional<double> smallest_base(std::int64_t dim, std::int64_t pairs, std::int64_t target,
                                               const std::function<void(double)>& progress = {});

// The smallest distance m from 1 to below target with sum_i cos(m inv_freq_i) < 0; none if there is none.
POSENC_API std::optional<std::int64_t> first_negative_sum(std::span<const double> inv_freq, std::int64_t target);

}  // namespace posenc
