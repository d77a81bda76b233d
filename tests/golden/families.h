// From the inputs of a golden case to what posenc must compute: one rule per family of cases, none per case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "posenc/files/json.h"
#include "posenc/spec.h"

namespace golden {

// One output of a case: rows of an encoding, in the order of the file's numbers.
struct Expectation {
  std::string output;  // its key in "outputs", with a point before an inner key: "embeddings.fsmt"
  posenc::Sinusoidal spec;
  std::vector<double> positions;   // one per row
  std::vector<double> added = {};  // what the encoding was added to, one per number; empty: nothing
  bool only_positions = false;     // the output holds the counted positions themselves, not rows
};

// The expectations of the case called `name`; none if no family knows it.
std::vector<Expectation> expectations_of(std::string_view name, const posenc::Json& inputs,
                                         const posenc::Json& outputs);

// A case that records another package's error, and why posenc gives an answer (or an error of its own) instead.
struct Defect {
  std::string_view name;
  std::string_view reason;
  std::vector<posenc::Sinusoidal> specs;      // what posenc is asked for instead, one per recorded error ...
  std::vector<std::vector<double>> inv_freq;  // ... and its frequencies; none: posenc refuses it too
};
std::vector<Defect> defects();

// All numbers of an array of arrays, in order.
std::vector<double> flat_numbers(const posenc::Json& json);

}  // namespace golden
