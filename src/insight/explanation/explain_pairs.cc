#include "insight/explanation/explain_pairs.h"

#include <string>

#include "core/base/refuse.h"
#include "insight/explanation/explain_kinds.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr base::Refusal refuse{"explain_pairs"};

// What a kind does not use is refused: whoever gave it expects that it changes something.
void check_use(const Spec& spec, const ExplainPairs& pairs, bool at_input, bool term) {
  const std::string kind(kind_of(spec));
  if ((at_input || term) && !pairs.scores.empty()) refuse("scores are for a bias: ", kind, " has scores of its own");
  if (pairs.causal && (at_input || std::holds_alternative<TransformerXl>(spec))) {
    refuse("causal is for what ends in a softmax: the parts of ", kind, " are shown for every key");
  }
  if (!at_input) return;
  if (pairs.head != 0) refuse(kind, " is added before there are heads but head is ", pairs.head);
  if (!pairs.parameters.empty()) refuse("parameters are for what acts inside attention: ", kind, " has none");
}

}  // namespace

void explanation::check_head(const ExplainPairs& pairs, std::int64_t heads) {
  if (pairs.head >= 0 && pairs.head < heads) return;
  refuse("head must be one of the ", heads, heads == 1 ? " head" : " heads", " but got ", pairs.head);
}

std::vector<Step> explain_pairs(const Spec& spec, const ExplainPairs& pairs) {
  constexpr std::int64_t kMost = 16;
  validate(spec);
  for (const PositionView* positions : {&pairs.queries, &pairs.keys}) {
    const std::string name = positions == &pairs.queries ? "queries" : "keys";
    if (positions->count < 1 || positions->count > kMost || positions->axes != 1) {
      refuse(name, " must be 1 to ", kMost, " positions on one axis but are ", positions->count, " on ",
             positions->axes);
    }
    check_positions(*positions, "explain_pairs");
  }
  if (!pairs.scores.empty() && static_cast<std::int64_t>(pairs.scores.size()) != pairs.keys.count) {
    refuse("scores must be one per key, ", pairs.keys.count, ", but there are ", pairs.scores.size());
  }
  for (const double score : pairs.scores) {
    if (!std::isfinite(score)) refuse("scores must be finite but got ", score);
  }
  const Place place = place_of(spec);
  if (place == Place::rotation) {
    refuse(kind_of(spec), " turns queries and keys: explain it at a position, with a shift for the score");
  }
  if (place == Place::query) refuse("temperature multiplies queries: explain it at a position");
  if (std::holds_alternative<Concat>(spec) || std::holds_alternative<Fourier>(spec)) {
    refuse(kind_of(spec), " has a row per position: explain it at a position");
  }
  check_use(spec, pairs, place == Place::input, place == Place::term);
  if (place == Place::nowhere) return explanation::explain_none(pairs);
  if (place == Place::term) return explanation::explain_term(spec, pairs);
  if (place == Place::input) return explanation::explain_parts(spec, pairs);
  return explanation::explain_bias(spec, pairs);
}

}  // namespace posenc
