// Scalings that keep fast pairs, divide slow ones by the factor, and interpolate in between: NTK-by-parts, YaRN and
// Llama 3.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/refuse.h"
#include "core/scalings/rule.h"

namespace posenc {
namespace scalings {
namespace {

Field beta_field(std::string_view name, double& beta, std::string_view help) {
  return Field(std::string(name), &beta, help).above(0, "turns");
}

template <class Kind>
std::vector<Field> beta_fields(Kind& s) {
  return {beta_field("beta_fast", s.beta_fast,
                     "pairs that make at least this many turns within the trained length are kept"),
          beta_field("beta_slow", s.beta_slow, "pairs that make at most this many turns are divided by the factor")};
}

template <class Kind>
void check_betas(const Kind& s, const Refusal& refuse) {
  if (s.beta_fast >= s.beta_slow) return;
  refuse("beta_fast must be at least beta_slow, ", s.beta_slow, ", but got ", s.beta_fast);
}

DoubleDouble clamped(DoubleDouble x) {
  if (x.high <= 0.0) return number(0.0);
  return x.high >= 1.0 ? number(1.0) : x;
}

// The first and last pair between which YaRN interpolates. They are fractional unless the spec has `truncate`.
struct Range {
  DoubleDouble low;
  DoubleDouble high;
};

DoubleDouble floor_of(DoubleDouble x) {
  const double down = std::floor(x.high);
  return number(down == x.high && x.low < 0.0 ? down - 1.0 : down);
}

// The pair that makes `turns` turns within L positions: dim * ln(L / (2 pi turns)) / (2 ln(base)).
DoubleDouble pair_that_turns(double turns, std::int64_t original_positions, const Ladder& ladder) {
  constexpr double kTwoPi = 0x1.921fb54442d18p+2, kRest = 0x1.1a62633145c07p-52;
  const DoubleDouble log_two_pi = numbers::log(kTwoPi) + number(kRest / kTwoPi);
  const DoubleDouble log_ratio =
      numbers::log(static_cast<double>(original_positions)) + -log_two_pi + -numbers::log(turns);
  return whole(ladder.dim) * log_ratio / (number(2.0) * numbers::log(ladder.base));
}

Range range_of(const Yarn& s, const Ladder& ladder) {
  Range range{pair_that_turns(s.beta_fast, s.original_positions, ladder),
              pair_that_turns(s.beta_slow, s.original_positions, ladder)};
  if (s.truncate) range = {floor_of(range.low), -floor_of(-range.high)};
  if (range.low.high < 0.0) range.low = number(0.0);
  // The last pair is dim / 2 - 1, but the published code clamps to dim - 1, and models were trained with that.
  if (range.high.high > static_cast<double>(ladder.dim - 1)) range.high = whole(ladder.dim - 1);
  if (range.low.high == range.high.high && range.low.low == range.high.low) range.high = range.high + number(0.001);
  return range;
}

double attention_factor_of(const Yarn& s, double factor) {
  if (s.mscale != 0.0 && s.mscale_all_dim != 0.0) {
    return yarn_magnitude(factor, s.mscale) / yarn_magnitude(factor, s.mscale_all_dim);
  }
  return yarn_magnitude(factor, 1.0);
}

std::vector<Field> by_parts_fields(NtkByParts& s) {
  std::vector<Field> fields = {factor_field(s.factor), original_positions_field(s.original_positions)};
  for (Field& field : beta_fields(s)) fields.push_back(std::move(field));
  return fields;
}
void check_by_parts(const NtkByParts& s, const Ladder&, const Refusal& refuse) {
  check_betas(s, refuse);
  refuse.unless(s.beta_fast != s.beta_slow, "beta_fast must be above beta_slow because it interpolates between them");
}
LadderScale scale_by_parts(const NtkByParts& s, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  const DoubleDouble width = number(s.beta_fast) + number(-s.beta_slow);
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    const DoubleDouble turns = turns_within(s.original_positions, plain_frequency(result.log_base, i, ladder.dim));
    const DoubleDouble kept = clamped((turns + number(-s.beta_slow)) / width);
    result.multipliers.push_back(mixture(number(1.0) + -kept, s.factor));
  }
  return result;
}

std::vector<Field> yarn_fields(Yarn& s) {
  std::vector<Field> fields = {factor_field(s.factor), original_positions_field(s.original_positions),
                               max_positions_field(s.max_positions)};
  for (Field& field : beta_fields(s)) fields.push_back(std::move(field));
  fields.push_back(Field("truncate", &s.truncate,
                         "whether the ends of the range that it mixes are rounded outwards to whole pairs"));
  fields.push_back(Field("mscale", &s.mscale,
                         "with mscale_all_dim: the ratio of their magnitudes multiplies cos and sin; 0: not used")
                       .at_least(0));
  fields.push_back(Field("mscale_all_dim", &s.mscale_all_dim, "see mscale").at_least(0));
  return fields;
}
void check_yarn(const Yarn& s, const Ladder& ladder, const Refusal& refuse) {
  refuse.unless(ladder.base > 1.0, "base must be above 1 with scaling=yarn, which divides by its logarithm, but got ",
                ladder.base);
  check_factor_or_ratio(s.factor, s.max_positions, refuse);
  check_betas(s, refuse);
}
LadderScale scale_yarn(const Yarn& s, const Ladder& ladder) {
  const double factor = factor_or_ratio(s.factor, s.max_positions, s.original_positions);
  const Range range = range_of(s, ladder);
  const DoubleDouble width = range.high + -range.low;
  LadderScale result = unscaled(ladder);
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    result.multipliers.push_back(mixture(clamped((whole(i) + -range.low) / width), factor));
  }
  result.attention_factor = attention_factor_of(s, factor);
  return result;
}

float yarn_float32(const Yarn& s, const Ladder& ladder, const Float32& pair) {
  const auto factor = static_cast<float>(factor_or_ratio(s.factor, s.max_positions, s.original_positions));
  const YarnRange range = yarn_range(s, ladder);
  const auto low = static_cast<float>(range.low);
  const float ramp =
      std::clamp((static_cast<float>(pair.i) - low) / static_cast<float>(range.high - range.low), 0.0f, 1.0f);
  const float kept = 1.0f - ramp;
  const float divided = 1.0f / (factor * pair.power) * (1.0f - kept);
  return divided + pair.plain() * kept;
}

std::vector<Field> llama3_fields(Llama3& s) {
  return {factor_field(s.factor), original_positions_field(s.original_positions),
          beta_field("low_freq_factor", s.low_freq_factor,
                     "pairs that complete fewer turns within the trained length are divided by the factor"),
          beta_field("high_freq_factor", s.high_freq_factor, "pairs that complete more turns are kept")};
}
void check_llama3(const Llama3& s, const Ladder&, const Refusal& refuse) {
  if (s.high_freq_factor >= s.low_freq_factor) return;
  refuse("high_freq_factor must be at least low_freq_factor, ", s.low_freq_factor, ", but got ", s.high_freq_factor);
}
LadderScale scale_llama3(const Llama3& s, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  const DoubleDouble width = number(s.high_freq_factor) + number(-s.low_freq_factor);
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    const DoubleDouble turns = turns_within(s.original_positions, plain_frequency(result.log_base, i, ladder.dim));
    const DoubleDouble above = turns + number(-s.low_freq_factor);
    // The two factors are equal in Llama 4 Scout, so that the band between them becomes a step.
    const bool step = width.high == 0.0;
    const DoubleDouble kept = step ? number(above.high >= 0.0 ? 1.0 : 0.0) : clamped(above / width);
    result.multipliers.push_back(mixture(number(1.0) + -kept, s.factor));
  }
  return result;
}

