// Comparison: whether two encodings, or two models, are the same, and if not, from which position on.
//
//     posenc::Comparison result = posenc::compare(posenc::Rotary{.head_dim = 128}, other);
//     result.verdict;           // equal, equal_up_to_permutation, equal_in_scores or different
//     result.first_position;    // "different from position 13 on"
//     result.permutation;       // channel c of the first is channel permutation[c] of the second
//     result.sentence;          // all of it in words
//
// Two numbers are the same if they differ by at most 4 units in the last place of a double, or by so little that
// nothing at the compared positions differs by more than the tolerance. Positions are integers from 0 on. Learned
// numbers are not part of a spec, so the verdict assumes that they are equal, and `condition` says so. docs/compare.md
// shows every verdict with examples. Pure functions.
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
  equal_in_scores,          // the output differs, but the attention weights are the same for all queries and keys
  different,
};
// "equal", "equal_up_to_permutation", ...
POSENC_API std::string_view to_text(Agreement verdict) noexcept;

struct CompareOptions {
  // How many positions are compared, 1 to 2^31 - 1; none: the larger trained length of the two, else 4096.
  std::optional<std::int64_t> positions = {};
  // The length of the sequence, for scalings that depend on it; overrides that of a spec. None: that of the spec, else
  // all lengths are tried.
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> layer = {};  // for models and specs whose layers differ (local_base); none: all layers
  std::string part = {};                   // for models; empty: all parts
  double tolerance = 1e-6;                 // for cosines, sines, biases and factors; above 0 and at most 1
};

// The first number that differs, with its value in both.
struct Difference {
  std::string what;        // "inv_freq", "slope", "bucket", "attention_factor", "head_dim", ...
  std::string place = {};  // "pair", "channel", "head", "offset"; empty if there is only one
  std::int64_t index = 0;  // of the place
  Json a = {};             // a number, or a word of the spec
  Json b = {};
};

// Sequences of `first` to `last` tokens; last is 0 if there is no upper end.
struct LengthRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
  Agreement verdict = Agreement::equal;
};

struct Comparison {
  Agreement verdict = Agreement::equal;
  std::string condition = {};  // what the verdict requires: "under a causal mask"; may be empty
  // The position of the first difference beyond the tolerance, along an axis, or as the distance of a key from its
  // query. If the compared numbers are equal, the position beyond them at which they will differ.
  std::optional<std::int64_t> first_position = {};
  std::optional<Difference> differs = {};  // what differs there
  double difference = 0.0;                 // largest difference of cosines, sines or biases
  std::int64_t positions = 0;              // how many were compared
  // Empty if none is needed. [head_dim] for rotations, [width] for input rows, one per row for tables.
  std::vector<std::int64_t> permutation = {};
  // The permutation of the output channels if it is not `permutation`: a layout may read interleaved and write halves.
  std::vector<std::int64_t> output_permutation = {};
  std::vector<LengthRange> lengths = {};  // if the verdict depends on the length of the sequence
  std::string sentence = {};
  std::vector<std::string> notes = {};
};

// Throws like validate(spec), and if options are out of range.
POSENC_API Comparison compare(const Spec& a, const Spec& b, const CompareOptions& options = {});
// Also compares the softmax scale, the scale of queries, the head and the window.
POSENC_API Comparison compare(const ModelGroup& a, const ModelGroup& b, const CompareOptions& options = {});

// Layers with the same result. Layers that only one model has are different.
struct ModelComparisonEntry {
  std::string part;
  std::vector<std::int64_t> layers;
  std::optional<std::size_t> group_a = {};  // index into Model::groups; none: that model has no such layers
  std::optional<std::size_t> group_b = {};
  Comparison comparison;
};

struct ModelComparison {
  Agreement verdict = Agreement::equal;  // the worst of all entries
  std::string sentence = {};
  std::vector<ModelComparisonEntry> entries = {};  // by part and first layer
};

// Part by part and layer by layer. If each model has only one part, its name does not matter. Throws if neither model
// has options.layer or options.part.
POSENC_API ModelComparison compare_models(const Model& a, const Model& b, const CompareOptions& options = {});

// With "schema", "verdict", and the other members under the names above.
POSENC_API Json to_json(const Comparison& comparison);
POSENC_API Json to_json(const ModelComparison& comparison);

}  // namespace posenc
