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
constexpr const char* kNoRotation = ": the two channels of a pair have angles of their own";

std::string layout_text(const RotarySchedule& schedule) {
  const std::string half = std::to_string(schedule.pairs());
  switch (schedule.layout) {
    case Layout::interleaved:
      return "Channels 2i and 2i + 1 turn together, as in the paper; Llama's files as Hugging Face has them need half.";
    case Layout::interleaved_to_half:
      return "Channels 2i and 2i + 1 are read, i and i + " + half +
             " written: queries and keys must both come this way.";
    case Layout::half_negative:
      return "Channels i and i + " + half + " turn together, by the negative angle.";
    case Layout::half_per_axis:
      return "The window is cut in one part per axis, and channels half a part apart turn together.";
    case Layout::full_width_half:
      return "Channels i and i + " + half + " meet, each with an angle of its own: no rotation.";
    case Layout::interleaved_pairs_with_halves_tiling_per_axis:
      return "Channels 2i and 2i + 1 meet, each with an angle of its own: no rotation.";
    case Layout::half:
      break;
  }
  return "Channels i and i + " + half + " turn together; the paper, GPT-J and GGUF files of Llama have 2i and 2i + 1.";
}

KindFacts rotary_facts(const Rotary& spec) {
  return {.users = "RoFormer (2021), GPT-J, GPT-NeoX, PaLM, Llama, Mistral, Qwen, Gemma and DeepSeek",
          .represents = "distances",
          .prefers = "near keys, a little: scores of equal contents fade with distance",
          .past_length =
              "Scores see distances, but slow pairs reach angles that no trained distance had: trained on 512 "
              "tokens, perplexity rose from 20.07 to 35.54 at 3512 (Press et al., 2022). Scalings such as YaRN "
              "change the frequencies to stay within what was trained.",
          .order_of_terms = layout_text(make_schedule(spec))};
}

double room_of(const RotarySchedule& schedule) {
  return schedule.precision == Precision::exact ? kRotaryRoom : kReferenceRoom;
}

Property norm_kept(const RotarySchedule& schedule, const RotaryMeasure& found) {
  const bool factor = schedule.table_factor() != 1.0;
  const bool rotation = is_rotation(schedule.layout);
  Property property{.name = "norm_kept",
                    .title = "turning keeps the length of queries and keys",
                    .verdict = judge(!factor && rotation, found.norm <= room_of(schedule)),
                    .finding = "lengths change by " + residual_text(found.norm) + " at most",
                    .numbers = {{"largest_change", found.norm}, {"table_factor", schedule.table_factor()}}};
  if (!rotation) property.finding += kNoRotation;
  if (factor) property.finding += ": the attention factor " + short_text(schedule.table_factor()) + " is in the table";
  return property;
}

Property rotary_monotone(const std::vector<double>& curve, double step, double room) {
  const std::optional<std::int64_t> rise = rise_beyond(curve, room);
  const double last = step * static_cast<double>(curve.size() - 1);
  Property property{.name = "monotone",
                    .title = "scores of like vectors fall with distance",
                    .verdict = rise ? Verdict::holds_to : Verdict::holds,
                    .finding = "they are multiplied by " + short_text(curve[1]) + " at distance " + place_text(step) +
                               ", by " + short_text(curve.back()) + " at " +
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
    return rotary_monotone(score_kernel(schedule, std::clamp<std::int64_t>(distances, 2, kRotaryDistances)), 1.0, 0.0);
  }
  return {.name = "monotone",
          .title = "scores of like vectors fall with distance",
          .verdict = Verdict::does_not_hold,
          .finding = "a distance has one number per axis"};
}

// Float32 angles break by their rounding what exact ones keep.
Property measured(const char* name, const char* title, double residual, double room, const RotarySchedule& schedule) {
  const bool exact = schedule.precision == Precision::exact;
  const bool rotation = is_rotation(schedule.layout);
  Property property{.name = name,
                    .title = title,
                    .verdict = judge(exact && rotation, residual <= room),
                    .finding = "off by " + residual_text(residual) + " at most, of vectors of length 1",
                    .numbers = {{"residual", residual}}};
  if (property.verdict != Verdict::does_not_hold) return property;
  property.finding += rotation ? ": angles are rounded to float32" : kNoRotation;
  return property;
}

