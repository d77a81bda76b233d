// Sinusoidal encodings: their fields, and the checks that involve several fields.
#include <string>

#include "core/base/refuse.h"
#include "core/spec/input_kinds.h"
#include "core/spec/shared_fields.h"
#include "core/spec/sinusoidal_pairs.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kSpacingWords[] = {"width", "even_width", "half"};
constexpr std::string_view kOddWords[] = {"drop", "zero", "error"};

constexpr std::string_view kSinusoidalNames[] = {"sin",   "sine",     "sinusoid", "vaswani",
                                                 "fixed", "absolute", "pos",      "positional"};
constexpr std::string_view kNoEnd = "it has a row for every position: choose them with --positions 0:512";
constexpr UnclearField kSinusoidalUnclear[] = {
    kBeforeHeads,
    {kLengthWords, kNoEnd},
    {"length", kNoEnd},
    {"theta", "write base: <width=128,base={}>", "10000"},
    {"n", "write base, <width=128,base={}>, or choose positions with --positions 0:512", "10000"},
    {"num_pos_feats",
     "DETR has so many channels for each axis: write <width={}> for one axis, or "
     "<concat:0.axis=0,0.width={},1.axis=1,1.width={}> for two",
     "128"},
    {"dropout", "dropout belongs to the model, not to the encoding: posenc add --dropout 0.1"},
};

// Chooses an example width: listed frequencies determine it, and there must be more pairs than `shift`.
ExampleSizes example_width(const Sinusoidal& s) {
  const auto given = 2 * static_cast<std::int64_t>(s.inv_freq.size());
  if (given != 0) return {given, given};
  const bool shifted = s.spacing == Spacing::half && s.shift > 0 && s.shift < kMaxWidth / 4;
  return shifted ? kExampleWidth.at_least(2 * static_cast<std::int64_t>(s.shift) + 2) : kExampleWidth;
}

}  // namespace

std::vector<Field> sinusoidal_fields(Sinusoidal& s) {
  return {
      with_example(Field("width", &s.width, "channels per row")
                       .between(1, kMaxWidth, "channels")
                       .must_be_given()
                       .alias(width_aliases()),
                   example_width(s)),
      base_field(s.base, "the slowest pair is about this many times slower than the fastest")
          .alias({"temperature", "max_period"}),
      Field("spacing", enum_field(s.spacing, kSpacingWords),
            "exponent of pair j: 2j/width, 2j/(width rounded up to even), or j/(pairs - shift)"),
      Field("shift", &s.shift, "spacing=half only: 1 in tensor2tensor, any value in diffusion timesteps"),
      Field("exponent_factor", &s.exponent_factor, "multiplies every exponent"),
      Field("scale", &s.frequency_scale, "multiplies every frequency, as scaling the positions would")
          .also_called("frequency_scale"),
      Field("inv_freq", &s.inv_freq, "a list of frequencies, one per pair, instead of the rule")
          .in("radians per position"),
      Field("first", &s.first, "the number that position 0 counts as: 1, 2, padding_idx + 1")
          .between(-kPositionLimit, kPositionLimit, "positions"),
      order_field(s.order),
      Field("odd", enum_field(s.odd, kOddWords), "an odd width drops the last cosine, ends in a zero, or is an error"),
      multiplier_field(s.multiplier),
      Field("zero_position", &s.zero_position,
            "the position (after adding first) whose row is zero: the padding row of fairseq")
          .between(-kPositionLimit, kPositionLimit, "positions"),
  };
}

// tensor2tensor and all its ports multiply the frequencies by min_timescale, although the name suggests a division.
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
  const base::Refusal refuse{where, ErrorKind::bad_input, part};
  const Sinusoidal fallback;
  const std::int64_t pairs = pairs_of(spec);
  refuse.unless(spec.odd != OddWidth::error || spec.width % 2 == 0, "width must be even (odd=error) but got ",
                spec.width);
  if (!spec.inv_freq.empty()) {
    refuse.unless(static_cast<std::int64_t>(spec.inv_freq.size()) == pairs, "inv_freq must have one number per pair, ",
                  pairs, ", but has ", spec.inv_freq.size());
    refuse.unless(spec.base == fallback.base && spec.spacing == fallback.spacing &&
                      spec.exponent_factor == fallback.exponent_factor,
                  "inv_freq replaces base, spacing and exponent_factor: leave them out");
  }
  if (spec.spacing != Spacing::half) {
    refuse.unless(spec.shift == fallback.shift, "shift is for spacing=half but got ", spec.shift);
  } else if (pairs > 1 && !(spec.shift < static_cast<double>(pairs))) {
    // A single pair may have any shift: its exponent is 0, whatever the divisor.
    refuse("shift must be below the number of pairs, ", pairs, ", but got ", spec.shift);
  }
}

}  // namespace spec

constinit const spec::KindRow Sinusoidal::row = {
    .fields = spec::of_kind<spec::sinusoidal_fields>,
    .shorthands = spec::of_kind<spec::sinusoidal_shorthands>,
    .check = [](const Spec& s, std::string_view where) { spec::check_sinusoidal(std::get<Sinusoidal>(s), where, ""); },
    .words = spec::kSinusoidalNames,
    .unclear = spec::kSinusoidalUnclear};

}  // namespace posenc
