// The comparison of each kind, and the words that they share.
#pragma once

#include <string>

#include "models/comparison/phasor.h"
#include "posenc/models/compare.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace posenc::comparison {

// A spec with what its surroundings do to scores and heads.
struct Side {
  const Spec& spec;
  double score_factor = 1.0;         // of all scores: the softmax scale
  std::int64_t channels_before = 0;  // in front of the head of a rotation
};

// Specs of one kind, with nothing open: length and layer are said.
Comparison compare_rotary(const Side& a, const Side& b, const Limits& limits);
Comparison compare_input(const Spec& a, const Spec& b, const Limits& limits);
Comparison compare_bias(const Spec& a, const Spec& b, const Limits& limits);
Comparison compare_term(const Spec& a, const Spec& b, const Limits& limits);
Comparison compare_pope(const Pope& a, const Pope& b, const Limits& limits);
Comparison compare_xpos(const Xpos& a, const Xpos& b, const Limits& limits);
Comparison compare_temperature(const QueryTemperature& a, const QueryTemperature& b, const Limits& limits);
// By the kind.
Comparison compare_settled(const Side& a, const Side& b, const Limits& limits);

// At every length and layer that makes a difference, unless the options say which.
Comparison compare_open(const Side& a, const Side& b, const CompareOptions& options);

// Positions and tolerance, checked; `trained` is the length that positions are by default.
Limits limits_of(const CompareOptions& options, std::int64_t trained);
std::int64_t trained_of(const Spec& spec);

// A verdict with its sentence; what differs completes it.
Comparison same(Agreement verdict, const Limits& limits, const std::string& why = "");
Comparison different(const Limits& limits, std::int64_t position, const Difference& what, const std::string& why = "");
// Where all that is known is the same, and the rest is learned.
Comparison same_if(const Limits& limits, const std::string& condition);

// "pair 3 has inv_freq 0.1 in A and 0.2 in B".
std::string difference_text(const Difference& difference);
// What fields that all decide about the numbers say: of one that differs, `different` from position 0 on.
std::optional<Difference> first_field(const Spec& a, const Spec& b);

}  // namespace posenc::comparison
