// xPos.
#include "posenc/xpos.h"

#include <algorithm>
#include <cmath>

#include "core/spec/query_kinds.h"
#include "insight/about/about.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/rotary_measure.h"
#include "insight/properties/sample.h"

namespace posenc {
namespace about {
namespace {

constexpr double kXposRoom = 1e-8;

KindFacts xpos_facts(const Spec&) {
  return {
      .users = "RetNet and LeX (torchscale); rotary-embedding-torch and x-transformers implement it",
      .represents = "distances",
      .prefers = "near keys: scores decay with distance, those of fast pairs first",
      .past_length =
          "Fast pairs decay before their angles are new, so that only slow pairs see distant keys; the paper adds "
          "attention in blocks at test time.",
      .order_of_terms =
          "It is for causal attention: scores of keys after the query grow instead of decaying. The center does not "
          "change scores, but published code places it differently for odd lengths, so that rotated vectors differ."};
}

// The score of one random query and one random key.
double score_at(const XposAngles& angles, double query, double key, std::uint64_t seed) {
  const std::int64_t width = angles.schedule().rotation.head_dim;
  const double std = 1.0 / std::sqrt(static_cast<double>(width));
  std::vector<double> q = normal_numbers(1, width, std, seed), k = normal_numbers(1, width, std, seed + 1);
  const View q_view = make_view(q.data(), {1, 1, width}), k_view = make_view(k.data(), {1, 1, width});
  xpos_queries(q_view, PositionView::of(&query, 1), angles, q_view);
  xpos_keys(k_view, PositionView::of(&key, 1), angles, k_view);
  return dot(q, k);
}

// Compares the scores of a key at the center and queries within scale_base of it with those of the same pairs, moved by
// half as much, towards 0 to stay within the range.
Property relative(const Xpos& spec, std::uint64_t seed) {
  const XposAngles angles(spec);
  double largest = 0.0;
  const double reach = std::min(spec.scale_base, 1000.0) * (spec.center > 0.0 ? -1.0 : 1.0);
  for (const double part : {0.0, 0.125, 0.5, 1.0}) {
    const double query = spec.center + part * reach, by = reach / 2.0;
    largest = std::max(largest, std::fabs(score_at(angles, query, spec.center, seed) -
                                          score_at(angles, query + by, spec.center + by, seed)));
  }
  return {.name = "relative",
          .title = "scores depend on distance only",
          .verdict = judge(true, largest <= kXposRoom),
          .finding = "largest error " + residual_text(largest) + ", for vectors of norm about 1",
          .numbers = {{"residual", largest}}};
}

Property decays(const XposSchedule& schedule) {
  const double fast = schedule.zeta.front(), slow = schedule.zeta.back();
  return {.name = "decays",
          .title = "scores fall with distance",
          .verdict = Verdict::does_not_hold,
          .finding = "their envelope falls, and they oscillate within it: at distance " +
                     place_text(schedule.scale_base) + " pair 0 keeps " + short_text(fast) +
                     " of its size, the last pair " + short_text(slow),
          .numbers = {{"first_pair", fast}, {"last_pair", slow}}};
}

// The distance from the center past which the factor of pair 0 leaves the range of float32.
Property range(const XposSchedule& schedule) {
  const double reach = std::floor(schedule.scale_base * std::log(0x1p126) / -std::log(schedule.zeta.front()));
  Property property{.name = "range",
                    .title = "factors stay in the range of float32 at every position",
                    .verdict = Verdict::holds,
                    .finding = "pair 0 decays slowly enough for every position",
                    .numbers = {}};
  if (!(reach < 2.0 * static_cast<double>(kMaxPosition))) return property;
  property.verdict = Verdict::holds_to;
  property.until = reach;
  property.finding = "the distance from the center, on either side; f64 reaches 8 times as far";
  property.numbers = {{"reach", reach}};
  return property;
}

std::vector<Property> xpos_properties(const Encoding& numbers, const CheckOptions& options) {
  if (options.observed.rank != 0) {
    fail(ErrorKind::usage, "[check] a table of xpos cannot be compared: check its cosines and sines as rotary");
  }
  const auto& spec = std::get<Xpos>(numbers.spec());
  const XposSchedule schedule = make_schedule(spec);
  std::vector<Property> list = {relative(spec, options.seed), decays(schedule), range(schedule),
                                unseen_angles(turning_frequencies(schedule.rotation), options.train_length)};
  for (Property& property : precision_properties(schedule.rotation)) list.push_back(std::move(property));
  list.push_back(parameters(0));
  list.push_back(memory(numbers.spec(), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

Formula xpos_decay(const Formula& i, std::int64_t channels, const Formula& gamma) {
  return (2 * i / channels + gamma) / (1 + gamma);
}

KindFormula xpos_formula(const Xpos& spec) {
  const Formula factor = power("zeta_i", (Formula("p") - spec.center) / spec.scale_base);
  return {.lead = "pair i, rotated as by rotary: ",
          .lines = {equation("q_i'", Formula("q_i") * factor), equation("k_i'", "k_i" / factor),
                    equation("zeta_i", xpos_decay("i", spec::turning_channels(spec), spec.gamma))}};
}

Cost xpos_cost(const Xpos& spec, const CostQuestion& of) {
  const RotarySchedule schedule = make_schedule(spec).rotation;
  return {product({of.positions, schedule.pairs(), 3, of.size}), (kPhaseBytes + of.size) * schedule.pairs(), 0,
          8.0 * static_cast<double>(schedule.pairs())};
}

std::vector<Mistake> zeta_mistakes(const Xpos& spec, std::int64_t pair) {
  const double part = 2.0 * static_cast<double>(pair) / static_cast<double>(spec.head_dim), gamma = spec.gamma;
  const double step = 2.0 / static_cast<double>(spec.head_dim);
  const auto zeta = [&](double share) { return (share + gamma) / (1.0 + gamma); };
  return {{"gamma was not added in the numerator", {part / (1.0 + gamma)}},
          {"gamma was not added in the denominator", {part + gamma}},
          {"gamma was left out", {part}},
          {"the numerator has i; it is 2i", {zeta(part / 2.0)}},
          {"one pair late; pairs count from 0", {zeta(part + step)}},
          {"one pair early; pairs count from 0", {zeta(part - step)}}};
}

void xpos_questions(const Xpos& given, Sheet& sheet) {
  sheet.leave_out(given, {"head_dim", "gamma", "rotary_dim", "partial_rotary_factor", "center"});
  Draw draw = sheet.draw("xpos");
  const std::int64_t channels = spec::turning_channels(given);
  const Xpos spec{.head_dim = channels, .gamma = given.gamma, .scale_base = 16.0};
  const std::int64_t pair = draw.between(0, channels / 2 - 1), distance = 8 * draw.between(1, 4);
  const double zeta = make_schedule(spec).zeta[static_cast<std::size_t>(pair)];
  sheet.ask("queries/xpos zeta",
            {{"gamma", spec.gamma},
             {"channels", channels},
             {"pair", pair},
             {"formula", plain_text(xpos_decay("i", channels, "gamma"))},
             {"worked", plain_text(xpos_decay(pair, channels, spec.gamma))}},
            {zeta}, zeta_mistakes(spec, pair));
  sheet.ask("queries/xpos score",
            {{"gamma", spec.gamma},
             {"channels", channels},
             {"pair", pair},
             {"distance", distance},
             {"zeta", decimals_text(zeta, 5)}},
            {std::pow(zeta, static_cast<double>(distance) / 16.0)},
            {{"the exponent has the other sign: a key before the query is damped",
              {std::pow(zeta, -static_cast<double>(distance) / 16.0)}},
             {"the distance was not divided by scale_base", {std::pow(zeta, static_cast<double>(distance))}},
             {"this is zeta; its power counts", {zeta}},
             {"zeta was multiplied by the exponent", {zeta * static_cast<double>(distance) / 16.0}}});
  sheet.ask("queries/xpos center", {{"center", draw.between(100, 900)}}, {1.0},
            {{"this is the exponent; a number to the power 0 is 1", {0.0}}});
  sheet.ask_choice("queries/xpos moved center", draw);
  sheet.ask("queries/xpos causal");
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Xpos::page = {.facts = about::xpos_facts,
                                                   .formula = spec::of_kind<about::xpos_formula>,
                                                   .properties = about::xpos_properties,
                                                   .figures = "wavelengths clocks attention precision",
                                                   .cost = spec::of_kind<about::xpos_cost>,
                                                   .explain = spec::of_kind<explanation::explain_xpos>,
                                                   .questions = spec::of_kind<about::xpos_questions>};

}  // namespace posenc
