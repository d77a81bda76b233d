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
  std::optional<double> shift = {};    // also derive the row at position + shift from this row; for a rotary encoding,
                                       // show that scores depend on the shift alone
  std::string spec_text = {};          // the spec in the commands of the last step; empty: its text form
  bool derivative = false;             // also show the derivative with respect to the position
  std::string table_text = {};         // the learned table in the commands of the last step: "--file wpe.npy"
  ConstView table = {};                // rows of a learned encoding; without it, only which row is read
  std::vector<ConstView> tables = {};  // for a concat: one per learned part, or none
};

// `position` must be within +-(2^31 - 1); so must the shift, and position + shift. For a mask: the keys that a query at
// the position sees. Biases and score terms depend on two positions: see explain_pairs. The step before the commands
// names common mistakes, if there are any for the kind.
POSENC_API std::vector<Step> explain(const Spec& spec, double position, const ExplainOptions& options);
// The same with one coordinate per axis of the encoding. A shift needs one axis.
POSENC_API std::vector<Step> explain(const Spec& spec, std::span<const double> position, const ExplainOptions& options);

// Whether explain takes the spec: false for biases and score terms, which depend on two positions.
POSENC_API bool explains_position(const Spec& spec);

// Pairs of queries and keys, for encodings that act inside attention, and for the score that an encoding at the input
// leads to.
struct ExplainPairs {
  KeptPositions queries = {};  // at most 16 positions each
  KeptPositions keys = {};
  std::int64_t head = 0;                // of a bias, or of a score term with numbers per head
  std::vector<double> scores = {};      // of the last query with every key, before the bias; empty: 0.2 each
  bool causal = false;                  // hide keys after the query; biases and shaw only
  Parameters parameters = {};           // learned parameters; empty: small numbers are made up
  std::string spec_text = {};           // as in ExplainOptions
  std::string parameter_text = {};      // the parameters in the commands: "--values 0.5/0/-0.5"
  ConstView table = {};                 // rows of a learned encoding at the input
  std::vector<std::string> words = {};  // the token at each key, if the keys are the words of a sentence
};

// For a bias: its formula, its numbers, and the softmax weights with and without it. For a score term: the expanded
// score. For an encoding at the input: the four parts of the score of the sums. For none: the weights of the plain
// scores. With several queries, the last one is followed key by key. Rotary encodings and temperature are explained at
// a position instead. Throws for options that the kind does not use.
POSENC_API std::vector<Step> explain_pairs(const Spec& spec, const ExplainPairs& pairs);

}  // namespace posenc
