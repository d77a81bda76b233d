#include "posenc/spec.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/spec/attention_fields.h"
#include "core/spec/axis_map.h"
#include "core/spec/fields.h"
#include "core/spec/query_fields.h"
#include "core/spec/rotary_window.h"
#include "core/spec/scaling_fields.h"
#include "core/spec/sinusoidal_pairs.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc {
namespace {

// What no field can tell alone. Of a part of a hybrid, `part` opens the names of its fields.
void check_together(const Sinusoidal& spec, std::string_view where, const std::string& part = {}) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + part + message);
  };
  const Sinusoidal fallback;
  const std::int64_t pairs = spec::pairs_of(spec);
  if (spec.odd == OddWidth::error && spec.width % 2 != 0) {
    refuse("width must be even (odd=error) but got " + std::to_string(spec.width));
  }
  if (!spec.inv_freq.empty()) {
    if (static_cast<std::int64_t>(spec.inv_freq.size()) != pairs) {
      refuse("inv_freq must have one number per pair, " + std::to_string(pairs) + ", but has " +
             std::to_string(spec.inv_freq.size()));
    }
    if (spec.base != fallback.base || spec.spacing != fallback.spacing ||
        spec.exponent_factor != fallback.exponent_factor) {
      refuse("inv_freq replaces base, spacing and exponent_factor: leave them out");
    }
  }
  if (spec.spacing != Spacing::half) {
    if (spec.shift != fallback.shift) {
      refuse("shift is for spacing=half but got " + text::number_text(spec.shift));
    }
  } else if (pairs > 1 && !(spec.shift < static_cast<double>(pairs))) {
    // Only pair 0 exists below that, and its exponent is 0 whatever it is divided by.
    refuse("shift must be below the number of pairs, " + std::to_string(pairs) + ", but got " +
           text::number_text(spec.shift));
  }
}

void check_together(const Learned& spec, std::string_view where, const std::string& part = {}) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + part + message);
  };
  if (spec.past_end == PastEnd::interpolate && !spec.length) {
    refuse("past_end=interpolate needs length, the number of positions that the table is stretched to");
  }
  if (spec.past_end != PastEnd::interpolate && spec.length) {
    refuse("length is for past_end=interpolate but got " + std::to_string(*spec.length));
  }
  if (spec.rows == 0) return;
  if (spec.first >= spec.rows) {
    refuse("first must be below rows, " + std::to_string(spec.rows) + ", but got " + std::to_string(spec.first));
  }
  if (spec.padding_row && *spec.padding_row >= spec.rows) {
    refuse("padding_row must be below rows, " + std::to_string(spec.rows) + ", but got " +
           std::to_string(*spec.padding_row));
  }
}

void check_together(const Hybrid& spec, std::string_view where) {
  check_together(spec.fixed, where, "fixed.");
  check_together(spec.learned, where, "learned.");
  if (spec.learned.width != 0 && spec.learned.width != spec.fixed.width) {
    fail(ErrorKind::bad_input, "[" + std::string(where) + "] learned.width must be that of the fixed part, " +
                                   std::to_string(spec.fixed.width) + ", but got " +
                                   std::to_string(spec.learned.width));
  }
}

void check_together(const Concat& spec, std::string_view where) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + message);
  };
  if (spec.parts.empty() || spec.parts.size() > spec::kMaxParts) {
    refuse("there must be 1 to " + std::to_string(spec::kMaxParts) + " parts but there are " +
           std::to_string(spec.parts.size()));
  }
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const std::string part = std::to_string(i) + ".";
    std::visit([&](const auto& encoding) { check_together(encoding, where, part); }, spec.parts[i].encoding);
    if (spec.axes == 0 || spec.parts[i].axis < spec.axes) continue;
    refuse(part + "axis must be below axes, " + std::to_string(spec.axes) + ", but got " +
           std::to_string(spec.parts[i].axis));
  }
}

