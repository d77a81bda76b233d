// What is done to queries and keys beside the plain rotation: PoPE, xPos and the temperature of queries.
#include "core/spec/query_kinds.h"

#include <string>

#include "core/base/refuse.h"
#include "core/spec/shared_fields.h"
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
  base::require_input(spec.axes != 1, where, "sections are for several axes but axes is 1");
  base::require_input(static_cast<std::int64_t>(spec.sections.size()) == spec.axes, where,
                      "sections must have one number per axis, ", spec.axes, ", but has ", spec.sections.size());
  std::int64_t sum = 0;
  for (const std::int64_t section : spec.sections) sum += section;
  if (sum == channels) return;
  base::refuse_input(where, "sections must sum to the channels that turn, ", channels, ", but sum to ", sum);
}

std::vector<Field> pope_fields(Pope& s) {
  return {
      head_dim_field(s.head_dim, 1, kPopeLimit),
      base_field(s.base, "the slowest channel turns about this many times slower than the fastest"),
      Field("rotary_dim", &s.rotary_dim, "the first channels, which turn; those after them pass as they are; 0: all")
          .between(0, kPopeLimit, "channels"),
      Field("inv_freq", &s.inv_freq,
            "frequencies given one by one, instead of the rule: one per channel, or per axis and channel")
          .in("radians per position"),
      Field("axes", &s.axes, "coordinates of a position").between(1, 8),
      Field("sections", &s.sections,
            "with several axes: the channels that turn with each; every axis begins with the fastest frequency")
          .between(1, kPopeLimit, "channels"),
      Field("order", enum_field(s.order, kPopeOrderWords),
            "where cosine and sine of a channel are written: side by side (PoPE-pytorch), or all cosines first"),
      Field("magnitude", enum_field(s.magnitude, kMagnitudeWords),
            "what makes a length of a channel: ln(1 + e^x) as published, max(x, 0), or x itself"),
      Field("delta_clamp", enum_field(s.delta_clamp, kClampWords),
            "forward: delta is read within [-2 pi, 0] and has no gradient outside, as published code has it"),
  };
}

std::vector<Field> xpos_fields(Xpos& s) {
  return {
      head_dim_field(s.head_dim, 2, kHeadDimLimit),
      base_field(s.base, "the slowest pair turns about this many times slower than the fastest"),
      Field("layout", enum_field(s.layout, kQueryLayoutWords), "which channels turn together"),
      Field("rotary_dim", &s.rotary_dim, "channels that turn and decay, even; 0: all")
          .between(0, kHeadDimLimit, "channels"),
      first_channel_field(s.first_channel),
      Field("inv_freq", &s.inv_freq, "frequencies given one by one, instead of the rule: one per pair")
          .in("radians per position"),
      Field("gamma", &s.gamma, "of the decay zeta = (2i/R + gamma) / (1 + gamma) of pair i").above(0).at_most(1e9),
      Field("scale_base", &s.scale_base, "the distance at which a score has decayed by zeta").above(0, "positions"),
      Field("center", &s.center,
            "the position whose factor is 1: scores do not see it, but it keeps the factors near 1")
          .between(-kPositionLimit, kPositionLimit, "positions"),
  };
}

std::vector<Field> temperature_fields(QueryTemperature& s) {
  return {
      Field("scale", &s.scale, "how fast the factor grows; 0: it is 1 everywhere").between(0, 1e6),
      Field("length", &s.length, "positions after which the factor begins to grow: floor_scale of Llama 4")
          .between(1, kPositionLimit, "positions"),
      Field("first", &s.first, "what position 0 counts as: 1 in Llama 4, 0 in Ministral 3")
          .between(0, kPositionLimit, "positions"),
      Field("form", enum_field(s.form, kTemperatureFormWords),
            "1 + scale ln(1 + floor((p + first) / length)), or (1 + (p + first) / length)^scale"),
  };
}

void check_pope(const Pope& spec, std::string_view where) {
  const std::int64_t channels = turning_channels(spec);
  base::require_input(channels <= spec.head_dim, where, "rotary_dim must be at most head_dim, ", spec.head_dim,
                      ", but got ", channels);
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  if (given != 0 && given != channels && given != spec.axes * channels) {
    base::refuse_input(where, "inv_freq must have one number per channel, ", channels,
                       (spec.axes == 1 ? "" : ", or per axis and channel, " + std::to_string(spec.axes * channels)),
                       ", but has ", given);
  }
  base::require_input(given == 0 || spec.base == Pope{}.base, where, "inv_freq replaces base: leave it out");
  const bool per_axis = spec.axes > 1 && given == spec.axes * channels;
  base::require_input(!per_axis || spec.sections.empty(), where,
                      "sections say which axis a channel has: give inv_freq once per channel, or leave them out");
  if (!spec.sections.empty()) return check_sections(spec, channels, where);
  if (spec.axes == 1 || per_axis) return;
  base::refuse_input(where, "axes=", spec.axes, " needs sections, the channels of each axis, or inv_freq for ",
                     "every axis and channel");
}

void check_xpos(const Xpos& spec, std::string_view where) {
  const std::int64_t channels = turning_channels(spec);
  base::require_input(channels % 2 == 0, where, spec.rotary_dim != 0 ? "rotary_dim" : "head_dim",
                      " must be even but got ", channels);
  const std::int64_t first = spec.first_channel < 0 ? spec.head_dim + spec.first_channel : spec.first_channel;
  base::require_input(first >= 0 && first + channels <= spec.head_dim, where, "the window must lie inside the head of ",
                      spec.head_dim, " channels but first_channel (rope_offset) ", spec.first_channel, " with ",
                      channels, " channels does not");
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  if (given != 0 && given != channels / 2) {
    base::refuse_input(where, "inv_freq must have one number per pair, ", channels / 2, ", but has ", given);
  }
  base::require_input(given == 0 || spec.base == Xpos{}.base, where, "inv_freq replaces base: leave it out");
}

std::vector<ParameterInfo> pope_parameters(const Pope& spec) {
  return {{.name = "delta",
           .shape = {-1, turning_channels(spec)},
           .help = "an angle per head and channel, added to that of keys; else 0",
           .optional = true}};
}

}  // namespace
}  // namespace spec

constinit const spec::KindRow Pope::row = {.fields = spec::of_kind<spec::pope_fields>,
                                           .check = spec::of_kind<spec::check_pope>,
                                           .parameters = spec::of_kind<spec::pope_parameters>};
constinit const spec::KindRow Xpos::row = {.fields = spec::of_kind<spec::xpos_fields>,
                                           .check = spec::of_kind<spec::check_xpos>};
constinit const spec::KindRow QueryTemperature::row = {.fields = spec::of_kind<spec::temperature_fields>};

}  // namespace posenc
