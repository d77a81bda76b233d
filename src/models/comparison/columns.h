// The channels of an input row, independent of the kind: each is a sine or cosine of the position, a learned number, or
// zero.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/comparison/phasor.h"
#include "posenc/spec.h"

namespace posenc::comparison {

enum class ColumnKind : int { zero, sine, cosine, learned };

struct Column {
  ColumnKind kind = ColumnKind::zero;
  Phasor turn = {};         // for a sine or cosine: sine = magnitude * sin(angle)
  std::int64_t number = 0;  // of its pair; for a learned channel, its index among the learned channels
  // The position whose row is zero, if the encoding of this channel has one.
  std::optional<std::int64_t> zero_position = {};
};

// The channels of a sinusoidal, fourier or concat encoding.
std::vector<Column> columns_of(const Spec& spec);

// Whether two channels have the same numbers at all compared positions.
bool same_column(const Column& a, const Column& b, const Limits& limits);

// Column c of a is column result[c] of b, in the same place if possible; none if there is no such order.
std::optional<std::vector<std::int64_t>> match_columns(const std::vector<Column>& a, const std::vector<Column>& b,
                                                       const Limits& limits);

}  // namespace posenc::comparison