void check_together(const Fourier& spec, std::string_view where) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + message);
  };
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  if (given == 0 || given % spec.axes != 0) {
    refuse("inv_freq must have a number per axis and pair, a multiple of axes=" + std::to_string(spec.axes) +
           ", but has " + std::to_string(given));
  }
  const std::int64_t pairs = given / spec.axes;
  if (2 * pairs > spec::kMaxHeadDim) {
    refuse("inv_freq must be of at most " + std::to_string(spec::kMaxHeadDim / 2) + " pairs but is of " +
           std::to_string(pairs));
  }
  if (spec.width != 0 && spec.width < 2 * pairs) {
    refuse("width must be at least two channels per pair, " + std::to_string(2 * pairs) + ", but got " +
           std::to_string(spec.width));
  }
}

void check_scaling(const Rotary& spec, const spec::RotaryWindow& window, const spec::Refuse& refuse) {
  const Rotary fallback;
  if (spec.local_base == 0.0) {
    if (spec.layer) refuse("layer is for local_base: without it all layers are alike");
    if (spec.global_every != fallback.global_every) refuse("global_every is for local_base: without it all are alike");
    if (spec.local_scaled) refuse("local_scaled is for local_base: without it all layers are alike");
  } else if (!spec.inv_freq.empty()) {
    refuse("inv_freq replaces local_base too: leave it out, and give every layer its own spec");
  }
  const std::string scaling(kind_of(spec.scaling));
  if (scaling == NoScaling::kind) return;
  if (!spec.inv_freq.empty()) refuse("inv_freq are the frequencies themselves: leave out scaling=" + scaling);
  if (scaling == Proportional::kind && window.rotary_dim != spec.head_dim) {
    refuse(
        "scaling=proportional turns the whole head: say how much of it with share, not with rotary_dim or "
        "partial_rotary_factor");
  }
  const bool steps = scaling == Ntk::kind || scaling == DynamicNtk::kind;
  if (scaling == Yarn::kind && spec.base <= 1.0) {
    refuse("base must be above 1 with scaling=yarn, which divides by its logarithm, but got " +
           text::number_text(spec.base));
  }
  const std::vector<Ladder> ladders = spec::ladders_of(spec);
  const bool lists = scaling == LongRope::kind || scaling == LearnedMultipliers::kind;
  if (lists && ladders.size() > 1) {
    refuse("scaling=" + scaling +
           " has one list for all axes, but they have different numbers of pairs: give "
           "inv_freq instead");
  }
  for (const Ladder& ladder : ladders) {
    if (scaling == Proportional::kind && 2 * ladder.pairs != spec.head_dim) {
      refuse("scaling=proportional has one ladder over the whole head: axes cannot have their own");
    }
    if ((steps && ladder.dim < 3) || (scaling == NtkAlpha::kind && spec.head_dim < 3)) {
      refuse("scaling=" + scaling + " needs more than 2 channels, d, as its exponent is d / (d - 2), but d is " +
             std::to_string(steps ? ladder.dim : spec.head_dim));
    }
    spec::check_together(spec::settled_scaling(spec), ladder.pairs, refuse);
  }
}

void check_together(const Rotary& spec, std::string_view where) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + message);
  };
  const Rotary fallback;
  const spec::RotaryWindow window = spec::window_of(spec);
  if (spec.rotary_dim % 2 != 0) refuse("rotary_dim must be even but got " + std::to_string(spec.rotary_dim));
  if (spec.rotary_dim != 0 && spec.partial_rotary_factor != fallback.partial_rotary_factor) {
    refuse("rotary_dim and partial_rotary_factor say the same thing: give one of them");
  }
  if (window.rotary_dim < 2 && !is_rotation(spec.layout)) {
    refuse("head_dim must have two channels for each of the axes=" + std::to_string(spec::axes_of(spec)) + " but got " +
           std::to_string(spec.head_dim));
  }
  if (window.rotary_dim < 2) {
    refuse("partial_rotary_factor must leave a channel to turn but " + std::to_string(spec.head_dim) + " * " +
           text::number_text(spec.partial_rotary_factor) + " is below 1");
  }
  if (window.rotary_dim > spec.head_dim && spec.rotary_dim == 0) {
    refuse("head_dim must be even where the whole head turns but got " + std::to_string(spec.head_dim));
  }
  if (window.first_channel < 0 || window.first_channel + window.rotary_dim > spec.head_dim) {
    refuse("the window must lie inside the head of " + std::to_string(spec.head_dim) +
           " channels but first_channel (rope_offset) " + std::to_string(spec.first_channel) + " with " +
           std::to_string(window.rotary_dim) + " channels does not");
  }
  if (!spec.inv_freq.empty() && (spec.base != fallback.base || spec.exponent_dim != fallback.exponent_dim)) {
    refuse("inv_freq replaces base and exponent_dim: leave them out");
  }
  // Beyond these the products of a float32 table would vanish or overflow.
  if (spec.attention_factor && *spec.attention_factor < 1e-9) {
    refuse("attention_factor must be at least 1e-09 but got " + text::number_text(*spec.attention_factor));
  }
  const auto base = static_cast<float>(spec.base);
  if (spec.precision == Precision::reference && spec.inv_freq.empty() && !std::isnormal(base)) {
    refuse("base must be a float32 number with precision=reference but got " + text::number_text(spec.base));
  }
  spec::check_axes(spec, window, refuse);
  check_scaling(spec, window, refuse);
}

