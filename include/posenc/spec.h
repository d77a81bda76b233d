// Specs: what an encoding is, as plain data without weights, and their text form.
//
//     posenc::Sinusoidal spec{.width = 512, .base = 10000.0};
//     posenc::Spec same = posenc::parse_spec("sinusoidal:width=512,base=10000");
//     std::string text = posenc::to_text(same);  // "sinusoidal:width=512": without defaults
//
// posenc/files/spec_json.h has the JSON form, posenc/files/load.h reads either from a file. All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/attention_spec.h"
#include "posenc/error.h"
#include "posenc/export.h"
#include "posenc/kind.h"
#include "posenc/layout.h"
#include "posenc/order.h"
#include "posenc/query_spec.h"
#include "posenc/scaling.h"

namespace posenc {

// Which exponent pair j of a sinusoidal encoding gets:
// inv_freq_j = frequency_scale * base^(-exponent_factor * exponent_j).
enum class Spacing : int {
  width,       // 2j / width: the published formula
  even_width,  // 2j / (width rounded up to even)
  half,        // j / (pairs - shift): tensor2tensor and its ports (shift 1), diffusion timesteps (any shift)
};

// What happens if the width is odd.
enum class OddWidth : int {
  drop,   // the last channel has no partner: one more sine than cosines, or the reverse if cosines come first
  zero,   // width - 1 channels of pairs, then a channel of zeros
  error,  // refused
};

// The sinusoidal encoding of Vaswani et al. (2017) and every published one-axis variant of it:
//
//     angle(p, j) = (p + first) * inv_freq_j,  row = multiplier * (sin, cos of all angles, in `order`)
//
// Field by field: docs/sinusoidal.md, `posenc list sinusoidal`.
struct Sinusoidal {
  static constexpr std::string_view kind = "sinusoidal";
  static constexpr std::string_view summary =
      "sines and cosines of geometrically spaced frequencies, added to embeddings";
  static constexpr Place place = Place::input;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t width = 0;  // M, at least 1; must be given
  double base = 10000.0;   // > 0
  Spacing spacing = Spacing::width;
  double shift = 1.0;                 // with Spacing::half only; below the number of pairs
  double exponent_factor = 1.0;       // multiplies every exponent
  double frequency_scale = 1.0;       // multiplies every frequency, as scaling the positions would
  std::vector<double> inv_freq = {};  // radians per position, one per pair; if given, it replaces the rule
  std::int64_t first = 0;             // what position 0 counts as: 1, 2, padding_idx + 1
  Order order = Order::interleaved;
  OddWidth odd = OddWidth::drop;
  double multiplier = 1.0;                         // multiplies every value
  std::optional<std::int64_t> zero_position = {};  // the row of this position (after adding `first`) is zero
};

// What a learned table gives for positions past its last row.
enum class PastEnd : int {
  unchosen = -1,  // refused: the caller must choose
  error,          // refused, naming the position
  clamp,          // the last row
  interpolate,    // the table is stretched to `length` positions: linearly, as posenc/resize.h does
};

enum class Normalize : int {
  none,
  l2,  // a row is divided by its length (at least 1e-12), as x-transformers' l2norm_embed
};

// A table of trained rows. The table itself is a view of the caller's, passed beside the spec; position p reads row
// p + first of it. Negative positions are errors, whatever `first` is. See docs/learned.md, `posenc list learned`.
struct Learned {
  static constexpr std::string_view kind = "learned";
  static constexpr std::string_view summary = "a learned row per position, added to embeddings";
  static constexpr Place place = Place::input;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t width = 0;  // M; 0: as the table has
  std::int64_t rows = 0;   // R; 0: as the table has
  PastEnd past_end = PastEnd::unchosen;
  std::int64_t first = 0;                        // 2 in OPT and BART; 0 if the ids include the offset
  std::optional<std::int64_t> length = {};       // with PastEnd::interpolate, and only then
  double multiplier = 1.0;                       // multiplies every value
  Normalize normalize = Normalize::none;         // before the multiplier
  std::optional<std::int64_t> padding_row = {};  // a row whose gradient stays zero: torch's padding_idx
};

// Fixed plus learned. The multiplier of each is its weight; only the learned part gets gradients.
struct Hybrid {
  static constexpr std::string_view kind = "hybrid";
  static constexpr std::string_view summary = "a sinusoidal encoding plus a learned table, each with its own weight";
  static constexpr Place place = Place::input;
  static const spec::KindRow row;
  static const properties::KindPage page;
  Sinusoidal fixed;
  Learned learned;
};

// One part of a Concat: an encoding of one coordinate.
struct ConcatPart {
  std::int64_t axis = 0;  // the coordinate of the position that it reads, counted from 0
  std::variant<Sinusoidal, Learned> encoding = {};
};

// One-axis encodings side by side, each of one coordinate of the position: an image gets [row | column]. Learned parts
// read tables that are passed beside the spec, one per learned part in their order. posenc/axial.h makes those of
// published models; docs/encodings/axes-input.md, `posenc list concat`.
struct Concat {
  static constexpr std::string_view kind = "concat";
  static constexpr std::string_view summary = "an encoding per coordinate, side by side: images, video, axial tables";
  static constexpr Place place = Place::input;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::vector<ConcatPart> parts = {};  // 1 to 64
  std::int64_t axes = 0;               // A, of positions: 1 to 8; 0: one more than the largest axis of a part
  std::int64_t width = 0;              // M; 0: the sum of all parts; less cuts the row, more adds zeros at the end
};

// Sines and cosines of sums over the axes (Tancik et al., 2020, and every axis-wise encoding as a special case):
//
//     angle(p, j) = sum over axes of p_axis * inv_freq[axis][j],  row = multiplier * (sin, cos of all angles, in
//     `order`)
//
// docs/encodings/axes-input.md, `posenc list fourier`.
struct Fourier {
  static constexpr std::string_view kind = "fourier";
  static constexpr std::string_view summary = "sines and cosines of weighted sums of the coordinates";
  static constexpr Place place = Place::input;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t axes = 1;              // A, of positions: 1 to 8
  std::vector<double> inv_freq = {};  // radians per position, [axes][pairs] in one list; must be given
  std::int64_t width = 0;             // M, up to 8192; 0: 2 pairs. A larger width adds zeros at the end.
  Order order = Order::halves;
  double multiplier = 1.0;  // multiplies every value
};

// How the sections of a rotary encoding are distributed over its pairs. A is the number of axes.
enum class SectionOrder : int {
  chunked,      // one after the other, section k on axis k % A: Qwen2-VL, GLM-4V
  interleaved,  // pair i on axis k = i % A while i < A * sections[k], else on axis 0: Qwen3-VL
  alternating,  // pair i on axis i % A: Kimi K2.5, NeoMME, EfficientLoFTR; needs no sections
  ernie,        // sections are (h, w, t): pairs of the first two take turns on axes 1 and 2, then axis 0: ERNIE 4.5 VL
};

// Which exponent a pair has if there are several axes. Pair i is number r, counted from 0, of its axis.
enum class AxisFrequencies : int {
  shared,   // 2i / exponent_dim, whatever its axis: M-RoPE
  restart,  // 2r / (2 * pairs of its axis): most vision towers
  dealt,    // 2 (r A + axis) / exponent_dim, one ladder dealt out to A axes: Pixtral
};

// Where an attention factor acts.
enum class FactorIn : int {
  table,    // in cos and sin, so that a score gets its square; channels outside the window do not see it
  query,    // on the whole query, after the rotation: see rotate_qk
  softmax,  // on the scores: left to the attention
};

// How angles are formed.
enum class Precision : int {
  exact,      // position * inv_freq without rounding
  reference,  // as PyTorch models do: every step rounded to float32, off by 5e-2 at position one million
};

// Rotary position embeddings (Su et al., 2021) and their relatives with other frequencies:
//
//     angle(p, i) = sum over axes of p_axis * inv_freq[axis][i],  inv_freq_i = base^(-2i / exponent_dim)
//
// Pair i of a head's window rotates by that angle; other channels are unchanged. docs/encodings/rotary.md, `posenc list
// rotary`.
struct Rotary {
  static constexpr std::string_view kind = "rotary";
  static constexpr std::string_view summary =
      "queries and keys rotated, pair by pair, by angles that grow with the position";
  static constexpr Place place = Place::rotation;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t head_dim = 0;  // D, 2 to 8192; must be given
  double base = 10000.0;      // > 0
  Layout layout = Layout::half;
  std::int64_t rotary_dim = 0;         // R, channels that rotate, even; 0: int(head_dim * partial_rotary_factor)
  double partial_rotary_factor = 1.0;  // above 0 to 1; an odd product rotates one channel more
  std::int64_t first_channel = 0;      // the first channel that rotates; negative: counted from the end of the head
  std::int64_t exponent_dim = 0;       // 0: rotary_dim before it was made even, or that of a part or axis that restarts
  std::vector<double> inv_freq = {};   // radians per position, [pairs] or [axes][pairs] in one list; replaces the rule
  std::int64_t axes = 1;               // A, of positions: 1 to 8; 1 with sections: one axis per section
  std::vector<std::int64_t> sections = {};  // pairs of each section, which sum to the number of pairs
  SectionOrder section_order = SectionOrder::chunked;
  AxisFrequencies axis_frequencies = AxisFrequencies::shared;  // half_per_axis restarts in every part
  std::vector<std::int64_t> axis_of_pair = {};                 // [pairs]; the axis of each pair, instead of sections
  double frequency_scale = 1.0;  // multiplies every frequency, given ones too: 2 pi where a coordinate counts turns
  std::optional<double> attention_factor = {};  // 1e-9 to 1e9; none: as the scaling says, 1 without one
  FactorIn attention_factor_in = FactorIn::table;
  Precision precision = Precision::exact;
  Scaling scaling = NoScaling{};                     // of the ladder of frequencies: posenc/scaling.h
  std::optional<std::int64_t> sequence_length = {};  // for scalings that depend on it; see make_schedule
  double local_base = 0.0;                           // the base of local layers; 0: all layers are alike
  std::int64_t global_every = 6;                     // with local_base: layer l is global if (l + 1) is a multiple
  bool local_scaled = false;                         // whether the scaling also applies to local layers
  std::optional<std::int64_t> layer = {};            // with local_base: which layer; see at_layer
};

// The encoding of one layer if layers differ (local_base): its base and scaling, with no field left that depends on the
// layer. Gemma 3 has local_base = 10000 with global_every = 6, ModernBERT 3 with local_scaled.
POSENC_API Rotary at_layer(const Rotary& spec, std::int64_t layer);

// A std::variant of every kind of encoding that posenc knows; a struct for the same reason as Scaling.
struct POSENC_API Spec
    : std::variant<Sinusoidal, Learned, Hybrid, Concat, Fourier, Rotary, NoPosition, Clipped, T5, Alibi, Kerple, Fire,
                   Sandwich, MatrixBias, Shaw, TransformerXl, Window, Chunked, Pope, Xpos, QueryTemperature> {
  using variant::variant;
  Spec() noexcept = default;
  Spec(const Spec& other);
  Spec(Spec&& other) noexcept;
  Spec& operator=(const Spec& other);
  Spec& operator=(Spec&& other) noexcept;
};

class ListReader;  // posenc/list_reader.h

// Reads `kind:field=value,...`. The parts of a concat are numbered: `0.axis=0,0.width=4,1.axis=1,1.kind=learned`. Lists
// are written with slashes (`inv_freq=1/0.5`) or as `@file`, which read_list reads; without it such a list is an error.
// Names and words are read in any case. Unknown and repeated fields, values of the wrong type or out of range are
// errors; a misspelt name gets the nearest known one.
POSENC_API Spec parse_spec(std::string_view text);
POSENC_API Spec parse_spec(std::string_view text, const ListReader& read_list);

// The size of an example: small enough to calculate on one screen, or large enough for a figure.
enum class ExampleSize : int { by_hand, picture };

// A spec with its text, in which aliases are replaced by the names of kinds and fields.
struct NamedSpec {
  Spec spec;
  std::string text;     // what was given and what was filled in: "sinusoidal:base=100,width=8"
  std::string assumed;  // what was filled in: "width=8"; empty if nothing was
};

// What to fill in.
struct FillIn {
  std::optional<ExampleSize> example = {};  // none: nothing, as parse_spec
  bool sizes = true;                        // false: only choices such as past_end, because a table decides the sizes
};

// Parses `text` as parse_spec does and then fills in what `fill_in` asks for; by default nothing. With an example size,
// required fields that are missing get example values that fit the given ones. Optional fields get them only if `text`
// is just the name of a kind ("learned" becomes a table of 10 rows for by_hand and of 512 for picture) or gives a
// scaling without its fields.
POSENC_API NamedSpec complete_spec(std::string_view text, const FillIn& fill_in = {});
POSENC_API NamedSpec complete_spec(std::string_view text, const FillIn& fill_in, const ListReader& read_list);

// The shortest text that parse_spec reads back as the same spec: fields that are not default, in their order.
POSENC_API std::string to_text(const Spec& spec);

// "sinusoidal", ...
POSENC_API std::string_view kind_of(const Spec& spec) noexcept;

// The kind that a word means in a spec text: "rotary" for "RoPE". None if it means no kind or several ("relative").
POSENC_API std::optional<std::string> kind_called(std::string_view word);
// All kinds that a word may mean: clipped, t5, shaw and transformer_xl for "relative".
POSENC_API std::vector<std::string_view> kinds_called(std::string_view word);
// The context scaling of rotary encodings that a word means: "yarn" for "YaRN", "longrope" for "su"; none for others.
POSENC_API std::optional<std::string> scaling_called(std::string_view word);

// Where the encoding acts: on embeddings, on queries and keys, on scores.
POSENC_API Place place_of(const Spec& spec) noexcept;

// How many coordinates a position has: `axes` of a rotary, pope, fourier or concat encoding, 1 of every other.
POSENC_API std::int64_t axes_of(const Spec& spec) noexcept;

// Throws an Error that names the field if the spec is invalid. Every function that takes a spec calls it.
POSENC_API void validate(const Spec& spec);

// What `posenc list` shows of a field.
struct FieldInfo {
  std::string name;
  std::string type;      // "integer", "number", "list of numbers", or the words of an enum: "drop|zero|error"
  std::string fallback;  // its default as text; empty if the field must be given
  std::string unit;      // "radians per position", ...; may be empty
  std::string help;
  std::vector<std::string> also = {};  // other names that are accepted
};

struct KindInfo {
  std::string name;
  std::string summary;
  std::vector<FieldInfo> fields;
  std::vector<FieldInfo> shorthands;   // names that are accepted and turned into fields
  std::vector<std::string> also = {};  // other names of the kind that are accepted
};

// All kinds with their fields, in the order in which they are documented.
POSENC_API std::vector<KindInfo> kinds();
// Likewise the scalings of a rotary encoding: their fields follow scaling= in text and are members of its object in
// JSON.
POSENC_API std::vector<KindInfo> scaling_kinds();

}  // namespace posenc

template <>
struct std::variant_size<posenc::Spec> : std::variant_size<posenc::Spec::variant> {};
template <std::size_t index>
struct std::variant_alternative<index, posenc::Spec> : std::variant_alternative<index, posenc::Spec::variant> {};
