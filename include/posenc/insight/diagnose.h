// Diagnosis: find out what another engine did wrong, from its numbers and the right encoding.
//
//     posenc::Diagnosis answer = posenc::diagnose(
//         posenc::Rotary{.head_dim = 128, .base = 500000.0},
//         posenc::ObservedRotation{.input = q, .rotated = r, .positions = posenc::PositionView::range(0, 64)});
//     EXPECT_EQ(answer.verdict, posenc::DiagnosisVerdict::matches) << answer.sentence;   // in an engine's own tests
//     answer.explanations[0].faults;    // {"base"}: the base is 10000 instead of 500000
//
// Known mistakes are in one table (`known_faults`, docs/faults.md). diagnose tries each, measuring free numbers such as
// a base from the observed numbers, and combinations of two if no single mistake suffices. It also reports what the
// numbers cannot show. Pure functions; numbers may have any float type, and the rounding of that type is not a fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/json.h"
#include "posenc/insight/drawing.h"
#include "posenc/models/model.h"
#include "posenc/parameters.h"
#include "posenc/position.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// The inverse frequencies of a rotary encoding: [pairs], or [axes, pairs].
struct ObservedFrequencies {
  ConstView inv_freq;
};

// Its cosines and sines: [N, pairs], or [N, 2 pairs] in any tiling; the tiling is recognised.
struct ObservedTables {
  ConstView cos;
  ConstView sin;
  KeptPositions positions;
};

// Vectors before and after the rotation: [N, D] or [N, H, D].
struct ObservedRotation {
  ConstView input;
  ConstView rotated;
  KeptPositions positions;
};

// Attention scores before the softmax, including their scale: [N, S] or [H, N, S], from q [N, D] or [N, H, D] and
// k [S, D] or [S, G, D]. Masked scores (-inf, -1e9, -65504, ...) are ignored.
struct ObservedScores {
  ConstView scores;
  ConstView q;
  ConstView k;
  KeptPositions queries;
  KeptPositions keys;
};

// A bias on scores: [N, S] or [H, N, S]. -inf is masked.
struct ObservedBias {
  ConstView bias;
  KeptPositions queries;
  KeptPositions keys;
};

// The rows of an encoding at the input: [N, M].
struct ObservedRows {
  ConstView rows;
  KeptPositions positions;
};

using Observation =
    std::variant<ObservedFrequencies, ObservedTables, ObservedRotation, ObservedScores, ObservedBias, ObservedRows>;

enum class DiagnosisVerdict : int {
  matches,        // the engine did what the spec says
  fault,          // a known mistake explains the numbers
  not_explained,  // the numbers differ, and no known mistake explains them
};
// "matches", "fault", "not_explained".
POSENC_API std::string_view to_text(DiagnosisVerdict verdict) noexcept;

// The encoding of other layers of the same model, which an engine may have used by mistake.
struct OtherLayers {
  std::string name;  // "layer 5 (full_attention)"
  Rotary spec;
};

struct DiagnoseOptions {
  // Learned numbers of the spec, under the names of posenc/parameters.h, such as T5's table. Without them, the table
  // that explains the numbers best is assumed.
  Parameters parameters = {};
  std::vector<ConstView> tables = {};  // for learned input encodings, one per learned part
  std::vector<OtherLayers> others = {};
  std::optional<double> softmax_scale = {};          // of scores; none: head_dim^-0.5, times the factor of the spec
  std::optional<QueryTemperature> query_scale = {};  // position-dependent factor on queries, in scores
  std::optional<LatentHead> latent_head = {};
  std::string command_spec = {};  // the spec in the commands of the answer; empty: its text
};

// A known mistake, or two, that may explain the numbers.
struct Explanation {
  std::vector<std::string> faults;                 // one name, or two
  std::vector<std::optional<double>> values = {};  // their numbers, such as a base; none if it has none
  double residual = 0.0;  // relative error with this mistake: rms difference / rms of the numbers
  double largest_difference = 0.0;
  std::string sentence;  // what is wrong: "The base is wrong: 10000 instead of 500000."
  std::string fix;
  std::string command;  // shows the right and the wrong numbers
};

