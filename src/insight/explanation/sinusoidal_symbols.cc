#include "insight/explanation/sinusoidal_symbols.h"

#include <cmath>

#include "core/schedules/sinusoidal_frequencies.h"
#include "core/spec/sinusoidal_pairs.h"
#include "core/text/number_text.h"

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

std::string SinusoidalSymbols::divisor() const {
  if (spec_.spacing == Spacing::width) return std::to_string(spec_.width);
  if (spec_.spacing == Spacing::even_width) return std::to_string(spec_.width + spec_.width % 2);
  // A single pair has exponent 0 whatever it is divided by: pairs - shift may be 0 there.
  if (spec::pairs_of(spec_) <= 1) return "1";
  return text::number_text(static_cast<double>(spec::pairs_of(spec_)) - spec_.shift);
}

std::string SinusoidalSymbols::exponent(std::int64_t j) const {
  const std::string factor = spec_.exponent_factor == 1.0 ? "" : text::number_text(spec_.exponent_factor) + "*";
  return factor + std::to_string(spec_.spacing == Spacing::half ? j : 2 * j) + "/" + divisor();
}

std::string SinusoidalSymbols::general_exponent() const {
  const std::string factor = spec_.exponent_factor == 1.0 ? "" : text::number_text(spec_.exponent_factor) + "*";
  return factor + (spec_.spacing == Spacing::half ? "i/" : "2i/") + divisor();
}

std::string SinusoidalSymbols::power(std::int64_t j) const {
  return text::number_text(spec_.base) + "^(" + exponent(j) + ")";
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

std::string SinusoidalSymbols::general_angle() const {
  std::string text = "p";
  if (spec_.first != 0) {
    text = spec_.first > 0 ? "(p + " + std::to_string(spec_.first) + ")" : "(p - " + std::to_string(-spec_.first) + ")";
  }
  if (spec_.frequency_scale != 1.0) text += " * " + text::number_text(spec_.frequency_scale);
  if (!spec_.inv_freq.empty()) return text + " * w_i";
  return text + " / " + text::number_text(spec_.base) + "^(" + general_exponent() + ")";
}

std::string SinusoidalSymbols::numerator(double position) const {
  return text::number_text((position + static_cast<double>(spec_.first)) * spec_.frequency_scale);
}

}  // namespace posenc::explanation
