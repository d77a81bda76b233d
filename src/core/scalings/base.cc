// Scalings that change the base, or divide all frequencies by the same factor.
#include <algorithm>
#include <string>
#include <type_traits>

#include "core/base/refuse.h"
#include "core/scalings/rule.h"

namespace posenc {
namespace scalings {
namespace {

// The logarithm of factor^(dim / (dim - 2)). A base that is multiplied by this power divides the frequency of the
// slowest pair, base^(-(dim - 2) / dim), by the factor.
DoubleDouble log_of_step(DoubleDouble log_factor, std::int64_t dim) { return log_factor * whole(dim) / whole(dim - 2); }

LadderScale scale_none(const NoScaling&, const Ladder& ladder) { return unscaled(ladder); }

constexpr std::string_view kNoneNames[] = {"default"};
constexpr std::string_view kLinearNames[] = {"position_interpolation"};
constexpr std::string_view kNtkNames[] = {"ntk_aware"};
constexpr std::string_view kDynamicNames[] = {"dynamic_ntk"};

std::vector<Field> linear_fields(LinearScaling& s) { return {factor_field(s.factor)}; }
LadderScale scale_linear(const LinearScaling& s, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  result.multipliers.assign(static_cast<std::size_t>(ladder.pairs), number(1.0) / number(s.factor));
  return result;
}

std::vector<Field> ntk_fields(Ntk& s) { return {factor_field(s.factor)}; }
LadderScale scale_ntk(const Ntk& s, const Ladder& ladder) {
  return with_base_times(ladder, log_of_step(numbers::log(s.factor), ladder.dim));
}

std::vector<Field> dynamic_fields(DynamicNtk& s) {
  return {factor_field(s.factor), original_positions_field(s.original_positions)};
}
LadderScale scale_dynamic(const DynamicNtk& s, const Ladder& ladder) {
  const std::int64_t beyond = std::max<std::int64_t>(0, *ladder.sequence_length - s.original_positions);
  if (beyond == 0) return unscaled(ladder);
  // factor * s / L - (factor - 1), written so that it is exactly 1 for s = L.
  const DoubleDouble growth = number(1.0) + number(s.factor) * whole(beyond) / whole(s.original_positions);
  const DoubleDouble log_growth = numbers::log(growth.high) + number(growth.low / growth.high);
  return with_base_times(ladder, log_of_step(log_growth, ladder.dim));
}

std::vector<Field> ntk_alpha_fields(NtkAlpha& s) {
  return {Field("alpha", &s.alpha, "the base is multiplied by alpha^(head_dim / (head_dim - 2))")
              .above(0)
              .must_be_given()
              .example("4")};
}
LadderScale scale_ntk_alpha(const NtkAlpha& s, const Ladder& ladder) {
  return with_base_times(ladder, log_of_step(numbers::log(s.alpha), ladder.head_dim));
}

template <class Kind>
void check_dim(const Kind&, const Ladder& ladder, const Refusal& refuse) {
  const std::int64_t channels = std::is_same_v<Kind, NtkAlpha> ? ladder.head_dim : ladder.dim;
  if (channels > 2) return;
  refuse("scaling=", Kind::kind, " needs more than 2 channels, d, as its exponent is d / (d - 2), but d is ", channels);
}

}  // namespace
}  // namespace scalings

constinit const scalings::ScalingRow NoScaling::row = {
    .fields = scalings::no_fields, .scale = scalings::of_scaling<scalings::scale_none>, .words = scalings::kNoneNames};
constinit const scalings::ScalingRow LinearScaling::row = {.fields = scalings::of_scaling<scalings::linear_fields>,
                                                           .scale = scalings::of_scaling<scalings::scale_linear>,
                                                           .words = scalings::kLinearNames};
constinit const scalings::ScalingRow Ntk::row = {.fields = scalings::of_scaling<scalings::ntk_fields>,
                                                 .scale = scalings::of_scaling<scalings::scale_ntk>,
                                                 .check = scalings::of_scaling<scalings::check_dim<Ntk>>,
                                                 .words = scalings::kNtkNames};
constinit const scalings::ScalingRow DynamicNtk::row = {.fields = scalings::of_scaling<scalings::dynamic_fields>,
                                                        .scale = scalings::of_scaling<scalings::scale_dynamic>,
                                                        .check = scalings::of_scaling<scalings::check_dim<DynamicNtk>>,
                                                        .needs_length = [](const Scaling&) { return true; },
                                                        .words = scalings::kDynamicNames};
constinit const scalings::ScalingRow NtkAlpha::row = {.fields = scalings::of_scaling<scalings::ntk_alpha_fields>,
                                                      .scale = scalings::of_scaling<scalings::scale_ntk_alpha>,
                                                      .check = scalings::of_scaling<scalings::check_dim<NtkAlpha>>};

}  // namespace posenc
