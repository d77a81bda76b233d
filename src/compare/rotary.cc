#include <algorithm>
#include <cmath>

#include "compare/rotation.h"
#include "compare/rule.h"
#include "detail/fields.h"

namespace posenc::compare_detail {
namespace {

std::string layout_text(const Spec& spec) {
  Spec copy = spec;
  for (const detail::Field& field : detail::fields_of(copy)) {
    if (field.name == "layout") return detail::field_text(field);
  }
  return "";
}

// What text has, whose coordinates are all the same.
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
  result.notes.push_back("where all coordinates of a position are the same, as in text: " + text.sentence);
  return result;
}

// The angle as PyTorch models form it, beside the exact one.
double float32_error(double inv_freq, std::int64_t position) {
  const auto rounded = static_cast<float>(inv_freq);
  const float product = static_cast<float>(position) * rounded;
  return std::fabs(static_cast<double>(product) - static_cast<double>(position) * inv_freq);
}

// Where angles rounded to float32 leave the exact ones of the same frequencies. Beyond 2^20 positions they always have.
void compare_precision(const RotarySchedule& a, const RotarySchedule& b, const Limits& limits, Comparison& result) {
  if (a.precision == b.precision || result.verdict == Agreement::different) return;
  const RotarySchedule& schedule = a.precision == Precision::reference ? a : b;
  const std::int64_t end = std::min<std::int64_t>(limits.positions, std::int64_t{1} << 20);
  for (std::int64_t p = 1; p < end; ++p) {
    for (std::size_t i = 0; i < schedule.inv_freq.size(); ++i) {
      if (float32_error(schedule.inv_freq[i], p) <= limits.tolerance) continue;
      const auto pair = static_cast<std::int64_t>(i) % schedule.columns();
      const Json exact = static_cast<double>(p) * schedule.inv_freq[i];
      const Json rounded = static_cast<double>(static_cast<float>(p) * static_cast<float>(schedule.inv_freq[i]));
      const bool first = &schedule == &a;
      const double error = float32_error(schedule.inv_freq[i], p);
      result = different(limits, p, {"the angle", "pair", pair, first ? rounded : exact, first ? exact : rounded},
                         "one of them rounds its angles to float32");
      result.difference = error;
      return;
    }
  }
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

}  // namespace posenc::compare_detail
