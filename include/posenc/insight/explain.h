// The worked example of an encoding at a position, step by step, as a lecture would write it.
//
//     for (const posenc::Step& step : posenc::explain(spec, 1.0, {})) print(step.title, step.lines);
//
//     for (const posenc::Step& step : posenc::explain_pairs(bias_spec, {.queries = q, .keys = k})) ...
//
// Numbers in `lines` are rounded to five decimals; `values` has them in full.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "posenc/export.h"
#include "posenc/parameters.h"
#include "posenc/position.h"
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
  std::vector<ConstView> tables = {};  // of a concat: one per learned part, or none
};

// `position` must lie within +-(2^31 - 1); so must the shift, and position + shift. Of a mask: what a query there sees.
// Biases and terms depend on two positions: see explain_pairs.
POSENC_API std::vector<Step> explain(const Spec& spec, double position, const ExplainOptions& options);
// The same with a coordinate per axis of the encoding. A shift needs one axis.
POSENC_API std::vector<Step> explain(const Spec& spec, std::span<const double> position, const ExplainOptions& options);

// What pairs of positions have: what acts inside attention, or the score of an encoding at the input.
struct ExplainPairs {
  KeptPositions queries = {};  // at most 16 positions each
  KeptPositions keys = {};
  std::int64_t head = 0;            // of a bias, or of a term with numbers per head
  std::vector<double> scores = {};  // of the last query with every key before the bias; empty: 0.2 each
  bool causal = false;              // keys ahead are hidden; of a bias and of shaw
  Parameters parameters = {};       // what the kind learns; left out: small numbers made up
  std::string spec_text = {};       // as in ExplainOptions
  std::string parameter_text = {};  // how the commands give the parameters: "--values 0.5/0/-0.5"
  ConstView table = {};             // of a learned encoding at the input
};

// A bias: its formula, its numbers, and the weights that a softmax makes of scores with and without it. No positions:
// the weights of the scores alone. A term: the score expanded. An encoding at the input: the four parts of the score of
// sums. Rotary encodings are explained by position and shift. Of several queries the last is followed key by key. What
// a kind does not use is refused.
POSENC_API std::vector<Step> explain_pairs(const Spec& spec, const ExplainPairs& pairs);

}  // namespace posenc