FieldInfo info_of(const spec::Field& field) {
  return {field.name,
          spec::type_text(field),
          field.required ? "" : spec::field_text(field),
          std::string(field.unit),
          std::string(field.help),
          field.also};
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<Spec::variant> && std::is_nothrow_move_assignable_v<Spec::variant>);
Spec::Spec(const Spec& other) = default;
Spec::Spec(Spec&& other) noexcept = default;
Spec& Spec::operator=(const Spec& other) = default;
Spec& Spec::operator=(Spec&& other) noexcept = default;

std::string_view kind_of(const Spec& spec) noexcept { return spec::all_kinds()[spec.index()].name; }

std::int64_t axes_of(const Spec& spec) noexcept {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return spec::axes_of(*rotary);
  if (const auto* pope = std::get_if<Pope>(&spec)) return pope->axes;
  if (const auto* fourier = std::get_if<Fourier>(&spec)) return fourier->axes;
  const auto* concat = std::get_if<Concat>(&spec);
  if (concat == nullptr) return 1;
  if (concat->axes != 0) return concat->axes;
  std::int64_t axes = 1;
  for (const ConcatPart& part : concat->parts) axes = std::max(axes, part.axis + 1);
  return axes;
}

void validate(const Spec& spec) { spec::check_spec(spec, kind_of(spec)); }

void spec::check_spec(const Spec& spec, std::string_view where) {
  Spec copy = spec;  // the field list is bound to an object that may be changed
  for (const Field& field : fields_of(copy)) check_field(where, field);
  std::visit(
      [&](const auto& s) {
        using spec::check_together;
        using posenc::check_together;
        check_together(s, where);
      },
      spec);
}

std::vector<KindInfo> scaling_kinds() {
  std::vector<KindInfo> result;
  for (int i = 0; i < static_cast<int>(spec::scaling_words().size()); ++i) {
    Scaling scaling = spec::default_scaling(i);
    const std::string_view summary = std::visit([](const auto& s) { return s.summary; }, scaling);
    KindInfo info{std::string(kind_of(scaling)), std::string(summary), {}, {}};
    for (const spec::Field& field : spec::scaling_fields(scaling)) info.fields.push_back(info_of(field));
    result.push_back(std::move(info));
  }
  return result;
}

std::vector<KindInfo> kinds() {
  std::vector<KindInfo> result;
  for (const spec::Kind& entry : spec::all_kinds()) {
    Spec spec = entry.fallback;
    KindInfo kind{std::string(entry.name), std::string(entry.summary), {}, {}};
    for (const spec::Field& field : spec::fields_of(spec)) kind.fields.push_back(info_of(field));
    for (const spec::Shorthand& shorthand : spec::shorthands_of(spec)) {
      for (const spec::Shorthand::Name& item : shorthand.names) {
        kind.shorthands.push_back(
            {std::string(item.name), "number", text::number_text(item.fallback), "", std::string(item.help)});
      }
    }
    result.push_back(std::move(kind));
  }
  return result;
}

}  // namespace posenc
