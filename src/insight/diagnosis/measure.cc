#include "insight/diagnosis/measure.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/text/number_text.h"

namespace posenc::diagnosis {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// std::remainder to the precision of the angle, in a fraction of its time: most of a diagnosis is spent here.
double wrapped(double angle) {
  constexpr double kWhole = 0x1.8p52;  // adding and subtracting it rounds to the nearest integer
  return angle - kTurn * (angle * (1.0 / kTurn) + kWhole - kWhole);
}

// Tokens sorted by position, each position once.
std::vector<std::size_t> by_position(const Measured& measured, const Ids& ids) {
  std::vector<std::size_t> order(measured.tokens.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t t) { return ids.at(measured.tokens[t], 0); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  order.erase(
      std::unique(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) == place(b); }),
      order.end());
  return order;
}

struct Step {
  std::size_t from, to;
  double gap;
};

// Pairs of tokens with growing gaps, the smallest first.
std::vector<Step> growing_steps(const std::vector<std::size_t>& order,
                                const std::function<double(std::size_t)>& place) {
  std::vector<Step> steps;
  const std::size_t count = order.size();
  Step least{0, 0, std::numeric_limits<double>::infinity()};
  for (std::size_t k = 1; k < count; ++k) {
    const double gap = place(order[k]) - place(order[k - 1]);
    if (gap < least.gap) least = {order[k - 1], order[k], gap};
  }
  if (count < 2) return steps;
  steps.push_back(least);
  // Then the largest gap that is at most three times the last, or else the next larger gap.
  while (true) {
    const double last = steps.back().gap;
    Step best{0, 0, 0.0}, next{0, 0, std::numeric_limits<double>::infinity()};
    for (std::size_t a = 0; a < count; a += 1 + count / 64) {
      for (std::size_t b = a + 1; b < count; ++b) {
        const double gap = place(order[b]) - place(order[a]);
        if (gap <= last) continue;
        if (gap <= 3.0 * last && gap > best.gap) best = {order[a], order[b], gap};
        if (gap < next.gap) next = {order[a], order[b], gap};
      }
    }
    if (best.gap > last) {
      steps.push_back(best);
    } else if (std::isfinite(next.gap)) {
      steps.push_back(next);
    } else {
      return steps;
    }
  }
}

}  // namespace

std::vector<Frequency> measured_frequencies(const Measured& measured, const Ids& ids) {
  std::vector<Frequency> result(static_cast<std::size_t>(measured.columns),
                                {0.0, std::numeric_limits<double>::infinity()});
  // At most a few hundred tokens: the first ones, and some of the others.
  std::vector<std::size_t> order = by_position(measured, ids);
  if (order.size() > 512) {
    std::vector<std::size_t> some(order.begin(), order.begin() + 256);
    for (std::size_t k = 0; k < 256; ++k) some.push_back(order[256 + k * (order.size() - 257) / 255]);
    order = std::move(some);
  }
  const std::size_t origin = measured.tokens.size();  // position 0, where nothing is rotated
  const auto place = [&](std::size_t t) { return t == origin ? 0.0 : ids.at(measured.tokens[t], 0); };
  const auto angle = [&](std::size_t t, std::int64_t c) { return t == origin ? 0.0 : measured.at(t, c); };
  std::vector<Step> steps = growing_steps(order, place);
  // With few and distant tokens, the number of whole turns is known only relative to position 0.
  const double least = steps.empty() ? std::numeric_limits<double>::infinity() : steps.front().gap;
  const auto nearest = std::min_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double x = std::abs(place(a)), y = std::abs(place(b));
    return (x == 0.0 ? INFINITY : x) < (y == 0.0 ? INFINITY : y);
  });
  if (nearest != order.end() && place(*nearest) != 0.0 && std::abs(place(*nearest)) < least) {
    order.insert(order.begin(), origin);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    steps = growing_steps(order, place);
  }
  const double noise = std::max(measured.noise, 1e-9) * 1.5;
  for (std::int64_t c = 0; c < measured.columns; ++c) {
    Frequency& f = result[static_cast<std::size_t>(c)];
    for (const Step& step : steps) {
      const double difference = angle(step.to, c) - angle(step.from, c);
      if (!std::isfinite(difference)) continue;
      if (!std::isfinite(f.error)) {
        f = {wrapped(difference) / step.gap, noise / step.gap, kTurn / step.gap};
        continue;
      }
      if (f.error * step.gap > 1.0) break;  // the number of turns is ambiguous
      f.value += wrapped(difference - f.value * step.gap) / step.gap;
      f.error = noise / step.gap;
    }
  }
  return result;
}

std::optional<std::int64_t> common_shift(const Measured& measured, const std::vector<double>& expected,
                                         const std::vector<double>& inv_freq, std::int64_t far, KnownBins& known) {
  const auto columns = static_cast<std::size_t>(measured.columns);
  Measured shift;
  shift.tokens = {0};
  shift.columns = measured.columns;
  for (std::size_t c = 0; c < columns; ++c) {
    double cos = 0.0, sin = 0.0;
    for (std::size_t t = 0; t < measured.tokens.size(); ++t) {
      const double off = measured.angle[t * columns + c] - expected[t * columns + c];
      if (!std::isfinite(off)) continue;
      cos += std::cos(off);
      sin += std::sin(off);
    }
    shift.angle.push_back(std::atan2(sin, cos));
  }
  return decoded_positions(shift, inv_freq, {.first = -far, .end = far + 1, .tolerance = 4.0 * measured.noise + 0.02},
                           known)[0];
}

