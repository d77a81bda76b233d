#include <algorithm>
#include <cmath>
#include <string>

#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_text.h"
#include "insight/properties/formulas.h"
#include "posenc/error.h"
#include "posenc/phase.h"
#include "posenc/pope.h"
#include "posenc/query_temperature.h"
#include "posenc/xpos.h"

namespace posenc::explanation {
namespace {

constexpr std::int64_t kShown = 4;  // pairs or channels shown: the first ones and the last

void check(const Spec& spec, std::span<const double> position, const ExplainOptions& options) {
  if (options.derivative) {
    fail(ErrorKind::unsupported,
         "[explain] the derivative is available for sinusoidal encodings only, not for " + std::string(kind_of(spec)));
  }
  if (!options.shift) return;
  if (position.size() != 1) fail(ErrorKind::usage, "[explain] a shift needs positions on one axis");
  const double moved = position[0] + *options.shift;
  check_positions(PositionView::of(&moved, 1), "explain");
}

Step reproduce_query(const Spec& spec, std::span<const double> position, const ExplainOptions& options) {
  return {"reproduce",
          "The command for these numbers",
          {"posenc table " + spec_text_of(spec, options) + " --positions=" + place_text(position)},
          {}};
}

// The indices to show of a list of `count`.
std::vector<std::int64_t> shown_of(std::int64_t count) {
  std::vector<std::int64_t> shown;
  for (std::int64_t i = 0; i < std::min(count, kShown); ++i) shown.push_back(i);
  if (count > kShown) shown.back() = count - 1;
  return shown;
}

// The angle of a pair at a place, and its cosine and sine.
struct Turn {
  double angle = 0.0;
  SinCos at{};
};
Turn turn_of(const RotarySchedule& schedule, std::int64_t pair, std::span<const double> position) {
  Turn turn;
  std::uint64_t phase = 0;
  for (std::int64_t a = 0; a < schedule.axes; ++a) {
    const double frequency = schedule.inv_freq[static_cast<std::size_t>(a * schedule.pairs() + pair)];
    turn.angle += position[static_cast<std::size_t>(a)] * frequency;
    phase += phase_at(make_phase_step(frequency), position[static_cast<std::size_t>(a)]);
  }
  turn.at = sin_cos(phase);
  return turn;
}

Step turns_step(const RotarySchedule& schedule, std::span<const double> position, const char* name) {
  Step step{"angles", "The angles, p times inv_freq, and their cosines and sines", {}, {}};
  for (const std::int64_t i : shown_of(schedule.pairs())) {
    const Turn turn = turn_of(schedule, i, position);
    step.lines.push_back(std::string(name) + " " + std::to_string(i) + ": angle " + five_decimals(turn.angle) +
                         ", cos " + five_decimals(turn.at.cos) + ", sin " + five_decimals(turn.at.sin));
  }
  for (std::int64_t i = 0; i < schedule.pairs(); ++i) step.values.push_back(turn_of(schedule, i, position).angle);
  return step;
}

double magnitude_of(Magnitude magnitude, double x) {
  if (magnitude == Magnitude::softplus) return std::log1p(std::exp(-std::fabs(x))) + std::fmax(x, 0.0);
  return magnitude == Magnitude::relu ? std::fmax(x, 0.0) : x;
}
Step pope_pair(const Pope& spec, const RotarySchedule& schedule, std::span<const double> position) {
  const std::int64_t channel = std::min<std::int64_t>(1, schedule.pairs() - 1);
  const Turn turn = turn_of(schedule, channel, position);
  const double x = 0.5, length = magnitude_of(spec.magnitude, x);
  const double first = length * turn.at.cos, second = length * turn.at.sin;
  return {"pair",
          "Channel " + std::to_string(channel) + " of a query, if its value is 0.5",
          {"magnitude  " + plain_text(properties::pope_magnitude(spec.magnitude, 0.5)) + " = " + five_decimals(length),
           "pair       (" + five_decimals(length) + " * " + five_decimals(turn.at.cos) + ", " + five_decimals(length) +
               " * " + five_decimals(turn.at.sin) + ") = (" + five_decimals(first) + ", " + five_decimals(second) + ")",
           "A key adds its learned angle delta, which is 0 when training begins."},
          {length, first, second}};
}

// Contents without information: every channel is 0, as with small weights.
Step pope_score(const Pope& spec, const RotarySchedule& schedule, double shift) {
  double sum = 0.0;
  for (const double frequency : schedule.inv_freq) sum += sin_cos(phase_at(make_phase_step(frequency), shift)).cos;
  const double length = magnitude_of(spec.magnitude, 0.0);
  const double score = length * length * sum / std::sqrt(static_cast<double>(spec.head_dim));
  return {"score",
          "The score with a key " + text::number_text(shift) + " positions away, if all channels are 0",
          {"magnitudes are " + five_decimals(length) + ", and the sum of cos(" + text::number_text(shift) +
               " inv_freq) is " + five_decimals(sum),
           "score = " + five_decimals(length) + "^2 * " + five_decimals(sum) + " / sqrt(" +
               std::to_string(spec.head_dim) + ") = " + five_decimals(score),
           "The score depends on the distance, not on the position of the query."},
          {score}};
}

Step xpos_decay(const XposSchedule& schedule, double position) {
  Step step{"factors", "The decay factors at position " + text::number_text(position), {}, {}};
  for (const std::int64_t i : shown_of(schedule.rotation.pairs())) {
    const double zeta = schedule.zeta[static_cast<std::size_t>(i)];
    step.lines.push_back("pair " + std::to_string(i) + ": zeta " + five_decimals(zeta) + "^((" +
                         text::number_text(position) + " - " + text::number_text(schedule.center) + ")/" +
                         text::number_text(schedule.scale_base) + ") = " + five_decimals(schedule.factor(i, position)));
  }
  for (std::int64_t i = 0; i < schedule.rotation.pairs(); ++i) step.values.push_back(schedule.factor(i, position));
  return step;
}

Step xpos_pair(const XposSchedule& schedule, double position) {
  const Turn turn = turn_of(schedule.rotation, 0, {&position, 1});
  const double sign = schedule.rotation.layout == Layout::half_negative ? -1.0 : 1.0;
  const double factor = schedule.factor(0, position);
  const double a = turn.at.cos - 0.5 * sign * turn.at.sin, b = 0.5 * turn.at.cos + sign * turn.at.sin;
  const auto pair = [](double x, double y) { return "(" + five_decimals(x) + ", " + five_decimals(y) + ")"; };
  return {"pair",
          "Pair 0, if its value is (1, 0.5)",
          {"rotated         " + pair(a, b), "in a query      " + pair(a * factor, b * factor),
           "in a key        " + pair(a / factor, b / factor)},
          {a, b, a * factor, b * factor, a / factor, b / factor}};
}

Step xpos_score(const XposSchedule& schedule, double shift) {
  Step step{"score",
            "The factor of each pair in the score with a key " + text::number_text(shift) + " positions away",
            {},
            {}};
  for (std::int64_t i = 0; i < schedule.rotation.pairs(); ++i) {
    // With a negative shift the key is before the query.
    step.values.push_back(schedule.factor(i, schedule.center - shift));
  }
  for (const std::int64_t i : shown_of(schedule.rotation.pairs())) {
    step.lines.push_back("pair " + std::to_string(i) + ": " +
                         five_decimals(schedule.zeta[static_cast<std::size_t>(i)]) + "^(" + text::number_text(-shift) +
                         "/" + text::number_text(schedule.scale_base) +
                         ") = " + five_decimals(step.values[static_cast<std::size_t>(i)]));
  }
  step.lines.push_back("The cosine of the rotation multiplies it, as for rotary. The center cancels.");
  return step;
}

}  // namespace

std::vector<Step> explain_pope(const Pope& spec, std::span<const double> position, const ExplainOptions& options) {
  check(spec, position, options);
  const RotarySchedule schedule = make_schedule(spec);
  std::vector<Step> steps = {
      {"formula",
       "The rule",
       {plain_text(properties::formula_of(spec)),
        "channel c of a query at t becomes the pair m(q_c) (cos a, sin a) with a = t inv_freq[c]",
        "there is one frequency per channel, not per pair of channels",
        std::to_string(spec.head_dim) + " channels become " + std::to_string(spec.head_dim + schedule.pairs()) +
            "; scores are still divided by sqrt(" + std::to_string(spec.head_dim) + ")"},
       {}},
      turns_step(schedule, position, "channel"),
      pope_pair(spec, schedule, position)};
  if (options.shift) steps.push_back(pope_score(spec, schedule, *options.shift));
  steps.push_back(reproduce_query(spec, position, options));
  return steps;
}

std::vector<Step> explain_xpos(const Xpos& spec, std::span<const double> position, const ExplainOptions& options) {
  check(spec, position, options);
  const XposSchedule schedule = make_schedule(spec);
  std::vector<Step> steps = {{"formula", "The rule", {plain_text(properties::formula_of(spec))}, {}},
                             turns_step(schedule.rotation, position, "pair"),
                             xpos_decay(schedule, position[0]),
                             xpos_pair(schedule, position[0])};
  if (options.shift) steps.push_back(xpos_score(schedule, *options.shift));
  steps.push_back(reproduce_query(spec, position, options));
  return steps;
}

std::vector<Step> explain_temperature(const QueryTemperature& spec, std::span<const double> at,
                                      const ExplainOptions& options) {
  const double position = at[0];
  check(spec, at, options);
  if (options.shift) fail(ErrorKind::unsupported, "[explain] temperature has no shift: it does not depend on keys");
  const double factor = query_factor(spec, position);
  const double count = position + static_cast<double>(spec.first), share = count / static_cast<double>(spec.length);
  const std::string worked = plain_text(properties::temperature_factor(spec, position));
  return {{"formula", "The rule", {plain_text(properties::formula_of(spec))}, {}},
          {"factor",
           "At position " + text::number_text(position),
           {"(p + first) / length = " + text::number_text(count) + " / " + std::to_string(spec.length) + " = " +
                five_decimals(share),
            "factor = " + worked + " = " + five_decimals(factor)},
           {factor}},
          {"meaning",
           "What that means",
           {"It multiplies all scores of the query before the softmax: a factor above 1 makes the weights sharper.",
            "It says nothing about the order of the keys."},
           {}},
          reproduce_query(spec, at, options)};
}

}  // namespace posenc::explanation
