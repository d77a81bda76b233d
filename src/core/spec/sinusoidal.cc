// Sinusoidal encodings: their fields, and what no field can tell alone.
#include <string>

#include "core/spec/input_kinds.h"
#include "core/spec/shared_fields.h"
#include "core/spec/sinusoidal_pairs.h"
#include "core/text/number_text.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kSpacingWords[] = {"width", "even_width", "half"};
constexpr std::string_view kOddWords[] = {"drop", "zero", "error"};

}  // namespace

std::vector<Field> sinusoidal_fields(Sinusoidal& s) {
  return {
      Field("width", &s.width, "channels of a row").between(1, kMaxWidth, "channels").must_be_given(),
      base_field(s.base, "the slowest pair turns about this many times slower than the fastest"),
      Field("spacing", enum_field(s.spacing, kSpacingWords),
            "exponent of pair j: 2j/width, 2j/(width rounded up to even), or j/(pairs - shift)"),
      Field("shift", &s.shift, "with spacing=half: 1 in tensor2tensor, any in diffusion timesteps"),
      Field("exponent_factor", &s.exponent_factor, "multiplies every exponent"),
      Field("scale", &s.frequency_scale, "multiplies every frequency, as scaling the positions would")
          .also_called("frequency_scale"),
      Field("inv_freq", &s.inv_freq, "frequencies given one by one, instead of the rule").in("radians per position"),
      Field("first", &s.first, "what position 0 counts as: 1, 2, padding_idx + 1")
          .between(-kPositionLimit, kPositionLimit, "positions"),
      order_field(s.order),
      Field("odd", enum_field(s.odd, kOddWords), "an odd width drops the last partner, ends in a zero, or is an error"),
      multiplier_field(s.multiplier),
      Field("zero_position", &s.zero_position,
            "the row of this position (after adding first) is zero: the padding row of fairseq")
          .between(-kPositionLimit, kPositionLimit, "positions"),
  };
}

// tensor2tensor multiplies by min_timescale where the name says divide; every port of it does the same.
std::vector<Shorthand> sinusoidal_shorthands(Sinusoidal& s) {
  return {{.names = {{"min_timescale", 1.0, "with max_timescale: scale = min_timescale, as tensor2tensor computes it"},
                     {"max_timescale", 10000.0, "base = max_timescale / min_timescale"}},
           .replaces = {"base", "scale", "inv_freq"},
           .apply = [&s](const std::vector<double>& values) {
             s.frequency_scale = values[0];
             s.base = values[1] / values[0];
           }}};
}

void check_sinusoidal(const Sinusoidal& spec, std::string_view where, const std::string& part) {
  const auto refuse = [&](const std::string& message) { spec::refuse(where, part + message); };
  const Sinusoidal fallback;
  const std::int64_t pairs = pairs_of(spec);
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

}  // namespace spec

constinit const spec::KindRow Sinusoidal::row = {
    .fields = spec::of_kind<spec::sinusoidal_fields>,
    .shorthands = spec::of_kind<spec::sinusoidal_shorthands>,
    .check = [](const Spec& s, std::string_view where) { spec::check_sinusoidal(std::get<Sinusoidal>(s), where, ""); }};

}  // namespace posenc
