// The fields of encodings of positions with several coordinates: parts side by side (concat) and sums over the axes
// (fourier).
#include <algorithm>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/spec/input_kinds.h"
#include "core/spec/shared_fields.h"
#include "core/text/folded.h"
#include "core/text/joined.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kPartWords[] = {"sinusoidal", "learned"};
constexpr OtherWord kOtherPartWords[] = {
    {"sin", "sinusoidal"}, {"sine", "sinusoidal"}, {"sinusoid", "sinusoidal"}, {"vaswani", "sinusoidal"}};

constexpr UnclearField kConcatUnclear[] = {
    {"num_pos_feats", "it is the width of each part: write <0.axis=0,0.width={},1.axis=1,1.width={}>", "128"},
    {"temperature",
     "it is the base of each part: write <0.axis=0,0.width=128,0.base={},1.axis=1,1.width=128,1.base={}>", "10000"},
};
constexpr UnclearField kFourierUnclear[] = {
    {"num_pos_feats",
     "it is the number of pairs, and every pair has a frequency for each axis: write them as inv_freq, "
     "<axes=2,width=4>"},
    {"temperature base theta",
     "its frequencies are given, for each axis and pair: write them as inv_freq, <axes=2,width=4>"},
};
constexpr std::string_view kFourierNames[] = {"fourier_features"};

using PartEncoding = std::variant<Sinusoidal, Learned>;

// The kind of a part, one word per alternative of the variant. make_parts sets it before fields are bound to the part,
// because changing it would invalidate them.
EnumField part_kind_field(PartEncoding& encoding) {
  return {&encoding, kPartWords,
          [](const void* value) noexcept { return static_cast<int>(static_cast<const PartEncoding*>(value)->index()); },
          [](void* value, int index) noexcept {
            auto& part = *static_cast<PartEncoding*>(value);
            if (index == static_cast<int>(part.index())) return;
            if (index == 0) part.emplace<Sinusoidal>();
            if (index == 1) part.emplace<Learned>();
          },
          kOtherPartWords};
}

void add_part_fields(ConcatPart& part, std::size_t number, std::vector<Field>& fields) {
  const std::string prefix = std::to_string(number) + ".";
  const bool learned = std::holds_alternative<Learned>(part.encoding);
  fields.push_back(Field(prefix + "axis", &part.axis, "the coordinate that this part encodes, counted from 0")
                       .between(0, 7)
                       .must_be_given()
                       .example(std::to_string(std::min<std::size_t>(number, 7))));
  fields.push_back(Field(prefix + "kind", part_kind_field(part.encoding), "the kind of this part; its fields follow")
                       .must_be_given(learned));
  std::vector<Field> own = learned ? learned_fields(std::get<Learned>(part.encoding))
                                   : sinusoidal_fields(std::get<Sinusoidal>(part.encoding));
  for (Field& field : part_fields(std::move(own), prefix)) fields.push_back(std::move(field));
}

// Parts are numbered from 0, and the names of their fields begin with the number: 0.axis, 1.width. JSON has a list,
// `parts`, instead.
std::vector<Field> concat_fields(Concat& s) {
  std::vector<Field> fields;
  for (std::size_t i = 0; i < s.parts.size(); ++i) add_part_fields(s.parts[i], i, fields);
  fields.push_back(
      Field("axes", &s.axes, "coordinates per position; 0: one more than the largest axis of a part").between(0, 8));
  fields.push_back(
      Field("width", &s.width, "channels per row; 0: the sum of all parts. Fewer cut the row, more pad it with zeros")
          .between(0, kMaxWidth, "channels"));
  return fields;
}

std::vector<Shorthand> concat_shorthands(Concat& s) {
  std::vector<Shorthand> all;
  for (std::size_t i = 0; i < s.parts.size(); ++i) {
    auto* sinusoidal = std::get_if<Sinusoidal>(&s.parts[i].encoding);
    if (sinusoidal == nullptr) continue;
    for (Shorthand& shorthand : part_shorthands(sinusoidal_shorthands(*sinusoidal), std::to_string(i) + ".")) {
      all.push_back(std::move(shorthand));
    }
  }
  return all;
}

