#include "insight/shift_properties.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "detail/walk_rows.h"
#include "insight/property.h"
#include "posenc/phase.h"

namespace posenc::detail {
namespace {

constexpr std::int64_t kShift = 5;
constexpr std::int64_t kMostDistances = 4096;

double scale_of(const SinusoidalSchedule& schedule) { return std::max(std::fabs(schedule.multiplier), 1.0); }
bool has_partners(const SinusoidalSchedule& schedule) { return schedule.sine.count == schedule.cosine.count; }

bool is_zero(const SinusoidalSchedule& schedule, double position) {
  return schedule.zero_position &&
         position + static_cast<double>(schedule.first) == static_cast<double>(*schedule.zero_position);
}

bool meets_zero_row(const InputLook& look, const SinusoidalSchedule& schedule) {
  for (std::int64_t n = 0; schedule.zero_position && n < look.positions.count; ++n) {
    if (is_zero(schedule, look.positions.real(0, n))) return true;
  }
  return false;
}

std::string without_partner() {
  return "an odd width leaves a channel without its partner, so that it depends on the position";
}

Property smooth(const InputLook& look, const SinusoidalSchedule& schedule) {
  const StepNorms steps = step_norms(look.rows, look.walk);
  const bool zero = meets_zero_row(look, schedule);
  const bool promised = has_partners(schedule) && !zero;
  const double room = 4.0 * look.tolerance * scale_of(schedule) * std::sqrt(static_cast<double>(look.width));
  Property property{.name = "smooth",
                    .title = "every step is as long as every other",
                    .verdict = judge(promised, promised && steps.largest - steps.smallest <= room),
                    .until = {},
                    .finding = "from one row to the next " + short_text(steps.mean) + ", from " +
                               short_text(steps.smallest) + " to " + short_text(steps.largest),
                    .numbers = {{"smallest", steps.smallest}, {"largest", steps.largest}, {"mean", steps.mean}}};
  if (property.verdict != Verdict::does_not_hold) return property;
  property.finding += zero ? ": a row of zeros is among them" : ": " + without_partner();
  return property;
}

// |row[n + k] - M_k row[n]| and |row[n].row[n + k] - curve|, over rows in their order.
struct Relations {
  double shift = 0.0, dot = 0.0;
  double shift_position = 0.0;
};

class RelationWalk {
 public:
  RelationWalk(const InputLook& look, const SinusoidalSchedule& schedule, std::int64_t steps)
      : look_(look), schedule_(schedule), steps_(steps) {
    for (const double frequency : schedule.inv_freq) {
      turns_.push_back(sin_cos(phase_at(make_phase_step(frequency), shift())));
      product_ += schedule.multiplier * schedule.multiplier * turns_.back().cos;
    }
  }

  void measure(Relations& relations) {
    walk_rows(look_.rows, look_.walk, "check", [&](std::int64_t n, const double* row) {
      if (n >= steps_) compare(n - steps_, row, relations);
      if (n >= steps_) held_.pop_front();
      held_.emplace_back(row, row + look_.width);
    });
  }

  double shift() const { return static_cast<double>(steps_) * static_cast<double>(look_.positions.step); }
  double product() const { return product_; }

 private:
  void compare(std::int64_t n, const double* row, Relations& relations) const {
    const double position = look_.positions.real(0, n);
    if (is_zero(schedule_, position) || is_zero(schedule_, position + shift())) return;
    const std::vector<double>& before = held_.front();
    const double shift_off = residual(before.data(), row);
    const double dot =
        sum_of(look_.width, [&](std::int64_t i) { return before[static_cast<std::size_t>(i)] * row[i]; });
    if (shift_off > relations.shift) relations.shift_position = position;
    relations.shift = std::max(relations.shift, shift_off);
    relations.dot = std::max(relations.dot, std::fabs(dot - product_));
  }

  double residual(const double* before, const double* after) const {
    double largest = 0.0;
    for (std::int64_t j = 0; j < schedule_.sine.count; ++j) {
      const std::int64_t sine = schedule_.sine.start + j * schedule_.sine.stride;
      const std::int64_t cosine = schedule_.cosine.start + j * schedule_.cosine.stride;
      const SinCos& turn = turns_[static_cast<std::size_t>(j)];
      largest = std::max({largest, std::fabs(after[sine] - turn.cos * before[sine] - turn.sin * before[cosine]),
                          std::fabs(after[cosine] - turn.cos * before[cosine] + turn.sin * before[sine])});
    }
    return largest;
  }

