// The field list of every kind: a new kind adds its list, its entry in all_kinds() and what no field can tell alone
// (check_together in spec.cc).
#include <array>
#include <functional>

#include "core/spec/attention_fields.h"
#include "core/spec/enum_field.h"
#include "core/spec/query_fields.h"
#include "core/spec/rotary_window.h"
#include "core/spec/scaling_fields.h"
#include "posenc/position.h"

namespace posenc::spec {
namespace {

constexpr std::array<std::string_view, 3> kSpacingWords = {"width", "even_width", "half"};
constexpr std::array<std::string_view, 3> kOddWords = {"drop", "zero", "error"};
constexpr std::array<std::string_view, 3> kPastEndWords = {"error", "clamp", "interpolate"};
constexpr std::array<std::string_view, 2> kNormalizeWords = {"none", "l2"};

constexpr std::array<std::string_view, 2> kPartWords = {"sinusoidal", "learned"};

constexpr std::array<std::string_view, 7> kLayoutWords = {"half",
                                                          "interleaved",
                                                          "interleaved_to_half",
                                                          "half_negative",
                                                          "half_per_axis",
                                                          "full_width_half",
                                                          "interleaved_pairs_with_halves_tiling_per_axis"};
constexpr std::array<std::string_view, 4> kSectionOrderWords = {"chunked", "interleaved", "alternating", "ernie"};
constexpr std::array<std::string_view, 3> kAxisFrequenciesWords = {"shared", "restart", "dealt"};
constexpr std::array<std::string_view, 3> kFactorInWords = {"table", "query", "softmax"};
constexpr std::array<std::string_view, 2> kRotaryPrecisionWords = {"exact", "reference"};

std::vector<Field> fields_of(Sinusoidal& s) {
  return {
      {.name = "width",
       .value = &s.width,
       .help = "channels of a row",
       .unit = "channels",
       .low = 1,
       .high = 1048576,
       .required = true},
      {.name = "base",
       .value = &s.base,
       .help = "the slowest pair turns about this many times slower than the fastest",
       .low = 0,
       .above_low = true},
      {.name = "spacing",
       .value = enum_field(s.spacing, kSpacingWords),
       .help = "exponent of pair j: 2j/width, 2j/(width rounded up to even), or j/(pairs - shift)"},
      {.name = "shift", .value = &s.shift, .help = "with spacing=half: 1 in tensor2tensor, any in diffusion timesteps"},
      {.name = "exponent_factor", .value = &s.exponent_factor, .help = "multiplies every exponent"},
      {.name = "scale",
       .value = &s.frequency_scale,
       .help = "multiplies every frequency, as scaling the positions would",
       .also = "frequency_scale"},
      {.name = "inv_freq",
       .value = &s.inv_freq,
       .help = "frequencies given one by one, instead of the rule",
       .unit = "radians per position"},
      {.name = "first",
       .value = &s.first,
       .help = "what position 0 counts as: 1, 2, padding_idx + 1",
       .unit = "positions",
       .low = -kPositionLimit,
       .high = kPositionLimit},
      {.name = "order", .value = enum_field(s.order, kOrderWords), .help = "where sines and cosines stand in a row"},
      {.name = "odd",
       .value = enum_field(s.odd, kOddWords),
       .help = "an odd width drops the last partner, ends in a zero, or is an error"},
      {.name = "multiplier", .value = &s.multiplier, .help = "multiplies every value"},
      {.name = "zero_position",
       .value = &s.zero_position,
       .help = "the row of this position (after adding first) is zero: the padding row of fairseq",
       .unit = "positions",
       .low = -kPositionLimit,
       .high = kPositionLimit},
  };
}

// tensor2tensor multiplies by min_timescale where the name says divide; every port of it does the same.
std::vector<Shorthand> shorthands_of(Sinusoidal& s) {
  return {{.names = {{"min_timescale", 1.0, "with max_timescale: scale = min_timescale, as tensor2tensor computes it"},
                     {"max_timescale", 10000.0, "base = max_timescale / min_timescale"}},
           .replaces = {"base", "scale", "inv_freq"},
           .apply = [&s](const std::vector<double>& values) {
             s.frequency_scale = values[0];
             s.base = values[1] / values[0];
           }}};
}

std::vector<Field> fields_of(Learned& s) {
  return {
      {.name = "width",
       .value = &s.width,
       .help = "channels of a row; 0: as the table has",
       .unit = "channels",
       .low = 0,
       .high = 1048576},
      {.name = "rows",
       .value = &s.rows,
       .help = "rows of the table; 0: as the table has",
       .unit = "rows",
       .low = 0,
       .high = kPositionLimit},
      {.name = "past_end",
       .value = enum_field(s.past_end, kPastEndWords),
       .help = "positions past the last row are an error, read the last row, or stretch the table to length",
       .required = true},
      {.name = "first",
       .value = &s.first,
       .help = "the row of position 0: 2 in OPT and BART; 0 where ids have the offset already",
       .unit = "rows",
       .low = 0,
       .high = kPositionLimit},
      {.name = "length",
       .value = &s.length,
       .help = "with past_end=interpolate: the number of positions that the table is stretched to",
       .unit = "positions",
       .low = 1,
       .high = kPositionLimit},
      {.name = "multiplier", .value = &s.multiplier, .help = "multiplies every value"},
      {.name = "normalize",
       .value = enum_field(s.normalize, kNormalizeWords),
       .help = "l2: every row is divided by its length"},
      {.name = "padding_row",
       .value = &s.padding_row,
       .help = "a row that is not trained: its gradient stays zero (padding_idx of torch)",
       .unit = "rows",
       .low = 0,
       .high = kPositionLimit},
  };
}

// The parts keep their own field lists, each name behind the part's: fixed.base, learned.rows. JSON nests them.
std::vector<Field> fields_of(Hybrid& s) {
  std::vector<Field> fields;
  for (Field& field : fields_of(s.fixed)) {
    field.rename_for_part("fixed.");
    fields.push_back(std::move(field));
  }
  for (Field& field : fields_of(s.learned)) {
    field.rename_for_part("learned.");
    fields.push_back(std::move(field));
  }
  return fields;
}

std::vector<Shorthand> shorthands_of(Hybrid& s) {
  std::vector<Shorthand> shorthands = shorthands_of(s.fixed);
  for (Shorthand& shorthand : shorthands) {
    for (Shorthand::Name& name : shorthand.names) name.name = "fixed." + name.name;
    for (std::string& name : shorthand.replaces) name = "fixed." + name;
  }
  return shorthands;
}

using PartEncoding = std::variant<Sinusoidal, Learned>;

// The kind of a part: its words are the alternatives. make_parts settles it before fields are bound to the part.
EnumField part_kind_field(PartEncoding& encoding) {
  return {&encoding, kPartWords,
          [](const void* value) noexcept { return static_cast<int>(static_cast<const PartEncoding*>(value)->index()); },
          [](void* value, int index) noexcept {
            auto& part = *static_cast<PartEncoding*>(value);
            if (index == static_cast<int>(part.index())) return;
            if (index == 0) part.emplace<Sinusoidal>();
            if (index == 1) part.emplace<Learned>();
          }};
}

std::string part_prefix(std::size_t part) { return std::to_string(part) + "."; }

void add_part_fields(ConcatPart& part, const std::string& prefix, std::vector<Field>& fields) {
  const bool learned = std::holds_alternative<Learned>(part.encoding);
  fields.push_back({.name = prefix + "axis",
                    .value = &part.axis,
                    .help = "the coordinate that the part reads, counted from 0",
                    .low = 0,
                    .high = 7,
                    .required = true});
  fields.push_back({.name = prefix + "kind",
                    .value = part_kind_field(part.encoding),
                    .help = "what the part is; the fields of that kind follow",
                    .required = learned});
  for (Field& field : std::visit([](auto& encoding) { return fields_of(encoding); }, part.encoding)) {
    field.rename_for_part(prefix);
    fields.push_back(std::move(field));
  }
}

// Parts are numbered from 0, each name behind the part's number: 0.axis, 1.width. JSON has them as the list `parts`.
std::vector<Field> fields_of(Concat& s) {
  std::vector<Field> fields;
  for (std::size_t i = 0; i < s.parts.size(); ++i) add_part_fields(s.parts[i], part_prefix(i), fields);
  fields.push_back({.name = "axes",
                    .value = &s.axes,
                    .help = "coordinates of a position; 0: one more than the largest axis of a part",
                    .low = 0,
                    .high = 8});
  fields.push_back({.name = "width",
                    .value = &s.width,
                    .help = "channels of a row; 0: those of all parts. Less cuts the row, more ends it in zeros",
                    .unit = "channels",
                    .low = 0,
                    .high = 1048576});
  return fields;
}

std::vector<Shorthand> shorthands_of(Concat& s) {
  std::vector<Shorthand> all;
  for (std::size_t i = 0; i < s.parts.size(); ++i) {
    auto* sinusoidal = std::get_if<Sinusoidal>(&s.parts[i].encoding);
    if (sinusoidal == nullptr) continue;
    for (Shorthand& shorthand : shorthands_of(*sinusoidal)) {
      for (Shorthand::Name& name : shorthand.names) name.name = part_prefix(i) + name.name;
      for (std::string& name : shorthand.replaces) name = part_prefix(i) + name;
      all.push_back(std::move(shorthand));
    }
  }
  return all;
}

std::vector<Field> fields_of(Fourier& s) {
  return {
      {.name = "axes", .value = &s.axes, .help = "coordinates of a position", .low = 1, .high = 8},
      {.name = "inv_freq",
       .value = &s.inv_freq,
       .help = "a frequency per axis and pair: those of axis 0 for every pair, then those of axis 1",
       .unit = "radians per position",
       .required = true},
      {.name = "width",
       .value = &s.width,
       .help = "channels of a row; 0: two per pair. More ends it in zeros",
       .unit = "channels",
       .low = 0,
       .high = static_cast<double>(kMaxHeadDim)},
      {.name = "order", .value = enum_field(s.order, kOrderWords), .help = "where sines and cosines stand in a row"},
      {.name = "multiplier", .value = &s.multiplier, .help = "multiplies every value"},
  };
}

// The words of the variant's alternatives; choosing one begins it with its defaults.
EnumField scaling_field(Scaling& scaling) {
  return {&scaling, scaling_words(),
          [](const void* from) noexcept { return static_cast<int>(static_cast<const Scaling*>(from)->index()); },
          [](void* to, int index) noexcept { *static_cast<Scaling*>(to) = default_scaling(index); }};
}

std::vector<Field> length_and_layer_fields(Rotary& s) {
  return {
      {.name = "sequence_length",
       .value = &s.sequence_length,
       .help = "the length that a scaling which depends on it is made for",
       .unit = "positions",
       .low = 1,
       .high = kPositionLimit},
      {.name = "local_base",
       .value = &s.local_base,
       .help = "the base of layers that look nearby; 0: all layers are alike",
       .low = 0},
      {.name = "global_every",
       .value = &s.global_every,
       .help = "with local_base: every so manieth layer looks far, the last of each group",
       .unit = "layers",
       .low = 1,
       .high = 1048576},
      {.name = "local_scaled",
       .value = &s.local_scaled,
       .help = "whether the scaling holds for layers that look nearby"},
      {.name = "layer",
       .value = &s.layer,
       .help = "with local_base: which layer, counted from 0",
       .unit = "layers",
       .low = 0,
       .high = 1048576},
  };
}

std::vector<Field> fields_of(Rotary& s) {
  std::vector<Field> fields = {
      {.name = "head_dim",
       .value = &s.head_dim,
       .help = "channels of a head",
       .unit = "channels",
       .low = 2,
       .high = static_cast<double>(kMaxHeadDim),
       .required = true},
      {.name = "base",
       .value = &s.base,
       .help = "the slowest pair turns about this many times slower than the fastest: rope_theta",
       .low = 0,
       .above_low = true},
      {.name = "layout", .value = enum_field(s.layout, kLayoutWords), .help = "which channels turn together"},
      {.name = "rotary_dim",
       .value = &s.rotary_dim,
       .help = "channels that turn, even; 0: int(head_dim * partial_rotary_factor)",
       .unit = "channels",
       .low = 0,
       .high = static_cast<double>(kMaxHeadDim)},
      {.name = "partial_rotary_factor",
       .value = &s.partial_rotary_factor,
       .help = "the share of the head that turns, truncated; where that is odd, one channel more",
       .low = 0,
       .high = 1,
       .above_low = true},
      {.name = "rope_offset",
       .value = &s.first_channel,
       .help = "the first channel that turns; negative: counted from the end of the head",
       .unit = "channels",
       .low = -kHeadDimLimit,
       .high = kHeadDimLimit,
       .also = "first_channel"},
      {.name = "exponent_dim",
       .value = &s.exponent_dim,
       .help = "pair i has the exponent 2i / exponent_dim; 0: rotary_dim before it was made even, of half_per_axis "
               "that of a part, of axis_frequencies=restart twice the pairs of the axis",
       .unit = "channels",
       .low = 0,
       .high = 1048576},
      {.name = "inv_freq",
       .value = &s.inv_freq,
       .help = "frequencies given one by one, instead of the rule: one per pair, or per axis and pair",
       .unit = "radians per position"},
      {.name = "axes",
       .value = &s.axes,
       .help = "coordinates of a position; 1 with several sections: one for each",
       .low = 1,
       .high = 8},
      {.name = "sections",
       .value = &s.sections,
       .help = "with several axes: the pairs of each section (mrope_section); they sum to all pairs",
       .unit = "pairs",
       .low = 0,
       .high = static_cast<double>(kMaxHeadDim / 2)},
      {.name = "section_order",
       .value = enum_field(s.section_order, kSectionOrderWords),
       .help = "how sections lie over the pairs: one after the other (Qwen2-VL), interleaved (Qwen3-VL), axes in turn "
               "(Kimi), or h and w in turn, then t (ERNIE)"},
      {.name = "axis_frequencies",
       .value = enum_field(s.axis_frequencies, kAxisFrequenciesWords),
       .help = "one ladder of frequencies over all pairs (M-RoPE), one per axis (most vision towers), or one dealt out "
               "to the axes (Pixtral)"},
      {.name = "axis_of_pair",
       .value = &s.axis_of_pair,
       .help = "with several axes: the axis that each pair turns with, counted from 0, instead of sections",
       .low = 0,
       .high = 7},
      {.name = "scale",
       .value = &s.frequency_scale,
       .help = "multiplies every frequency, as scaling the positions would: 2 pi in DINOv3",
       .also = "frequency_scale"},
      {.name = "attention_factor",
       .value = &s.attention_factor,
       .help = "a magnitude beside the rotation; none: as the scaling says, 1 without one",
       .low = 0,
       .high = 1e9,
       .above_low = true},
      {.name = "attention_factor_in",
       .value = enum_field(s.attention_factor_in, kFactorInWords),
       .help = "where it acts: in cos and sin, on the query, or on the scores"},
      {.name = "precision",
       .value = enum_field(s.precision, kRotaryPrecisionWords),
       .help = "angles exact, or rounded to float32 at every step as PyTorch models do"},
      {.name = "scaling",
       .value = scaling_field(s.scaling),
       .help = "how the frequencies are changed for contexts longer than the trained one",
       .selects = true},
  };
  for (Field& field : scaling_fields(s.scaling)) {
    field.group = "scaling";
    fields.push_back(std::move(field));
  }
  for (Field& field : length_and_layer_fields(s)) fields.push_back(std::move(field));
  return fields;
}

// The kinds that act inside attention have none.
template <class Kind>
std::vector<Shorthand> shorthands_of(Kind&) {
  return {};
}

}  // namespace

std::vector<Field> fields_of(Spec& spec) {
  return std::visit([](auto& s) { return fields_of(s); }, spec);
}

std::vector<Shorthand> shorthands_of(Spec& spec) {
  return std::visit([](auto& s) { return shorthands_of(s); }, spec);
}

namespace {

// One by one: g++ takes minutes over a list of them, which it tries to evaluate while it compiles.
std::vector<Kind> make_kinds() {
  std::vector<Kind> kinds;
  const auto add = [&](std::string_view name, std::string_view summary, const Spec& fallback) {
    kinds.push_back({name, summary, fallback});
  };
  add("sinusoidal", "sines and cosines of geometrically spaced frequencies, added to the embeddings", Sinusoidal{});
  add("learned", "rows of a trained table, added to the embeddings", Learned{});
  add("hybrid", "a sinusoidal encoding plus a learned table, each with its multiplier as weight", Hybrid{});
  add("concat", "encodings of single coordinates side by side: images, video, axial tables",
      Concat{.parts = {ConcatPart{}}});
  add("fourier", "sines and cosines of sums over coordinates, each with frequencies of its own", Fourier{});
  add("rotary", "queries and keys turned by angles that grow with the position, pair by pair", Rotary{});
  add("none", "no positions: attention with nothing but its mask", NoPosition{});
  add("clipped", "a learned number per head and clipped offset, added to the scores", Clipped{});
  add("t5", "a learned number per head and bucket of distances, added to the scores", T5{});
  add("alibi", "a slope per head times the distance, taken from the scores", Alibi{});
  add("kerple", "a learned logarithm or power of the distance, taken from the scores", Kerple{});
  add("fire", "a learned function of the distance relative to the query's place, added to the scores", Fire{});
  add("sandwich", "the product of two sinusoidal rows, a fixed bias on the scores", Sandwich{});
  add("matrix", "numbers given for every query and key, added to the scores", MatrixBias{});
  add("shaw", "a learned vector per clipped offset that meets queries, keys and values", Shaw{});
  add("transformer_xl", "a projected sinusoidal row per distance that meets queries, with two learned vectors",
      TransformerXl{});
  add("window", "a mask: keys within a reach to the left and right", Window{});
  add("chunked", "a mask: keys of the query's own chunk", Chunked{});
  add("pope", "magnitudes of queries and keys turned by the position alone, one frequency per channel", Pope{});
  add("xpos", "a rotation of queries and keys whose scores decay with the distance", Xpos{});
  add("temperature", "a factor on queries that grows with the position", QueryTemperature{});
  return kinds;
}

}  // namespace

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = make_kinds();
  return kinds;
}
static_assert(std::variant_size_v<Spec> == 21, "all_kinds lists the alternatives of Spec in their order");

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const Kind& kind : all_kinds()) names.push_back(kind.name);
  return names;
}

