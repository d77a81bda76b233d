// PoPE.
#include "posenc/pope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/spec/query_kinds.h"
#include "insight/about/about.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/rotary_measure.h"
#include "insight/properties/sample.h"

namespace posenc {
namespace about {
namespace {

constexpr std::int64_t kPopeDistances = 4096;
constexpr double kPopeRoom = 1e-8;  // tolerance for scores of vectors of length about 1

KindFacts pope_facts(const Pope& spec) {
  const std::int64_t channels = spec::turning_channels(spec);
  return {
      .users = "the models of its paper (Gopalakrishnan et al., 2025); x-transformers and PoPE-pytorch implement it",
      .represents = "distances, independently of contents",
      .prefers = "near keys: magnitudes are positive, so that scores depend on distance from the start",
      .past_length =
          "Trained on 1024 tokens, perplexity rose from about 90 to about 119 at ten times the length; with rotary "
          "it rose from about 128 to about 1243 (Gopalakrishnan et al., 2025, figure 2).",
      .order_of_terms = "There is one frequency per channel, not per pair: heads grow from " +
                        std::to_string(spec.head_dim) + " to " + std::to_string(spec.head_dim + channels) +
                        " channels, but scores are divided by sqrt(" + std::to_string(spec.head_dim) + ")."};
}

// The score of a random query and a random key at two positions, computed by the operations themselves.
double score_at(const PopeAngles& angles, const PositionView& query, const PositionView& key, std::uint64_t seed) {
  const std::int64_t width = angles.head_dim(), wide = angles.out_dim();
  const double std = 1.0 / std::sqrt(static_cast<double>(width));
  const std::vector<double> q = normal_numbers(1, width, std, seed), k = normal_numbers(1, width, std, seed + 1);
  std::vector<double> q_out(static_cast<std::size_t>(wide)), k_out(q_out.size());
  pope_queries(make_view(q.data(), {1, 1, width}), query, angles, make_view(q_out.data(), {1, 1, wide}));
  pope_keys(make_view(k.data(), {1, 1, width}), key, angles, make_view(k_out.data(), {1, 1, wide}));
  return dot(q_out, k_out) / static_cast<double>(width);
}

// Compares the scores of the first tokens and a key at 0 with those of the same pairs, moved by about half the last
// position.
Property relative(const Pope& spec, const PositionView& positions, std::uint64_t seed) {
  const PopeAngles angles(spec);
  double largest = 0.0;
  const std::int64_t last = std::min<std::int64_t>(positions.count, 9);
  const double by = std::floor(std::fabs(positions.real(0, std::max<std::int64_t>(positions.count, 1) - 1)) / 2.0) + 1;
  for (std::int64_t n = 0; n < last; ++n) {
    std::vector<double> at(static_cast<std::size_t>(spec.axes)), moved(at), zero(at), start(at);
    for (std::int64_t a = 0; a < spec.axes; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      at[axis] = positions.real(0, n, a);
      start[axis] = at[axis] > 0.0 ? -by : by;  // towards 0, to stay within the range
      moved[axis] = at[axis] + start[axis];
    }
    const auto view = [&](const std::vector<double>& place) { return places_view(place, spec.axes); };
    largest = std::max(largest, std::fabs(score_at(angles, view(at), view(zero), seed) -
                                          score_at(angles, view(moved), view(start), seed)));
  }
  return {.name = "relative",
          .title = "scores depend on distance only",
          .verdict = judge(true, largest <= kPopeRoom),
          .finding = "largest error " + residual_text(largest),
          .numbers = {{"residual", largest}}};
}

Property no_content_shift() {
  return {.name = "content_phase",
          .title = "contents do not change the preferred distance",
          .verdict = Verdict::holds,
          .finding = "angles depend on positions only; a rotary score adds the angle between q and k"};
}

Property pope_monotone(const RotarySchedule& schedule, std::int64_t distances) {
  if (distances < 2)
    return needs_positions({.name = "monotone", .title = "scores of equal magnitudes fall with distance"});
  const std::vector<double> curve = score_kernel(schedule, std::min<std::int64_t>(distances, kPopeDistances));
  const std::optional<std::int64_t> rise = rise_beyond(curve, 0.0);
  Property property{.name = "monotone",
                    .title = "scores of equal magnitudes fall with distance",
                    .verdict = rise ? Verdict::holds_to : Verdict::holds,
                    .finding = "they keep " + short_text(curve[1]) + " of their size at distance 1 and " +
                               short_text(curve.back()) + " at " +
                               count_text(static_cast<std::int64_t>(curve.size()) - 1),
                    .numbers = {{"at_1", curve[1]}, {"at_last", curve.back()}}};
  if (rise) {
    property.until = static_cast<double>(*rise - 1);
    property.finding += "; it first rises at distance " + std::to_string(*rise);
  }
  return property;
}

std::vector<Property> pope_properties(const Encoding& numbers, const CheckOptions& options) {
  // A table of cosines and sines is compared like that of a rotary encoding with as many pairs.
  if (options.observed.rank != 0) return Rotary::page.properties(numbers, options);
  const RotarySchedule& schedule = *numbers.rotary();
  check_axes(schedule, options.positions);
  std::vector<Property> list;
  list.push_back(relative(std::get<Pope>(numbers.spec()), options.positions, options.seed));
  list.push_back(no_content_shift());
  if (schedule.axes == 1) list.push_back(pope_monotone(schedule, options.positions.count));
  list.push_back(unseen_angles(turning_frequencies(schedule), options.train_length, "channel"));
  list.push_back(positions_held());
  for (Property& property : precision_properties(schedule)) list.push_back(std::move(property));
  list.push_back(
      {.name = "parameters",
       .title = "it needs no learned parameters",
       .verdict = Verdict::holds,
       .finding = "delta, " + several(schedule.pairs(), "angle") + " per head, is optional: the default is 0",
       .numbers = {{"optional_per_head", static_cast<double>(schedule.pairs())}}});
  list.push_back(memory(numbers.spec(), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

KindFormula pope_formula(const Pope& spec) {
  const Formula c = "c", s = "s", t = "t";
  const std::int64_t channels = spec::turning_channels(spec);
  const bool rule = spec.inv_freq.empty() && spec.sections.empty();
  const Formula frequency = rule ? power(spec.base, -c / channels) : element("inv_freq", {c});
  const auto m = [](const Formula& x) { return call("m", {x}); };
  const Formula term = m("q_c") * m("k_c") * call("cos", {(s - t) * frequency + "delta_c"});
  return {.lines = {equation(call("score", {t, s}), series("c", 0, channels - 1, term)),
                    equation(m("x"), pope_magnitude(spec.magnitude, "x"))}};
}

Cost pope_cost(const Pope& spec, const CostQuestion& of) {
  const RotarySchedule schedule = make_schedule(spec);
  // A softplus counts as four: an exponential, a logarithm, a maximum and a sum.
  return {product({of.positions, schedule.rotary_dim, of.size}), kPhaseBytes * schedule.pairs() * schedule.axes, 0,
          6.0 * static_cast<double>(schedule.pairs())};
}

void pope_questions(const Pope& spec, Sheet& sheet) {
  sheet.leave_out(spec, {"head_dim", "rotary_dim"});
  Draw draw = sheet.draw("pope");
  const double x = draw.tenths(-20, 20);
  const auto magnitude = [](const Formula& of) { return plain_text(pope_magnitude(Magnitude::softplus, of)); };
  sheet.ask("queries/pope magnitude",
            {{"x", decimals_text(x, 1)}, {"formula", magnitude("x")}, {"worked", magnitude(x)}},
            {std::log1p(std::exp(x))},
            {{"1 + was left out: ln(e^x) is x", {x}},
             {"the logarithm was left out: this is 1 + e^x", {1.0 + std::exp(x)}},
             {"the logarithm was left out: this is e^x", {std::exp(x)}},
             {"ln is the natural logarithm, not that of base 10", {std::log10(1.0 + std::exp(x))}},
             {"this is relu, the larger of x and 0", {std::max(x, 0.0)}},
             {"the sign of x was lost", {std::log1p(std::exp(-x))}}});
  const std::int64_t channels = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
  sheet.ask("queries/pope width",
            {{"head_dim", spec.head_dim}, {"channels", channels}, {"passed", spec.head_dim - channels}},
            {static_cast<double>(spec.head_dim + channels)},
            {{"each encoded channel becomes a pair", {static_cast<double>(spec.head_dim)}},
             {"only encoded channels become pairs", {static_cast<double>(2 * spec.head_dim)}},
             {"the channels that stay as they are were not counted", {static_cast<double>(2 * channels)}}});
  const std::int64_t head_dim = spec.head_dim < 4 ? 64 : spec.head_dim;  // in narrow heads the choices coincide
  if (head_dim != spec.head_dim) sheet.remark("Some questions use head_dim=" + text_of(head_dim) + ".");
  sheet.ask_choice("queries/pope scale", draw, {{"head_dim", head_dim}, {"twice", 2 * head_dim}});
  const double d = draw.real(1, 5), log2 = std::numbers::ln2;
  const double cosines = std::cos(d) + std::cos(0.1 * d);
  std::vector<Mistake> mistakes =
      angle_mistakes([&](const RowValue& row) { return std::vector{log2 * log2 * (row(d, 1) + row(0.1 * d, 1))}; },
                     "the score is a sum of cosines");
  mistakes.push_back({"the magnitudes were left out", {cosines}});
  mistakes.push_back({"query and key both have the magnitude ln 2: its square counts", {log2 * cosines}});
  mistakes.push_back({"only the fast channel was counted", {log2 * log2 * std::cos(d)}});
  sheet.ask("queries/pope kernel", {{"d", d}, {"slow", decimals_text(0.1 * d, 1)}}, {log2 * log2 * cosines}, mistakes);
  sheet.ask("queries/pope content");
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

properties::Formula properties::pope_magnitude(Magnitude magnitude, const Formula& x) {
  if (magnitude == Magnitude::softplus) return call("ln", {1 + power("e", x)});
  return magnitude == Magnitude::relu ? call("max", {x, 0}) : x;
}

constinit const properties::KindPage Pope::page = {.facts = spec::of_kind<about::pope_facts>,
                                                   .formula = spec::of_kind<about::pope_formula>,
                                                   .properties = about::pope_properties,
                                                   .figures = "wavelengths clocks distance attention precision",
                                                   .cost = spec::of_kind<about::pope_cost>,
                                                   .explain = spec::of_kind<explanation::explain_pope>,
                                                   .questions = spec::of_kind<about::pope_questions>};

}  // namespace posenc
