// The comparison of each kind, and their common sentences.
#pragma once

#include <string>

#include "models/comparison/phasor.h"
#include "posenc/models/compare.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace posenc::comparison {

// A spec with the factor on scores and the additional channels that its model has.
struct Side {
  const Spec& spec;
  double score_factor = 1.0;         // of all scores: the softmax scale
  std::int64_t channels_before = 0;  // before the head of a rotation
};

// Specs of one kind whose length and layer are set.
Comparison compare_rotary(const Side& a, const Side& b, const Limits& limits);
Comparison compare_input(const Spec& a, const Spec& b, const Limits& limits);
Comparison compare_bias(const Spec& a, const Spec& b, const Limits& limits);
Comparison compare_term(const Spec& a, const Spec& b, const Limits& limits);
Comparison compare_pope(const Pope& a, const Pope& b, const Limits& limits);
Comparison compare_xpos(const Xpos& a, const Xpos& b, const Limits& limits);
Comparison compare_temperature(const QueryTemperature& a, const QueryTemperature& b, const Limits& limits);
// Compares two specs of any kind.
Comparison compare_settled(const Side& a, const Side& b, const Limits& limits);

// Compares at all lengths and layers that make a difference, unless the options choose one.
Comparison compare_open(const Side& a, const Side& b, const CompareOptions& options);

// The checked positions and tolerance; `trained` is the default number of positions.
Limits limits_of(const CompareOptions& options, std::int64_t trained);
std::int64_t trained_of(const Spec& spec);

// A verdict with its sentence.
Comparison same(Agreement verdict, const Limits& limits, const std::string& why = "");
Comparison different(const Limits& limits, std::int64_t position, const Difference& what, const std::string& why = "");
// The verdict on specs whose rules are the same and whose other numbers are learned.
Comparison same_if(const Limits& limits, const std::string& condition);

// The compared positions: "positions 0 to 4095".
std::string positions_text(const Limits& limits);
// "pair 3 has inv_freq 0.1 in A and 0.2 in B".
std::string difference_text(const Difference& difference);
// The first field in which two specs of one kind differ; none if they are equal.
std::optional<Difference> first_field(const Spec& a, const Spec& b);

}  // namespace posenc::comparison