std::optional<Spec> default_spec(std::string_view name) {
  for (const Kind& kind : all_kinds()) {
    if (kind.name == name) return kind.fallback;
  }
  return std::nullopt;
}

std::optional<std::size_t> part_number(std::string_view name) noexcept {
  const std::size_t point = name.find('.');
  if (point == std::string_view::npos || point < 1 || point > 2) return std::nullopt;
  std::size_t number = 0;
  for (const char digit : name.substr(0, point)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + static_cast<std::size_t>(digit - '0');
  }
  if (number >= kMaxParts || (point == 2 && number < 10)) return std::nullopt;
  return number;
}

void make_parts(Spec& spec, std::size_t count, const std::function<std::string_view(std::size_t)>& kind_given) {
  auto* concat = std::get_if<Concat>(&spec);
  if (concat == nullptr || count == 0) return;
  concat->parts.assign(count, ConcatPart{});
  for (std::size_t i = 0; i < count; ++i) {
    if (kind_given(i) == kPartWords[1]) concat->parts[i].encoding = Learned{};
  }
}

Spec blank_like(const Spec& spec) {
  Spec blank = *default_spec(kind_of(spec));
  const auto* concat = std::get_if<Concat>(&spec);
  if (concat == nullptr) return blank;
  auto& parts = std::get<Concat>(blank).parts;
  parts.clear();
  for (const ConcatPart& part : concat->parts) {
    parts.emplace_back();
    if (std::holds_alternative<Learned>(part.encoding)) parts.back().encoding = Learned{};
  }
  return blank;
}

}  // namespace posenc::spec
