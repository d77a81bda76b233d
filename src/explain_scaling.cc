#include "detail/explain_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "detail/explain_text.h"

namespace posenc::detail {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

std::string short_text(double value) { return general_text(value, 6); }

// One number per pair: with several axes each pair turns with one of them.
std::vector<double> by_pair(const RotarySchedule& schedule) {
  const auto pairs = static_cast<std::size_t>(schedule.pairs());
  std::vector<double> result(pairs, 0.0);
  for (std::size_t i = 0; i < schedule.inv_freq.size(); ++i) result[i % pairs] += schedule.inv_freq[i];
  return result;
}

struct Explainer {
  const Rotary& spec;
  const RotarySchedule& schedule;
  std::vector<double> changed_to;  // per pair
  std::vector<double> plain;       // without the scaling
  Step& step;

  Ladder ladder() const {
    return {spec.base, schedule.exponent_dim, static_cast<std::int64_t>(plain.size()), spec.head_dim,
            spec.sequence_length};
  }
  void say(const std::string& line) const { step.lines.push_back(line); }
  double scaled(std::size_t i) const { return changed_to[i]; }
  double share(std::size_t i) const { return scaled(i) / plain[i]; }
  std::string dim() const { return std::to_string(schedule.exponent_dim); }

  // The first pair, one between, and the last: a pair that is mixed, where there is one.
  std::vector<std::size_t> samples(double factor) const {
    std::size_t between = plain.size() / 2;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (share(i) < 1.0 - 1e-9 && share(i) > (1.0 + 1e-9) / factor) between = i;
    }
    std::vector<std::size_t> list = {0, between, plain.size() - 1};
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
  std::string changed(std::size_t i) const {
    return "pair " + std::to_string(i) + ": " + short_text(plain[i]) + " becomes " + short_text(scaled(i)) + ", " +
           short_text(share(i)) + " of it";
  }
  void say_samples(double factor) const {
    for (const std::size_t i : samples(factor)) say(changed(i));
  }
  // "pairs 0 .. 28", "no pair".
  static std::string range(std::size_t from, std::size_t to) {
    if (from >= to) return "no pair";
    return to - from == 1 ? "pair " + std::to_string(from)
                          : "pairs " + std::to_string(from) + " .. " + std::to_string(to - 1);
  }
  // How many pairs are kept, and how many are not divided fully.
  void say_bands(double factor) const {
    const auto count = [&](double limit) {
      return static_cast<std::size_t>(std::count_if(plain.begin(), plain.end(), [&](const double& f) {
        return share(static_cast<std::size_t>(&f - plain.data())) > limit;
      }));
    };
    const std::size_t kept = count(1.0 - 1e-12), mixed = count((1.0 + 1e-12) / factor);
    say(range(0, kept) + " kept, " + range(kept, mixed) + " mixed, " + range(mixed, plain.size()) + " divided by " +
        number_text(factor));
  }
  double base_at(double growth, double dim) const { return spec.base * std::pow(growth, dim / (dim - 2.0)); }

