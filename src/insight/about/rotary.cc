// Rotary encodings.
#include <algorithm>
#include <cmath>

#include "core/base/float_types.h"
#include "core/spec/rotary_window.h"
#include "insight/about/about.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/rotary_measure.h"
#include "posenc/rotary_table.h"

namespace posenc {
namespace about {
namespace {

constexpr std::int64_t kRotaryDistances = 4096;
constexpr const char* kNoRotation = ": the two channels of a pair have different angles";

std::string layout_text(const RotarySchedule& schedule) {
  const std::string half = std::to_string(schedule.pairs());
  switch (schedule.layout) {
    case Layout::interleaved:
      return "Channels 2i and 2i + 1 form a pair, as in the paper; Llama checkpoints from Hugging Face need "
             "layout=half.";
    case Layout::interleaved_to_half:
      return "Channels 2i and 2i + 1 are read, i and i + " + half +
             " are written: queries and keys must both use this layout.";
    case Layout::half_negative:
      return "Channels i and i + " + half + " form a pair, rotated by the negative angle.";
    case Layout::half_per_axis:
      return "The rotated channels are split into one part per axis; channels at the same place in both halves of a "
             "part form a pair.";
    case Layout::full_width_half:
      return "Channels i and i + " + half + " are combined, each with its own angle, which is not a rotation.";
    case Layout::interleaved_pairs_with_halves_tiling_per_axis:
      return "Channels 2i and 2i + 1 are combined, each with its own angle, which is not a rotation.";
    case Layout::half:
      break;
  }
  return "Channels i and i + " + half + " form a pair; the paper, GPT-J and GGUF files of Llama pair 2i with 2i + 1.";
}

KindFacts rotary_facts(const Rotary& spec) {
  return {.users = "RoFormer (2021), GPT-J, GPT-NeoX, PaLM, Llama, Mistral, Qwen, Gemma and DeepSeek",
          .represents = "distances",
          .prefers = "near keys, slightly: scores of similar tokens fade with distance",
          .past_length =
              "Scores depend on distances, but slow pairs reach angles that never occurred in training: trained on 512 "
              "tokens, perplexity rose from 20.07 to 35.54 at 3512 (Press et al., 2022). Scalings such as YaRN "
              "change the frequencies so that the angles stay within the trained range.",
          .order_of_terms = layout_text(make_schedule(spec))};
}

double room_of(const RotarySchedule& schedule) {
  return schedule.precision == Precision::exact ? kRotaryRoom : kReferenceRoom;
}

Property norm_kept(const RotarySchedule& schedule, const RotaryMeasure& found) {
  const bool factor = schedule.table_factor() != 1.0;
  const bool rotation = is_rotation(schedule.layout);
  Property property{.name = "norm_kept",
                    .title = "rotation keeps the norm of queries and keys",
                    .verdict = judge(!factor && rotation, found.norm <= room_of(schedule)),
                    .finding = found.norm < 1e-12 && found.norm != 0.0
                                   ? "norms change by less than 1e-12"
                                   : "norms change by at most " + short_text(found.norm),
                    .numbers = {{"largest_change", found.norm}, {"table_factor", schedule.table_factor()}}};
  if (!rotation) property.finding += kNoRotation;
  if (factor)
    property.finding += ", because the table contains the attention factor " + short_text(schedule.table_factor());
  return property;
}

Property rotary_monotone(const std::vector<double>& curve, double step, double room) {
  const std::optional<std::int64_t> rise = rise_beyond(curve, room);
  const double last = step * static_cast<double>(curve.size() - 1);
  Property property{.name = "monotone",
                    .title = "scores of equal vectors fall with distance",
                    .verdict = rise ? Verdict::holds_to : Verdict::holds,
                    .finding = "they keep " + short_text(curve[1]) + " of their size at distance " + place_text(step) +
                               " and " + short_text(curve.back()) + " at " +
                               count_text(static_cast<std::int64_t>(last)),
                    .numbers = {{"at_1", curve[1]}, {"at_last", curve.back()}}};
  if (!rise) return property;
  property.until = step * static_cast<double>(*rise - 1);
  property.finding += "; it first rises at distance " + place_text(step * static_cast<double>(*rise));
  property.numbers.emplace_back("first_rise", step * static_cast<double>(*rise));
  return property;
}

Property formula_monotone(const RotarySchedule& schedule, std::int64_t distances) {
  if (schedule.axes == 1) {
    if (distances < 2)
      return needs_positions({.name = "monotone", .title = "scores of equal vectors fall with distance"});
    return rotary_monotone(score_kernel(schedule, std::min<std::int64_t>(distances, kRotaryDistances)), 1.0, 0.0);
  }
  return {.name = "monotone",
          .title = "scores of equal vectors fall with distance",
          .verdict = Verdict::does_not_hold,
          .finding = "a distance has one number per axis, so there is no single order"};
}

// A property of exact angles. Angles rounded to float32 may break it without a fault.
Property measured(const char* name, const char* title, double residual, double room, const RotarySchedule& schedule) {
  const bool exact = schedule.precision == Precision::exact;
  const bool rotation = is_rotation(schedule.layout);
  Property property{.name = name,
                    .title = title,
                    .verdict = judge(exact && rotation, residual <= room),
                    .finding = "largest error " + residual_text(residual) + ", for vectors of norm 1",
                    .numbers = {{"residual", residual}}};
  if (property.verdict != Verdict::does_not_hold) return property;
  property.finding += rotation ? ": the angles are rounded to float32" : kNoRotation;
  return property;
}

// Adds the properties of another engine's table, [N, 2 pairs].
void add_observed(const Encoding& numbers, const CheckOptions& options, std::vector<Property>& list) {
  const ConstView& table = options.observed;
  const RotarySchedule& schedule = *numbers.rotary();
  const RotaryAngles angles(schedule);
  const std::int64_t pairs = schedule.columns(), count = options.positions.count;
  check_table(table, count, 2 * pairs, "the cosines of all pairs and then their sines");
  if (table.strides[1] != 1) fail(ErrorKind::bad_input, "[check] the rows of the table must be contiguous");
  const double factor = schedule.table_factor();
  const double room = tolerance_of(table.dtype) * std::max(factor, 1.0);
  std::vector<double> exact(static_cast<std::size_t>(2 * pairs)), seen(exact.size());
  Mismatch values, lengths;
  bool like_float32 = schedule.axes == 1;
  for (std::int64_t n = 0; n < count; ++n) {
    const double position = options.positions.real(0, n);
    fill_cos_sin(angles, options.positions.slice(n, 1), make_view(exact.data(), {1, 2 * pairs}));
    base::load_row(table[n], seen.data());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      check_measurable(seen[i], "column", static_cast<std::int64_t>(i), position, "check");
      values.compare(seen[i], exact[i], room, position, static_cast<std::int64_t>(i));
      const double angle = position * schedule.inv_freq[i % static_cast<std::size_t>(pairs)];
      like_float32 = like_float32 && like_float32_angle((seen[i] - exact[i]) / factor, angle, room);
    }
    for (std::int64_t i = 0; i < pairs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      lengths.compare(std::hypot(seen[at], seen[at + static_cast<std::size_t>(pairs)]), factor, 2.0 * room, position,
                      i);
    }
  }
  list.push_back(matches(values, room, table.dtype, "column"));
  if (values.found && like_float32) list.back().finding += "; float32 angles would explain the differences";
  list.push_back({.name = "norm_kept",
                  .title = "cosine and sine of every pair are on a circle",
                  .verdict = judge(true, !lengths.found),
                  .finding = "largest error of the radius " + residual_text(lengths.largest) +
                             (lengths.found ? ", first at position " + place_text(lengths.position) + ", pair " +
                                                  std::to_string(lengths.channel)
                                            : ""),
                  .numbers = {{"largest_change", lengths.largest}}});
}

// Two rotations do not compose if norms are multiplied twice, or if channels are not written where they were read.
Property composes(const RotarySchedule& schedule, double residual) {
  const char* title = "two rotations compose: R(a) R(b) = R(a + b)";
  Property property = measured("composes", title, residual, kRotaryRoom, schedule);
  const double factor = schedule.table_factor();
  const bool moved = schedule.layout == Layout::interleaved_to_half;
  if (property.verdict == Verdict::holds || (factor == 1.0 && !moved)) return property;
  property.verdict = Verdict::does_not_hold;
  property.finding =
      "largest error " + residual_text(residual) + ", for vectors of norm 1: " +
      (moved ? "channels are written elsewhere than they are read, so that a second rotation pairs other channels"
             : "the attention factor " + short_text(factor) + " in the table multiplies every rotation");
  return property;
}

void add_observed_relations(const Encoding& numbers, const CheckOptions& options, std::vector<Property>& list) {
  const RotarySchedule& schedule = *numbers.rotary();
  const ObservedTurns found = measure_observed(schedule, options);
  const double room = 4.0 * tolerance_of(options.observed.dtype);
  const double factor = schedule.table_factor();
  list.push_back(measured("relative", "scores depend on distance only", found.relative, room, schedule));
  const char* title = "every row is the row before it, rotated by the angles of one step";
  list.push_back(measured("composes", title, found.composed, room, schedule));
  for (auto property = list.end() - 2; property != list.end(); ++property) {
    property->finding = "largest error " + residual_text(property->numbers.front().second) + ", for a radius of 1";
  }
  if (found.kernel.size() < 2) return;
  const double step = std::fabs(static_cast<double>(options.positions.step));
  list.push_back(rotary_monotone(found.kernel, step, room * factor * factor));
  judge_fall(found.kernel, found.promised, room * factor * factor, list.back());
}

std::vector<Property> observed_properties(const Encoding& numbers, const CheckOptions& options) {
  std::vector<Property> list;
  add_observed(numbers, options, list);
  const PositionView& positions = options.positions;
  const bool even = positions.source == PositionView::Source::range && positions.step != 0 && positions.count > 1;
  if (even && numbers.rotary()->axes == 1) add_observed_relations(numbers, options, list);
  return list;
}

// Training used the encoding without a scaling that stretches it.
Property past_length(const Encoding& numbers, std::int64_t train_length) {
  const RotarySchedule& schedule = *numbers.rotary();
  Rotary before = std::get<Rotary>(numbers.spec());
  before.scaling = trained_scaling(before.scaling);
  const RotarySchedule trained = make_schedule(before);
  std::vector<double> had, has;
  for (std::size_t i = 0; i < trained.inv_freq.size(); ++i) {
    if (schedule.axes > 1 && trained.inv_freq[i] == 0.0) continue;
    had.push_back(trained.inv_freq[i]);
    has.push_back(schedule.inv_freq[i]);
  }
  return unseen_angles(had, has, train_length, is_rotation(schedule.layout) ? "pair" : "channel");
}

std::vector<Property> rotary_properties(const Encoding& numbers, const CheckOptions& options) {
  const RotarySchedule& schedule = *numbers.rotary();
  check_axes(schedule, options.positions);
  if (options.observed.rank != 0) return observed_properties(numbers, options);
  const RotaryMeasure found = measure_rotary(schedule, options.positions, options.seed);
  std::vector<Property> list;
  list.push_back(norm_kept(schedule, found));
  list.push_back(measured("relative", "scores depend on distance only", found.relative, kRotaryRoom, schedule));
  if (schedule.axes == 1) list.back().command = command_of(numbers, "explain", "--positions 3 --shift 2");
  list.push_back(composes(schedule, found.composed));
  if (is_rotation(schedule.layout))
    list.push_back(
        measured("inverse", "the inverse rotation restores the input", found.inverse, room_of(schedule), schedule));
  list.push_back(formula_monotone(schedule, options.positions.count));
  list.push_back(past_length(numbers, options.train_length));
  list.push_back(positions_held());
  for (Property& property : precision_properties(schedule)) list.push_back(std::move(property));
  list.push_back(parameters(0));
  list.push_back(memory(numbers.spec(), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

// The angle of pair i per position: a formula, and words if it is more than a list or a power.
struct Frequency {
  Formula formula;
  std::string words = {};
};

Frequency frequency_of(const Rotary& spec, const RotarySchedule& schedule) {
  if (!spec.inv_freq.empty()) {
    const bool per_axis = static_cast<std::int64_t>(spec.inv_freq.size()) > schedule.pairs();
    return {spec.frequency_scale * (per_axis ? element("inv_freq", {"a", "i"}) : element("inv_freq", {"i"}))};
  }
  const bool restarts = spec::has_parts(spec.layout) || spec.axis_frequencies == AxisFrequencies::restart;
  const bool dealt = spec.axis_frequencies == AxisFrequencies::dealt;
  const Formula below = schedule.exponent_dim == 0 ? Formula("n") : Formula(schedule.exponent_dim);
  const Formula rule = spec.frequency_scale * power(spec.base, -2 * Formula(restarts || dealt ? "r" : "i") / below);
  std::string words;
  if (restarts)
    words = std::string(", r counted from 0 on every axis") + (below.name == "n" ? ", n twice its pairs" : "");
  if (dealt && !restarts) words = ", r distributed over the axes in turn";
  if (kind_of(spec.scaling) != NoScaling::kind) words += " scaled by " + std::string(kind_of(spec.scaling));
  return words.empty() ? Frequency{rule} : Frequency{"w_i", ", w_i = " + plain_text(rule) + words};
}

KindFormula rotary_formula(const Rotary& spec) {
  const RotarySchedule schedule = make_schedule(spec);
  const Frequency frequency = frequency_of(spec, schedule);
  const bool given = static_cast<std::int64_t>(spec.inv_freq.size()) == schedule.axes * schedule.pairs();
  const Formula one = Formula(schedule.axes == 1 ? "p" : "p_a") * frequency.formula;
  const Formula turn = schedule.axes > 1 && given ? series("a", 0, schedule.axes - 1, one) : one;
  const Formula a = "a", b = "b", t = "t", sine = call("sin", {t}), cosine = call("cos", {t});
  KindFormula formula{.lead = "pair i, (a, b), becomes ",
                      .lines = {equation("a'", a * cosine - b * sine), equation("b'", b * cosine + a * sine)}};
  if (!is_rotation(schedule.layout)) {
    formula = {.lead = "channel c becomes x[c] cos(t) -+ x[partner] sin(t), ", .lines = {}};
    formula.note = ", with the frequency i and the axis of its own channel";
  }
  formula.lines.push_back(equation(t, schedule.layout == Layout::half_negative ? -turn : turn));
  if (is_rotation(schedule.layout)) formula.lines.push_back(range("i", 0, schedule.pairs() - 1));
  if (schedule.axes > 1 && !given) formula.note += ", a the axis of pair i";
  formula.note += frequency.words;
  const double factor = schedule.table_factor();
  if (factor != 1.0) formula.note += ", cos and sin times " + text::general_text(factor, 6);
  return formula;
}

std::vector<std::string> rotary_mistakes(const Rotary& spec) {
  std::vector<std::string> list = {
      "Only queries and keys are rotated, not values.",
      "Every checkpoint fits one layout only. Code that reads interleaved pairs and writes halves "
      "(layout=interleaved_to_half) permutes the channels too: the scores are right only if queries and keys both use "
      "it."};
  const RotarySchedule schedule = make_schedule(at_layer(spec, spec.layer.value_or(0)));
  constexpr std::int64_t kFarthest = 65;
  if (schedule.axes == 1 && is_rotation(schedule.layout)) {
    if (const std::optional<std::int64_t> rise = rise_beyond(score_kernel(schedule, kFarthest), 0.0)) {
      list.push_back("Scores of equal vectors do not simply fall with distance: here they first rise at distance " +
                     std::to_string(*rise) + ".");
    }
  }
  list.emplace_back(
      "A relative encoding does not extrapolate by itself: trained on 512 tokens, perplexity rose from 20.07 "
      "to 35.54 at 3512 (Press et al., 2022).");
  return list;
}

Cost rotary_cost(const Rotary& spec, const CostQuestion& of) {
  const RotarySchedule schedule = make_schedule(spec);
  return {product({of.positions, schedule.rotary_dim, of.size}), kPhaseBytes * schedule.columns() * schedule.axes, 0,
          6.0 * static_cast<double>(schedule.pairs())};
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Rotary::page = {
    .facts = spec::of_kind<about::rotary_facts>,
    .formula = spec::of_kind<about::rotary_formula>,
    .properties = about::rotary_properties,
    .figures = "turn layouts wavelengths bases clocks distance rotated_scores scalings attention entropy precision map",
    .cost = spec::of_kind<about::rotary_cost>,
    .explain = spec::of_kind<explanation::explain_rotary>,
    .mistakes = spec::of_kind<about::rotary_mistakes>,
    .questions = spec::of_kind<teaching::rotary_questions>};

}  // namespace posenc
