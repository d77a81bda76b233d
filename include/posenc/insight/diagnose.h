// Diagnosis: what another engine did, from its numbers and from what it should have done.
//
//     posenc::Diagnosis answer = posenc::diagnose(
//         posenc::Rotary{.head_dim = 128, .base = 500000.0},
//         posenc::ObservedRotation{.input = q, .rotated = r, .positions = posenc::PositionView::range(0, 64)});
//     EXPECT_EQ(answer.verdict, posenc::DiagnosisVerdict::matches) << answer.sentence;   // in an engine's own tests
//     answer.explanations[0].faults;    // {"base"}: the base is 10000 instead of 500000
//
// Known mistakes stand in one table (`known_faults`, docs/faults.md). Each is tried, those with a free number at what
// the numbers themselves say, and combinations of two where none suffices. What the numbers cannot show is said.
// Pure functions; numbers are read in any float type, and the rounding of that type is no fault.
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

// Its cosines and sines: [N, pairs], or [N, 2 pairs] in any tiling, which is recognised.
struct ObservedTables {
  ConstView cos;
  ConstView sin;
  KeptPositions positions;
};

// Vectors before and after: [N, D] or [N, H, D].
struct ObservedRotation {
  ConstView input;
  ConstView rotated;
  KeptPositions positions;
};

// Attention scores before the softmax, their scale included: [N, S] or [H, N, S], of q [N, D] or [N, H, D] and
// k [S, D] or [S, G, D]. Masked scores (-inf, -1e9, -65504, ...) are left out.
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
  not_explained,  // the numbers are others, and no known mistake makes them
};
// "matches", "fault", "not_explained".
POSENC_API std::string_view to_text(DiagnosisVerdict verdict) noexcept;

// What other layers of the same model have: an engine may have taken one of theirs.
struct OtherLayers {
  std::string name;  // "layer 5 (full_attention)"
  Rotary spec;
};

struct DiagnoseOptions {
  // Learned numbers of the spec, by the names of posenc/parameters.h: T5's table. Without them a table is taken to be
  // what explains the numbers best.
  Parameters parameters = {};
  std::vector<ConstView> tables = {};  // of learned input encodings, one per learned part
  std::vector<OtherLayers> others = {};
  std::optional<double> softmax_scale = {};          // of scores; none: head_dim^-0.5, times what the spec adds to it
  std::optional<QueryTemperature> query_scale = {};  // what queries are multiplied by beside the rotation, in scores
  std::optional<LatentHead> latent_head = {};
  std::string command_spec = {};  // what commands in the answer call the spec; empty: its text
};

// A known mistake, and where an engine's numbers first show it.
struct Explanation {
  std::vector<std::string> faults;                 // one name, or two
  std::vector<std::optional<double>> values = {};  // of each: the base, the offset, ...; none where it has no number
  double residual = 0.0;  // what is left: the root mean square of the differences, relative to the numbers
  double largest_difference = 0.0;
  std::string sentence;  // what was done instead of what
  std::string fix;
  std::string command;  // shows the right and the wrong numbers
};

// A number of the engine's and what it was compared with.
struct Separation {
  std::int64_t token = 0;    // index of the token, of scores and biases that of the query
  std::string position;      // as text: "37", "3/4/5"
  std::int64_t channel = 0;  // or pair, or key
  std::string channel_name;  // "channel", "pair", "key"
  double observed = 0.0;
  double best = 0.0;   // what the best explanation has there
  double other = 0.0;  // what the runner-up (or, without one, the spec) has there
};

struct Diagnosis {
  DiagnosisVerdict verdict = DiagnosisVerdict::matches;
  std::string sentence;                   // all of it in one or two sentences
  double residual = 0.0;                  // of the spec itself
  double largest_difference = 0.0;        // of the spec itself
  std::vector<Explanation> explanations;  // the best first
  std::optional<Separation> separation;   // where the best and the runner-up part; none where nothing separates them
  std::vector<std::string> cannot_tell;   // what these numbers do not show, and which would
  std::vector<Explanation> nearest;       // where nothing explains: what comes closest
  std::vector<std::string> notes;         // what was recognised: a tiling, a type of numbers
  // Where the numbers differ from the spec, relative to their size: the largest difference of tokens (down, at most 32
  // rows) and channels, pairs or keys (across, at most 64 columns) that a cell covers.
  struct ErrorMap {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<double> values = {};          // [rows][columns]
    std::vector<std::string> positions = {};  // of the first token of each row
    std::int64_t width = 0;                   // how many channels there are
    std::string channel_name = {};
  };
  ErrorMap errors = {};
};

// Throws where shapes, positions and spec do not belong together, where numbers are NaN, infinite or all zero.
POSENC_API Diagnosis diagnose(const Spec& spec, const Observation& observed, const DiagnoseOptions& options = {});
// The encoding of a group of layers; others of the model are tried for it. Kinds that posenc does not compute are
// errors. Of `options`, what the model says is filled in where it is empty.
POSENC_API Diagnosis diagnose(const Model& model, const ModelGroup& group, const Observation& observed,
                              const DiagnoseOptions& options = {});

// The options with what a model says of a group filled in where they are empty.
POSENC_API DiagnoseOptions options_of(const Model& model, const ModelGroup& group, const DiagnoseOptions& options = {});

// With "schema", "verdict", "explanations" (each "fault", "residual", "sentence", "fix", ...), "cannot_tell".
POSENC_API Json to_json(const Diagnosis& diagnosis);

// A row of the table of mistakes.
struct KnownFault {
  std::string_view name;     // "attention_factor_squared"
  std::string_view about;    // what it is about: "frequencies", "channels", "positions", ...
  std::string_view title;    // what was done
  std::string_view symptom;  // what one sees of it
  std::string_view fix;
  std::string_view reports;  // where it happened, separated by commas; may be empty
  std::string_view example;  // a spec or a name of the catalog that it shows on
  std::int64_t layer = -1;   // of that model, where layers differ; -1: any
};
POSENC_API std::vector<KnownFault> known_faults();

// What a mistake makes of an encoding.
struct InjectedFault {
  std::string sentence;
  std::string along = "position";  // or "distance", of biases
  std::vector<double> positions;
  std::vector<double> error;         // the largest difference at that position: of vectors of size 1, biases, or rows
  std::int64_t channel = 0;          // the pair, head or channel of the largest difference of all
  std::vector<double> right, wrong;  // the numbers there at each position
};
// `fault` is a name, or a name with its number: "base=10000", "position_offset=3"; two are joined by " + ". Throws
// where there is no such mistake, or where it changes nothing of this spec.
POSENC_API InjectedFault inject_fault(const Spec& spec, std::string_view fault, const PositionView& positions,
                                      const DiagnoseOptions& options = {});

// Its error against the position.
POSENC_API Drawing draw_fault(const InjectedFault& fault, const std::string& title);

}  // namespace posenc
