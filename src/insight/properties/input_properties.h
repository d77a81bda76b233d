// Properties of encodings at the input, for their own numbers or for those of another engine.
#pragma once

#include <vector>

#include "posenc/insight/check.h"
#include "posenc/models/encoding.h"

namespace posenc::properties {

// The rows to measure, the encoding's own or observed ones, and their positions.
struct InputLook {
  InputRows rows;
  PositionView walk;       // how rows are read: by position, or by index for observed rows
  PositionView positions;  // the positions of the rows
  bool observed = false;
  double tolerance = 1e-9;
  std::int64_t width = 0;

  double place(double walked) const {  // the position of a row that an analysis of `walk` names
    return observed ? positions.real(0, static_cast<std::int64_t>(walked)) : walked;
  }
  bool evenly_spaced() const {
    return positions.source == PositionView::Source::range && positions.step != 0 && positions.count > 1;
  }
};

// Throws if observed numbers do not fit: wrong shape, positions outside the range, numbers that are not finite.
InputLook look_at(const Encoding& numbers, const CheckOptions& options);

Property bounded(const InputLook& look, const Encoding& numbers, std::optional<double> promised);
Property unique_rows(const InputLook& look, const Encoding& numbers);
Property matching_rows(const InputLook& look, const Encoding& numbers);
// The effect of adding the first row to random tokens of a standard deviation.
Property mixing_property(const InputLook& look, double std);

}  // namespace posenc::properties
