#include "insight/explanation/explain_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/spec/axis_map.h"
#include "core/spec/scaling_fields.h"
#include "insight/explanation/explain_text.h"
#include "insight/properties/formula.h"
#include "insight/properties/property.h"

namespace posenc::explanation {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

std::string six_digits(double value) { return text::general_text(value + 0.0, 6); }  // -0 is 0

using properties::Formula;

// The base of NTK scaling for a context that grows by a factor.
Formula ntk_base(const Formula& growth) {
  const Formula d = "d";
  return "base" * power(growth, d / (d - 2));
}
// The factor of YaRN on cosines and sines.
Formula magnitude_of(double mscale, double factor) {
  return 0.1 * Formula(mscale) * properties::call("ln", {factor}) + 1;
}

struct ScalingExplainer {
  const Rotary& spec;
  const RotarySchedule& schedule;
  const Ladder ladder;             // the first one, if each axis has its own
  std::vector<double> changed_to;  // the scaled frequencies, exact
  std::vector<double> plain;       // without the scaling
  Step& step;

  void say(const std::string& line) const { step.lines.push_back(line); }
  double scaled(std::size_t i) const { return changed_to[i]; }
  double share(std::size_t i) const { return scaled(i) / plain[i]; }
  std::string dim() const { return std::to_string(ladder.dim); }
  // How far a pair is scaled: 0 means kept, 1 means divided by the factor.
  double division(std::size_t i, double factor) const {
    return factor == 1.0 ? 0.0 : (1.0 - share(i)) / (1.0 - 1.0 / factor);
  }

  // The first pair, one between, and the last; the one between is a mixed pair, if there is one.
  std::vector<std::size_t> samples(double factor) const {
    std::size_t between = plain.size() / 2;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (division(i, factor) > 1e-9 && division(i, factor) < 1.0 - 1e-9) between = i;
    }
    std::vector<std::size_t> list = {0, between, plain.size() - 1};
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
  std::string changed(std::size_t i) const {
    return "pair " + std::to_string(i) + ": " + six_digits(plain[i]) + " becomes " + six_digits(scaled(i)) +
           ", times " + six_digits(share(i));
  }
  void say_samples(double factor) const {
    for (const std::size_t i : samples(factor)) say(changed(i));
  }
  // "pairs 0 to 28", "no pair".
  static std::string range(std::size_t from, std::size_t to) {
    if (from >= to) return "no pair";
    return to - from == 1 ? "pair " + std::to_string(from)
                          : "pairs " + std::to_string(from) + " to " + std::to_string(to - 1);
  }
  // The fast pairs come first: kept, then mixed, then divided.
  void say_bands(double factor) const {
    if (factor == 1.0) return say("a factor of 1 changes no frequency");
    std::size_t kept = 0, mixed = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      kept += division(i, factor) < 1e-12 ? 1 : 0;
      mixed += division(i, factor) < 1.0 - 1e-12 ? 1 : 0;
    }
    say("kept: " + range(0, kept) + "; mixed: " + range(kept, mixed) + "; divided: " + range(mixed, plain.size()) +
        ", by " + text::number_text(factor));
  }
  double base_at(double growth, double dim) const {
    return std::exp(std::log(spec.base) + std::log(growth) * dim / (dim - 2.0));  // no product overflows
  }

  void say_base(const char* name, double growth, double dim, const char* note) const {
    const Formula formula = ntk_base(name);
    say(plain_text(formula) + " = " + plain_text(with(formula, {{"base", spec.base}, {name, growth}, {"d", dim}})) +
        " = " + six_digits(base_at(growth, dim)) + note);
  }

