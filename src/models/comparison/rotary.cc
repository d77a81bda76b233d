#include <algorithm>
#include <cmath>

#include "core/spec/fields.h"
#include "models/comparison/rotation.h"
#include "models/comparison/rule.h"

namespace posenc::comparison {
namespace {

std::string layout_text(const Spec& spec) {
  Spec copy = spec;
  for (const spec::Field& field : spec::fields_of(copy)) {
    if (field.name == "layout") return spec::field_text(field);
  }
  return "";
}

// The schedule for text, whose coordinates are all equal: the frequencies of the axes add up.
RotarySchedule on_one_axis(RotarySchedule schedule) {
  const auto columns = static_cast<std::size_t>(schedule.columns());
  for (std::size_t i = columns; i < schedule.inv_freq.size(); ++i)
    schedule.inv_freq[i % columns] += schedule.inv_freq[i];
  schedule.inv_freq.resize(columns);
  schedule.axes = 1;
  return schedule;
}

Comparison other_axes(const RotarySchedule& a, const RotarySchedule& b, const Limits& limits) {
  Comparison result = different(limits, 1, {"axes", "", 0, a.axes, b.axes});
  if (a.layout == Layout::half_per_axis || b.layout == Layout::half_per_axis) return result;
  const Comparison text = compare_heads(head_map(on_one_axis(a), limits), head_map(on_one_axis(b), limits), limits, {});
  result.notes.push_back("if all coordinates of a position are equal, as in text: " + text.sentence);
  return result;
}

// The angle as a schedule computes it: exactly, or with every step rounded to float32 as in PyTorch.
double angle_of(Precision precision, double inv_freq, std::int64_t position) {
  if (precision == Precision::exact) return static_cast<double>(position) * inv_freq;
  return static_cast<double>(static_cast<float>(position) * static_cast<float>(inv_freq));
}

// The frequency of the other schedule if the two are equal up to rounding. If not, the pairs are in another order, and
// inv_freq serves for both.
double partner_of(double inv_freq, double other) {
  return std::fabs(inv_freq - other) <= 1e-6 * std::fabs(inv_freq) ? other : inv_freq;
}

// The angles of pair i of two schedules at a position, and their difference.
struct Angles {
  double one, other;

  Angles(const RotarySchedule& a, const RotarySchedule& b, std::size_t i, std::int64_t position)
      : one(angle_of(a.precision, a.inv_freq[i], position)),
        other(angle_of(b.precision, partner_of(a.inv_freq[i], b.inv_freq[i]), position)) {}
  double apart() const { return std::fabs(one - other); }
};

// Finds the first position at which angles rounded to float32 differ from exact ones. With usual tolerances it is far
// below 2^20, where the search ends.
void compare_precision(const RotarySchedule& a, const RotarySchedule& b, const Limits& limits, Comparison& result) {
  if (a.precision == b.precision || a.inv_freq.size() != b.inv_freq.size()) return;
  const std::int64_t end = std::min<std::int64_t>(limits.positions, std::int64_t{1} << 20);
  bool open = true;  // until the first position is found, here or from the frequencies
  double largest = result.difference;
  for (std::int64_t p = 1; p < end; ++p) {
    if (result.verdict == Agreement::different && p >= result.first_position.value_or(end)) open = false;
    for (std::size_t i = 0; i < a.inv_freq.size(); ++i) {
      const Angles angles(a, b, i, p);
      largest = std::max(largest, angles.apart());
      if (!open || angles.apart() <= limits.tolerance) continue;
      const auto pair = static_cast<std::int64_t>(i) % a.columns();
      result = different(limits, p, {"the angle", "pair", pair, angles.one, angles.other},
                         "one of them rounds its angles to float32");
      open = false;
    }
  }
  result.difference = std::min(largest, 2.0 * std::max(a.table_factor(), b.table_factor()));
}

RotarySchedule schedule_of(const Side& side) { return make_schedule(std::get<Rotary>(side.spec)); }

HeadMap map_of(const Side& side, const RotarySchedule& schedule, const Limits& limits) {
  HeadMap map = head_map(schedule, limits, {.before = side.channels_before});
  map.softmax_factor *= side.score_factor;
  return map;
}

}  // namespace

Comparison compare_rotary(const Side& a, const Side& b, const Limits& limits) {
  const RotarySchedule one = schedule_of(a), other = schedule_of(b);
  if (one.axes != other.axes) return other_axes(one, other, limits);
  RotationWords words;
  if (one.layout != other.layout) {
    words.layouts = " (layout " + layout_text(a.spec) + " in A, " + layout_text(b.spec) + " in B)";
  }
  Comparison result = compare_heads(map_of(a, one, limits), map_of(b, other, limits), limits, words);
  compare_precision(one, other, limits, result);
  return result;
}

}  // namespace posenc::comparison
