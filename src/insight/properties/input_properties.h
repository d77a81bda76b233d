// What every encoding at the input can be asked for, of its own numbers or of another engine's.
#pragma once

#include <vector>

#include "posenc/insight/check.h"
#include "posenc/models/encoding.h"

namespace posenc::properties {

// The rows that are looked at: the encoding's, or those that were observed, and where they stand.
struct InputLook {
  InputRows rows;
  PositionView walk;       // what rows are read by: positions, or indices of observed rows
  PositionView positions;  // where they stand
  bool observed = false;
  double tolerance = 1e-9;
  std::int64_t width = 0;

  double place(double walked) const {  // of what an analysis of `walk` names
    return observed ? positions.real(0, static_cast<std::int64_t>(walked)) : walked;
  }
  bool evenly_spaced() const {
    return positions.source == PositionView::Source::range && positions.step != 0 && positions.count > 1;
  }
};

// Throws where observed numbers do not fit: another shape, not of positions, no finite numbers.
InputLook look_at(const Encoding& numbers, const CheckOptions& options);

Property bounded(const InputLook& look, const Encoding& numbers, std::optional<double> promised);
Property unique_rows(const InputLook& look, const Encoding& numbers);
Property matching_rows(const InputLook& look, const Encoding& numbers);
// Tokens of a standard deviation beside the first row.
Property mixing_property(const InputLook& look, double std, std::uint64_t seed);

}  // namespace posenc::properties
