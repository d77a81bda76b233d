// Scalings with one number per pair: LongRoPE, learned multipliers, and pairs that are never rotated.
#include <algorithm>
#include <cmath>

#include "core/base/refuse.h"
#include "core/scalings/rule.h"
#include "core/spec/enum_field.h"

namespace posenc {
namespace scalings {
namespace {

constexpr std::string_view kLongRopeNames[] = {"su"};
constexpr std::string_view kListWords[] = {"by_length", "short_factor", "long_factor"};

Field list_field(std::string_view name, std::vector<double>& list, const std::string& example, std::string_view help) {
  return Field(std::string(name), &list, help).above(0).must_be_given().example(example);
}

Field mscale_field(std::string_view name, std::optional<double>& mscale, std::string_view help) {
  return Field(std::string(name), &mscale, help).above(0);
}

bool is_long(const LongRope& s, const Ladder& ladder) {
  return ladder.sequence_length && *ladder.sequence_length > s.original_positions;
}

double attention_factor_of(const LongRope& s, const Ladder& ladder) {
  if (s.short_mscale) return is_long(s, ladder) ? *s.long_mscale : *s.short_mscale;
  const double factor = factor_or_ratio(s.factor, s.max_positions, s.original_positions);
  if (factor <= 1.0) return 1.0;
  return std::sqrt(1.0 + std::log(factor) / std::log(static_cast<double>(s.original_positions)));
}

Field share_field(double& share) {
  return Field("share", &share, "the share of the pairs that rotate, the fastest ones")
      .above(0)
      .at_most(1)
      .example("0.5");
}

LadderScale kept(double share, double factor, std::int64_t channels, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  const auto turning = static_cast<std::int64_t>(std::floor(share * static_cast<double>(channels) / 2.0));
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    result.multipliers.push_back(i < turning ? number(1.0) / number(factor) : number(0.0));
  }
  return result;
}

// The list that applies to the ladder's sequence length.
const std::vector<double>& list_of(const LongRope& s, const Ladder& ladder) {
  const bool far = s.list == LongRopeList::by_length ? is_long(s, ladder) : s.list == LongRopeList::long_factor;
  return far ? s.long_factor : s.short_factor;
}

std::vector<Field> longrope_fields(LongRope& s) {
  return {list_field("short_factor", s.short_factor, "1", "a divisor per frequency, up to original_positions tokens"),
          list_field("long_factor", s.long_factor, "4", "a divisor per frequency, in longer sequences"),
          original_positions_field(s.original_positions),
          factor_field(s.factor),
          max_positions_field(s.max_positions),
          mscale_field("short_mscale", s.short_mscale, "with long_mscale: the factor on cos and sin, by the length"),
          mscale_field("long_mscale", s.long_mscale, "see short_mscale"),
          Field("list", spec::enum_field(s.list, kListWords),
                "which list: chosen by the sequence length, or always the same")};
}
void check_longrope(const LongRope& s, const Ladder& ladder, const Refusal& refuse) {
  check_list(s.short_factor, "short_factor", ladder.pairs, refuse);
  check_list(s.long_factor, "long_factor", ladder.pairs, refuse);
  refuse.unless(s.short_mscale.has_value() == s.long_mscale.has_value(),
                "short_mscale and long_mscale must be given together");
  if (s.short_mscale) return;
  check_factor_or_ratio(s.factor, s.max_positions, refuse);
  refuse.unless(s.original_positions >= 2 || factor_or_ratio(s.factor, s.max_positions, s.original_positions) <= 1.0,
                "original_positions must be at least 2 because the attention factor divides by its logarithm");
}
LadderScale scale_longrope(const LongRope& s, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  for (const double factor : list_of(s, ladder)) result.multipliers.push_back(number(1.0) / number(factor));
  result.attention_factor = attention_factor_of(s, ladder);
  return result;
}

float longrope_float32(const LongRope& s, const Ladder& ladder, const Float32& pair) {
  return 1.0f / (static_cast<float>(list_of(s, ladder)[static_cast<std::size_t>(pair.i)]) * pair.power);
}
bool longrope_needs_length(const LongRope& s) {
  return s.list == LongRopeList::by_length || s.short_mscale.has_value();
}

std::vector<Field> proportional_fields(Proportional& s) {
  Field factor = factor_field(s.factor);
  factor.required = false;
  return {factor, share_field(s.share)};
}
LadderScale scale_proportional(const Proportional& s, const Ladder& ladder) {
  return kept(s.share, s.factor, ladder.head_dim, ladder);
}

std::vector<Field> p_rope_fields(PRope& s) { return {share_field(s.share)}; }
LadderScale scale_p_rope(const PRope& s, const Ladder& ladder) { return kept(s.share, 1.0, 2 * ladder.pairs, ladder); }

std::vector<Field> multipliers_fields(LearnedMultipliers& s) {
  return {
      Field("log_multipliers", &s.log_multipliers, "a number per frequency; its exponential multiplies the frequency")
          .between(-700, 700)
          .must_be_given()
          .example("-1")};
}
void check_multipliers(const LearnedMultipliers& s, const Ladder& ladder, const Refusal& refuse) {
  check_list(s.log_multipliers, "log_multipliers", ladder.pairs, refuse);
}
LadderScale scale_multipliers(const LearnedMultipliers& s, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  for (const double logarithm : s.log_multipliers) result.multipliers.push_back(exp(number(logarithm)));
  return result;
}

}  // namespace
}  // namespace scalings

constinit const scalings::ScalingRow LongRope::row = {
    .fields = scalings::of_scaling<scalings::longrope_fields>,
    .scale = scalings::of_scaling<scalings::scale_longrope>,
    .check = scalings::of_scaling<scalings::check_longrope>,
    .float32 = scalings::of_scaling<scalings::longrope_float32>,
    .needs_length = scalings::of_scaling<scalings::longrope_needs_length>,
    .words = scalings::kLongRopeNames};
constinit const scalings::ScalingRow Proportional::row = {.fields = scalings::of_scaling<scalings::proportional_fields>,
                                                          .scale = scalings::of_scaling<scalings::scale_proportional>,
                                                          .trained = [](const Scaling& s) -> Scaling {
                                                            return Proportional{1.0, std::get<Proportional>(s).share};
                                                          }};
constinit const scalings::ScalingRow PRope::row = {.fields = scalings::of_scaling<scalings::p_rope_fields>,
                                                   .scale = scalings::of_scaling<scalings::scale_p_rope>,
                                                   .trained = scalings::as_it_is};
constinit const scalings::ScalingRow LearnedMultipliers::row = {
    .fields = scalings::of_scaling<scalings::multipliers_fields>,
    .scale = scalings::of_scaling<scalings::scale_multipliers>,
    .check = scalings::of_scaling<scalings::check_multipliers>,
    .trained = scalings::as_it_is};

}  // namespace posenc
