// The formulas of a sinusoidal encoding in symbols: "sin(2/10000^(2/6))".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/spec.h"

namespace posenc::explanation {

class SinusoidalSymbols {
 public:
  explicit SinusoidalSymbols(const Sinusoidal& spec);

  // The exponent of pair j as a fraction, "2/6"; with the letter i for the formula: "2i/6".
  std::string exponent(std::int64_t j) const;
  std::string general_exponent() const;

  // What the position is divided by for pair j: as a power, "10000^(2/6)", and as short as it is exact, "100".
  std::string power(std::int64_t j) const;
  std::string denominator(std::int64_t j) const;
  double denominator_value(std::int64_t j) const;

  // The angle of pair j where the (counted and scaled) position is written `numerator`: "1/100", "3*0.25".
  std::string angle(const std::string& numerator, std::int64_t j) const;

  // The angle of the general pair: "(p + 2) * 0.5 / 10000^(2i/6)".
  std::string general_angle() const;

  // The position as it stands over the denominators: with `first` added and the scale multiplied in.
  std::string numerator(double position) const;

 private:
  std::string divisor() const;  // what the index is divided by in an exponent

  const Sinusoidal spec_;
  const std::vector<double> unscaled_;  // the frequencies before the scale
};

}  // namespace posenc::explanation
