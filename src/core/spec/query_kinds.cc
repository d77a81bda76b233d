// What is done to queries and keys beside the plain rotation: PoPE, xPos and the temperature of queries.
#include "core/spec/query_kinds.h"

#include <string>

#include "core/spec/shared_fields.h"
#include "core/text/number_text.h"
#include "posenc/position.h"

namespace posenc {
namespace spec {
namespace {

constexpr double kPopeLimit = kHeadDimLimit / 2;  // a channel becomes a pair

constexpr std::string_view kQueryLayoutWords[] = {"half", "interleaved", "interleaved_to_half", "half_negative",
                                                  "half_per_axis"};
constexpr std::string_view kPopeOrderWords[] = {"interleaved", "halves"};
constexpr std::string_view kMagnitudeWords[] = {"softplus", "relu", "identity"};
constexpr std::string_view kClampWords[] = {"none", "forward"};
constexpr std::string_view kTemperatureFormWords[] = {"log_floor", "power"};

void check_sections(const Pope& spec, std::int64_t channels, std::string_view where) {
  if (spec.axes == 1) refuse(where, "sections are for several axes but axes is 1");
  if (static_cast<std::int64_t>(spec.sections.size()) != spec.axes) {
    refuse(where, "sections must have one number per axis, " + std::to_string(spec.axes) + ", but has " +
                      std::to_string(spec.sections.size()));
  }
  std::int64_t sum = 0;
  for (const std::int64_t section : spec.sections) sum += section;
  if (sum == channels) return;
  refuse(where, "sections must sum to the channels that turn, " + std::to_string(channels) + ", but sum to " +
                    std::to_string(sum));
}

std::vector<Field> pope_fields(Pope& s) {
  return {
      head_dim_field(s.head_dim, 1, kPopeLimit),
      base_field(s.base, "the slowest channel turns about this many times slower than the fastest"),
      {.name = "rotary_dim",
       .value = &s.rotary_dim,
       .help = "the first channels, which turn; those after them pass as they are; 0: all",
       .unit = "channels",
       .low = 0,
       .high = kPopeLimit},
      {.name = "inv_freq",
       .value = &s.inv_freq,
       .help = "frequencies given one by one, instead of the rule: one per channel, or per axis and channel",
       .unit = "radians per position"},
      {.name = "axes", .value = &s.axes, .help = "coordinates of a position", .low = 1, .high = 8},
      {.name = "sections",
       .value = &s.sections,
       .help = "with several axes: the channels that turn with each; every axis begins with the fastest frequency",
       .unit = "channels",
       .low = 1,
       .high = kPopeLimit},
      {.name = "order",
       .value = enum_field(s.order, kPopeOrderWords),
       .help = "where cosine and sine of a channel are written: side by side (PoPE-pytorch), or all cosines first"},
      {.name = "magnitude",
       .value = enum_field(s.magnitude, kMagnitudeWords),
       .help = "what makes a length of a channel: ln(1 + e^x) as published, max(x, 0), or x itself"},
      {.name = "delta_clamp",
       .value = enum_field(s.delta_clamp, kClampWords),
       .help = "forward: delta is read within [-2 pi, 0] and has no gradient outside, as published code has it"},
  };
}

std::vector<Field> xpos_fields(Xpos& s) {
  return {
      head_dim_field(s.head_dim, 2, kHeadDimLimit),
      base_field(s.base, "the slowest pair turns about this many times slower than the fastest"),
      {.name = "layout", .value = enum_field(s.layout, kQueryLayoutWords), .help = "which channels turn together"},
      {.name = "rotary_dim",
       .value = &s.rotary_dim,
       .help = "channels that turn and decay, even; 0: all",
       .unit = "channels",
       .low = 0,
       .high = kHeadDimLimit},
      first_channel_field(s.first_channel),
      {.name = "inv_freq",
       .value = &s.inv_freq,
       .help = "frequencies given one by one, instead of the rule: one per pair",
       .unit = "radians per position"},
      {.name = "gamma",
       .value = &s.gamma,
       .help = "of the decay zeta = (2i/R + gamma) / (1 + gamma) of pair i",
       .low = 0,
       .high = 1e9,
       .above_low = true},
      {.name = "scale_base",
       .value = &s.scale_base,
       .help = "the distance at which a score has decayed by zeta",
       .unit = "positions",
       .low = 0,
       .above_low = true},
      {.name = "center",
       .value = &s.center,
       .help = "the position whose factor is 1: scores do not see it, but it keeps the factors near 1",
       .unit = "positions",
       .low = -kPositionLimit,
       .high = kPositionLimit},
  };
}

std::vector<Field> temperature_fields(QueryTemperature& s) {
  return {
      {.name = "scale",
       .value = &s.scale,
       .help = "how fast the factor grows; 0: it is 1 everywhere",
       .low = 0,
       .high = 1e6},
      {.name = "length",
       .value = &s.length,
       .help = "positions after which the factor begins to grow: floor_scale of Llama 4",
       .unit = "positions",
       .low = 1,
       .high = kPositionLimit},
      {.name = "first",
       .value = &s.first,
       .help = "what position 0 counts as: 1 in Llama 4, 0 in Ministral 3",
       .unit = "positions",
       .low = 0,
       .high = kPositionLimit},
      {.name = "form",
       .value = enum_field(s.form, kTemperatureFormWords),
       .help = "1 + scale ln(1 + floor((p + first) / length)), or (1 + (p + first) / length)^scale"},
  };
}

void check_pope(const Pope& spec, std::string_view where) {
  const std::int64_t channels = turning_channels(spec);
  if (channels > spec.head_dim) {
    refuse(where, "rotary_dim must be at most head_dim, " + std::to_string(spec.head_dim) + ", but got " +
                      std::to_string(channels));
  }
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  if (given != 0 && given != channels && given != spec.axes * channels) {
    refuse(where, "inv_freq must have one number per channel, " + std::to_string(channels) +
                      (spec.axes == 1 ? "" : ", or per axis and channel, " + std::to_string(spec.axes * channels)) +
                      ", but has " + std::to_string(given));
  }
  if (given != 0 && spec.base != Pope{}.base) refuse(where, "inv_freq replaces base: leave it out");
  const bool per_axis = spec.axes > 1 && given == spec.axes * channels;
  if (per_axis && !spec.sections.empty()) {
    refuse(where, "sections say which axis a channel has: give inv_freq once per channel, or leave them out");
  }
  if (!spec.sections.empty()) return check_sections(spec, channels, where);
  if (spec.axes == 1 || per_axis) return;
  refuse(where, "axes=" + std::to_string(spec.axes) + " needs sections, the channels of each axis, or inv_freq for " +
                    "every axis and channel");
}

void check_xpos(const Xpos& spec, std::string_view where) {
  const std::int64_t channels = turning_channels(spec);
  if (channels % 2 != 0) {
    refuse(where, std::string(spec.rotary_dim != 0 ? "rotary_dim" : "head_dim") + " must be even but got " +
                      std::to_string(channels));
  }
  const std::int64_t first = spec.first_channel < 0 ? spec.head_dim + spec.first_channel : spec.first_channel;
  if (first < 0 || first + channels > spec.head_dim) {
    refuse(where, "the window must lie inside the head of " + std::to_string(spec.head_dim) +
                      " channels but first_channel (rope_offset) " + std::to_string(spec.first_channel) + " with " +
                      std::to_string(channels) + " channels does not");
  }
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  if (given != 0 && given != channels / 2) {
    refuse(where, "inv_freq must have one number per pair, " + std::to_string(channels / 2) + ", but has " +
                      std::to_string(given));
  }
  if (given != 0 && spec.base != Xpos{}.base) refuse(where, "inv_freq replaces base: leave it out");
}

std::vector<ParameterInfo> pope_parameters(const Pope& spec) {
  return {{.name = "delta",
           .shape = {-1, turning_channels(spec)},
           .help = "an angle per head and channel, added to that of keys; else 0",
           .optional = true}};
}

}  // namespace
}  // namespace spec

const spec::KindRow Pope::row = {.fields = spec::of_kind<spec::pope_fields>,
                                 .check = spec::of_kind<spec::check_pope>,
                                 .parameters = spec::of_kind<spec::pope_parameters>};
const spec::KindRow Xpos::row = {.fields = spec::of_kind<spec::xpos_fields>, .check = spec::of_kind<spec::check_xpos>};
const spec::KindRow QueryTemperature::row = {.fields = spec::of_kind<spec::temperature_fields>};

}  // namespace posenc
