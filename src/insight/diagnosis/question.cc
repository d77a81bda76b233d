#include "insight/diagnosis/question.h"

#include <algorithm>

#include "insight/diagnosis/answer.h"
#include "posenc/error.h"

namespace posenc::diagnosis {
namespace {

[[noreturn]] void refuse_kind(const Spec& spec, std::string_view what, std::string_view wanted) {
  fail(ErrorKind::usage,
       std::string(what) + " belong to " + std::string(wanted) + ", but the spec is " + std::string(kind_of(spec)));
}

std::int64_t last_of(const PositionView& positions) {
  double last = 0.0;
  for (std::int64_t n = 0; n < positions.count; ++n) {
    for (std::int64_t a = 0; a < positions.axes; ++a) last = std::max(last, positions.real(0, n, a));
  }
  return static_cast<std::int64_t>(last);
}

std::int64_t length_of(const Observation& observed) {
  if (const auto* seen = std::get_if<ObservedTables>(&observed)) return last_of(seen->positions) + 1;
  if (const auto* seen = std::get_if<ObservedRotation>(&observed)) return last_of(seen->positions) + 1;
  if (const auto* seen = std::get_if<ObservedScores>(&observed))
    return std::max(last_of(seen->queries), last_of(seen->keys)) + 1;
  return 1;
}

std::size_t learned_parts(const Spec& spec) {
  if (std::holds_alternative<Learned>(spec) || std::holds_alternative<Hybrid>(spec)) return 1;
  const auto* concat = std::get_if<Concat>(&spec);
  if (concat == nullptr) return 0;
  return static_cast<std::size_t>(std::count_if(concat->parts.begin(), concat->parts.end(), [](const ConcatPart& part) {
    return std::holds_alternative<Learned>(part.encoding);
  }));
}

}  // namespace

void check_kind(const Spec& spec, const Observation& observed) {
  const bool turns = std::holds_alternative<Rotary>(spec), none = std::holds_alternative<NoPosition>(spec);
  switch (static_cast<Seen>(observed.index())) {
    case Seen::frequencies:
      if (!turns) refuse_kind(spec, "frequencies", "rotary encodings");
      return;
    case Seen::tables:
      if (!turns) refuse_kind(spec, "tables of cosines and sines", "rotary encodings");
      return;
    case Seen::rotation:
      if (!turns && !none) refuse_kind(spec, "rotated vectors", "rotary encodings");
      return;
    case Seen::scores:
      if (!turns && !none && !is_bias(spec)) refuse_kind(spec, "scores", "rotary encodings and biases");
      return;
    case Seen::bias:
      if (!is_bias(spec)) refuse_kind(spec, "biases", "encodings such as alibi and t5");
      return;
    case Seen::rows:
      if (place_of(spec) != Place::input) refuse_kind(spec, "rows of a table", "sinusoidal and learned encodings");
      return;
  }
}

// The engine that follows the spec. For layers without positions, it does not rotate.
Engine right_engine(const Spec& spec, const Observation& observed, const DiagnoseOptions& options) {
  if (options.tables.size() < learned_parts(spec)) {
    fail(ErrorKind::usage, "the learned table is missing: give it with --file");
  }
  Engine right;
  right.spec = spec;
  if (auto* rotary = std::get_if<Rotary>(&right.spec)) {
    if (rotary->local_base != 0.0 && rotary->layer) *rotary = at_layer(*rotary, *rotary->layer);
    // If no length is given, the last position sets it; for frequencies alone, a short sequence is assumed.
    if (needs_length(rotary->scaling) && !rotary->sequence_length) rotary->sequence_length = length_of(observed);
  }
  if (!std::holds_alternative<NoPosition>(spec)) return right;
  const auto* scores = std::get_if<ObservedScores>(&observed);
  const ConstView& input = scores != nullptr ? scores->q : std::get<ObservedRotation>(observed).input;
  const std::int64_t width = input.rank > 0 ? input.shape[static_cast<std::size_t>(input.rank - 1)] : 0;
  if (width < 2 || width % 2 != 0)
    fail(ErrorKind::bad_input, "input: expected heads of an even number of channels but got " + shape_text(input));
  right.spec = Rotary{.head_dim = width};
  for (const OtherLayers& other : options.others) {
    if (other.spec.head_dim == width) right.spec = other.spec;
  }
  right.turn.turns = 0;
  return right;
}

std::unique_ptr<Evidence> make_evidence(Engine& right, const Observation& observed, const EvidenceOptions& options) {
  if (const auto* seen = std::get_if<ObservedFrequencies>(&observed)) return frequency_evidence(right, *seen, options);
  if (const auto* seen = std::get_if<ObservedTables>(&observed)) return table_evidence(right, *seen, options);
  if (const auto* seen = std::get_if<ObservedRotation>(&observed)) return rotation_evidence(right, *seen, options);
  if (const auto* seen = std::get_if<ObservedScores>(&observed)) return score_evidence(right, *seen, options);
  if (const auto* seen = std::get_if<ObservedBias>(&observed)) return bias_evidence(right, *seen, options);
  return row_evidence(right, std::get<ObservedRows>(observed), options);
}

}  // namespace posenc::diagnosis