// [N, 2 pairs] of another engine.
void add_observed(const Encoding& numbers, const CheckOptions& options, std::vector<Property>& list) {
  const ConstView& table = options.observed;
  const RotarySchedule& schedule = *numbers.rotary();
  const RotaryAngles angles(schedule);
  const std::int64_t pairs = schedule.columns(), count = options.positions.count;
  check_cos_sin(table, count, pairs);
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
      check_finite_cos_sin(seen[i], position, static_cast<std::int64_t>(i));
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
  if (values.found && like_float32) list.back().finding += "; differences are such as float32 angles give";
  list.push_back({.name = "norm_kept",
                  .title = "cosine and sine of every pair lie on a circle",
                  .verdict = judge(true, !lengths.found),
                  .finding = "radius off by " + residual_text(lengths.largest) + " at most" +
                             (lengths.found ? ", first at position " + place_text(lengths.position) + ", pair " +
                                                  std::to_string(lengths.channel)
                                            : ""),
                  .numbers = {{"largest_change", lengths.largest}}});
}

// Two turns are not one where lengths are multiplied twice, or channels are written elsewhere than they were read.
Property composes(const RotarySchedule& schedule, double residual) {
  const char* title = "two turns are one: R(a) R(b) = R(a + b)";
  Property property = measured("composes", title, residual, kRotaryRoom, schedule);
  const double factor = schedule.table_factor();
  const bool moved = schedule.layout == Layout::interleaved_to_half;
  if (property.verdict == Verdict::holds || (factor == 1.0 && !moved)) return property;
  property.verdict = Verdict::does_not_hold;
  property.finding =
      "off by " + residual_text(residual) + " at most, of vectors of length 1: " +
      (moved ? "channels are written elsewhere than they are read, so that a second turn meets other pairs"
             : "the attention factor " + short_text(factor) + " in the table multiplies at every turn");
  return property;
}

void add_observed_relations(const Encoding& numbers, const CheckOptions& options, std::vector<Property>& list) {
  const RotarySchedule& schedule = *numbers.rotary();
  const ObservedTurns found = measure_observed(schedule, options);
  const double room = 4.0 * tolerance_of(options.observed.dtype);
  const double factor = schedule.table_factor();
  list.push_back(measured("relative", "scores depend on the distance alone", found.relative, room, schedule));
  const char* title = "every row is the row before it, turned by the angles of one step";
  list.push_back(measured("composes", title, found.composed, room, schedule));
  for (auto property = list.end() - 2; property != list.end(); ++property) {
    property->finding = "off by " + residual_text(property->numbers.front().second) + " at most, of a radius of 1";
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

// What training had is the encoding without a scaling that stretches it.
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
  list.push_back(measured("relative", "scores depend on the distance alone", found.relative, kRotaryRoom, schedule));
  if (schedule.axes == 1) list.back().command = command_of(numbers, "explain", "--position 3 --shift 2");
  list.push_back(composes(schedule, found.composed));
  if (is_rotation(schedule.layout))
    list.push_back(
        measured("inverse", "turning back gives what was there", found.inverse, room_of(schedule), schedule));
  list.push_back(formula_monotone(schedule, options.positions.count));
  list.push_back(past_length(numbers, options.train_length));
  list.push_back(positions_held());
  for (Property& property : precision_properties(schedule)) list.push_back(std::move(property));
  list.push_back(parameters(0));
  list.push_back(memory(numbers.spec(), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

// What turns pair i by one position, in words where it is more than a list or a power.
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
    words = std::string(", r counted anew on every axis") + (below.name == "n" ? ", n twice its pairs" : "");
  if (dealt && !restarts) words = ", r dealt out to the axes in turn";
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
    .figures = "turn layouts wavelengths clocks distance rotated_scores scalings attention entropy precision map",
    .cost = spec::of_kind<about::rotary_cost>,
    .explain = spec::of_kind<explanation::explain_rotary>,
    .questions = spec::of_kind<teaching::rotary_questions>};

}  // namespace posenc
