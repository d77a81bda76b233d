#include "support/mpfr_oracle.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

constexpr mpfr_prec_t kPhaseBits = 1400;  // the largest double has 1024 bits before the point

enum class Part { sine, cosine, zero };

struct Place {
  Part part;
  std::size_t pair;
};

bool holds(const posenc::Columns& columns, std::int64_t column) {
  const std::int64_t offset = column - columns.start;
  return offset >= 0 && offset % columns.stride == 0 && offset / columns.stride < columns.count;
}

Place place_of(const posenc::SinusoidalSchedule& schedule, std::int64_t column) {
  for (const auto& [columns, part] : {std::pair{schedule.sine, Part::sine}, std::pair{schedule.cosine, Part::cosine}}) {
    if (holds(columns, column)) return {part, static_cast<std::size_t>((column - columns.start) / columns.stride)};
  }
  return {Part::zero, 0};
}

Big angle_at(const posenc::SinusoidalSchedule& schedule, double position, std::size_t pair) {
  Big angle(position);
  mpfr_add_d(angle.get(), angle.get(), static_cast<double>(schedule.first), MPFR_RNDN);
  mpfr_mul_d(angle.get(), angle.get(), schedule.inv_freq[pair], MPFR_RNDN);
  return angle;
}

bool is_zero_row(const posenc::SinusoidalSchedule& schedule, double position) {
  return schedule.zero_position &&
         position + static_cast<double>(schedule.first) == static_cast<double>(*schedule.zero_position);
}

Big phase_angle(std::uint64_t phase) {
  Big angle;
  mpfr_const_pi(angle.get(), MPFR_RNDN);
  mpfr_mul_ui(angle.get(), angle.get(), phase, MPFR_RNDN);
  mpfr_mul_2si(angle.get(), angle.get(), -63, MPFR_RNDN);
  return angle;
}

// `exact` in units of the narrow format's last place.
Big in_units(const Big& exact, const Narrow& format, long& unit) {
  unit = mpfr_zero_p(exact.get()) ? format.smallest
                                  : std::max<long>(mpfr_get_exp(exact.get()) - format.bits, format.smallest);
  Big scaled(exact);
  mpfr_mul_2si(scaled.get(), scaled.get(), -unit, MPFR_RNDN);
  return scaled;
}

}  // namespace

Big product(double position, double inv_freq) {
  Big result(position);
  mpfr_mul_d(result.get(), result.get(), inv_freq, MPFR_RNDN);
  return result;
}

Big sin(const Big& angle) {
  Big result;
  mpfr_sin(result.get(), angle.get(), MPFR_RNDN);
  return result;
}

Big cos(const Big& angle) {
  Big result;
  mpfr_cos(result.get(), angle.get(), MPFR_RNDN);
  return result;
}

double distance(double value, const Big& exact) {
  Big difference(exact);
  mpfr_sub_d(difference.get(), difference.get(), value, MPFR_RNDN);
  return std::fabs(difference.rounded());
}

double ulps(double value, const Big& exact) {
  if (mpfr_zero_p(exact.get())) return value == 0.0 ? 0.0 : HUGE_VAL;
  const auto exponent = static_cast<int>(std::max<mpfr_exp_t>(mpfr_get_exp(exact.get()), -1021));
  Big difference(exact);
  mpfr_sub_d(difference.get(), difference.get(), value, MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), 53 - exponent, MPFR_RNDN);
  return std::fabs(difference.rounded());
}