float llama3_float32(const Llama3& s, const Ladder&, const Float32& pair) {
  const auto low = static_cast<float>(s.low_freq_factor), high = static_cast<float>(s.high_freq_factor);
  const auto trained = static_cast<double>(s.original_positions);
  const auto factor = static_cast<float>(s.factor);
  const float frequency = pair.plain();
  const float wavelength = static_cast<float>(2.0 * std::numbers::pi) / frequency;
  if (wavelength < static_cast<float>(trained / s.high_freq_factor)) return frequency;
  if (wavelength > static_cast<float>(trained / s.low_freq_factor)) return frequency / factor;
  if (s.high_freq_factor == s.low_freq_factor) return frequency;
  const float smooth = (static_cast<float>(trained) / wavelength - low) / (high - low);
  const float divided = (1.0f - smooth) * frequency / factor;
  return divided + smooth * frequency;
}

}  // namespace
}  // namespace scalings

constinit const scalings::ScalingRow NtkByParts::row = {.fields = scalings::of_scaling<scalings::by_parts_fields>,
                                                        .scale = scalings::of_scaling<scalings::scale_by_parts>,
                                                        .check = scalings::of_scaling<scalings::check_by_parts>};
constinit const scalings::ScalingRow Yarn::row = {.fields = scalings::of_scaling<scalings::yarn_fields>,
                                                  .scale = scalings::of_scaling<scalings::scale_yarn>,
                                                  .check = scalings::of_scaling<scalings::check_yarn>,
                                                  .float32 = scalings::of_scaling<scalings::yarn_float32>};
constinit const scalings::ScalingRow Llama3::row = {.fields = scalings::of_scaling<scalings::llama3_fields>,
                                                    .scale = scalings::of_scaling<scalings::scale_llama3>,
                                                    .check = scalings::of_scaling<scalings::check_llama3>,
                                                    .float32 = scalings::of_scaling<scalings::llama3_float32>};

double yarn_magnitude(double factor, double mscale) noexcept {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

YarnRange yarn_range(const Yarn& scaling, const Ladder& ladder) {
  scalings::scale_of(scaling, ladder);  // throws if the scaling or the ladder is invalid
  const scalings::Range range = scalings::range_of(scaling, ladder);
  return {range.low.high, range.high.high};
}

}  // namespace posenc
