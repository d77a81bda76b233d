#include "core/scalings/rule.h"

#include <cmath>
#include <string>

#include "core/base/refuse.h"
#include "posenc/position.h"

namespace posenc::scalings {
namespace {

constexpr DoubleDouble kTwoPi{0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52};

}  // namespace

DoubleDouble number(double value) { return {value, 0.0}; }
DoubleDouble whole(std::int64_t value) { return {static_cast<double>(value), 0.0}; }

LadderScale unscaled(const Ladder& ladder) { return {ladder.base, numbers::log(ladder.base), {}, 1.0}; }

LadderScale with_base_times(const Ladder& ladder, DoubleDouble log_factor) {
  LadderScale result = unscaled(ladder);
  if (log_factor.high == 0.0) return result;
  result.log_base = result.log_base + log_factor;
  result.base = exp(result.log_base).high;
  return result;
}

DoubleDouble plain_frequency(DoubleDouble log_base, std::int64_t i, std::int64_t dim) {
  return exp(whole(-2 * i) / whole(dim) * log_base);
}

DoubleDouble turns_within(std::int64_t positions, DoubleDouble frequency) {
  return whole(positions) * frequency / kTwoPi;
}

DoubleDouble mixture(DoubleDouble share, double factor) {
  const DoubleDouble cut = number(1.0) + -(number(1.0) / number(factor));
  return number(1.0) + -(share * cut);
}

double factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions,
                       std::int64_t original_positions) {
  return factor.value_or(static_cast<double>(max_positions) / static_cast<double>(original_positions));
}

void check_factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions, const Refusal& refuse) {
  refuse.unless(factor || max_positions != 0,
                "factor must be given, or max_positions, the extended length: their quotient is then the factor");
}

void check_list(const std::vector<double>& list, std::string_view name, std::int64_t pairs, const Refusal& refuse) {
  if (static_cast<std::int64_t>(list.size()) == pairs) return;
  refuse(name, " must have one number per pair, ", pairs, ", but has ", list.size());
}

Field factor_field(double& factor) {
  return Field("factor", &factor, "how many times longer the context becomes")
      .above(0)
      .must_be_given()
      .alias({"scaling_factor"})
      .example("4");
}

Field factor_field(std::optional<double>& factor) {
  return Field("factor", &factor, "how many times longer the context becomes; none: max_positions / original_positions")
      .above(0)
      .alias({"scaling_factor"})
      .example("4");
}

Field original_positions_field(std::int64_t& positions) {
  return Field("original_positions", &positions, "the trained length")
      .between(1, static_cast<double>(kMaxPosition), "positions")
      .must_be_given()
      .alias({"original_max_position_embeddings"})
      .example("4096");
}

Field max_positions_field(std::int64_t& positions) {
  return Field("max_positions", &positions, "the extended length, read if factor is none")
      .between(0, static_cast<double>(kMaxPosition), "positions");
}

}  // namespace posenc::scalings
