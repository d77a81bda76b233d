#include <algorithm>
#include <cmath>

#include "detail/float_types.h"
#include "insight/kinds.h"
#include "insight/mathml.h"
#include "insight/property.h"
#include "insight/rotary_measure.h"
#include "posenc/error.h"
#include "posenc/rotary_table.h"

namespace posenc::detail {
namespace {

std::string frequency_text(const Rotary& spec, const RotarySchedule& schedule) {
  if (!spec.inv_freq.empty()) return "inv_freq[i]";
  return number_text(spec.base) + "^(-2i/" + std::to_string(schedule.exponent_dim) + ")";
}

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
    case Layout::half:
      break;
  }
  return "Channels i and i + " + half + " turn together; the paper, GPT-J and GGUF files of Llama have 2i and 2i + 1.";
}

KindFacts facts(const Spec& any) {
  const auto& spec = std::get<Rotary>(any);
  const RotarySchedule schedule = make_schedule(spec);
  const std::string sum = schedule.axes > 1 ? "sum over axes of p_axis " : "p ";
  KindFacts facts;
  facts.formula = "(a, b) of pair i becomes (a cos t - b sin t, b cos t + a sin t), t = " + sum +
                  frequency_text(spec, schedule) + ", i = 0 .. " + std::to_string(schedule.pairs() - 1);
  const std::string theta = mi("\xce\xb8");
  const std::string frequency =
      spec.inv_freq.empty()
          ? msup(mn(spec.base), mrow(mo("-"), mn(std::int64_t{2}), mi("i"), mo("/"), mn(schedule.exponent_dim)))
          : msub(mi("\xcf\x89"), mi("i"));
  facts.formula_mathml = math(msup(mi("a"), mo("'")), mo("="), mi("a"), mi("cos"), theta, mo("-"), mi("b"), mi("sin"),
                              theta, mo(","), msup(mi("b"), mo("'")), mo("="), mi("b"), mi("cos"), theta, mo("+"),
                              mi("a"), mi("sin"), theta, mo(","), theta, mo("="), mi("p"), frequency);
  facts.users = "RoFormer (2021), GPT-J, GPT-NeoX, PaLM, Llama, Mistral, Qwen, Gemma and DeepSeek";
  facts.represents = "distances";
  facts.prefers = "near keys, a little: scores of equal contents fade with distance";
  facts.past_length =
      "Scores see distances, but slow pairs reach angles that no trained distance had: trained on 512 "
      "tokens, perplexity rose from 20.07 to 35.54 at 3512 (Press et al., 2022). Scalings such as YaRN "
      "change the frequencies to stay within what was trained.";
  facts.order_of_terms = layout_text(schedule);
  return facts;
}

std::vector<double> turning(const RotarySchedule& schedule) {
  std::vector<double> list;
  for (const double frequency : schedule.inv_freq) {
    if (schedule.axes == 1 || frequency != 0.0) list.push_back(frequency);
  }
  return list;
}

double room_of(const RotarySchedule& schedule) {
  return schedule.precision == Precision::exact ? kRotaryRoom : kReferenceRoom;
}

Property norm_kept(const RotarySchedule& schedule, const RotaryMeasure& found) {
  const bool factor = schedule.table_factor() != 1.0;
  Property property{.name = "norm_kept",
                    .title = "turning keeps the length of queries and keys",
                    .verdict = judge(!factor, found.norm <= room_of(schedule)),
                    .until = {},
                    .finding = "lengths change by " + residual_text(found.norm) + " at most",
                    .numbers = {{"largest_change", found.norm}, {"table_factor", schedule.table_factor()}}};
  if (factor) property.finding += ": the attention factor " + short_text(schedule.table_factor()) + " is in the table";
  return property;
}

Property monotone(const RotarySchedule& schedule, std::int64_t distances) {
  Property property{.name = "monotone", .title = "scores of like vectors fall with distance", .finding = ""};
  if (schedule.axes > 1) {
    property.verdict = Verdict::does_not_hold;
    property.finding = "a distance has one number per axis";
    return property;
  }
  const std::vector<double> curve = score_kernel(schedule, std::clamp<std::int64_t>(distances, 2, 4096));
  const std::optional<std::int64_t> rise = first_rise(curve);
  property.finding = "mean cosine " + short_text(curve[1]) + " at distance 1, " + short_text(curve.back()) + " at " +
                     count_text(static_cast<std::int64_t>(curve.size()) - 1);
  property.numbers = {{"at_1", curve[1]}, {"at_last", curve.back()}};
  if (!rise) return property;
  property.verdict = Verdict::holds_to;
  property.until = static_cast<double>(*rise - 1);
  property.finding += "; it first rises at distance " + count_text(*rise);
  property.numbers.emplace_back("first_rise", static_cast<double>(*rise));
  return property;
}

// Float32 angles break by their rounding what exact ones keep.
Property measured(const char* name, const char* title, double residual, double room, const RotarySchedule& schedule) {
  const bool exact = schedule.precision == Precision::exact;
  Property property{.name = name,
                    .title = title,
                    .verdict = judge(exact, residual <= room),
                    .until = {},
                    .finding = "off by " + residual_text(residual) + " at most, of vectors of length 1",
                    .numbers = {{"residual", residual}}};
  if (property.verdict == Verdict::does_not_hold) property.finding += ": angles are rounded to float32";
  return property;
}