  void operator()(const NoScaling&) const {}
  void operator()(const LinearScaling& s) const {
    say("every frequency is divided by " + text::number_text(s.factor) + ": position p gets the angles that p / " +
        text::number_text(s.factor) + " had in training");
    say_samples(s.factor);
  }
  void operator()(const Ntk& s) const {
    const auto d = static_cast<double>(ladder.dim);
    say_base("factor", s.factor, d, "");
    say("the fastest pair is kept, the slowest is divided by " + six_digits(1.0 / share(plain.size() - 1)));
    say_samples(s.factor);
  }
  void operator()(const NtkAlpha& s) const {
    const auto d = static_cast<double>(spec.head_dim);
    say_base("alpha", s.alpha, d, ", for any length");
    say_samples(s.alpha);
  }
  void operator()(const DynamicNtk& s) const {
    const auto d = static_cast<double>(ladder.dim);
    const Formula factor = "factor";
    say(plain_text(ntk_base(factor * "s" / "L" - (factor - 1))) + " with L = " + std::to_string(s.original_positions) +
        ", factor = " + text::number_text(s.factor) + ", d = " + dim() + "; the base stays unchanged up to s = L");
    std::vector<std::int64_t> lengths = {s.original_positions, 2 * s.original_positions, 4 * s.original_positions};
    if (std::find(lengths.begin(), lengths.end(), *spec.sequence_length) == lengths.end()) {
      lengths.push_back(*spec.sequence_length);
    }
    for (const std::int64_t length : lengths) {
      const double beyond = std::max(0.0, static_cast<double>(length - s.original_positions));
      const double growth = 1.0 + s.factor * beyond / static_cast<double>(s.original_positions);
      step.values.push_back(base_at(growth, d));
      say("s = " + std::to_string(length) + ": base " + six_digits(step.values.back()));
    }
    say_samples(s.factor);
    const bool beyond = *spec.sequence_length > s.original_positions;
    say("the frequencies here are for s = " + std::to_string(*spec.sequence_length) +
        (beyond ? "; rotate keys again that were cached at another length"
                : ", unchanged; past L, rotate keys again that were cached before"));
  }
  void operator()(const NtkByParts& s) const {
    say("turns of pair i within " + std::to_string(s.original_positions) +
        " positions: r = " + std::to_string(s.original_positions) + " w_i / 2 pi; kept if r is at least " +
        text::number_text(s.beta_fast) + ", divided if r is at most " + text::number_text(s.beta_slow));
    say_bands(s.factor);
    for (const std::size_t i : samples(s.factor)) {
      say(changed(i) + "; r = " + six_digits(static_cast<double>(s.original_positions) * plain[i] / kTwoPi));
    }
  }
  void operator()(const Yarn& s) const {
    const double factor = properties::factor_of(s);
    const YarnRange used = yarn_range(s, ladder);
    const auto pair_of = [&](double turns) {
      return static_cast<double>(ladder.dim) * std::log(static_cast<double>(s.original_positions) / (kTwoPi * turns)) /
             (2.0 * std::log(spec.base));
    };
    if (!s.factor) {
      say("factor = " + std::to_string(s.max_positions) + " / " + std::to_string(s.original_positions) + " = " +
          text::number_text(factor));
    }
    const auto steps = [&](double exact, double rounded, const char* direction, double limit) {
      std::string text = six_digits(exact);
      if (s.truncate) text += std::string(", rounded ") + direction + " " + six_digits(rounded);
      const double before = s.truncate ? rounded : exact;
      if (std::fabs(limit - before) > 1e-9 * std::fabs(before)) text += ", taken as " + six_digits(limit);
      return text;
    };
    const std::string formula = dim() + " ln(" + std::to_string(s.original_positions) + " / (2 pi r)) / (2 ln " +
                                text::number_text(spec.base) + ")";
    const double low = pair_of(s.beta_fast), high = pair_of(s.beta_slow);
    say("low, the pair with r = " + text::number_text(s.beta_fast) + " turns within the trained length: " + formula +
        " = " + steps(low, std::floor(low), "down", used.low));
    say("high, the pair with r = " + text::number_text(s.beta_slow) +
        " turns: " + steps(high, std::ceil(high), "up", used.high));
    if (used.low > used.high) say("low is above high: with this trained length and base no pair is mixed");
    say("ramp_i = (i - low) / (high - low), clipped to [0, 1]; w_i becomes (1 - ramp) w_i + ramp w_i / " +
        text::number_text(factor));
    say_bands(factor);
    for (const std::size_t i : samples(factor)) {
      const double ramp = std::clamp((static_cast<double>(i) - used.low) / (used.high - used.low), 0.0, 1.0);
      say(changed(i) + "; ramp " + six_digits(ramp));
    }
    say_factor(s, factor);
  }
  void say_factor(const Yarn& s, double factor) const {
    const bool pair = s.mscale != 0.0 && s.mscale_all_dim != 0.0;
    std::string line = "attention factor: ";
    if (spec.attention_factor) {
      line += "given, ";
    } else if (pair) {
      line += plain_text(magnitude_of(s.mscale, factor) / magnitude_of(s.mscale_all_dim, factor)) + " = ";
    } else if (factor <= 1.0) {
      line += "the context does not grow, ";
    } else {
      line += plain_text(magnitude_of(1.0, factor)) + " = ";
    }
    const double value = schedule.attention_factor;
    say(line + text::general_text(value, 8) +
        (schedule.attention_factor_in == FactorIn::table
             ? " on cos and sin, so " + text::general_text(value * value, 8) + " on a score"
             : ""));
    if (s.mscale_all_dim == 0.0) return;
    const double size = yarn_magnitude(factor, s.mscale_all_dim);
    say("latent attention (DeepSeek) multiplies its softmax scale by " +
        plain_text(power(magnitude_of(s.mscale_all_dim, factor), 2)) + " = " + text::general_text(size * size, 8) +
        " too: not in the numbers below");
  }
  std::string factor_reason(const LongRope& s) const {
    if (spec.attention_factor) return ", given";
    if (s.short_mscale) return ", chosen by the length";
    const double factor = properties::factor_of(s);
    if (factor <= 1.0) return ": the context does not grow";
    return " = sqrt(1 + ln(" + text::number_text(factor) + ") / ln(" + std::to_string(s.original_positions) +
           ")), the same for both lists";
  }
  void operator()(const LongRope& s) const {
    const bool by_length = s.list == LongRopeList::by_length;
    const bool far = by_length ? *spec.sequence_length > s.original_positions : s.list == LongRopeList::long_factor;
    say(std::string("the ") + (far ? "long" : "short") + " list" +
        (by_length ? ": a sequence of " + std::to_string(*spec.sequence_length) + " tokens is " + (far ? "" : "not ") +
                         "longer than " + std::to_string(s.original_positions)
                   : ", for any length"));
    const std::vector<double>& list = far ? s.long_factor : s.short_factor;
    for (const std::size_t i : samples(1.0)) say(changed(i) + ": divided by " + text::number_text(list[i]));
    say("attention factor " + text::general_text(schedule.attention_factor, 8) + factor_reason(s));
    if (by_length) say("rotate keys again that were cached before the switch");
  }
  void operator()(const Llama3& s) const {
    const auto trained = static_cast<double>(s.original_positions);
    say("wavelengths below " + six_digits(trained / s.high_freq_factor) + " are kept, above " +
        six_digits(trained / s.low_freq_factor) + " divided by " + text::number_text(s.factor));
    say_bands(s.factor);
    for (const std::size_t i : samples(s.factor)) {
      const double wavelength = kTwoPi / plain[i];
      const double smooth = (trained / wavelength - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
      const bool mixed = smooth > 0.0 && smooth < 1.0;
      say(changed(i) + "; wavelength " + six_digits(wavelength) + (mixed ? ", s = " + six_digits(smooth) : ""));
    }
  }
  void say_turning(double share, double factor) const {
    const auto turning = static_cast<std::size_t>(
        std::count_if(changed_to.begin(), changed_to.end(), [](double f) { return f != 0.0; }));
    if (turning == 0)
      return say("no pair is rotated: " + text::number_text(share) + " of " + std::to_string(plain.size()) +
                 " pairs is less than one");
    if (turning == plain.size()) {
      say("all pairs are rotated");
    } else {
      say(range(0, turning) + (turning == 1 ? " is" : " are") + " rotated (" + text::number_text(share) + " of " +
          std::to_string(plain.size()) + "), " + range(turning, plain.size()) +
          " not: they carry content over any distance");
    }
    if (factor != 1.0) say("the rotated ones are divided by " + text::number_text(factor));
  }
  void operator()(const Proportional& s) const { say_turning(s.share, s.factor); }
  void operator()(const PRope& s) const { say_turning(s.share, 1.0); }
  void operator()(const LearnedMultipliers& s) const {
    for (const std::size_t i : samples(1.0)) say(changed(i) + ": e^" + text::number_text(s.log_multipliers[i]));
  }
  void operator()(const Resonance&) const {
    for (const std::size_t i : samples(1.0)) {
      say("pair " + std::to_string(i) + ": one turn took " + six_digits(kTwoPi / plain[i]) + " positions, now " +
          six_digits(kTwoPi / scaled(i)));
    }
  }
};

}  // namespace

Step explain_scaling(const Rotary& spec, const RotarySchedule& schedule) {
  Step step{"scaling", "The scaling: " + std::string(kind_of(spec.scaling)), {}, {}};
  const std::vector<Ladder> ladders = spec::ladders_of(spec);
  const std::string count = std::to_string(ladders.front().pairs);
  if (spec.axis_frequencies == AxisFrequencies::dealt) {
    step.lines.push_back("the " + count +
                         " frequencies before they are distributed over the axes; pairs are numbered in that list");
  } else if (ladders.size() > 1) {
    step.lines.push_back("every axis has its own frequencies; these are the " + count + " of the first axis");
  } else if (schedule.axes > 1 && ladders.front().pairs != schedule.pairs()) {
    step.lines.push_back("every axis has the same " + count + " frequencies; pairs are numbered in that list");
  }
  std::visit(ScalingExplainer{spec, schedule, ladders.front(),
                              scale_ladder(spec::settled_scaling(spec), ladders.front()).inv_freq,
                              scale_ladder(NoScaling{}, ladders.front()).inv_freq, step},
             spec.scaling);
  return step;
}

}  // namespace posenc::explanation
