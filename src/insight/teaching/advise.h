// Recommends an encoding for a training length and the length in use, from measured properties and published results.
//
//     posenc::Advice advice = posenc::advise({}, {.train_length = 2048, .infer_length = 16384});
//     for (const posenc::AdviceRow& row : advice.rows) print(row.name, row.unseen, row.published);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/insight/kind_facts.h"
#include "posenc/insight/report.h"

namespace posenc::teaching {

struct AdviceRow {
  std::string name;  // the spec as text
  std::string kind;
  std::int64_t parameters = 0;    // learned numbers
  double table_bytes = 0.0;       // float32 table for the length in use; 0: none is needed
  std::int64_t without_row = 0;   // positions that have no trained row
  std::int64_t pairs = 0;         // rotating pairs ...
  std::int64_t unseen_pairs = 0;  // ... and how many of them reach angles that no trained position had
  double trained_bias = 0.0;      // biases: the largest absolute value within the training length ...
  double used_bias = 0.0;         // ... and within the length in use
  std::string unseen;             // what is new past the training length
  std::string published;          // published results at such a length; may be empty
  double published_rise = 0.0;    // that perplexity, divided by the one at the training length; 0: nothing published
  double published_step = 0.0;    // the published length, in training lengths
};

struct Advice {
  std::vector<teaching::AdviceRow> rows;
  std::string recommendation;  // in a few sentences
};

// Compares the subjects; if there are none, one usual encoding of every sort: learned, sinusoidal, rotary, T5's
// buckets, ALiBi and none. Lengths outside 1 to 2^31 - 1 are errors.
teaching::Advice advise(const std::vector<Encoding>& subjects, const AdviceOptions& options);

}  // namespace posenc::teaching
