// Finds the mistake, or the two mistakes, that explain the numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "insight/diagnosis/evidence.h"
#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {

// An engine that was tried on all numbers.
struct Candidate {
  Engine engine;
  Fit fit;
  double residual = 0.0;  // of the fit, to three digits and not below the rounding error, so that ties are equal
  bool float32 = false;   // whether it fits only with float32 angles
  bool explains = false;
};

// Tries engines on the observed numbers, first on a few tokens and then on all.
class Searcher {
 public:
  Searcher(const Evidence& evidence, const DiagnoseOptions& options);

  Candidate tried(const Engine& engine) const { return tried_on(engine, *evidence_); }
  // Tries one fault at a time.
  std::vector<Candidate> singles(const Engine& right) const;
  // Tries two faults, the second chosen by what the first leaves unexplained.
  std::vector<Candidate> pairs(const Engine& right) const;
  // Faults that these numbers cannot distinguish from the engine, each in its usual form.
  std::vector<Engine> hidden(const Engine& engine) const;

 private:
  bool explains(const Fit& fit) const;
  Candidate tried_on(const Engine& engine, const Evidence& evidence) const;
  std::vector<Candidate> settled(std::vector<std::pair<double, Engine>> near, std::size_t keep) const;

  const Evidence* evidence_;
  std::unique_ptr<Evidence> quick_;   // a few tokens, to try thousands of engines
  std::unique_ptr<Evidence> middle_;  // more of them, before all are compared
  const DiagnoseOptions* options_;
  mutable KnownBins bins_;
};

// The first position up to 2^24 at which two engines compute different numbers from the same input; none if there is
// none.
std::optional<std::int64_t> first_difference(const Engine& a, const Engine& b, const Evidence& evidence);

}  // namespace posenc::diagnosis
