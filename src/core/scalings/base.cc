// Scalings that change the base, or divide all frequencies alike.
#include <algorithm>

#include "core/scalings/rule.h"

namespace posenc::scalings {
namespace {

// factor^(dim / (dim - 2)), as a logarithm: the slowest pair, exponent (dim - 2) / dim, is then divided by the factor.
DoubleDouble log_of_step(DoubleDouble log_factor, std::int64_t dim) { return log_factor * whole(dim) / whole(dim - 2); }

}  // namespace

std::vector<Field> fields_of(NoScaling&) { return {}; }
LadderScale scale(const NoScaling&, const Ladder& ladder) { return unscaled(ladder); }

std::vector<Field> fields_of(LinearScaling& s) { return {factor_field(s.factor)}; }
LadderScale scale(const LinearScaling& s, const Ladder& ladder) {
  LadderScale result = unscaled(ladder);
  result.multipliers.assign(static_cast<std::size_t>(ladder.pairs), number(1.0) / number(s.factor));
  return result;
}

std::vector<Field> fields_of(Ntk& s) { return {factor_field(s.factor)}; }
LadderScale scale(const Ntk& s, const Ladder& ladder) {
  return with_base_times(ladder, log_of_step(numbers::log(s.factor), ladder.dim));
}

std::vector<Field> fields_of(DynamicNtk& s) {
  return {factor_field(s.factor), original_positions_field(s.original_positions)};
}
LadderScale scale(const DynamicNtk& s, const Ladder& ladder) {
  const std::int64_t beyond = std::max<std::int64_t>(0, *ladder.sequence_length - s.original_positions);
  if (beyond == 0) return unscaled(ladder);
  // factor * s / L - (factor - 1), in a form that is exactly 1 at L.
  const DoubleDouble growth = number(1.0) + number(s.factor) * whole(beyond) / whole(s.original_positions);
  const DoubleDouble log_growth = numbers::log(growth.high) + number(growth.low / growth.high);
  return with_base_times(ladder, log_of_step(log_growth, ladder.dim));
}

std::vector<Field> fields_of(NtkAlpha& s) {
  return {{.name = "alpha",
           .value = &s.alpha,
           .help = "the base is multiplied by alpha^(head_dim / (head_dim - 2))",
           .low = 0,
           .above_low = true,
           .required = true}};
}
LadderScale scale(const NtkAlpha& s, const Ladder& ladder) {
  return with_base_times(ladder, log_of_step(numbers::log(s.alpha), ladder.head_dim));
}

}  // namespace posenc::scalings
