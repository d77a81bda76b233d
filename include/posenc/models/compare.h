// Comparison: whether two encodings, or two models, are the same, and if not, from which position on.
//
//     posenc::Comparison result = posenc::compare(posenc::Rotary{.head_dim = 128}, other);
//     result.verdict;           // equal, equal_up_to_permutation, equal_in_scores or different
//     result.first_position;    // "different from position 13 on"
//     result.permutation;       // channel c of the first is channel permutation[c] of the second
//     result.sentence;          // all of it for a person
//
// Two numbers are the same where they differ by at most 4 units in the last place of a double, or by so little that
// nothing within the compared positions differs by more than the tolerance. Positions are integers from 0 on. Learned
// numbers are not part of a spec: what is said of it then holds for equal ones, and `condition` says so.
// docs/compare.md has every verdict with examples. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/json.h"
#include "posenc/models/model.h"
#include "posenc/spec.h"

namespace posenc {

// From the best to the worst.
enum class Agreement : int {
  equal,                    // the same numbers at every compared position
  equal_up_to_permutation,  // the same, after one fixed permutation of the channels of queries and keys
  equal_in_scores,          // what comes out differs, but attention weights are the same for all queries and keys
  different,
};
// "equal", "equal_up_to_permutation", ...
POSENC_API std::string_view to_text(Agreement verdict) noexcept;

struct CompareOptions {
  // How many positions are compared, 1 to 2^31 - 1; none: the larger length that one was trained on, else 4096.
  std::optional<std::int64_t> positions = {};
  // For scalings that depend on it, whatever a spec says; none: what it says, else all lengths are tried.
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> layer = {};  // where layers differ (local_base), and of models; none: all
  std::string part = {};                   // of models; empty: all
  double tolerance = 1e-6;                 // on cosines and sines, biases, and factors relative to 1; above 0 to 1
};

// The number that differs first, in both.
struct Difference {
  std::string what;        // "inv_freq", "slope", "bucket", "attention_factor", "head_dim", ...
  std::string place = {};  // "pair", "channel", "head", "offset"; empty: there is one only
  std::int64_t index = 0;  // of the place
  Json a = {};             // a number, or a word of the spec's
  Json b = {};
};

// Sequences of `first` to `last` tokens; last is 0 where there is no end.
struct LengthRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
  Agreement verdict = Agreement::equal;
};

struct Comparison {
  Agreement verdict = Agreement::equal;
  std::string condition = {};  // what the verdict needs: "under a causal mask"; empty: nothing
  // Where the first difference beyond the tolerance is, along an axis or as the distance of a key from its query. Of
  // numbers that are equal as far as they are compared, where they will differ.
  std::optional<std::int64_t> first_position = {};
  std::optional<Difference> differs = {};  // what differs there
  double difference = 0.0;                 // the largest of cosines and sines, or biases, within the compared positions
  std::int64_t positions = 0;              // how many were compared
  // Empty: none is needed. Of rotations [head_dim], of input rows [width], of tables by their rows.
  std::vector<std::int64_t> permutation = {};
  // The same of the channels that come out, where it is not `permutation`: what reads interleaved may write halves.
  std::vector<std::int64_t> output_permutation = {};
  std::vector<LengthRange> lengths = {};  // where the verdict depends on the length of the sequence
  std::string sentence = {};
  std::vector<std::string> notes = {};
};

// Throws what validate(spec) throws, and where options are out of range.
POSENC_API Comparison compare(const Spec& a, const Spec& b, const CompareOptions& options = {});
// With the softmax scale, the scale of queries, the head and the window of layers.
POSENC_API Comparison compare(const ModelGroup& a, const ModelGroup& b, const CompareOptions& options = {});

// Layers that compare alike. What only one model has is different.
struct ModelComparisonEntry {
  std::string part;
  std::vector<std::int64_t> layers;
  std::optional<std::size_t> group_a = {};  // of Model::groups; none: that model has no such layers
  std::optional<std::size_t> group_b = {};
  Comparison comparison;
};

struct ModelComparison {
  Agreement verdict = Agreement::equal;  // the worst of all entries
  std::string sentence = {};
  std::vector<ModelComparisonEntry> entries = {};  // by part and first layer
};

// Part by part and layer by layer. Where each model has one part only, its name does not matter. Throws where
// options.layer or options.part name nothing that either has.
POSENC_API ModelComparison compare_models(const Model& a, const Model& b, const CompareOptions& options = {});

// With "schema", "verdict", and everything else by the names above.
POSENC_API Json to_json(const Comparison& comparison);
POSENC_API Json to_json(const ModelComparison& comparison);

}  // namespace posenc
