#include <cmath>
#include <numbers>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/query_temperature.h"
#include "posenc/xpos.h"

namespace posenc::teaching {
namespace {

void add_width_question(Sheet& sheet, std::int64_t head_dim, std::int64_t channels) {
  sheet.add(
      {.level = Level::easy,
       .text = "PoPE turns " + text_of(channels) + " of the " + text_of(head_dim) +
               " channels of a head. How many channels does a head have after it?",
       .hint = "A magnitude at an angle is two numbers.",
       .values = {static_cast<double>(head_dim + channels)},
       .solution = {text_of(channels) + " channels become pairs, " + text_of(head_dim - channels) + " pass: 2 x " +
                    text_of(channels) + " + " + text_of(head_dim - channels) + " = " + text_of(head_dim + channels)}});
}

void add_magnitude_question(Sheet& sheet, Draw& draw) {
  const double x = draw.tenths(-20, 20), length = std::log1p(std::exp(x));
  sheet.add({.level = Level::easy,
             .text = "A channel of a query holds " + decimals_text(x, 1) +
                     ". What magnitude does PoPE make of it, by softplus? To five decimals.",
             .hint = plain_text(properties::pope_magnitude(Magnitude::softplus, "x")),
             .values = {length},
             .decimals = 5,
             .solution = {plain_text(properties::pope_magnitude(Magnitude::softplus, x)) + " = " +
                          explanation::five_decimals(length)}});
}

void add_scale_question(Sheet& sheet, std::int64_t head_dim, Draw& draw) {
  const std::string root = "1 / sqrt(" + text_of(head_dim) + ")";
  sheet.add_choice({.level = Level::medium,
                    .text = "A head of " + text_of(head_dim) +
                            " channels is expanded by PoPE. What multiplies its scores before the softmax?",
                    .hint = "What would an attention function choose by itself, seeing the expanded head?",
                    .choices = {root, "1 / sqrt(" + text_of(2 * head_dim) + ")", "1", "1 / " + text_of(head_dim)},
                    .solution = {"The width before the expansion counts: " + root + ".",
                                 "A function that sees the expanded head divides by another root: give it the scale."}},
                   draw);
}

void add_kernel_question(Sheet& sheet, Draw& draw) {
  const std::int64_t distance = draw.between(1, 5);
  const double d = static_cast<double>(distance);
  const double log2 = std::numbers::ln2, score = log2 * log2 * (std::cos(d) + std::cos(0.1 * d));
  sheet.add({.level = Level::medium,
             .text = "PoPE with two channels of frequencies 1 and 0.1, delta 0. Query and key hold 0 in both channels. "
                     "What is their product at distance " +
                     text_of(distance) + "? To five decimals.",
             .hint = "softplus(0) = ln 2.",
             .values = {score},
             .decimals = 5,
             .solution = {"(ln 2)^2 (cos " + text_of(distance) + " + cos " + decimals_text(0.1 * d, 1) +
                          ") = " + explanation::five_decimals(score)}});
}

void add_content_question(Sheet& sheet) {
  sheet.add(
      {.level = Level::hard,
       .kind = AnswerKind::reasoned,
       .text = "In a rotary score the angle between query and key channels is added to the angle of the distance. "
               "What does PoPE do about it, and what may be won and lost?",
       .hint = "Write a pair as a magnitude and a phase.",
       .solution = {"A pair of q and one of k have phases of their own: the score has the cosine of the distance's",
                    "angle plus their difference, so contents shift the distance that is looked for.",
                    "PoPE keeps magnitudes alone: what and where are apart, which helps where a place is asked for",
                    "whatever stands there, and at lengths that were not trained.",
                    "Lost: heads are twice as wide for the product, and a pair can no longer choose its phase by",
                    "content; a learned phase per channel stays."},
       .points = {{"rotary mixes content and position in one phase", {"phase", "mix", "content"}},
                  {"PoPE keeps magnitudes only", {"magnitude", "softplus", "positive"}},
                  {"it extrapolates better", {"length", "extrapol", "longer"}},
                  {"it costs width", {"twice", "wide", "double", "memory", "cost"}}}});
}

}  // namespace

void add_questions(Sheet& sheet, const Pope& spec) {
  Draw draw = sheet.draw("pope");
  add_magnitude_question(sheet, draw);
  add_width_question(sheet, spec.head_dim, spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim);
  add_scale_question(sheet, spec.head_dim < 4 ? 64 : spec.head_dim, draw);  // the choices of narrow heads are alike
  add_kernel_question(sheet, draw);
  add_content_question(sheet);
  add_long_context_question(sheet);
}

void add_questions(Sheet& sheet, const Xpos& given) {
  Draw draw = sheet.draw("xpos");
  const Xpos spec{.head_dim = 8, .gamma = given.gamma, .scale_base = 16.0};
  const XposSchedule schedule = make_schedule(spec);
  const std::int64_t pair = draw.between(0, 3), distance = 8 * draw.between(1, 4);
  const double zeta = schedule.zeta[static_cast<std::size_t>(pair)];
  const double kept = std::pow(zeta, static_cast<double>(distance) / 16.0);
  const std::string gamma = text::number_text(spec.gamma);
  sheet.add({.level = Level::easy,
             .text = "xPos with 8 channels and gamma " + gamma + ". What is zeta of pair " + text_of(pair) +
                     "? To five decimals.",
             .hint = plain_text(properties::xpos_decay("i", 8, "gamma")),
             .values = {zeta},
             .decimals = 5,
             .solution = {plain_text(properties::xpos_decay(pair, 8, spec.gamma)) + " = " +
                          explanation::five_decimals(zeta)}});
  sheet.add({.level = Level::medium,
             .text = "xPos with 8 channels, gamma " + gamma + " and scale_base 16: by what is the part of pair " +
                     text_of(pair) + " multiplied in the score of a query and the key " + text_of(distance) +
                     " positions before it? To five decimals.",
             .hint = "The query has zeta^(t/16), the key zeta^(-s/16).",
             .values = {kept},
             .decimals = 5,
             .solution = {explanation::five_decimals(zeta) + "^(" + text_of(distance) +
                          "/16) = " + explanation::five_decimals(kept)}});
  const std::int64_t center = draw.between(100, 900);
  sheet.add({.level = Level::easy,
             .text = "xPos has its center at position " + text_of(center) +
                     ". What multiplies the pairs of a query that stands there?",
             .hint = "What is the exponent?",
             .values = {1.0},
             .solution = {"zeta^((" + text_of(center) + " - " + text_of(center) + ") / scale_base) = zeta^0 = 1"}});
  sheet.add_choice({.level = Level::medium,
                    .text = "The center of xPos moves from position 0 to position 1000. What happens to scores?",
                    .hint = "Multiply the factor of a query by that of a key.",
                    .choices = {"Nothing: it cancels.", "All are multiplied by zeta^1000.", "Far keys are seen better.",
                                "Near keys are seen better."},
                    .solution = {"zeta^((t - c)/B) zeta^(-(s - c)/B) = zeta^((t - s)/B): c is gone.",
                                 "It only keeps both factors within the range of the numbers."}},
                   draw);
  sheet.add(
      {.level = Level::hard,
       .kind = AnswerKind::reasoned,
       .text = "Why is xPos meant for causal attention, and what happens to its factors in long texts?",
       .hint = "Look at a key ahead of its query, and at zeta^(-p/B) for a large p.",
       .solution = {"The decay has a direction: a key before is damped, one ahead is amplified, the more the farther.",
                    "Without a causal mask the farthest key ahead would win.",
                    "Queries shrink and keys grow exponentially with the position: beyond some ten thousand",
                    "positions float32 has no such numbers. A center among the positions halves the exponent."},
       .points = {{"keys ahead are amplified", {"ahead", "amplif", "grow", "future", "causal"}},
                  {"factors overflow or vanish", {"overflow", "underflow", "range", "exponential", "vanish"}},
                  {"a center helps", {"center", "centre", "middle"}}}});
}

void add_questions(Sheet& sheet, const QueryTemperature& given) {
  Draw draw = sheet.draw("temperature");
  const QueryTemperature spec{.scale = given.scale, .length = 1000, .first = 0};
  const std::int64_t position = 1000 * draw.between(2, 9) + draw.between(1, 999);
  const double factor = query_factor(spec, static_cast<double>(position));
  sheet.add({.level = Level::easy,
             .text = "Queries are multiplied by " + plain_text(properties::temperature_factor(spec, "p")) +
                     ". What is the factor at position " + text_of(position) + "? To five decimals.",
             .hint = "The floor first.",
             .values = {factor},
             .decimals = 5,
             .solution = {plain_text(properties::temperature_factor(spec, position)) + " = " +
                          explanation::five_decimals(factor)}});
  const std::int64_t length = 1024 * draw.between(1, 16);
  sheet.add({.level = Level::easy,
             .text = "Queries are multiplied by " +
                     plain_text(properties::temperature_factor({.scale = 0.1, .length = length, .first = 1}, "p")) +
                     ", positions counted from 0. Which is the first position whose factor is above 1?",
             .hint = "When does the floor become 1?",
             .values = {static_cast<double>(length - 1)},
             .solution = {"p + 1 = " + text_of(length) + ": p = " + text_of(length - 1)}});
  const double sharp = draw.tenths(11, 15);
  const double weight = 1.0 / (1.0 + std::exp(-sharp) + std::exp(-2.0 * sharp));
  sheet.add({.level = Level::medium,
             .text = "The scaled scores of a query with three keys are 2, 1 and 0 before its factor, which is " +
                     decimals_text(sharp, 1) + ". What weight does the softmax give the first key? To five decimals.",
             .hint = "The factor multiplies every score.",
             .values = {weight},
             .decimals = 5,
             .solution = {"1 / (1 + e^-" + decimals_text(sharp, 1) + " + e^-" + decimals_text(2.0 * sharp, 1) +
                              ") = " + explanation::five_decimals(weight),
                          "Without the factor it would be 0.66524."}});
  sheet.add_choice(
      {.level = Level::medium,
       .text = "Every query is multiplied by a factor of its position. Can attention tell the order of two "
               "keys by it?",
       .hint = "Which scores does a query's factor multiply?",
       .choices = {"No: all scores of a query get the same factor.", "Yes, where the factor is above 1.",
                   "Yes, but only for keys before it.", "Only in the first layer."},
       .solution = {"The factor sharpens or flattens the softmax of a query; it prefers no key."}},
      draw);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