Big inv_freq(const posenc::Sinusoidal& spec, std::int64_t j) {
  const std::int64_t pairs = spec.odd == posenc::OddWidth::zero ? spec.width / 2 : spec.width - spec.width / 2;
  Big exponent(static_cast<double>(spec.spacing == posenc::Spacing::half ? j : 2 * j));
  Big divisor(static_cast<double>(spec.width));
  if (spec.spacing == posenc::Spacing::even_width && spec.width % 2 == 1)
    mpfr_add_ui(divisor.get(), divisor.get(), 1, MPFR_RNDN);
  if (spec.spacing == posenc::Spacing::half) {
    mpfr_set_d(divisor.get(), static_cast<double>(pairs), MPFR_RNDN);
    mpfr_sub_d(divisor.get(), divisor.get(), spec.shift, MPFR_RNDN);
  }
  // The first pair's exponent counts as 0, even if it is 0 / 0.
  if (j > 0) mpfr_div(exponent.get(), exponent.get(), divisor.get(), MPFR_RNDN);
  mpfr_mul_d(exponent.get(), exponent.get(), -spec.exponent_factor, MPFR_RNDN);
  Big result(spec.base);
  mpfr_pow(result.get(), result.get(), exponent.get(), MPFR_RNDN);
  mpfr_mul_d(result.get(), result.get(), spec.frequency_scale, MPFR_RNDN);
  return result;
}

Big entry(const posenc::SinusoidalSchedule& schedule, double position, std::int64_t column) {
  const Place place = place_of(schedule, column);
  if (place.part == Part::zero || is_zero_row(schedule, position)) return Big(0.0);
  const Big angle = angle_at(schedule, position, place.pair);
  Big result = place.part == Part::sine ? sin(angle) : cos(angle);
  mpfr_mul_d(result.get(), result.get(), schedule.multiplier, MPFR_RNDN);
  return result;
}

Big derivative_entry(const posenc::SinusoidalSchedule& schedule, double position, std::int64_t column) {
  const Place place = place_of(schedule, column);
  if (place.part == Part::zero || is_zero_row(schedule, position)) return Big(0.0);
  const Big angle = angle_at(schedule, position, place.pair);
  Big result = place.part == Part::sine ? cos(angle) : sin(angle);
  mpfr_mul_d(result.get(), result.get(), schedule.multiplier, MPFR_RNDN);
  const double inv_freq = schedule.inv_freq[place.pair];
  mpfr_mul_d(result.get(), result.get(), place.part == Part::sine ? inv_freq : -inv_freq, MPFR_RNDN);
  return result;
}

double column_inv_freq(const posenc::SinusoidalSchedule& schedule, std::int64_t column) {
  const Place place = place_of(schedule, column);
  return place.part == Part::zero ? 0.0 : schedule.inv_freq[place.pair];
}

Big phase_step(double inv_freq) {
  Big step(inv_freq, kPhaseBits);
  Big turn(0.0, kPhaseBits);
  mpfr_const_pi(turn.get(), MPFR_RNDN);
  mpfr_mul_2si(turn.get(), turn.get(), 1, MPFR_RNDN);
  mpfr_div(step.get(), step.get(), turn.get(), MPFR_RNDN);
  Big whole(step);
  mpfr_floor(whole.get(), step.get());
  mpfr_sub(step.get(), step.get(), whole.get(), MPFR_RNDN);
  mpfr_mul_2si(step.get(), step.get(), 64, MPFR_RNDN);
  return step;
}

Big phase_sin(std::uint64_t phase) { return sin(phase_angle(phase)); }
Big phase_cos(std::uint64_t phase) { return cos(phase_angle(phase)); }

double round_to(const Big& exact, const Narrow& format) {
  long unit = 0;
  Big scaled = in_units(exact, format, unit);
  mpfr_rint(scaled.get(), scaled.get(), MPFR_RNDN);
  mpfr_mul_2si(scaled.get(), scaled.get(), unit, MPFR_RNDN);
  return scaled.rounded();
}

bool near_tie(const Big& exact, const Narrow& format) {
  long unit = 0;
  const Big scaled = in_units(exact, format, unit);
  const double size = std::fabs(scaled.rounded());
  Big fraction(scaled);
  mpfr_frac(fraction.get(), scaled.get(), MPFR_RNDN);
  return std::fabs(std::fabs(fraction.rounded()) - 0.5) <= 1e-12 * std::max(size, 1.0);
}

}  // namespace oracle
