// Frequencies as in the float32 tensors of PyTorch models: every step is rounded to float32, in the order of the
// published code. A scaling that only changes the base, or only multiplies each frequency once, needs no function of
// its own: rounding that product once more gives the same number.
#include "core/scalings/rule.h"

namespace posenc::scalings {
namespace {

// base^(2i / dim), with base, exponent and power each rounded.
float rounded_power(double base, std::int64_t i, std::int64_t dim) {
  const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
  const double narrow_base = static_cast<double>(static_cast<float>(base));
  return static_cast<float>(exp(number(static_cast<double>(exponent)) * numbers::log(narrow_base)).high);
}

}  // namespace

double float32_frequency(const Scaling& scaling, const Ladder& ladder, const LadderScale& scale, std::int64_t i) {
  const Float32 pair{i, rounded_power(scale.base, i, ladder.dim)};
  if (row_of(scaling).float32 != nullptr) return static_cast<double>(row_of(scaling).float32(scaling, ladder, pair));
  const auto plain = static_cast<double>(pair.plain());
  if (scale.multipliers.empty()) return plain;
  return static_cast<double>(static_cast<float>(plain * scale.multipliers[static_cast<std::size_t>(i)].high));
}

}  // namespace posenc::scalings