std::optional<double> common_magnitude(const Measured& measured, double tolerance) {
  std::vector<double> all;
  for (const double m : measured.magnitude) {
    if (std::isfinite(m)) all.push_back(m);
  }
  if (all.empty()) return std::nullopt;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  const double median = *middle;
  const auto near = std::count_if(all.begin(), all.end(),
                                  [&](double m) { return std::abs(m - median) <= tolerance * std::abs(median); });
  if (near * 10 < static_cast<std::ptrdiff_t>(all.size()) * 9) return std::nullopt;
  return median;
}

std::int64_t AngleBins::bin_of(double angle) {
  const double bin = (wrapped(angle) + std::numbers::pi) * (kCount / kTurn);
  // Huge and NaN angles have no bin.
  return bin >= 0.0 ? static_cast<std::int64_t>(std::min(bin, kCount - 1.0)) : 0;
}

AngleBins::AngleBins(double frequency, std::int64_t first, std::int64_t end)
    : frequency_(frequency), first_(first), end_(end), starts_(kCount + 1, 0) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(end - first, 0));
  std::vector<std::uint16_t> bins(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto position = static_cast<double>(first + static_cast<std::int64_t>(i));
    bins[i] = static_cast<std::uint16_t>(bin_of(frequency * position));
    ++starts_[bins[i] + std::size_t{1}];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<std::size_t> next = starts_;
  offsets_.resize(count);
  for (std::size_t i = 0; i < count; ++i) offsets_[next[bins[i]]++] = static_cast<std::uint32_t>(i);
}

const AngleBins& KnownBins::of(double frequency, std::int64_t first, std::int64_t end) {
  constexpr std::size_t kKept = 8;
  for (const AngleBins& bins : bins_) {
    if (bins.is(frequency, first, end)) return bins;
  }
  if (bins_.size() == kKept) bins_.pop_front();
  return bins_.emplace_back(frequency, first, end);
}

std::vector<std::optional<std::int64_t>> decoded_positions(const Measured& measured,
                                                           const std::vector<double>& inv_freq,
                                                           const DecodeOptions& options, KnownBins& known) {
  std::vector<std::optional<std::int64_t>> result(measured.tokens.size());
  // The fastest column first: it excludes most positions.
  std::vector<std::int64_t> columns(static_cast<std::size_t>(measured.columns));
  std::iota(columns.begin(), columns.end(), std::int64_t{0});
  std::stable_sort(columns.begin(), columns.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(inv_freq[static_cast<std::size_t>(a)]) > std::abs(inv_freq[static_cast<std::size_t>(b)]);
  });
  constexpr std::int64_t kBins = AngleBins::kCount;
  const AngleBins& bins = known.of(inv_freq[static_cast<std::size_t>(columns.front())], options.first, options.end);
  const auto reach = static_cast<std::int64_t>(4.0 * options.tolerance / kTurn * kBins) + 1;
  for (std::size_t t = 0; t < measured.tokens.size(); ++t) {
    if (!std::isfinite(measured.at(t, columns.front()))) continue;
    const std::int64_t center = AngleBins::bin_of(measured.at(t, columns.front()));
    double least = options.tolerance;
    for (std::int64_t b = center - std::min(reach, kBins / 2); b <= center + std::min(reach, kBins / 2 - 1); ++b) {
      bins.each((b + kBins) % kBins, [&](std::int64_t p) {
        double sum = 0.0;
        const double limit = least * least * static_cast<double>(columns.size());
        for (const std::int64_t c : columns) {
          const double seen = measured.at(t, c);
          if (!std::isfinite(seen)) continue;
          const double off = wrapped(inv_freq[static_cast<std::size_t>(c)] * static_cast<double>(p) - seen);
          sum += off * off;
          if (sum > limit) break;
        }
        const double rms = std::sqrt(sum / static_cast<double>(columns.size()));
        if (rms >= least) return;
        least = rms;
        result[t] = p;
      });
    }
  }
  return result;
}

std::optional<double> smallest(const std::function<double(double)>& cost, const Range& range) {
  constexpr int kSteps = 32;
  const double from = std::log(range.low), to = std::log(range.high), step = (to - from) / kSteps;
  double best = range.low, least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kSteps; ++k) {
    const double x = std::exp(from + step * k);
    if (const double c = cost(x); c < least) {
      least = c;
      best = x;
    }
  }
  double around = step / 2.0;
  for (int k = 0; k < 60 && around > 1e-10; ++k) {
    if (k == 8 && least > range.promising) return std::nullopt;
    bool better = false;
    for (const double near : {std::exp(std::log(best) - around), std::exp(std::log(best) + around)}) {
      const double x = std::clamp(near, range.low, range.high);
      if (const double c = cost(x); c < least) {
        least = c;
        best = x;
        better = true;
        break;
      }
    }
    if (!better) around /= 2.0;
  }
  return best;
}

double plain_number(double value, double tolerance) {
  for (int digits = 1; digits <= 6; ++digits) {
    const std::optional<double> plain = text::parse_number(text::general_text(value, digits));
    if (plain && std::abs(*plain - value) <= tolerance * std::abs(value)) return *plain;
  }
  return value;
}

}  // namespace posenc::diagnosis
