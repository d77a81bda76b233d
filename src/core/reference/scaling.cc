// Every scaling in plain double, as written in its paper or published code.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

struct Scaled {
  const Ladder& ladder;
  std::int64_t i;

  double plain(double base) const {
    return std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(ladder.dim));
  }
  double plain() const { return plain(ladder.base); }
  std::size_t index() const { return static_cast<std::size_t>(i); }
  // base * growth^(dim / (dim - 2))
  double stepped(double growth, std::int64_t dim) const {
    const auto d = static_cast<double>(dim);
    return plain(ladder.base * std::pow(growth, d / (d - 2.0)));
  }
  double divided_where_slow(double kept, double factor) const {
    const double share = std::clamp(kept, 0.0, 1.0);
    return (1.0 - share) * plain() / factor + share * plain();
  }

  double operator()(const NoScaling&) const { return plain(); }
  double operator()(const LinearScaling& s) const { return plain() / s.factor; }
  double operator()(const Ntk& s) const { return stepped(s.factor, ladder.dim); }
  double operator()(const DynamicNtk& s) const {
    const auto trained = static_cast<double>(s.original_positions);
    const double length = std::max(trained, static_cast<double>(ladder.sequence_length.value_or(0)));
    return stepped(s.factor * length / trained - (s.factor - 1.0), ladder.dim);
  }
  double operator()(const NtkAlpha& s) const { return stepped(s.alpha, ladder.head_dim); }
  double operator()(const NtkByParts& s) const {
    const double turns = static_cast<double>(s.original_positions) * plain() / kTwoPi;
    return divided_where_slow((turns - s.beta_slow) / (s.beta_fast - s.beta_slow), s.factor);
  }
  double operator()(const Yarn& s) const {
    const auto pair_of = [&](double turns) {
      return static_cast<double>(ladder.dim) * std::log(static_cast<double>(s.original_positions) / (turns * kTwoPi)) /
             (2.0 * std::log(ladder.base));
    };
    double low = pair_of(s.beta_fast), high = pair_of(s.beta_slow);
    if (s.truncate) low = std::floor(low), high = std::ceil(high);
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(ladder.dim - 1));
    if (low == high) high += 0.001;
    return divided_where_slow(1.0 - (static_cast<double>(i) - low) / (high - low), factor_of(s));
  }
  double operator()(const LongRope& s) const {
    const bool by_length = s.list == LongRopeList::by_length;
    const bool far = by_length ? is_long(s) : s.list == LongRopeList::long_factor;
    return plain() / (far ? s.long_factor : s.short_factor)[index()];
  }
  double operator()(const Llama3& s) const {
    const double wavelength = kTwoPi / plain(), trained = static_cast<double>(s.original_positions);
    if (wavelength < trained / s.high_freq_factor) return plain();
    if (wavelength > trained / s.low_freq_factor) return plain() / s.factor;
    return divided_where_slow((trained / wavelength - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor),
                              s.factor);
  }
  double operator()(const Proportional& s) const {
    return static_cast<double>(i + 1) <= s.share * static_cast<double>(ladder.head_dim) / 2.0 ? plain() / s.factor
                                                                                              : 0.0;
  }
  double operator()(const PRope& s) const {
    return static_cast<double>(i + 1) <= s.share * static_cast<double>(ladder.pairs) ? plain() : 0.0;
  }
  double operator()(const LearnedMultipliers& s) const { return plain() * std::exp(s.log_multipliers[index()]); }
  double operator()(const Resonance&) const { return kTwoPi / std::max(1.0, std::round(kTwoPi / plain())); }

  template <class Kind>
  static double factor_of(const Kind& s) {
    return s.factor ? *s.factor : static_cast<double>(s.max_positions) / static_cast<double>(s.original_positions);
  }
  bool is_long(const LongRope& s) const { return ladder.sequence_length.value_or(0) > s.original_positions; }
};

}  // namespace

double scaled_inv_freq(const Scaling& scaling, const Ladder& ladder, std::int64_t i) {
  return std::visit(Scaled{ladder, i}, scaling);
}

double scaling_factor(const Scaling& scaling, const Ladder& ladder) {
  if (const auto* s = std::get_if<Yarn>(&scaling)) {
    const double factor = Scaled::factor_of(*s);
    const auto size = [&](double mscale) { return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0; };
    return s->mscale != 0.0 && s->mscale_all_dim != 0.0 ? size(s->mscale) / size(s->mscale_all_dim) : size(1.0);
  }
  if (const auto* s = std::get_if<LongRope>(&scaling)) {
    if (s->short_mscale) return Scaled{ladder, 0}.is_long(*s) ? *s->long_mscale : *s->short_mscale;
    const double factor = Scaled::factor_of(*s);
    if (factor <= 1.0) return 1.0;
    return std::sqrt(1.0 + std::log(factor) / std::log(static_cast<double>(s->original_positions)));
  }
  return 1.0;
}

}  // namespace posenc::reference