constexpr std::int64_t kMaxFourierAxes = 8;

// Halves the frequency from pair to pair. Each axis starts at another frequency, so that the axes differ.
std::string example_frequencies(const Fourier& s, std::int64_t pairs) {
  if (s.width > 0) pairs = std::clamp<std::int64_t>(s.width / 2, 1, pairs);
  const std::int64_t axes = std::clamp<std::int64_t>(s.axes, 1, kMaxFourierAxes);  // not checked yet
  std::vector<double> inv_freq;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    for (std::int64_t pair = 0; pair < pairs; ++pair)
      inv_freq.push_back(1.0 / static_cast<double>(std::int64_t{1} << (pair + axis) % pairs));
  }
  return text::joined(inv_freq, "/");
}

std::vector<Field> fourier_fields(Fourier& s) {
  return {
      Field("axes", &s.axes, "coordinates per position").between(1, kMaxFourierAxes).example("2"),
      Field("inv_freq", &s.inv_freq, "a frequency per axis and pair: all pairs of axis 0, then all pairs of axis 1")
          .in("radians per position")
          .must_be_given()
          .example(example_frequencies(s, 4), example_frequencies(s, 8)),
      Field("width", &s.width, "channels per row; 0: two per pair. More pad the row with zeros")
          .between(0, kHeadDimLimit, "channels"),
      order_field(s.order),
      multiplier_field(s.multiplier),
  };
}

void check_concat(const Concat& spec, std::string_view where) {
  base::require_input(!spec.parts.empty() && spec.parts.size() <= kMaxParts, where, "there must be 1 to ", kMaxParts,
                      " parts but there are ", spec.parts.size());
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const std::string part = std::to_string(i) + ".";
    if (const auto* learned = std::get_if<Learned>(&spec.parts[i].encoding)) check_learned(*learned, where, part);
    const auto* sinusoidal = std::get_if<Sinusoidal>(&spec.parts[i].encoding);
    if (sinusoidal != nullptr) check_sinusoidal(*sinusoidal, where, part);
    if (spec.axes == 0 || spec.parts[i].axis < spec.axes) continue;
    base::refuse_input(where, part, "axis must be below axes, ", spec.axes, ", but got ", spec.parts[i].axis);
  }
}

void check_fourier(const Fourier& spec, std::string_view where) {
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  base::require_input(given != 0 && given % spec.axes == 0, where,
                      "inv_freq must have a number per axis and pair, a multiple of axes=", spec.axes, ", but has ",
                      given);
  const std::int64_t pairs = given / spec.axes;
  if (2 * pairs > kMaxHeadDim) {
    base::refuse_input(where, "inv_freq must be of at most ", kMaxHeadDim / 2, " pairs but is of ", pairs);
  }
  base::require_input(spec.width == 0 || spec.width >= 2 * pairs, where,
                      "width must be at least two channels per pair, ", 2 * pairs, ", but got ", spec.width);
}

std::vector<ParameterInfo> concat_parameters(const Concat& spec) {
  std::vector<ParameterInfo> infos;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const auto* learned = std::get_if<Learned>(&spec.parts[i].encoding);
    if (learned == nullptr) continue;
    infos.push_back({.name = "table" + std::to_string(i),
                     .shape = {length_or_any(learned->rows), length_or_any(learned->width)},
                     .help = "a row per coordinate, of part " + std::to_string(i)});
  }
  return infos;
}

}  // namespace

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
    if (text::folded(kind_given(i)) == kPartWords[1]) concat->parts[i].encoding = Learned{};
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

}  // namespace spec

constinit const spec::KindRow Concat::row = {.fields = spec::of_kind<spec::concat_fields>,
                                             .shorthands = spec::of_kind<spec::concat_shorthands>,
                                             .check = spec::of_kind<spec::check_concat>,
                                             .parameters = spec::of_kind<spec::concat_parameters>,
                                             .unclear = spec::kConcatUnclear};

constinit const spec::KindRow Fourier::row = {.fields = spec::of_kind<spec::fourier_fields>,
                                              .check = spec::of_kind<spec::check_fourier>,
                                              .words = spec::kFourierNames,
                                              .unclear = spec::kFourierUnclear};

}  // namespace posenc
