// The effect of a rotation on the channels of a head, independent of the kind: rotated pairs, and channels that are
// copied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/comparison/phasor.h"
#include "posenc/schedule.h"

namespace posenc::comparison {

// (x[read_first], x[read_second]) = (a, b) becomes, at write_first and write_second, the table's factor times
// (a cos1 - b sin1, b cos2 + a sin2). In a true rotation the two angles are the same.
struct TurningPair {
  std::int64_t index = 0;  // in the schedule
  Phasor first = {}, second = {};
  std::int64_t read_first = 0, read_second = 0, write_first = 0, write_second = 0;
  double growth = 0.0;  // for xPos: the logarithm of the factor per position on a query
};

// A channel that is copied, times a factor.
struct Passing {
  std::int64_t read = 0;
  std::int64_t write = 0;
  double factor = 1.0;
};

struct HeadMap {
  std::int64_t head_dim = 0;
  double table_factor = 1.0;    // of all pairs
  double query_factor = 1.0;    // of whole queries
  double softmax_factor = 1.0;  // of all scores
  std::vector<TurningPair> pairs = {};
  std::vector<Passing> passing = {};

  // The contribution to a score of a channel with a factor, as a multiple of q.k.
  double in_scores(double factor) const { return factor * factor * query_factor * softmax_factor; }
};

struct HeadOptions {
  std::int64_t before = 0;          // channels before the head of the schedule
  std::vector<double> growth = {};  // of each pair; empty: 0
};
// Pairs whose angle stays 0 within the compared positions count as copied.
HeadMap head_map(const RotarySchedule& schedule, const Limits& limits, const HeadOptions& options = {});

// Which channel of head b corresponds to each channel of head a.
struct HeadMatch {
  std::vector<std::int64_t> read;          // [head_dim]: channel c of a is channel read[c] of b
  std::vector<std::int64_t> write;         // the same for the output
  std::optional<std::int64_t> drift = {};  // the position beyond the compared ones at which a pair first differs
};
// None if no permutation of channels makes the angles and the factors in scores equal.
std::optional<HeadMatch> match_heads(const HeadMap& a, const HeadMap& b, const Limits& limits);

// The permutation, or an empty list if it is the identity.
std::vector<std::int64_t> or_nothing(std::vector<std::int64_t> permutation);

}  // namespace posenc::comparison
