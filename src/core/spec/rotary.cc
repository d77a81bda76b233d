// Rotary encodings: their fields, and the checks that involve several fields.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/spec/axis_map.h"
#include "core/spec/kind_row.h"
#include "core/spec/scaling_fields.h"
#include "core/spec/shared_fields.h"
#include "core/text/joined.h"

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
// The names that engines use for the two common layouts.
constexpr OtherWord kEngineLayouts[] = {{"neox", "half"},        {"gpt_neox", "half"},    {"gptneox", "half"},
                                        {"rotate_half", "half"}, {"gptj", "interleaved"}, {"gpt_j", "interleaved"}};
constexpr std::string_view kSectionOrderWords[] = {"chunked", "interleaved", "alternating", "ernie"};
constexpr std::string_view kAxisFrequenciesWords[] = {"shared", "restart", "dealt"};
constexpr std::string_view kFactorInWords[] = {"table", "query", "softmax"};
constexpr std::string_view kRotaryPrecisionWords[] = {"exact", "reference"};

constexpr std::string_view kRotaryNames[] = {"rope", "rotary_embedding"};
constexpr NamedForm kRotaryForms[] = {
    {"mrope m_rope multimodal_rope", "rotary:head_dim=128,axes=3,sections=16/24/24"},
    {"2d_rope rope_2d rope2d axial_rope", "rotary:head_dim=64,axes=2,sections=16/16,axis_frequencies=restart"},
};
constexpr std::string_view kAnyPosition =
    "it works at any position: choose them with --positions 0:512; the trained length of a scaling is its "
    "original_positions";
constexpr std::string_view kPairing =
    "write layout=half (GPT-NeoX, Llama in Hugging Face) or layout=interleaved (GPT-J, Llama by Meta)";
constexpr UnclearField kRotaryUnclear[] = {
    kWhichDim,
    kHeadsOfModel,
    kAnyHeads,
    kNoValues,
    {kLengthWords, kAnyPosition},
    {"rope_scaling rope_type", "write its type as scaling and its numbers beside it: <head_dim=64,scaling={}>",
     "linear"},
    {"interleaved is_neox_style traditional", kPairing},
};

// One word per alternative of the variant. Setting the field replaces the scaling by the chosen one's defaults.
EnumField scaling_field(Scaling& scaling) {
  return {&scaling, scaling_words(),
          [](const void* from) noexcept { return static_cast<int>(static_cast<const Scaling*>(from)->index()); },
          [](void* to, int index) noexcept { *static_cast<Scaling*>(to) = default_scaling(index); },
          other_scaling_words()};
}

// Past the trained length, if the scaling depends on it.
std::string example_length(const Scaling& scaling) {
  const std::int64_t trained = trained_length(scaling).value_or(0);
  if (!needs_length(scaling) || trained < 1 || trained > kMaxPosition / 4) return "";
  return std::to_string(4 * trained);
}

std::vector<Field> length_and_layer_fields(Rotary& s) {
  return {
      Field("sequence_length", &s.sequence_length, "the length to scale for, if the scaling depends on it")
          .between(1, kPositionLimit, "positions")
          .example(example_length(s.scaling)),
      Field("local_base", &s.local_base, "base of local (sliding-window) layers; 0: all layers are alike").at_least(0),
      Field("global_every", &s.global_every, "local_base only: every Nth layer is global, the last of each group")
          .between(1, kMaxWidth, "layers"),
      Field("local_scaled", &s.local_scaled, "whether the scaling also applies to local layers"),
      Field("layer", &s.layer, "local_base only: the layer, counted from 0").between(0, kMaxWidth, "layers"),
  };
}

