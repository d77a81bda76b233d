// What stands in the formula of a sinusoidal encoding for single pairs: "sin(2/10000^(2/6))".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/spec.h"

namespace posenc::explanation {

class SinusoidalSymbols {
 public:
  explicit SinusoidalSymbols(const Sinusoidal& spec);

  // What the position is divided by for pair j: as a power, "10000^(2/6)", and as short as it is exact, "100".
  std::string power(std::int64_t j) const;
  std::string denominator(std::int64_t j) const;
  double denominator_value(std::int64_t j) const;

  // The angle of pair j where the (counted and scaled) position is written `numerator`: "1/100", "3*0.25".
  std::string angle(const std::string& numerator, std::int64_t j) const;

  // The position as it stands over the denominators: with `first` added and the scale multiplied in.
  std::string numerator(double position) const;

 private:
  const Sinusoidal spec_;
  const std::vector<double> unscaled_;  // the frequencies before the scale
};

}  // namespace posenc::explanation
