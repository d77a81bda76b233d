#include "insight/properties/shift_properties.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "insight/properties/property.h"
#include "insight/properties/sinusoidal_rows.h"
#include "insight/properties/walk_rows.h"

namespace posenc::properties {
namespace {

constexpr std::int64_t kShift = 5;
constexpr std::int64_t kMostDistances = 4096;

double scale_of(const SinusoidalSchedule& schedule) { return std::max(std::fabs(schedule.multiplier), 1.0); }
// The position whose row is zero, if it is among the measured ones.
std::optional<double> zero_row(const InputLook& look, const SinusoidalSchedule& schedule) {
  for (std::int64_t n = 0; schedule.zero_position && n < look.positions.count; ++n) {
    if (is_zero_row(schedule, look.positions.real(0, n))) return look.positions.real(0, n);
  }
  return std::nullopt;
}

double dot_room(const InputLook& look, const SinusoidalSchedule& schedule) {
  const double scale = scale_of(schedule);
  return 4.0 * look.tolerance * scale * scale * static_cast<double>(std::max<std::int64_t>(look.width, 1));
}

std::string without_partner() {
  return "an odd width leaves a channel without its partner, so that it depends on the position";
}

Property smooth(const InputLook& look, const SinusoidalSchedule& schedule) {
  const StepNorms steps = step_norms(look.rows, look.walk);
  const bool zero = zero_row(look, schedule).has_value();
  const bool promised = has_partners(schedule) && !zero;
  const double room = 4.0 * look.tolerance * scale_of(schedule) * std::sqrt(static_cast<double>(look.width));
  Property property{.name = "smooth",
                    .title = "all steps have the same length",
                    .verdict = judge(promised, promised && steps.largest - steps.smallest <= room),
                    .finding = "every step to the next row is " + short_text(steps.mean) + " long",
                    .numbers = {{"smallest", steps.smallest}, {"largest", steps.largest}, {"mean", steps.mean}}};
  if (property.verdict != Verdict::holds) {
    const auto [shortest, longest] = told_apart(steps.smallest, steps.largest);
    property.finding =
        "a step to the next row is " + short_text(steps.mean) + " long on average, from " + shortest + " to " + longest;
  }
  if (property.verdict != Verdict::does_not_hold) return property;
  property.finding += zero ? ", because of a row of zeros" : ": " + without_partner();
  return property;
}

// The largest |row[n + k] - M_k row[n]|, and the range of row[n].row[n + k], over rows in their order.
struct Relations {
  double shift = 0.0;
  double shift_position = 0.0;
  double smallest_dot = std::numeric_limits<double>::infinity(), largest_dot = -smallest_dot;

  double spread() const { return std::max(largest_dot - smallest_dot, 0.0); }
};

class RelationWalk {
 public:
  RelationWalk(const InputLook& look, const SinusoidalSchedule& schedule, std::int64_t steps)
      : look_(look), schedule_(schedule), steps_(steps), matrix_(schedule, shift()) {}

  Relations measure() {
    Relations relations;
    walk_rows(look_.rows, look_.walk, "check", [&](std::int64_t n, const double* row) {
      if (n >= steps_) compare(n - steps_, row, relations);
      if (n >= steps_) held_.pop_front();
      held_.emplace_back(row, row + look_.width);
    });
    return relations;
  }

  double shift() const { return static_cast<double>(steps_) * static_cast<double>(look_.positions.step); }
  // The first position for which neither row is the zero row; none if there is no such position.
  std::optional<double> example() const {
    for (std::int64_t n = 0; n + steps_ < look_.positions.count; ++n) {
      if (!meets_zero(look_.positions.real(0, n))) return look_.positions.real(0, n);
    }
    return std::nullopt;
  }