  void operator()(const NoScaling&) const {}
  void operator()(const LinearScaling& s) const {
    say("every frequency is divided by " + number_text(s.factor) + ": position p turns as p / " +
        number_text(s.factor) + " did in training");
    say_samples(s.factor);
  }
  void operator()(const Ntk& s) const {
    const auto d = static_cast<double>(schedule.exponent_dim);
    say("base * factor^(d / (d - 2)) = " + number_text(spec.base) + " * " + number_text(s.factor) + "^(" + dim() + "/" +
        short_text(d - 2.0) + ") = " + short_text(base_at(s.factor, d)));
    say("the fastest pair is kept, the slowest divided by " + number_text(s.factor));
    say_samples(s.factor);
  }
  void operator()(const NtkAlpha& s) const {
    const auto d = static_cast<double>(spec.head_dim);
    say("base * alpha^(d / (d - 2)) = " + number_text(spec.base) + " * " + number_text(s.alpha) + "^(" + short_text(d) +
        "/" + short_text(d - 2.0) + ") = " + short_text(base_at(s.alpha, d)) + ", whatever the length");
    say_samples(s.alpha);
  }
  void operator()(const DynamicNtk& s) const {
    const auto d = static_cast<double>(schedule.exponent_dim);
    say("base * (factor * s / L - (factor - 1))^(d / (d - 2)) with L = " + std::to_string(s.original_positions) +
        ", factor = " + number_text(s.factor) + ", d = " + dim());
    std::vector<std::int64_t> lengths = {s.original_positions, 2 * s.original_positions, 4 * s.original_positions};
    if (std::find(lengths.begin(), lengths.end(), *spec.sequence_length) == lengths.end()) {
      lengths.push_back(*spec.sequence_length);
    }
    for (const std::int64_t length : lengths) {
      const double beyond = std::max(0.0, static_cast<double>(length - s.original_positions));
      const double growth = 1.0 + s.factor * beyond / static_cast<double>(s.original_positions);
      step.values.push_back(base_at(growth, d));
      say("s = " + std::to_string(length) + ": base " + short_text(step.values.back()));
    }
    say("built here for s = " + std::to_string(*spec.sequence_length) +
        "; keys that were cached at another length must be turned anew (rerotate)");
  }
  void operator()(const NtkByParts& s) const {
    say("turns within " + std::to_string(s.original_positions) +
        " positions: r = " + std::to_string(s.original_positions) +
        " w_i / 2 pi; kept from r = " + number_text(s.beta_fast) + ", divided up to r = " + number_text(s.beta_slow));
    say_bands(s.factor);
    for (const std::size_t i : samples(s.factor)) {
      say(changed(i) + "; r = " + short_text(static_cast<double>(s.original_positions) * plain[i] / kTwoPi));
    }
  }
  void operator()(const Yarn& s) const {
    const double factor =
        s.factor.value_or(static_cast<double>(s.max_positions) / static_cast<double>(s.original_positions));
    Yarn whole = s;
    whole.truncate = false;
    const YarnRange exact = yarn_range(whole, ladder()), used = yarn_range(s, ladder());
    if (!s.factor) {
      say("factor = " + std::to_string(s.max_positions) + " / " + std::to_string(s.original_positions) + " = " +
          number_text(factor));
    }
    const std::string formula =
        dim() + " ln(" + std::to_string(s.original_positions) + " / (2 pi r)) / (2 ln " + number_text(spec.base) + ")";
    say("low, the pair that turns r = " + number_text(s.beta_fast) + " times within the trained length: " + formula +
        " = " + short_text(exact.low) + (s.truncate ? ", rounded down " + short_text(used.low) : ""));
    say("high, the pair that turns r = " + number_text(s.beta_slow) + " times: " + short_text(exact.high) +
        (s.truncate ? ", rounded up " + short_text(used.high) : ""));
    say("ramp_i = (i - low) / (high - low), clipped to 0 .. 1; w_i becomes (1 - ramp) w_i + ramp w_i / " +
        number_text(factor));
    say_bands(factor);
    for (const std::size_t i : samples(factor)) {
      const double ramp = std::clamp((static_cast<double>(i) - used.low) / (used.high - used.low), 0.0, 1.0);
      say(changed(i) + "; ramp " + short_text(ramp));
    }
    say_factor(s, factor);
  }
  void say_factor(const Yarn& s, double factor) const {
    const bool pair = s.mscale != 0.0 && s.mscale_all_dim != 0.0;
    std::string line = "attention factor: ";
    if (spec.attention_factor) {
      line += "given, ";
    } else if (pair) {
      line += "(0.1 * " + number_text(s.mscale) + " ln " + number_text(factor) + " + 1) / (0.1 * " +
              number_text(s.mscale_all_dim) + " ln " + number_text(factor) + " + 1) = ";
    } else {
      line += "0.1 ln " + number_text(factor) + " + 1 = ";
    }
    const double value = schedule.attention_factor;
    say(line + general_text(value, 8) +
        (schedule.attention_factor_in == FactorIn::table
             ? " on cos and sin, " + general_text(value * value, 8) + " in a score"
             : ""));
    if (s.mscale_all_dim == 0.0) return;
    const double size = yarn_magnitude(factor, s.mscale_all_dim);
    say("latent attention (DeepSeek) multiplies its softmax scale by (0.1 * " + number_text(s.mscale_all_dim) + " ln " +
        number_text(factor) + " + 1)^2 = " + general_text(size * size, 8) + " besides: not here");
  }
  void operator()(const LongRope& s) const {
    const bool by_length = s.list == LongRopeList::by_length;
    const bool far = by_length ? *spec.sequence_length > s.original_positions : s.list == LongRopeList::long_factor;
    say(std::string("the ") + (far ? "long" : "short") + " list" +
        (by_length ? ": " + std::to_string(*spec.sequence_length) + " tokens are " + (far ? "" : "not ") +
                         "more than " + std::to_string(s.original_positions)
                   : ", whatever the length"));
    const std::vector<double>& list = far ? s.long_factor : s.short_factor;
    for (const std::size_t i : samples(1.0)) say(changed(i) + ": divided by " + number_text(list[i]));
    say("attention factor " + general_text(schedule.attention_factor, 8) +
        (spec.attention_factor ? ", given"
         : s.short_mscale
             ? ", by the length"
             : " = sqrt(1 + ln(factor) / ln(" + std::to_string(s.original_positions) + ")), the same for both lists"));
    if (by_length) say("keys that were cached before the switch must be turned anew (rerotate)");
  }
  void operator()(const Llama3& s) const {
    const auto trained = static_cast<double>(s.original_positions);
    say("wavelengths below " + short_text(trained / s.high_freq_factor) + " are kept, above " +
        short_text(trained / s.low_freq_factor) + " divided by " + number_text(s.factor));
    say_bands(s.factor);
    for (const std::size_t i : samples(s.factor)) {
      const double wavelength = kTwoPi / plain[i];
      const double smooth = (trained / wavelength - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
      const bool mixed = smooth > 0.0 && smooth < 1.0;
      say(changed(i) + "; wavelength " + short_text(wavelength) + (mixed ? ", s = " + short_text(smooth) : ""));
    }
  }
  void say_turning(double share, double factor) const {
    const auto turning = static_cast<std::size_t>(
        std::count_if(changed_to.begin(), changed_to.end(), [](double f) { return f != 0.0; }));
    say(range(0, turning) + " turn (" + number_text(share) + " of " + std::to_string(plain.size()) + "), " +
        range(turning, plain.size()) + " never: they carry content at any distance");
    if (factor != 1.0) say("those that turn are divided by " + number_text(factor));
  }
  void operator()(const Proportional& s) const { say_turning(s.share, s.factor); }
  void operator()(const PRope& s) const { say_turning(s.share, 1.0); }
  void operator()(const LearnedMultipliers& s) const {
    for (const std::size_t i : samples(1.0)) say(changed(i) + ": e^" + number_text(s.log_multipliers[i]));
  }
  void operator()(const Resonance&) const {
    for (const std::size_t i : samples(1.0)) {
      say("pair " + std::to_string(i) + ": a turn took " + short_text(kTwoPi / plain[i]) + " positions, now " +
          short_text(kTwoPi / scaled(i)));
    }
  }
};

}  // namespace

Step explain_scaling(const Rotary& spec, const RotarySchedule& schedule) {
  Step step{"scaling", "The scaling: " + std::string(kind_of(spec.scaling)), {}, {}};
  Rotary plain = spec;
  plain.scaling = NoScaling{};
  if (schedule.exponent_dim == 0) {
    step.lines.emplace_back("every axis has a ladder of its own: each is scaled as it would be alone");
    return step;
  }
  std::visit(Explainer{spec, schedule, by_pair(schedule), by_pair(make_schedule(plain)), step}, spec.scaling);
  return step;
}

}  // namespace posenc::detail
