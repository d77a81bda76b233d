#include "insight/diagnosis/engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rotation/channel_head.h"
#include "core/spec/axis_map.h"
#include "core/spec/rotary_window.h"
#include "core/spec/scaling_fields.h"
#include "posenc/reference.h"

namespace posenc::diagnosis {
namespace {

std::int64_t parts_of(const RotarySchedule& schedule) {
  const bool parts = schedule.layout == Layout::half_per_axis ||
                     schedule.layout == Layout::interleaved_pairs_with_halves_tiling_per_axis;
  return parts ? schedule.axes : 1;
}

// De-interleaves once: place i of n gets channel 2i, place n + i gets channel 2i + 1.
std::int64_t gathered(std::int64_t place, std::int64_t width) {
  const std::int64_t half = width / 2;
  return place < half ? 2 * place : 2 * (place - half) + 1;
}
std::int64_t scattered(std::int64_t place, std::int64_t width) {
  return place % 2 == 0 ? place / 2 : width / 2 + place / 2;
}

// The source of a place in the window after de-interleaving it so many times.
std::int64_t source_of(std::int64_t place, std::int64_t width, int times) {
  for (; times > 0; --times) place = gathered(place, width);
  for (; times < 0; ++times) place = scattered(place, width);
  return place;
}

// The outputs of the window, indexed by place in it.
std::vector<Output> window_outputs(const RotarySchedule& schedule) {
  std::vector<Output> outputs(static_cast<std::size_t>(schedule.rotary_dim));
  const bool rotation = is_rotation(schedule.layout);
  const double sign = schedule.layout == Layout::half_negative ? -1.0 : 1.0;
  for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
    const rotation::ChannelPair pair = rotation::channel_pair(schedule.layout, schedule.pairs(), parts_of(schedule), i);
    outputs[static_cast<std::size_t>(pair.write_first)] = {pair.read_first, pair.read_second,
                                                           rotation ? i : pair.write_first, -sign};
    outputs[static_cast<std::size_t>(pair.write_second)] = {pair.read_second, pair.read_first,
                                                            rotation ? i : pair.write_second, sign};
  }
  return outputs;
}

std::vector<double> reordered_axes(const RotarySchedule& schedule, const std::vector<std::int64_t>& order) {
  if (order.empty()) return schedule.inv_freq;
  const auto columns = static_cast<std::size_t>(schedule.columns());
  std::vector<double> result(schedule.inv_freq.size(), 0.0);
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t c = 0; c < columns; ++c) {
      result[static_cast<std::size_t>(order[a]) * columns + c] += schedule.inv_freq[a * columns + c];
    }
  }
  return result;
}

}  // namespace

bool is_bias(const Spec& spec) noexcept {
  const bool is_mask = std::holds_alternative<Window>(spec) || std::holds_alternative<Chunked>(spec);
  return place_of(spec) == Place::bias && !is_mask && !std::holds_alternative<MatrixBias>(spec);
}

RotarySchedule plain_schedule(const Rotary& given) {
  const Rotary spec = given.local_base == 0.0 ? given : at_layer(given, given.layer.value_or(0));
  if (spec.precision == Precision::reference) return make_schedule(spec);
  const spec::RotaryWindow window = spec::window_of(spec);
  const std::vector<spec::PairPlace> places = spec::axis_map(spec, window);
  RotarySchedule schedule;
  schedule.head_dim = spec.head_dim;
  schedule.rotary_dim = window.rotary_dim;
  schedule.first_channel = window.first_channel;
  schedule.layout = spec.layout;
  schedule.axes = spec::axes_of(spec);
  schedule.attention_factor_in = spec.attention_factor_in;
  const Scaling scaling = spec::settled_scaling(spec);
  const std::vector<Ladder> ladders = spec::ladders_of(spec, places);
  schedule.attention_factor = spec.attention_factor.value_or(reference::scaling_factor(scaling, ladders.front()));
  schedule.exponent_dim = spec.inv_freq.empty() && ladders.size() == 1 ? ladders.front().dim : 0;
  const std::size_t columns = places.size();
  schedule.inv_freq.assign(static_cast<std::size_t>(schedule.axes) * columns, 0.0);
  if (spec.inv_freq.size() == schedule.inv_freq.size() && schedule.axes > 1) {
    schedule.inv_freq = spec.inv_freq;
    for (double& f : schedule.inv_freq) f *= spec.frequency_scale;
    return schedule;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const spec::PairPlace& place = places[c];
    const auto ladder =
        std::find_if(ladders.begin(), ladders.end(), [&](const Ladder& l) { return l.dim == place.exponent_dim; });
    const double f = spec.inv_freq.empty() ? reference::scaled_inv_freq(scaling, *ladder, place.index)
                                           : spec.inv_freq[static_cast<std::size_t>(place.pair)];
    schedule.inv_freq[static_cast<std::size_t>(place.axis) * columns + c] = spec.frequency_scale * f;
  }
  return schedule;
}

