#include "posenc/insight/context_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/schedule.h"

namespace posenc {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 20;
constexpr double kLargestBase = 1e18;
constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kResolution = 1e-9;  // of a base, relative

void check_length(std::int64_t length, const char* name, const char* where) {
  if (length >= 1 && length <= kLongest) return;
  fail(ErrorKind::usage,
       "[" + std::string(where) + "] " + name + " must be from 1 to 1048576 but got " + std::to_string(length));
}

// sum_i cos(m theta_i) for m = before + 1, before + 2, ...: each step rotates every pair by its angle. The cosines are
// recomputed now and then, so that rounding errors do not add up.
class Sums {
 public:
  explicit Sums(std::span<const double> inv_freq, std::int64_t before = 0)
      : inv_freq_(inv_freq.begin(), inv_freq.end()), m_(before) {
    cos_.resize(inv_freq_.size());
    sin_.resize(inv_freq_.size());
    for (const double frequency : inv_freq_) {
      step_cos_.push_back(std::cos(frequency));
      step_sin_.push_back(std::sin(frequency));
    }
    set();
  }

  double next() {
    ++m_;
    if (m_ % 4096 == 0) return set();
    double sum = 0.0;
    for (std::size_t i = 0; i < inv_freq_.size(); ++i) {
      const double cos = cos_[i] * step_cos_[i] - sin_[i] * step_sin_[i];
      sin_[i] = sin_[i] * step_cos_[i] + cos_[i] * step_sin_[i];
      cos_[i] = cos;
      sum += cos;
    }
    return sum;
  }

 private:
  double set() {
    double sum = 0.0;
    for (std::size_t i = 0; i < inv_freq_.size(); ++i) {
      const double angle = static_cast<double>(m_) * inv_freq_[i];
      cos_[i] = std::cos(angle);
      sin_[i] = std::sin(angle);
      sum += cos_[i];
    }
    return sum;
  }

  std::vector<double> inv_freq_, cos_, sin_, step_cos_, step_sin_;
  std::int64_t m_;
};

struct PlainLadder {
  std::int64_t dim;
  std::int64_t pairs;

  std::vector<double> at(double log_base) const {
    std::vector<double> inv_freq;
    for (std::int64_t i = 0; i < pairs; ++i) inv_freq.push_back(std::exp(-share(i) * log_base));
    return inv_freq;
  }
  double share(std::int64_t i) const { return 2.0 * static_cast<double>(i) / static_cast<double>(dim); }
};

// How far the logarithm of the base can grow while the sum at m stays negative: to the root of a parabola above it. The
// derivative is sum_i share_i angle_i sin(angle_i). The second one is at most `bend`, which falls as the base grows.
// 0 if the sum is not negative.
double safe_step(const PlainLadder& ladder, std::span<const double> inv_freq, std::int64_t m) {
  double sum = 0.0, slope = 0.0, bend = 0.0;
  for (const double frequency : inv_freq) sum += std::cos(static_cast<double>(m) * frequency);
  if (sum >= 0.0) return 0.0;
  for (std::size_t i = 0; i < inv_freq.size(); ++i) {
    const double angle = static_cast<double>(m) * inv_freq[i];
    const double share = ladder.share(static_cast<std::int64_t>(i));
    slope += share * angle * std::sin(angle);
    bend += share * share * angle * (angle + 1.0);
  }
  if (bend == 0.0) return INFINITY;
  return std::max((std::sqrt(slope * slope - 2.0 * sum * bend) - slope) / bend, kResolution);
}

// Distances that ruled out a base: they usually rule out the next one too, so they are tried first.
class Culprits {
 public:
  void add(std::int64_t m) { distances_[count_++ % distances_.size()] = m; }
  std::int64_t last() const { return count_ == 0 ? 1 : distances_[(count_ - 1) % distances_.size()]; }
  // The first step above 0 that one of them gives; tries the latest first.
  double step(const PlainLadder& ladder, std::span<const double> inv_freq) const {
    for (std::size_t i = 1; i <= std::min(count_, distances_.size()); ++i) {
      const double step = safe_step(ladder, inv_freq, distances_[(count_ - i) % distances_.size()]);
      if (step > 0.0) return step;
    }
    return 0.0;
  }

