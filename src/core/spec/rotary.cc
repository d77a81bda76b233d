// Rotary encodings: their fields, and what no field can tell alone.
#include <cmath>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/spec/axis_map.h"
#include "core/spec/kind_row.h"
#include "core/spec/scaling_fields.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kLayoutWords[] = {"half",
                                             "interleaved",
                                             "interleaved_to_half",
                                             "half_negative",
                                             "half_per_axis",
                                             "full_width_half",
                                             "interleaved_pairs_with_halves_tiling_per_axis"};
constexpr std::string_view kSectionOrderWords[] = {"chunked", "interleaved", "alternating", "ernie"};
constexpr std::string_view kAxisFrequenciesWords[] = {"shared", "restart", "dealt"};
constexpr std::string_view kFactorInWords[] = {"table", "query", "softmax"};
constexpr std::string_view kRotaryPrecisionWords[] = {"exact", "reference"};

// The words of the variant's alternatives; choosing one begins it with its defaults.
EnumField scaling_field(Scaling& scaling) {
  return {&scaling, scaling_words(),
          [](const void* from) noexcept { return static_cast<int>(static_cast<const Scaling*>(from)->index()); },
          [](void* to, int index) noexcept { *static_cast<Scaling*>(to) = default_scaling(index); }};
}

std::vector<Field> length_and_layer_fields(Rotary& s) {
  return {
      Field("sequence_length", &s.sequence_length, "the length that a scaling which depends on it is made for")
          .between(1, kPositionLimit, "positions"),
      Field("local_base", &s.local_base, "the base of layers that look nearby; 0: all layers are alike").at_least(0),
      Field("global_every", &s.global_every,
            "with local_base: every so manieth layer looks far, the last of each group")
          .between(1, kMaxWidth, "layers"),
      Field("local_scaled", &s.local_scaled, "whether the scaling holds for layers that look nearby"),
      Field("layer", &s.layer, "with local_base: which layer, counted from 0").between(0, kMaxWidth, "layers"),
  };
}

std::vector<Field> rotary_fields(Rotary& s) {
  std::vector<Field> fields = {
      head_dim_field(s.head_dim, 2),
      base_field(s.base, "the slowest pair turns about this many times slower than the fastest: rope_theta"),
      Field("layout", enum_field(s.layout, kLayoutWords), "which channels turn together"),
      Field("rotary_dim", &s.rotary_dim, "channels that turn, even; 0: int(head_dim * partial_rotary_factor)")
          .between(0, kHeadDimLimit, "channels"),
      Field("partial_rotary_factor", &s.partial_rotary_factor,
            "the share of the head that turns, truncated; where that is odd, one channel more")
          .above(0)
          .at_most(1),
      first_channel_field(s.first_channel),
      Field("exponent_dim", &s.exponent_dim,
            "pair i has the exponent 2i / exponent_dim; 0: rotary_dim before it was made even, of half_per_axis "
            "that of a part, of axis_frequencies=restart twice the pairs of the axis")
          .between(0, kMaxWidth, "channels"),
      Field("inv_freq", &s.inv_freq,
            "frequencies given one by one, instead of the rule: one per pair, or per axis and pair")
          .in("radians per position"),
      Field("axes", &s.axes, "coordinates of a position; 1 with several sections: one for each").between(1, 8),
      Field("sections", &s.sections,
            "with several axes: the pairs of each section (mrope_section); they sum to all pairs")
          .between(0, static_cast<double>(kMaxHeadDim / 2), "pairs"),
      Field("section_order", enum_field(s.section_order, kSectionOrderWords),
            "how sections lie over the pairs: one after the other (Qwen2-VL), interleaved (Qwen3-VL), axes in turn "
            "(Kimi), or h and w in turn, then t (ERNIE)"),
      Field("axis_frequencies", enum_field(s.axis_frequencies, kAxisFrequenciesWords),
            "one ladder of frequencies over all pairs (M-RoPE), one per axis (most vision towers), or one dealt out "
            "to the axes (Pixtral)"),
      Field("axis_of_pair", &s.axis_of_pair,
            "with several axes: the axis that each pair turns with, counted from 0, instead of sections")
          .between(0, 7),
      Field("scale", &s.frequency_scale, "multiplies every frequency, as scaling the positions would: 2 pi in DINOv3")
          .also_called("frequency_scale"),
      Field("attention_factor", &s.attention_factor,
            "a magnitude beside the rotation; none: as the scaling says, 1 without one")
          .above(0)
          .at_most(1e9),
      Field("attention_factor_in", enum_field(s.attention_factor_in, kFactorInWords),
            "where it acts: in cos and sin, on the query, or on the scores"),
      Field("precision", enum_field(s.precision, kRotaryPrecisionWords),
            "angles exact, or rounded to float32 at every step as PyTorch models do"),
      Field("scaling", scaling_field(s.scaling),
            "how the frequencies are changed for contexts longer than the trained one")
          .selecting(),
  };
  for (Field& field : scaling_fields(s.scaling)) {
    field.group = "scaling";
    fields.push_back(std::move(field));
  }
  for (Field& field : length_and_layer_fields(s)) fields.push_back(std::move(field));
  return fields;
}

