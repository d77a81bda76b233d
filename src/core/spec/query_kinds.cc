// PoPE, xPos and the temperature of queries: the kinds that act on queries and keys, besides rotary.
#include "core/spec/query_kinds.h"

#include <cstdlib>
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

constexpr UnclearField kQueryUnclear[] = {
    kWhichDim,
    kHeadsOfModel,
    kAnyHeads,
    kNoValues,
    {kLengthWords, "it works at any position: choose them with --positions 0:512"},
};

void check_sections(const Pope& spec, std::int64_t channels, std::string_view where) {
  base::require_input(spec.axes != 1, where, "sections are for several axes but axes is 1");
  base::require_input(static_cast<std::int64_t>(spec.sections.size()) == spec.axes, where,
                      "sections must have one number per axis, ", spec.axes, ", but has ", spec.sections.size());
  std::int64_t sum = 0;
  for (const std::int64_t section : spec.sections) sum += section;
  if (sum == channels) return;
  base::refuse_input(where, "sections must sum to the channels that rotate, ", channels, ", but sum to ", sum);
}

// Chooses an example head_dim: lists that are given determine the number of rotated channels, and the window must fit.
ExampleSizes example_head(const Pope& s) {
  if (s.rotary_dim != 0) return kExampleWidth.at_least(example_size(s.rotary_dim));
  std::int64_t channels = s.axes == 1 ? static_cast<std::int64_t>(s.inv_freq.size()) : 0;
  for (const std::int64_t section : s.sections) channels += example_size(section);
  return channels > 0 ? ExampleSizes{channels, channels} : kExampleWidth;
}

ExampleSizes example_head(const Xpos& s) {
  const auto given = 2 * static_cast<std::int64_t>(s.inv_freq.size());
  if (s.rotary_dim == 0 && given != 0) return {given, given};
  return kExampleWidth.at_least(example_size(s.rotary_dim) + std::abs(example_size(s.first_channel)));
}

std::vector<Field> pope_fields(Pope& s) {
  return {
      with_example(head_dim_field(s.head_dim, 1, kPopeLimit), example_head(s)),
      base_field(s.base, "the slowest channel rotates about this many times more slowly than the fastest")
          .alias(base_aliases()),
      Field("rotary_dim", &s.rotary_dim, "how many channels rotate, from the first; the others are unchanged; 0: all")
          .between(0, kPopeLimit, "channels")
          .alias({"rotary_ndims"}),
      Field("inv_freq", &s.inv_freq,
            "a list of frequencies instead of the rule: one per channel, or one per axis and channel")
          .in("radians per position"),
      Field("axes", &s.axes, "coordinates per position").between(1, 8),
      Field("sections", &s.sections,
            "several axes only: how many channels each axis rotates; every axis begins with the fastest frequency")
          .between(1, kPopeLimit, "channels"),
      Field("order", enum_field(s.order, kPopeOrderWords),
            "where the cosine and sine of a channel go: side by side (PoPE-pytorch), or all cosines first"),
      Field("magnitude", enum_field(s.magnitude, kMagnitudeWords),
            "the magnitude of a channel x: ln(1 + e^x) as published, max(x, 0), or x itself"),
      Field("delta_clamp", enum_field(s.delta_clamp, kClampWords),
            "forward: clamp delta to [-2 pi, 0], without a gradient outside, as the published code does"),
  };
}

std::vector<Field> xpos_fields(Xpos& s) {
  return {
      with_example(head_dim_field(s.head_dim, 2, kHeadDimLimit), example_head(s)),
      base_field(s.base, "the slowest pair rotates about this many times more slowly than the fastest")
          .alias(base_aliases()),
      Field("layout", enum_field(s.layout, kQueryLayoutWords), "which channels form a pair"),
      Field("rotary_dim", &s.rotary_dim, "channels that rotate and decay, even; 0: all")
          .between(0, kHeadDimLimit, "channels")
          .alias({"rotary_ndims"}),
      first_channel_field(s.first_channel),
      Field("inv_freq", &s.inv_freq, "a list of frequencies instead of the rule: one per pair")
          .in("radians per position"),
      Field("gamma", &s.gamma, "gamma in the decay zeta = (2i/R + gamma) / (1 + gamma) of pair i")
          .above(0)
          .at_most(1e9),
      Field("scale_base", &s.scale_base, "the distance at which a score has decayed by zeta").above(0, "positions"),
      Field("center", &s.center,
            "the position whose factor is 1; scores do not depend on it, but it keeps the factors near 1")
          .between(-kPositionLimit, kPositionLimit, "positions"),
  };
}

std::vector<Field> temperature_fields(QueryTemperature& s) {
  return {
      Field("scale", &s.scale, "how fast the factor grows; 0: it is 1 everywhere")
          .between(0, 1e6)
          .alias({"attn_scale", "llama_4_scaling_beta"}),
      Field("length", &s.length, "positions after which the factor begins to grow")
          .between(1, kPositionLimit, "positions")
          .alias({"floor_scale"}),
      Field("first", &s.first, "the number that position 0 counts as: 1 in Llama 4, 0 in Ministral 3")
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
  base::require_input(first >= 0 && first + channels <= spec.head_dim, where, "the window must be inside the head of ",
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
                                           .parameters = spec::of_kind<spec::pope_parameters>,
                                           .unclear = spec::kQueryUnclear};
constinit const spec::KindRow Xpos::row = {.fields = spec::of_kind<spec::xpos_fields>,
                                           .check = spec::of_kind<spec::check_xpos>,
                                           .unclear = spec::kQueryUnclear};
constinit const spec::KindRow QueryTemperature::row = {.fields = spec::of_kind<spec::temperature_fields>};

}  // namespace posenc
