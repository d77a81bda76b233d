// Advice on which encoding to choose for a training length and the length it is used at: measured properties beside
// published results, and a recommendation.
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
  double table_bytes = 0.0;       // of a float32 table for the length it is used at; 0: none is needed
  std::int64_t without_row = 0;   // positions that have no trained row
  std::int64_t pairs = 0;         // that turn ...
  std::int64_t unseen_pairs = 0;  // ... and how many of them meet angles that no trained position had
  double trained_bias = 0.0;      // of a bias: the largest size within the training length ...
  double used_bias = 0.0;         // ... and within the length it is used at
  std::string unseen;             // what is new past the training length, in a sentence
  std::string published;          // what was published about such a step, in a sentence; may be empty
  double published_rise = 0.0;    // the perplexity there over that in range; 0: nothing was published here
  double published_step = 0.0;    // there: how many times the training length
};

struct Advice {
  std::vector<teaching::AdviceRow> rows;
  std::string recommendation;  // in a few sentences
};

// Compares the subjects, or where there are none a usual encoding of every sort: learned, sinusoidal, rotary, T5's
// buckets, ALiBi and none. Lengths that cannot be are errors.
teaching::Advice advise(const std::vector<Encoding>& subjects, const AdviceOptions& options);

}  // namespace posenc::teaching
