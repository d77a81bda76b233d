#include "detail/explain_pairs.h"

#include <string>

#include "posenc/error.h"

namespace posenc {

std::vector<Step> explain_pairs(const Spec& spec, const ExplainPairs& pairs) {
  constexpr std::int64_t kMost = 16;
  const auto refuse = [](const std::string& message) { fail(ErrorKind::usage, "[explain_pairs] " + message); };
  validate(spec);
  for (const PositionView* positions : {&pairs.queries, &pairs.keys}) {
    const std::string name = positions == &pairs.queries ? "queries" : "keys";
    if (positions->count < 1 || positions->count > kMost || positions->axes != 1) {
      refuse(name + " must be 1 to " + std::to_string(kMost) + " positions on one axis but are " +
             std::to_string(positions->count) + " on " + std::to_string(positions->axes));
    }
    check_positions(*positions, "explain_pairs");
  }
  if (!pairs.scores.empty() && static_cast<std::int64_t>(pairs.scores.size()) != pairs.keys.count) {
    refuse("scores must be one per key, " + std::to_string(pairs.keys.count) + ", but there are " +
           std::to_string(pairs.scores.size()));
  }
  for (const double score : pairs.scores) {
    if (!std::isfinite(score)) refuse("scores must be finite but got " + detail::number_text(score));
  }
  if (std::holds_alternative<Rotary>(spec)) {
    refuse("rotary turns queries and keys: explain it at a position, with a shift for the score");
  }
  if (std::holds_alternative<NoPosition>(spec)) refuse("none adds nothing: there is nothing to explain");
  if (std::holds_alternative<Shaw>(spec) || std::holds_alternative<TransformerXl>(spec)) {
    return detail::explain_term(spec, pairs);
  }
  if (std::holds_alternative<Sinusoidal>(spec) || std::holds_alternative<Learned>(spec) ||
      std::holds_alternative<Hybrid>(spec)) {
    return detail::explain_parts(spec, pairs);
  }
  return detail::explain_bias(spec, pairs);
}

}  // namespace posenc