 private:
  std::array<std::int64_t, 16> distances_{};
  std::size_t count_ = 0;
};

// The distance from `first` to before `end` whose negative sum rules out the most bases. The sum at m changes with the
// base in proportion to m, so this is the most negative sum per m.
std::optional<std::int64_t> strongest(std::span<const double> inv_freq, std::int64_t first, std::int64_t end) {
  Sums sums(inv_freq, first - 1);
  std::optional<std::int64_t> found;
  double lowest = 0.0;
  for (std::int64_t m = first; m < end; ++m) {
    const double sum = sums.next() / static_cast<double>(m);
    if (sum >= lowest) continue;
    found = m;
    lowest = sum;
  }
  return found;
}

// A distance below the target that rules out the base, if any does. The next one is usually near the last: those within
// a small reach of it come first.
std::optional<std::int64_t> culprit(std::span<const double> inv_freq, std::int64_t last, std::int64_t target) {
  for (std::int64_t reach = 64; reach < target; reach *= 4) {
    const std::int64_t first = std::max<std::int64_t>(1, last - reach), end = std::min(target, last + reach);
    if (const std::optional<std::int64_t> found = strongest(inv_freq, first, end)) return found;
  }
  return strongest(inv_freq, 1, target);
}

}  // namespace

std::optional<std::int64_t> first_negative_sum(std::span<const double> inv_freq, std::int64_t target) {
  check_length(target, "target", "first_negative_sum");
  for (const double frequency : inv_freq) {
    if (!std::isfinite(frequency)) fail(ErrorKind::usage, "[first_negative_sum] every inv_freq must be finite");
  }
  Sums sums(inv_freq);
  for (std::int64_t m = 1; m < target; ++m) {
    if (sums.next() < 0.0) return m;
  }
  return std::nullopt;
}

std::optional<double> smallest_base(std::int64_t dim, std::int64_t pairs, std::int64_t target,
                                    const std::function<void(double)>& progress) {
  check_length(target, "target", "smallest_base");
  if (dim < 1 || pairs < 1) fail(ErrorKind::usage, "[smallest_base] dim and pairs must be at least 1");
  const PlainLadder ladder{dim, pairs};
  double log_base = 0.0;
  Culprits culprits;
  while (log_base < std::log(kLargestBase)) {
    if (progress) progress(log_base / std::log(kLargestBase));
    const std::vector<double> inv_freq = ladder.at(log_base);
    double step = culprits.step(ladder, inv_freq);
    if (step == 0.0) {
      const std::optional<std::int64_t> other = culprit(inv_freq, culprits.last(), target);
      if (!other) return std::exp(log_base);
      culprits.add(*other);
      step = std::max(safe_step(ladder, inv_freq, *other), kResolution);
    }
    log_base += step;
  }
  return std::nullopt;
}

ContextPlan plan_context(const Rotary& spec, std::int64_t trained, std::int64_t target,
                         const std::function<void(double)>& progress) {
  check_length(trained, "trained", "plan_context");
  check_length(target, "target", "plan_context");
  Rotary plain = spec, scaled = spec;
  plain.scaling = trained_scaling(spec.scaling);
  if (!scaled.sequence_length) scaled.sequence_length = target;
  const RotarySchedule before = make_schedule(plain), after = make_schedule(scaled);
  if (before.axes != 1) {
    fail(ErrorKind::usage, "[plan_context] the spec must have one axis but has " + std::to_string(before.axes));
  }
  const TurnsWithin seen = turns_within(before.inv_freq, trained), wanted = turns_within(after.inv_freq, target);
  ContextPlan plan{.trained = trained, .target = target};
  for (std::int64_t i = 0; i < before.pairs(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const double had = seen.pairs[index].turns, needs = wanted.pairs[index].turns;
    plan.turns.push_back(had);
    plan.turns_at_target.push_back(needs);
    if (seen.pairs[index].complete) plan.complete.push_back(i);
    // An excess below one step does not count, because a scaling by the exact factor leaves that much.
    const double step = std::fabs(before.inv_freq[index]) / kTwoPi * (1.0 - 1e-9);
    if (!seen.pairs[index].complete && needs > 0.0 && needs > had + step) plan.new_angles.push_back(i);
  }
  plan.first_negative = first_negative_sum(after.inv_freq, target);
  Sums sums(after.inv_freq);
  double smallest = static_cast<double>(before.pairs());
  for (std::int64_t m = 1; m < target; ++m) smallest = std::min(smallest, sums.next());
  plan.smallest_sum = smallest / static_cast<double>(before.pairs());
  if (!spec.inv_freq.empty() || spec.frequency_scale != 1.0) return plan;
  plan.smallest_base = smallest_base(before.exponent_dim > 0 ? before.exponent_dim : before.rotary_dim, before.pairs(),
                                     target, progress);
  return plan;
}

}  // namespace posenc
