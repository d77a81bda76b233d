// The channels of an input row, without names: each a sine or cosine that turns with the position, a learned number, or
// nothing.
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
  Phasor turn = {};         // of a sine and a cosine: sine = magnitude * sin(angle)
  std::int64_t number = 0;  // of its pair; of a learned one, its number among the learned channels
  // On its first axis, the position whose row is zero.
  std::optional<std::int64_t> zero_position = {};
};

// Of a sinusoidal, fourier or concat.
std::vector<Column> columns_of(const Spec& spec);

// Whether they hold the same numbers at all compared positions.
bool same_column(const Column& a, const Column& b, const Limits& limits);

// Column c of a is column result[c] of b, kept in place where it can be; nothing where there is no such order.
std::optional<std::vector<std::int64_t>> match_columns(const std::vector<Column>& a, const std::vector<Column>& b,
                                                       const Limits& limits);

}  // namespace posenc::comparison
