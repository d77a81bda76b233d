#include "insight/explanation/sinusoidal_symbols.h"

#include <cmath>

#include "core/schedules/sinusoidal_frequencies.h"
#include "core/text/number_text.h"
#include "insight/properties/formulas.h"

namespace posenc::explanation {
namespace {

// Frequencies are rounded doubles, so a power that is 1000 in exact arithmetic may be off by a few ulp.
bool is_nearly_whole(double value) {
  return value >= 1.0 && value < 1e15 && std::fabs(value - std::nearbyint(value)) <= 4e-16 * value;
}

std::vector<double> unscaled_frequencies(Sinusoidal spec) {
  spec.frequency_scale = 1.0;
  return schedules::frequencies_of(spec);  // without a check: the scale may be what keeps them within the doubles
}

}  // namespace

SinusoidalSymbols::SinusoidalSymbols(const Sinusoidal& spec) : spec_(spec), unscaled_(unscaled_frequencies(spec)) {}

std::string SinusoidalSymbols::power(std::int64_t j) const {
  return plain_text(properties::sinusoidal_denominator(spec_, j));
}

double SinusoidalSymbols::denominator_value(std::int64_t j) const {
  return 1.0 / unscaled_[static_cast<std::size_t>(j)];
}

std::string SinusoidalSymbols::denominator(std::int64_t j) const {
  const double value = denominator_value(j);
  return is_nearly_whole(value) ? text::number_text(std::nearbyint(value)) : power(j);
}

std::string SinusoidalSymbols::angle(const std::string& numerator, std::int64_t j) const {
  if (!spec_.inv_freq.empty()) return numerator + "*" + text::number_text(spec_.inv_freq[static_cast<std::size_t>(j)]);
  const std::string below = denominator(j);
  return below == "1" ? numerator : numerator + "/" + below;
}

std::string SinusoidalSymbols::numerator(double position) const {
  return text::number_text((position + static_cast<double>(spec_.first)) * spec_.frequency_scale);
}

}  // namespace posenc::explanation
