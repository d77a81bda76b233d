// Heads rotated by the reference, and their scores, in double.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "posenc/reference.h"
#include "posenc/schedule.h"

// The position is the same on all axes, except for a constant step from axis to axis.
inline std::vector<double> turned_head(const posenc::Rotary& spec, double position, const std::vector<double>& x) {
  std::vector<double> place, result(x.size());
  for (std::int64_t axis = 0; axis < posenc::axes_of(posenc::Spec(spec)); ++axis) {
    place.push_back(position + 3.0 * static_cast<double>(axis * (axis + 1)));
  }
  posenc::reference::rotate_head(spec, place, x.data(), result.data());
  return result;
}

struct ScoreAt {
  double query, key;  // positions
};

inline double score_of(const posenc::Rotary& spec, const ScoreAt& at, const std::vector<double>& q,
                       const std::vector<double>& k) {
  const std::vector<double> one = turned_head(spec, at.query, q), other = turned_head(spec, at.key, k);
  const posenc::RotarySchedule schedule = posenc::make_schedule(spec);
  return schedule.query_factor() * schedule.softmax_factor() *
         std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

// Channel c moves to permutation[c]; without a permutation it stays.
inline std::vector<double> permuted(const std::vector<double>& x, const std::vector<std::int64_t>& permutation) {
  std::vector<double> result = x;
  for (std::size_t c = 0; c < permutation.size(); ++c) result[static_cast<std::size_t>(permutation[c])] = x[c];
  return result;
}