// A number of the engine, and what it was compared with.
struct Separation {
  std::int64_t token = 0;    // index of the token; for scores and biases that of the query
  std::string position;      // as text: "37", "3/4/5"
  std::int64_t channel = 0;  // or pair, or key
  std::string channel_name;  // "channel", "pair", "key"
  double observed = 0.0;
  double best = 0.0;   // the number that the best explanation gives
  double other = 0.0;  // the number of the runner-up, or of the spec if there is none
};

struct Diagnosis {
  DiagnosisVerdict verdict = DiagnosisVerdict::matches;
  std::string sentence;                   // the answer in one or two sentences
  double residual = 0.0;                  // relative error of the spec itself
  double largest_difference = 0.0;        // of the spec itself
  std::vector<Explanation> explanations;  // the best first
  std::optional<Separation> separation;   // where the best and the runner-up first differ; none if they do not
  std::vector<std::string> ties;          // sentences: other faults that give the same numbers here
  std::vector<std::string> cannot_tell;   // what these numbers cannot show, and which numbers would
  std::vector<Explanation> nearest;       // if nothing explains the numbers: the mistakes that come closest
  std::vector<std::string> notes;         // what was recognised, such as a tiling or a type
  // A map of the differences from the spec, relative to the size of the numbers. A cell has the largest difference of
  // the tokens (down, at most 32 rows) and channels, pairs or keys (across, at most 64 columns) that it covers.
  struct ErrorMap {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<double> values = {};          // [rows][columns]
    std::vector<std::string> positions = {};  // of the first token of each row
    std::int64_t width = 0;                   // the number of channels
    std::string channel_name = {};
  };
  ErrorMap errors = {};
};

// Throws if shapes, positions and spec do not fit together, or if numbers are NaN, infinite or all zero.
POSENC_API Diagnosis diagnose(const Spec& spec, const Observation& observed, const DiagnoseOptions& options = {});
// The same for a group of layers of a model; the encodings of its other layers are tried as mistakes. Empty options are
// filled in from the model. Throws for kinds that posenc does not compute.
POSENC_API Diagnosis diagnose(const Model& model, const ModelGroup& group, const Observation& observed,
                              const DiagnoseOptions& options = {});

// The options, with empty ones filled in from the model and the group.
POSENC_API DiagnoseOptions options_of(const Model& model, const ModelGroup& group, const DiagnoseOptions& options = {});

// With "schema", "verdict", "explanations" (each "fault", "residual", "sentence", "fix", ...), "ties", "cannot_tell".
POSENC_API Json to_json(const Diagnosis& diagnosis);

// A row of the table of mistakes.
struct KnownFault {
  std::string_view name;     // "attention_factor_squared"
  std::string_view about;    // its subject: "frequencies", "channels", "positions", ...
  std::string_view title;    // what is wrong, as a sentence
  std::string_view symptom;  // how it shows
  std::string_view fix;
  std::string_view reports;  // where it was reported, separated by commas; may be empty
  std::string_view example;  // a spec or catalog model that shows it
  std::int64_t layer = -1;   // of that model; -1: any
};
POSENC_API std::vector<KnownFault> known_faults();

// The effect of a mistake on an encoding.
struct InjectedFault {
  std::string sentence;
  std::string along = "position";  // or "distance", for biases
  std::vector<double> positions;
  std::vector<double> error;         // largest difference at that position, of vectors of size 1, biases or rows
  std::int64_t channel = 0;          // the pair, head or channel with the largest difference
  std::vector<double> right, wrong;  // its numbers at each position
};
// `fault` is a name, or a name with its number: "base=10000", "position_offset=3"; two are joined by " + ". Throws if
// there is no such mistake, or if it does not change this spec.
POSENC_API InjectedFault inject_fault(const Spec& spec, std::string_view fault, const PositionView& positions,
                                      const DiagnoseOptions& options = {});

// A plot of the error against the position.
POSENC_API Drawing draw_fault(const InjectedFault& fault, const std::string& title);

}  // namespace posenc