// The number of pairs that the given lists imply; 0 if no list is given.
std::int64_t listed_pairs(Rotary& s) {
  if (!s.sections.empty()) {
    std::int64_t sum = 0;
    for (const std::int64_t section : s.sections) sum += example_size(section);
    return sum;
  }
  if (!s.axis_of_pair.empty()) return static_cast<std::int64_t>(s.axis_of_pair.size());
  if (!s.inv_freq.empty()) return static_cast<std::int64_t>(s.inv_freq.size());
  for (const Field& field : scaling_fields(s.scaling)) {
    const auto* list = std::get_if<std::vector<double>*>(&field.value);
    if (list != nullptr && !(*list)->empty()) return static_cast<std::int64_t>((*list)->size());
  }
  return 0;
}

bool lacks_list(Scaling& scaling) {
  const std::vector<Field> fields = scaling_fields(scaling);
  return std::any_of(fields.begin(), fields.end(), [](const Field& field) {
    const auto* list = std::get_if<std::vector<double>*>(&field.value);
    return list != nullptr && (*list)->empty();
  });
}

// The example of a list is its number for every pair; a long list has none. Fields may not have been checked yet.
void repeat_example(Field& list, const Rotary& s) {
  const std::int64_t most = kExampleWidth.by_hand;
  const bool whole = s.rotary_dim == 0 && s.partial_rotary_factor == 1;
  const std::int64_t pairs = whole && s.head_dim >= 0 && s.head_dim <= 2 * most ? s.head_dim / 2 : 0;
  const std::vector<std::string> numbers(static_cast<std::size_t>(pairs), list.examples.picture);
  list.examples = {text::joined(numbers, "/"), text::joined(numbers, "/")};
}

// A head whose window has the pairs that lists ask for, lies in the head, and can be shared by the axes.
ExampleSizes example_head(Rotary& s) {
  const std::int64_t rotary_dim = example_size(s.rotary_dim);
  const std::int64_t channels = rotary_dim != 0 ? rotary_dim : 2 * listed_pairs(s);
  const std::int64_t outside = rotary_dim != 0 ? std::abs(example_size(s.first_channel)) : 0;
  const bool partial = s.partial_rotary_factor > 0 && s.partial_rotary_factor < 1;
  const std::int64_t step = has_parts(s.layout) ? 2 * std::max<std::int64_t>(example_size(axes_of(s)), 1) : 2;
  const auto head = [&](std::int64_t size) {
    if (rotary_dim != 0) return std::max(size, channels + outside);
    if (channels != 0 && !partial) return channels;
    const std::int64_t wanted = channels != 0 ? channels : partial ? 2 : size;
    if (!partial) return (wanted + step - 1) / step * step;
    std::int64_t head_dim = channels != 0 ? channels : size;
    for (; head_dim < kMaxHeadDim; head_dim += 2) {
      const auto share = static_cast<std::int64_t>(static_cast<double>(head_dim) * s.partial_rotary_factor);
      if (share >= wanted && share % 2 == 0) break;
    }
    return head_dim;
  };
  return {head(kExampleWidth.by_hand), head(lacks_list(s.scaling) ? kExampleWidth.by_hand : kExampleWidth.picture)};
}