  const InputLook& look_;
  const SinusoidalSchedule& schedule_;
  std::int64_t steps_;
  std::vector<SinCos> turns_;
  double product_ = 0.0;
  std::deque<std::vector<double>> held_;
};

void add_relations(const InputLook& look, const SubjectNumbers& numbers, std::vector<Property>& list) {
  const SinusoidalSchedule& schedule = *numbers.sinusoidal();
  // By one step, so that every row is looked at from both sides, and by a few.
  RelationWalk next(look, schedule, 1), further(look, schedule, std::min(kShift, look.positions.count - 1));
  Relations found;
  next.measure(found);
  further.measure(found);
  const double scale = scale_of(schedule);
  const std::string k = place_text(further.shift());
  const std::string both = place_text(next.shift()) + " and " + k;
  list.push_back(
      {.name = "shift_linear",
       .title = "moving by k is one matrix for all positions: PE(p + k) = M_k PE(p)",
       .verdict = judge(true, found.shift <= 4.0 * look.tolerance * scale),
       .until = {},
       .finding = "k = " + both + ": largest residual " + residual_text(found.shift) +
                  (found.shift > 1e-12 ? " (position " + place_text(found.shift_position) + ")" : ""),
       .numbers = {{"shift", further.shift()}, {"residual", found.shift}, {"position", found.shift_position}},
       .command =
           command_of(numbers, "explain", "--position " + place_text(look.positions.real(0, 0)) + " --shift " + k)});
  const double composed = shift_composition_residual(schedule, 3.0, 4.0);
  list.push_back({.name = "shift_composes",
                  .title = "two moves are one: M_a M_b = M_(a+b)",
                  .verdict = judge(true, composed <= 1e-12),
                  .until = {},
                  .finding = "a = 3, b = 4: largest difference of cells " + residual_text(composed),
                  .numbers = {{"residual", composed}}});
  const double room = 4.0 * look.tolerance * scale * scale * static_cast<double>(std::max<std::int64_t>(look.width, 1));
  list.push_back(
      {.name = "distance_only",
       .title = "the dot product of two rows depends on their distance alone",
       .verdict = judge(true, found.dot <= room),
       .until = {},
       .finding = "at distance " + place_text(std::fabs(further.shift())) + " it is " + short_text(further.product()) +
                  "; found, off by " + residual_text(found.dot),
       .numbers = {
           {"distance", std::fabs(further.shift())}, {"dot_product", further.product()}, {"spread", found.dot}}});
}

void refuse_relations(std::vector<Property>& list) {
  const auto refuse = [&](const char* name, const char* title) {
    list.push_back(
        {.name = name, .title = title, .verdict = Verdict::does_not_hold, .until = {}, .finding = without_partner()});
  };
  refuse("shift_linear", "moving by k is one matrix for all positions: PE(p + k) = M_k PE(p)");
  refuse("shift_composes", "two moves are one: M_a M_b = M_(a+b)");
  refuse("distance_only", "the dot product of two rows depends on their distance alone");
  refuse("monotone", "the dot product falls with distance");
}

Property monotone(const InputLook& look, const SubjectNumbers& numbers) {
  const std::int64_t distances = std::clamp<std::int64_t>(look.positions.count, 2, kMostDistances);
  const std::vector<double> curve = distance_curve(*numbers.sinusoidal(), distances);
  const std::optional<std::int64_t> rise = first_rise(curve);
  Property property{
      .name = "monotone",
      .title = "the dot product falls with distance",
      .verdict = rise ? Verdict::holds_to : Verdict::holds,
      .until = {},
      .finding = "from " + short_text(curve.front()) + " at distance 0 to " + short_text(curve.back()) + " at " +
                 count_text(distances - 1),
      .numbers = {{"at_0", curve.front()}, {"at_1", curve[1]}, {"distances", static_cast<double>(distances)}}};
  if (!rise) return property;
  property.until = static_cast<double>(*rise - 1);
  property.finding += "; it first rises at distance " + count_text(*rise) + ", from " +
                      short_text(curve[static_cast<std::size_t>(*rise - 1)]) + " to " +
                      short_text(curve[static_cast<std::size_t>(*rise)]);
  property.numbers.emplace_back("first_rise", static_cast<double>(*rise));
  return property;
}

}  // namespace

std::vector<Property> shift_properties(const InputLook& look, const SubjectNumbers& numbers) {
  std::vector<Property> list;
  InputLook even = look;
  if (!look.evenly_spaced()) {
    even.rows = numbers.rows();
    even.walk = even.positions = PositionView::range(0, 1000);
    even.observed = false;
    even.tolerance = tolerance_of(DType::f64);
  }
  const bool seen = look.evenly_spaced() || !look.observed;
  if (seen) list.push_back(smooth(even, *numbers.sinusoidal()));
  if (!has_partners(*numbers.sinusoidal())) {
    refuse_relations(list);
    return list;
  }
  if (seen) add_relations(even, numbers, list);
  list.push_back(monotone(even, numbers));
  return list;
}

}  // namespace posenc::detail
