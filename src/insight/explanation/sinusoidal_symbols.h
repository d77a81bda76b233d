// The formula of a sinusoidal encoding with its numbers, for single pairs: "sin(2/10000^(2/6))".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/spec.h"

namespace posenc::explanation {

class SinusoidalSymbols {
 public:
  explicit SinusoidalSymbols(const Sinusoidal& spec);

  // The denominator of pair j: as a power, "10000^(2/6)", and in the shortest exact form, "100".
  std::string power(std::int64_t j) const;
  std::string denominator(std::int64_t j) const;
  double denominator_value(std::int64_t j) const;

  // The angle of pair j, given the (shifted and scaled) position as text: "1/100", "3*0.25".
  std::string angle(const std::string& numerator, std::int64_t j) const;

  // The position in the numerators: with `first` added and the scale applied.
  std::string numerator(double position) const;

 private:
  const Sinusoidal spec_;
  const std::vector<double> unscaled_;  // the frequencies before the scale
};

}  // namespace posenc::explanation