HeadPlan make_plan(const Engine& engine, std::int64_t head_dim) {
  const RotarySchedule schedule = plain_schedule(std::get<Rotary>(engine.spec));
  HeadPlan plan;
  plan.head_dim = head_dim;
  plan.columns = schedule.columns();
  plan.axes = schedule.axes;
  plan.rotation = is_rotation(schedule.layout);
  plan.factor = schedule.table_factor();
  plan.inv_freq = reordered_axes(schedule, engine.turn.axis_order);
  for (double& f : plan.inv_freq) f = rounded(f, engine.turn.frequencies);
  plan.outputs.resize(static_cast<std::size_t>(head_dim));
  for (std::int64_t c = 0; c < head_dim; ++c) plan.outputs[static_cast<std::size_t>(c)] = {.main = c, .partner = c};
  const std::int64_t width = schedule.rotary_dim;
  const std::int64_t start = engine.head_start + schedule.first_channel;
  if (start < 0 || start + width > head_dim) return plan;
  const std::vector<Output> window = window_outputs(schedule);
  for (std::int64_t c = 0; c < width; ++c) {
    Output output = window[static_cast<std::size_t>(source_of(c, width, engine.turn.gathered_after))];
    output.main = start + source_of(output.main, width, engine.turn.gathered_before);
    output.partner = start + source_of(output.partner, width, engine.turn.gathered_before);
    plan.outputs[static_cast<std::size_t>(start + c)] = output;
  }
  return plan;
}

double angle_of(const Engine& engine, const HeadPlan& plan, std::int64_t token, const double* position,
                std::int64_t column) {
  const TurnQuirks& turn = engine.turn;
  double angle = 0.0;
  for (std::int64_t a = 0; a < plan.axes; ++a) {
    const double f = plan.inv_freq[static_cast<std::size_t>(a * plan.columns + column)];
    if (f == 0.0) continue;
    angle += rounded(rounded(engine.id(token, position[a]), turn.ids) * f, turn.angle);
  }
  return angle;
}

void fill_turns(const Engine& engine, const HeadPlan& plan, std::int64_t token, const double* position, double* cos,
                double* sin) {
  const double sign = engine.turn.negative ? -1.0 : 1.0;
  const bool rounds = engine.turn.table != Rounding::none;
  for (std::int64_t c = 0; c < plan.columns; ++c) {
    const double angle = angle_of(engine, plan, token, position, c);
    cos[c] = plan.factor * std::cos(angle);
    sin[c] = plan.factor * sign * std::sin(angle);
    if (rounds) {
      cos[c] = rounded(cos[c], engine.turn.table);
      sin[c] = rounded(sin[c], engine.turn.table);
    }
    if (engine.turn.cos_sin_swapped) std::swap(cos[c], sin[c]);
  }
}

void turn_head(const Engine& engine, const HeadPlan& plan, const double* cos, const double* sin, const double* x,
               double* out) {
  const auto width = static_cast<std::size_t>(plan.head_dim);
  if (engine.turn.turns == 0) {
    std::copy_n(x, width, out);
    return;
  }
  std::vector<double> once;
  for (int time = 0; time < engine.turn.turns; ++time) {
    if (time > 0) {
      once.assign(out, out + width);
      x = once.data();
    }
    for (std::size_t c = 0; c < width; ++c) {
      const Output& o = plan.outputs[c];
      const double main = x[static_cast<std::size_t>(o.main)];
      if (o.column < 0) {
        out[c] = main;
        continue;
      }
      const auto column = static_cast<std::size_t>(o.column);
      out[c] = main * cos[column] + o.sign * x[static_cast<std::size_t>(o.partner)] * sin[column];
    }
  }
  if (engine.turn.factor == 1.0) return;
  for (std::size_t c = 0; c < width; ++c) out[c] *= engine.turn.factor;
}

}  // namespace posenc::diagnosis
