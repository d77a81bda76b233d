// A context planner: what happens to a rotary encoding beyond its trained length.
//
//     posenc::ContextPlan plan = posenc::plan_context(posenc::Rotary{.head_dim = 128}, 4096, 32768);
//     plan.complete;        // pairs that complete a turn in training: every angle occurred
//     plan.new_angles;      // pairs with angles at the target that never occurred in training
//     plan.smallest_base;   // without scaling: the smallest base that prefers equal keys up to the target
//
// smallest_base is the bound of Men et al. (2024), "Base of RoPE bounds context length": sum_i cos(m theta_i) is the
// score of an equal query and key at distance m, up to a factor; if it is negative, unlike keys are preferred. It is
// computed here, not taken from their table. Pure functions.
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
  std::int64_t trained = 0;                    // positions 0 to trained - 1
  std::int64_t target = 0;                     // positions 0 to target - 1
  std::vector<double> turns;                   // per pair in training, with its trained_scaling
  std::vector<double> turns_at_target;         // per pair at the target, with its scaling
  std::vector<std::int64_t> complete;          // pairs that complete a turn in training
  std::vector<std::int64_t> new_angles;        // the other pairs that go a step or more past the trained angles
  std::optional<std::int64_t> first_negative;  // the smallest distance below the target with sum_i cos(m theta_i) < 0
  double smallest_sum = 0.0;                   // the smallest sum over the distances below the target, per pair
  std::optional<double> smallest_base;         // none if there is none up to 1e18 (too few pairs), and for
                                               // given or scaled frequencies
};

// `spec` has one axis and the scaling to try; training used its trained_scaling. A scaling that depends on the sequence
// length uses the target, unless the spec gives a length. Lengths are 1 to 2^20. The search for the base takes most of
// the time: a tenth of a second for 32768 positions, half a second for 131072, a few seconds for 2^20. Meanwhile
// `progress` gets the share of bases that were tried, 0 to 1; the search ends when it finds one. `progress` may throw.
POSENC_API ContextPlan plan_context(const Rotary& spec, std::int64_t trained, std::int64_t target,
                                    const std::function<void(double)>& progress = {});

// The smallest base b, to a relative error of 1e-9, with sum_i cos(m theta_i) >= 0 for m = 1 to target - 1, where
// theta_i = b^(-2i / dim) for i = 0 to pairs - 1. Larger bases need not have the property: the sum oscillates with b.
POSENC_API std::optional<double> smallest_base(std::int64_t dim, std::int64_t pairs, std::int64_t target,
                                               const std::function<void(double)>& progress = {});

// The smallest distance m, from 1 to below the target, with sum_i cos(m inv_freq_i) < 0; none if there is none.
POSENC_API std::optional<std::int64_t> first_negative_sum(std::span<const double> inv_freq, std::int64_t target);

}  // namespace posenc