std::vector<Field> rotary_fields(Rotary& s) {
  std::vector<Field> fields = {
      with_example(head_dim_field(s.head_dim, 2), example_head(s)),
      base_field(s.base, "the slowest pair rotates about this many times more slowly than the fastest")
          .alias(base_aliases()),
      Field("layout", enum_field(s.layout, kLayoutWords, kEngineLayouts),
            "which channels form a pair; engines call half neox or rotate_half, and interleaved gptj"),
      Field("rotary_dim", &s.rotary_dim, "channels that rotate, even; 0: int(head_dim * partial_rotary_factor)")
          .between(0, kHeadDimLimit, "channels")
          .alias({"rotary_ndims"}),
      Field("partial_rotary_factor", &s.partial_rotary_factor,
            "share of the head that rotates, rounded down to a channel; an odd number gets one more")
          .above(0)
          .at_most(1)
          .alias({"rotary_pct", "rotary_percent", "rotary_emb_fraction"}),
      first_channel_field(s.first_channel),
      Field(
          "exponent_dim", &s.exponent_dim,
          "pair i has the exponent 2i / exponent_dim; 0: rotary_dim before it was made even (half_per_axis: that of a "
          "part; axis_frequencies=restart: twice the pairs of the axis)")
          .between(0, kMaxWidth, "channels"),
      Field("inv_freq", &s.inv_freq,
            "a list of frequencies instead of the rule: one per pair, or one per axis and pair")
          .in("radians per position"),
      Field("axes", &s.axes,
            "coordinates per position; if it is 1 and there are several sections, each has its own axis")
          .between(1, 8),
      Field("sections", &s.sections, "several axes only: how many pairs each section has; together all pairs")
          .between(0, static_cast<double>(kMaxHeadDim / 2), "pairs")
          .alias({"mrope_section"}),
      Field("section_order", enum_field(s.section_order, kSectionOrderWords),
            "how the pairs are dealt to the sections: one section after the other (Qwen2-VL), interleaved (Qwen3-VL), "
            "axes in turn (Kimi), or h and w in turn, then t (ERNIE)"),
      Field("axis_frequencies", enum_field(s.axis_frequencies, kAxisFrequenciesWords),
            "one series of frequencies over all pairs (M-RoPE), one per axis (most vision towers), or one whose "
            "frequencies go to the axes in turn (Pixtral)"),
      Field("axis_of_pair", &s.axis_of_pair,
            "several axes only: the axis of each pair, counted from 0, instead of sections")
          .between(0, 7),
      Field("scale", &s.frequency_scale, "multiplies every frequency, as scaling the positions would: 2 pi in DINOv3")
          .also_called("frequency_scale")
          .alias({"freq_scale", "rope_freq_scale"}),
      Field("attention_factor", &s.attention_factor,
            "a factor that multiplies rotated vectors; none: the one of the scaling, else 1")
          .above(0)
          .at_most(1e9),
      Field("attention_factor_in", enum_field(s.attention_factor_in, kFactorInWords),
            "where attention_factor acts: on cos and sin, on the query, or on the scores"),
      Field("precision", enum_field(s.precision, kRotaryPrecisionWords),
            "exact angles, or rounded to float32 at every step, as PyTorch models do"),
      Field("scaling", scaling_field(s.scaling), "how the frequencies change for contexts longer than the trained one")
          .selecting(),
  };
  for (Field& field : scaling_fields(s.scaling)) {
    field.group = "scaling";
    if (std::holds_alternative<std::vector<double>*>(field.value)) repeat_example(field, s);
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
  refuse.unless(
      scaling != Proportional::kind || window.rotary_dim == spec.head_dim,
      "scaling=proportional applies to the whole head: set the part that rotates with share, not with rotary_dim or "
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
                  "scaling=proportional has one series of frequencies over the whole head: axes cannot have their own");
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
  refuse.unless(window.rotary_dim >= 2, "partial_rotary_factor must leave a channel to rotate but ", spec.head_dim,
                " * ", spec.partial_rotary_factor, " is below 1");
  refuse.unless(window.rotary_dim <= spec.head_dim || spec.rotary_dim != 0,
                "head_dim must be even if the whole head rotates but got ", spec.head_dim);
  refuse.unless(window.first_channel >= 0 && window.first_channel + window.rotary_dim <= spec.head_dim,
                "the window must be inside the head of ", spec.head_dim, " channels but first_channel (rope_offset) ",
                spec.first_channel, " with ", window.rotary_dim, " channels does not");
  refuse.unless(spec.inv_freq.empty() || (spec.base == fallback.base && spec.exponent_dim == fallback.exponent_dim),
                "inv_freq replaces base and exponent_dim: leave them out");
  // The field allows at most 1e9. With factors beyond these limits, the products of a float32 table would vanish or
  // overflow.
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
                                             .check = spec::of_kind<spec::check_rotary>,
                                             .words = spec::kRotaryNames,
                                             .unclear = spec::kRotaryUnclear,
                                             .forms = spec::kRotaryForms};

}  // namespace posenc