// [N, 2 pairs] of another engine.
void add_observed(const SubjectNumbers& numbers, const CheckOptions& options, std::vector<Property>& list) {
  const ConstView& table = options.observed;
  const RotaryAngles angles(*numbers.rotary());
  const std::int64_t pairs = angles.schedule().pairs(), count = options.positions.count;
  check_cos_sin(table, count, pairs);
  const double factor = angles.schedule().table_factor();
  const double room = tolerance_of(table.dtype) * std::max(factor, 1.0);
  std::vector<double> exact(static_cast<std::size_t>(2 * pairs)), seen(exact.size());
  Mismatch values, lengths;
  for (std::int64_t n = 0; n < count; ++n) {
    const double position = options.positions.real(0, n);
    fill_cos_sin(angles, options.positions.slice(n, 1), make_view(exact.data(), {1, 2 * pairs}));
    load_row(table[n], seen.data());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      check_finite_cos_sin(seen[i], position, static_cast<std::int64_t>(i));
      values.compare(seen[i], exact[i], room, position, static_cast<std::int64_t>(i));
    }
    for (std::int64_t i = 0; i < pairs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      lengths.compare(std::hypot(seen[at], seen[at + static_cast<std::size_t>(pairs)]), factor, 2.0 * room, position,
                      i);
    }
  }
  list.push_back(matches(values, room, table.dtype, "column"));
  list.push_back({.name = "norm_kept",
                  .title = "cosine and sine of every pair lie on a circle",
                  .verdict = judge(true, !lengths.found),
                  .until = {},
                  .finding = "radius off by " + residual_text(lengths.largest) + " at most" +
                             (lengths.found ? ", first at position " + place_text(lengths.position) + ", pair " +
                                                  std::to_string(lengths.channel)
                                            : ""),
                  .numbers = {{"largest_change", lengths.largest}}});
}

// The largest |R(step) row[n] - row[n + 1]| of observed rows, each divided by the factor in the table.
double observed_composition(const RotarySchedule& schedule, const CheckOptions& options) {
  const auto pairs = static_cast<std::size_t>(schedule.pairs());
  const double factor = schedule.table_factor();
  std::vector<double> turn(2 * pairs), before(turn.size()), after(turn.size());
  fill_cos_sin(RotaryAngles(schedule), PositionView::range(options.positions.step, 1),
               make_view(turn.data(), {1, schedule.rotary_dim}));
  double largest = 0.0;
  for (std::int64_t n = 0; n + 1 < options.positions.count; ++n) {
    load_row(options.observed[n], before.data());
    load_row(options.observed[n + 1], after.data());
    for (std::size_t i = 0; i < pairs; ++i) {
      const double cos = turn[i] / factor, sin = turn[i + pairs] / factor;
      const double cos_off = after[i] - (before[i] * cos - before[i + pairs] * sin);
      const double sin_off = after[i + pairs] - (before[i + pairs] * cos + before[i] * sin);
      largest = std::max({largest, std::fabs(cos_off) / factor, std::fabs(sin_off) / factor});
    }
  }
  return largest;
}

std::vector<Property> properties(const SubjectNumbers& numbers, const CheckOptions& options) {
  const RotarySchedule& schedule = *numbers.rotary();
  const RotaryMeasure found = measure_rotary(schedule, options.positions, options.seed);
  std::vector<Property> list;
  if (options.observed.rank != 0) {
    add_observed(numbers, options, list);
  } else {
    list.push_back(norm_kept(schedule, found));
  }
  list.push_back(measured("relative", "scores depend on the distance alone", found.relative, kRotaryRoom, schedule));
  if (schedule.axes == 1) list.back().command = command_of(numbers, "explain", "--position 3 --shift 2");
  const bool rows = options.observed.rank != 0 && options.positions.source == PositionView::Source::range;
  const double composed = rows ? observed_composition(schedule, options) : found.composed;
  const double room = rows ? 4.0 * tolerance_of(options.observed.dtype) : kRotaryRoom;
  list.push_back(measured("composes", "two turns are one: R(a) R(b) = R(a + b)", composed, room, schedule));
  list.push_back(measured("inverse", "turning back gives what was there", found.inverse, room_of(schedule), schedule));
  list.push_back(monotone(schedule, options.positions.count));
  list.push_back(unseen_angles(turning(schedule), options.train_length));
  list.push_back(positions_held());
  for (Property& property : precision_properties(turning(schedule))) list.push_back(std::move(property));
  list.push_back(parameters(0));
  list.push_back(memory(numbers.spec(), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

}  // namespace

const KindInsight& kind_insight(const Rotary&) {
  static const KindInsight insight{
      facts,
      properties,
      {"turn", "layouts", "wavelengths", "clocks", "distance", "rotated_scores", "attention", "entropy", "precision"}};
  return insight;
}

}  // namespace posenc::detail