void check_scaling(const Rotary& spec, const RotaryWindow& window, const base::Refusal& refuse) {
  const Rotary fallback;
  if (spec.local_base == 0.0) {
    refuse.unless(!spec.layer, "layer is for local_base: without it all layers are alike");
    refuse.unless(spec.global_every == fallback.global_every,
                  "global_every is for local_base: without it all are alike");
    refuse.unless(!spec.local_scaled, "local_scaled is for local_base: without it all layers are alike");
  } else if (!spec.inv_freq.empty()) {
    refuse("inv_freq replaces local_base too: leave it out, and give every layer its own spec");
  }
  const std::string scaling(kind_of(spec.scaling));
  if (scaling == NoScaling::kind) return;
  refuse.unless(spec.inv_freq.empty(), "inv_freq are the frequencies themselves: leave out scaling=", scaling);
  refuse.unless(scaling != Proportional::kind || window.rotary_dim == spec.head_dim,
                "scaling=proportional turns the whole head: say how much of it with share, not with rotary_dim or "
                "partial_rotary_factor");
  const std::vector<Ladder> ladders = ladders_of(spec);
  Scaling copy = spec.scaling;
  for (const Field& field : scaling_fields(copy)) {
    if (ladders.size() < 2 || !std::holds_alternative<std::vector<double>*>(field.value)) continue;
    refuse("scaling=", scaling,
           " has one list for all axes, but they have different numbers of pairs: give "
           "inv_freq instead");
  }
  for (const Ladder& ladder : ladders) {
    refuse.unless(scaling != Proportional::kind || 2 * ladder.pairs == spec.head_dim,
                  "scaling=proportional has one ladder over the whole head: axes cannot have their own");
    check_together(settled_scaling(spec), ladder, refuse);
  }
}

void check_rotary(const Rotary& spec, std::string_view where) {
  const base::Refusal refuse{where, ErrorKind::bad_input};
  const Rotary fallback;
  const RotaryWindow window = window_of(spec);
  refuse.unless(spec.rotary_dim % 2 == 0, "rotary_dim must be even but got ", spec.rotary_dim);
  refuse.unless(spec.rotary_dim == 0 || spec.partial_rotary_factor == fallback.partial_rotary_factor,
                "rotary_dim and partial_rotary_factor say the same thing: give one of them");
  if (window.rotary_dim < 2 && !is_rotation(spec.layout)) {
    refuse("head_dim must have two channels for each of the axes=", axes_of(spec), " but got ", spec.head_dim);
  }
  refuse.unless(window.rotary_dim >= 2, "partial_rotary_factor must leave a channel to turn but ", spec.head_dim, " * ",
                spec.partial_rotary_factor, " is below 1");
  refuse.unless(window.rotary_dim <= spec.head_dim || spec.rotary_dim != 0,
                "head_dim must be even where the whole head turns but got ", spec.head_dim);
  refuse.unless(window.first_channel >= 0 && window.first_channel + window.rotary_dim <= spec.head_dim,
                "the window must lie inside the head of ", spec.head_dim, " channels but first_channel (rope_offset) ",
                spec.first_channel, " with ", window.rotary_dim, " channels does not");
  refuse.unless(spec.inv_freq.empty() || (spec.base == fallback.base && spec.exponent_dim == fallback.exponent_dim),
                "inv_freq replaces base and exponent_dim: leave them out");
  // Beyond these the products of a float32 table would vanish or overflow.
  if (spec.attention_factor && *spec.attention_factor < 1e-9) {
    refuse("attention_factor must be at least 1e-09 but got ", *spec.attention_factor);
  }
  const auto base = static_cast<float>(spec.base);
  refuse.unless(spec.precision != Precision::reference || !spec.inv_freq.empty() || std::isnormal(base),
                "base must be a float32 number with precision=reference but got ", spec.base);
  check_axes(spec, window, refuse);
  check_scaling(spec, window, refuse);
}

}  // namespace
}  // namespace spec

constinit const spec::KindRow Rotary::row = {.fields = spec::of_kind<spec::rotary_fields>,
                                             .check = spec::of_kind<spec::check_rotary>};

}  // namespace posenc
