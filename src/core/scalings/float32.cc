// Frequencies as float32 tensors of PyTorch models hold them: every step rounded, in the order of their code. Where a
// scaling is a change of the base or one division, the plain frequency and one more rounding are those steps already.
#include <algorithm>
#include <numbers>

#include "core/scalings/rule.h"

namespace posenc::scalings {
namespace {

// base^(2i / dim): the base, the exponent and the power each rounded.
float rounded_power(double base, std::int64_t i, std::int64_t dim) {
  const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
  const double narrow_base = static_cast<double>(static_cast<float>(base));
  return static_cast<float>(exp(number(static_cast<double>(exponent)) * numbers::log(narrow_base)).high);
}

struct Float32 {
  const Ladder& ladder;
  const LadderScale& scale;
  std::int64_t i;

  float power() const { return rounded_power(scale.base, i, ladder.dim); }
  float plain() const { return 1.0f / power(); }

  template <class Kind>
  float operator()(const Kind&) const {
    if (scale.multipliers.empty()) return plain();
    const double multiplier = scale.multipliers[static_cast<std::size_t>(i)].high;
    return static_cast<float>(static_cast<double>(plain()) * multiplier);
  }

  float operator()(const Yarn& s) const {
    const auto factor = static_cast<float>(factor_or_ratio(s.factor, s.max_positions, s.original_positions));
    const YarnRange range = yarn_range(s, ladder);
    const float ramp =
        std::clamp((static_cast<float>(i) - static_cast<float>(range.low)) / static_cast<float>(range.high - range.low),
                   0.0f, 1.0f);
    const float kept = 1.0f - ramp;
    const float divided = 1.0f / (factor * power()) * (1.0f - kept);
    return divided + plain() * kept;
  }

  float operator()(const LongRope& s) const {
    return 1.0f / (static_cast<float>(list_of(s, ladder)[static_cast<std::size_t>(i)]) * power());
  }

  float operator()(const Llama3& s) const {
    const auto low = static_cast<float>(s.low_freq_factor), high = static_cast<float>(s.high_freq_factor);
    const auto trained = static_cast<double>(s.original_positions);
    const auto factor = static_cast<float>(s.factor);
    const float frequency = plain();
    const float wavelength = static_cast<float>(2.0 * std::numbers::pi) / frequency;
    if (wavelength < static_cast<float>(trained / s.high_freq_factor)) return frequency;
    if (wavelength > static_cast<float>(trained / s.low_freq_factor)) return frequency / factor;
    if (s.high_freq_factor == s.low_freq_factor) return frequency;
    const float smooth = (static_cast<float>(trained) / wavelength - low) / (high - low);
    const float divided = (1.0f - smooth) * frequency / factor;
    return divided + smooth * frequency;
  }
};

}  // namespace

double float32_frequency(const Scaling& scaling, const Ladder& ladder, const LadderScale& scale, std::int64_t i) {
  return static_cast<double>(std::visit(Float32{ladder, scale, i}, scaling));
}

}  // namespace posenc::scalings
