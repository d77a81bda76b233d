#include <cmath>
#include <string>

#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_pairs.h"
#include "insight/properties/formulas.h"
#include "posenc/error.h"

namespace posenc::explanation {
namespace {

void refuse_options(const Spec& spec, const ExplainOptions& options) {
  if (!options.derivative && !options.shift) return;
  fail(ErrorKind::unsupported, "[explain] " + std::string(kind_of(spec)) +
                                   " has neither a derivative nor a shift: it assigns no numbers to a position");
}

Step no_rule() { return {"rule", "The rule", {plain_text(properties::formula_of(NoPosition{}))}, {}}; }

Step no_order() {
  return {"order",
          "What that means",
          {"If the tokens are reordered, the same outputs come out in the new order: attention is permutation",
           "equivariant. Only a value pooled over all outputs, such as their mean, stays the same: it is invariant.",
           "A causal mask breaks the symmetry: each token sees the tokens before it, and their number reveals its",
           "position."},
          {}};
}

Step demonstration() { return {"reproduce", "A demonstration with numbers", {"posenc demo permutation"}, {}}; }

// The positions that a query sees; infinite at an open end.
struct Seen {
  double first;
  double last;
};

Seen seen_by(const Window& spec, double p) {
  return {spec.left ? std::ceil(p - static_cast<double>(*spec.left)) : -HUGE_VAL,
          spec.right ? std::floor(p + static_cast<double>(*spec.right)) : HUGE_VAL};
}
Seen seen_by(const Chunked& spec, double p) {
  const auto size = static_cast<double>(spec.size);
  const double first = std::floor(p / size) * size;
  return {first, spec.direction == DistanceRule::causal ? std::floor(p) : first + size - 1.0};
}

std::string seen_text(const Seen& seen) {
  if (seen.first == -HUGE_VAL && seen.last == HUGE_VAL) return "all keys";
  if (seen.first == -HUGE_VAL) return "all keys up to " + text::number_text(seen.last);
  if (seen.last == HUGE_VAL) return "all keys from " + text::number_text(seen.first) + " on";
  return "keys " + text::number_text(seen.first) + " to " + text::number_text(seen.last);
}

// The command that prints the mask, with one more key on either side.
Step mask_command(const Spec& spec, double position, const Seen& seen, const ExplainOptions& options) {
  const double first = std::isfinite(seen.first) ? seen.first - 1.0 : std::floor(position) - 2.0;
  const double last = std::isfinite(seen.last) ? seen.last + 1.0 : std::floor(position) + 2.0;
  return {"reproduce",
          "The command for the mask, with one more key on either side",
          {"posenc bias " + spec_text_of(spec, options) + " --queries=" + text::number_text(position) +
           " --keys=" + text::number_text(std::fmax(first, 0.0)) + ":" + text::number_text(last + 1.0)},
          {}};
}

}  // namespace

std::vector<Step> explain_none(const Spec& spec, std::span<const double> at, const ExplainOptions& options) {
  const double position = at[0];
  refuse_options(spec, options);
  std::vector<Step> steps = {no_rule(), no_order()};
  if (position >= 0.0 && position == std::floor(position)) {
    const double keys = position + 1.0;
    steps.push_back({"mask",
                     "With a causal mask",
                     {"a query at position " + text::number_text(position) + " sees " + text::number_text(keys) +
                      " keys; if all scores are equal, each gets the weight 1/" + text::number_text(keys) + " = " +
                      five_decimals(1.0 / keys)},
                     {keys, 1.0 / keys}});
  }
  steps.push_back(demonstration());
  return steps;
}

std::vector<Step> explain_none(const ExplainPairs& pairs) {
  if (pairs.head != 0 || !pairs.parameters.empty()) {
    fail(ErrorKind::usage, "[explain_pairs] none has neither heads nor parameters: leave them out");
  }
  std::vector<double> scores = pairs.scores;
  if (scores.empty()) scores.assign(static_cast<std::size_t>(pairs.keys.count), 0.2);
  const double query = pairs.queries.real(0, followed_query(pairs));
  for (std::int64_t k = 0; pairs.causal && k < pairs.keys.count; ++k) {
    if (pairs.keys.real(0, k) > query) scores[static_cast<std::size_t>(k)] = -HUGE_VAL;
  }
  const std::vector<double> weights = softmax(scores);
  Step step{"weights", "The softmax of the scores alone, for the query at " + text::number_text(query), {}, weights};
  step.lines = {"scores   " + numbers_text(scores), "weights  " + numbers_text(weights)};
  return {no_rule(), step, no_order(), demonstration()};
}

std::vector<Step> explain_mask(const Spec& spec, std::span<const double> at, const ExplainOptions& options) {
  const double position = at[0];
  refuse_options(spec, options);
  const auto* window = std::get_if<Window>(&spec);
  const Seen seen = window != nullptr ? seen_by(*window, position) : seen_by(std::get<Chunked>(spec), position);
  Step keys{"keys", "The keys that the query at " + text::number_text(position) + " sees", {seen_text(seen)}, {}};
  if (std::isfinite(seen.first) && std::isfinite(seen.last)) {
    const double count = seen.last - seen.first + 1.0;
    keys.values = {seen.first, seen.last};
    keys.lines.push_back(text::number_text(count) + (count == 1.0 ? " key" : " keys") +
                         " if the text has them; if all scores are equal, each gets the weight 1/" +
                         text::number_text(count) + " = " + five_decimals(1.0 / count));
  }
  const Step meaning = {
      "meaning",
      "What that means",
      {"A mask adds 0 or -inf to a score. It limits which keys a query sees, and the cost of attention. It says",
       "nothing about the order of the visible keys: models use another encoding for that."},
      {}};
  const std::string rule = "a mask: " + plain_text(properties::formula_of(spec));
  return {{"rule", "The rule", {rule}, {}}, keys, meaning, mask_command(spec, position, seen, options)};
}

}  // namespace posenc::explanation
