// The worked example of an encoding at a position, step by step, as a lecture would write it.
//
//     for (const posenc::Step& step : posenc::explain(spec, 1.0, {})) print(step.title, step.lines);
//
// Numbers in `lines` are rounded to five decimals; `values` has them in full.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

struct Step {
  std::string name;                // "formula", "denominators", ...: stable, for programs
  std::string title;               // for people
  std::vector<std::string> lines;  // the text of the step, at most about 30 lines
  std::vector<double> values;      // its numbers in full, none left out; may be empty
};

struct ExplainOptions {
  std::optional<double> shift = {};  // also derive the row at position + shift from this row; of a rotary encoding,
                                     // show that scores depend on the shift alone
  std::string spec_text = {};        // how the commands in the last step call the spec; empty: its text form
  bool derivative = false;           // also the derivative by the position
  std::string table_text = {};       // how the commands in the last step give the learned table: "--file wpe.npy"
  ConstView table = {};              // of a learned encoding: its rows, for the numbers; without it, which row is read
};

// `position` must lie within +-(2^31 - 1); so must the shift, and position + shift.
POSENC_API std::vector<Step> explain(const Spec& spec, double position, const ExplainOptions& options);
// The same with a coordinate per axis of the encoding. A shift needs one axis.
POSENC_API std::vector<Step> explain(const Spec& spec, std::span<const double> position, const ExplainOptions& options);

}  // namespace posenc