 private:
  void compare(std::int64_t n, const double* row, Relations& relations) const {
    const double position = look_.positions.real(0, n);
    if (meets_zero(position)) return;
    const std::vector<double>& before = held_.front();
    const double shift_off = matrix_.residual(before.data(), row);
    const double product = dot(before.data(), row, look_.width);
    if (shift_off > relations.shift) relations.shift_position = position;
    relations.shift = std::max(relations.shift, shift_off);
    relations.smallest_dot = std::min(relations.smallest_dot, product);
    relations.largest_dot = std::max(relations.largest_dot, product);
  }

  bool meets_zero(double position) const {
    return is_zero_row(schedule_, position) || is_zero_row(schedule_, position + shift());
  }

  const InputLook& look_;
  const SinusoidalSchedule& schedule_;
  std::int64_t steps_;
  Shift matrix_;
  std::deque<std::vector<double>> held_;
};

// The zero row does not follow the rule of the others: the property does not hold, and the finding names its position.
void except_zero_row(const std::optional<double>& zero, Property& property) {
  if (!zero) return;
  if (property.verdict == Verdict::holds) property.verdict = Verdict::does_not_hold;
  property.finding += ", except at position " + place_text(*zero) + ", where the row is zero by definition";
}

Property shift_linear(const RelationWalk& further, const Relations& found, const std::string& shifts, double room) {
  return {.name = "shift_linear",
          .title = "a shift by k is the same matrix everywhere: PE(p + k) = M_k PE(p)",
          .verdict = judge(true, found.shift <= room),
          .finding = "for k = " + shifts + " the largest error is " + residual_text(found.shift) +
                     (found.shift > 1e-12 ? " (at position " + place_text(found.shift_position) + ")" : ""),
          .numbers = {{"shift", further.shift()}, {"residual", found.shift}, {"position", found.shift_position}}};
}

Property distance_only(const Relations& found, double distance, double spread, double room) {
  const double mean = 0.5 * (found.smallest_dot + found.largest_dot);
  Property property{.name = "distance_only",
                    .title = "the dot product of two rows depends only on their distance",
                    .verdict = judge(true, spread <= room),
                    .finding = "at distance " + place_text(distance) + " it is " + short_text(mean) +
                               " everywhere, with a spread of " + residual_text(spread),
                    .numbers = {{"distance", distance}, {"dot_product", mean}, {"spread", spread}}};
  if (property.verdict == Verdict::holds) return property;
  const auto [least, most] = told_apart(found.smallest_dot, found.largest_dot);
  property.finding = "at distance " + place_text(distance) + " it ranges from " + least + " to " + most;
  return property;
}

void add_relations(const InputLook& look, const Encoding& numbers, std::vector<Property>& list) {
  const SinusoidalSchedule& schedule = *numbers.sinusoidal();
  const std::optional<double> zero = zero_row(look, schedule);
  // Shifts by one step, so that every row takes part twice, and by a few.
  RelationWalk next(look, schedule, 1), further(look, schedule, std::min(kShift, look.positions.count - 1));
  const Relations near = next.measure(), far = further.measure();
  const Relations& worse = near.shift > far.shift ? near : far;
  const std::string k = place_text(further.shift());
  list.push_back(
      shift_linear(further, worse, place_text(next.shift()) + " and " + k, 4.0 * look.tolerance * scale_of(schedule)));
  except_zero_row(zero, list.back());
  if (const std::optional<double> from = further.example()) {
    list.back().command = command_of(numbers, "explain", "--positions " + place_text(*from) + " --shift " + k);
  }
  if (!look.observed) {
    const double composed = shift_composition_residual(schedule, 3.0, 4.0);
    list.push_back({.name = "shift_composes",
                    .title = "two shifts compose: M_a M_b = M_(a+b)",
                    .verdict = judge(true, composed <= 1e-12),
                    .finding = "for a = 3 and b = 4 the largest error is " + residual_text(composed),
                    .numbers = {{"residual", composed}}});
  }
  const bool by_one = near.spread() > far.spread() && near.spread() > dot_room(look, schedule);
  list.push_back(distance_only(by_one ? near : far, std::fabs(by_one ? next.shift() : further.shift()),
                               std::max(near.spread(), far.spread()), dot_room(look, schedule)));
  except_zero_row(zero, list.back());
}

void refuse_relations(std::vector<Property>& list) {
  const auto refuse = [&](const char* name, const char* title) {
    list.push_back(
        {.name = name, .title = title, .verdict = Verdict::does_not_hold, .until = {}, .finding = without_partner()});
  };
  refuse("shift_linear", "a shift by k is the same matrix everywhere: PE(p + k) = M_k PE(p)");
  refuse("shift_composes", "two shifts compose: M_a M_b = M_(a+b)");
  refuse("distance_only", "the dot product of two rows depends only on their distance");
  refuse("monotone", "the dot product falls with distance");
}

// The dot products of the first nonzero row with the rows after it, by their distance in steps. A zero row repeats the
// value of the row before it.
std::vector<double> observed_curve(const InputLook& look, const SinusoidalSchedule& schedule) {
  std::vector<double> first, curve;
  const std::int64_t most = std::min(look.positions.count, kMostDistances);
  walk_rows(look.rows, look.walk.slice(0, most), "check", [&](std::int64_t n, const double* row) {
    const bool zero = is_zero_row(schedule, look.positions.real(0, n));
    if (first.empty() && zero) return;
    if (first.empty()) first.assign(row, row + look.width);
    curve.push_back(zero ? curve.back() : dot(first.data(), row, look.width));
  });
  return curve;
}

// The curve of the encoding itself at these distances.
std::vector<double> promised_curve(const InputLook& look, const SinusoidalSchedule& schedule, std::size_t count) {
  SinusoidalSchedule stepped = schedule;
  for (double& frequency : stepped.inv_freq) frequency *= static_cast<double>(look.positions.step);
  return distance_curve(stepped, static_cast<std::int64_t>(count));
}

Property monotone(const std::vector<double>& curve, double step, double room) {
  const std::optional<std::int64_t> rise = rise_beyond(curve, room);
  const double last = step * static_cast<double>(curve.size() - 1);
  Property property{
      .name = "monotone",
      .title = "the dot product falls with distance",
      .verdict = rise ? Verdict::holds_to : Verdict::holds,
      .finding = "from " + short_text(curve.front()) + " at distance 0 to " + short_text(curve.back()) + " at " +
                 count_text(static_cast<std::int64_t>(last)),
      .numbers = {{"at_0", curve.front()}, {"at_1", curve[1]}, {"distances", static_cast<double>(curve.size())}}};
  if (!rise) return property;
  const auto [low, high] =
      told_apart(curve[static_cast<std::size_t>(*rise - 1)], curve[static_cast<std::size_t>(*rise)]);
  property.until = step * static_cast<double>(*rise - 1);
  property.finding +=
      "; it first rises at distance " + place_text(step * static_cast<double>(*rise)) + ", from " + low + " to " + high;
  property.numbers.emplace_back("first_rise", step * static_cast<double>(*rise));
  return property;
}

Property observed_monotone(const InputLook& look, const SinusoidalSchedule& schedule) {
  const std::vector<double> curve = observed_curve(look, schedule);
  const std::vector<double> promised = promised_curve(look, schedule, curve.size());
  const double room = dot_room(look, schedule);
  Property property = monotone(curve, std::fabs(static_cast<double>(look.positions.step)), room);
  judge_fall(curve, promised, room, property);
  return property;
}

}  // namespace

std::vector<Property> shift_properties(const InputLook& look, const Encoding& numbers) {
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
    if (!look.observed) refuse_relations(list);
    return list;
  }
  if (seen) add_relations(even, numbers, list);
  if (!look.observed) {
    const std::int64_t distances = std::clamp<std::int64_t>(even.positions.count, 2, kMostDistances);
    list.push_back(monotone(distance_curve(*numbers.sinusoidal(), distances), 1.0, 0.0));
  } else if (seen && look.positions.count > 2) {
    list.push_back(observed_monotone(even, *numbers.sinusoidal()));
  }
  return list;
}

}  // namespace posenc::properties
