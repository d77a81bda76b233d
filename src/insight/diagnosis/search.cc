#include "insight/diagnosis/search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/number_text.h"

namespace posenc::diagnosis {
namespace {

constexpr std::int64_t kQuickTokens = 14;
constexpr std::int64_t kMiddleTokens = 120;
constexpr std::size_t kTriedWhole = 24;
constexpr double kNoise = 1.0 / 128.0;  // the limit of evenly spread differences

double three_digits(double x) { return text::parse_number(text::general_text(x, 3)).value_or(x); }

std::string names_of(const Engine& engine) {
  std::string names;
  for (const Blame& blame : engine.blames) names += std::string(blame.fault->name) + " ";
  return names;
}

// The names in a fixed order, so that a pair does not depend on which mistake came first.
std::string set_of(const Engine& engine) {
  std::set<std::string_view> names;
  for (const Blame& blame : engine.blames) names.insert(blame.fault->name);
  std::string text;
  for (const std::string_view name : names) text += std::string(name) + " ";
  return text;
}

std::size_t rank_of(const Engine& engine) {
  std::size_t rank = 0;
  for (const Blame& blame : engine.blames) {
    const auto& all = all_faults();
    rank += static_cast<std::size_t>(std::find(all.begin(), all.end(), blame.fault) - all.begin());
  }
  // Two mistakes about the same thing are less likely than two about different ones.
  const bool same = engine.blames.size() == 2 && engine.blames[0].fault->about == engine.blames[1].fault->about;
  return rank + (same ? 1000 : 0);
}

// The number of digits of the values of its faults: among equal fits, 10000 is preferred to 9999 or 9998.66.
int digits_of(const Engine& engine) {
  int digits = 0;
  for (const Blame& blame : engine.blames) {
    for (int d = 1; blame.value && d <= 17; ++d, ++digits) {
      if (text::parse_number(text::general_text(*blame.value, d)) == *blame.value) break;
    }
  }
  return digits;
}

// Puts the smallest residual first, and among similar ones the likelier candidate.
void order_by_residual(std::vector<Candidate>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Candidate& a, const Candidate& b) { return a.residual < b.residual; });
  for (auto first = list.begin(); first != list.end();) {
    const auto end =
        std::find_if(first, list.end(), [&](const Candidate& c) { return c.residual > 1.4 * first->residual; });
    std::stable_sort(first, end, [](const Candidate& a, const Candidate& b) {
      const std::size_t rank_a = rank_of(a.engine), rank_b = rank_of(b.engine);
      return rank_a != rank_b ? rank_a < rank_b : digits_of(a.engine) < digits_of(b.engine);
    });
    first = end;
  }
}

// The engine with float32 angles. Its frequencies are the exact ones, rounded, or those of a float32 power as in
// PyTorch.
Engine with_float32_angles(const Engine& engine, Precision frequencies) {
  Engine changed = engine;
  if (auto* rotary = std::get_if<Rotary>(&changed.spec)) rotary->precision = frequencies;
  changed.turn.frequencies = Rounding::f32;
  changed.turn.angle = Rounding::f32;
  changed.plan = nullptr;
  return changed;
}

// Whether pairs of mistakes that begin with this one are tried. Other mistakes are tried second, because they can be
// recognised after any first mistake.
bool begins(const Fault& fault) {
  if (fault.about == "precision") return false;
  if (fault.about != "positions") return true;
  return fault.name == "counted_from_one" || fault.name == "packing_not_reset" || fault.name == "padding_counted";
}

// Whether a change makes no difference to these numbers.
bool same(const Fit& a, const Fit& b) {
  return std::abs(a.rms - b.rms) <= 1e-12 * b.rms && std::abs(a.largest - b.largest) <= 1e-12 * b.largest;
}

bool has_angles(const Engine& engine) {
  return std::holds_alternative<Rotary>(engine.spec) || std::holds_alternative<Sinusoidal>(engine.spec);
}

bool coarser_than_float32(const TurnQuirks& turn) {
  return turn.angle != Rounding::none || turn.ids != Rounding::none || turn.frequencies != Rounding::none;
}

}  // namespace

Searcher::Searcher(const Evidence& evidence, const DiagnoseOptions& options)
    : evidence_(&evidence),
      quick_(evidence.sample(kQuickTokens)),
      middle_(evidence.sample(kMiddleTokens)),
      options_(&options) {}

bool Searcher::explains(const Fit& fit) const {
  return fit.exact() || fit.within_f32() || (fit.even && fit.rms < kNoise);
}

Candidate Searcher::tried_on(const Engine& engine, const Evidence& evidence) const {
  Candidate candidate{engine, evidence.fit(engine)};
  // Most engines compute angles in float32, so that alone does not count as a second fault.
  if (!candidate.fit.exact() && has_angles(engine) && !coarser_than_float32(engine.turn) && engine.turn.turns > 0) {
    for (const Precision frequencies : {Precision::reference, Precision::exact}) {
      const Engine rounded_angles = with_float32_angles(engine, frequencies);
      const Fit other = evidence.fit(rounded_angles);
      if (other.rms > 0.5 * candidate.fit.rms) continue;
      candidate.engine = rounded_angles;
      candidate.fit = other;
      candidate.float32 = true;
    }
    candidate.float32 = candidate.float32 || candidate.fit.within_f32();
  }
  // The number of a mistake is known to a few digits only, so a few differences may be slightly too large.
  const bool nearly =
      !engine.blames.empty() && candidate.fit.rms <= 2.0 * evidence.floor() && candidate.fit.worst <= 4.0;
  candidate.explains = explains(candidate.fit) || nearly;
  candidate.residual = three_digits(std::max(candidate.fit.rms, evidence_->floor()));
  return candidate;
}

std::vector<Candidate> Searcher::settled(std::vector<std::pair<double, Engine>> near, std::size_t keep) const {
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // Take the best variation of each fault, then the next best of each, so that a fault with many variations does not
  // crowd out the others.
  std::vector<Candidate> result;
  std::set<std::string> names;
  for (const std::pair<double, Engine>& next : near) {
    const double rms = next.first;
    const Engine& engine = next.second;
    if (result.size() >= keep) break;
    if (!std::isfinite(rms) || (!result.empty() && rms > 50.0 * near.front().first + 0.3)) break;
    const auto times = std::count_if(result.begin(), result.end(),
                                     [&](const Candidate& c) { return names_of(c.engine) == names_of(engine); });
    if (times >= 4) continue;
    Candidate candidate = tried_on(engine, *middle_);
    if (candidate.explains && middle_->rows() * middle_->width() < evidence_->rows() * evidence_->width())
      candidate = tried(engine);
    result.push_back(std::move(candidate));
  }
  order_by_residual(result);
  std::vector<Candidate> distinct;
  for (Candidate& candidate : result) {
    if (names.insert(set_of(candidate.engine)).second) distinct.push_back(std::move(candidate));
  }
  return distinct;
}

std::vector<Candidate> Searcher::singles(const Engine& right) const {
  const Clues clues(evidence_, quick_.get(), *options_, bins_);
  std::vector<std::pair<double, Engine>> near;
  // Positions may be wrong at a few tokens only, so compare all tokens, but only some heads if there are many.
  const std::unique_ptr<Evidence> wide = evidence_->sample(evidence_->rows());
  const Fit before = quick_->fit(right), before_wide = wide->fit(right);
  for (const Fault* fault : all_faults()) {
    const bool anywhere = fault->about == "positions";
    for (Engine& engine : variations_of(*fault, right, clues)) {
      const Fit fit = (anywhere ? *wide : *quick_).fit(engine);
      if (!same(fit, anywhere ? before_wide : before)) near.emplace_back(fit.rms, std::move(engine));
    }
  }
  return settled(std::move(near), kTriedWhole);
}

std::vector<Candidate> Searcher::pairs(const Engine& right) const {
  std::vector<std::pair<double, Engine>> near;
  const Fit alone = quick_->fit(right);
  double best = alone.rms;
  const Clues first_clues(evidence_, quick_.get(), *options_, bins_);
  for (const Fault* first : all_faults()) {
    if (!begins(*first)) continue;
    int taken = 0;
    for (const Engine& one : variations_of(*first, right, first_clues)) {
      if (++taken > (first->about == "frequencies" ? 4 : 8)) break;
      const Clues clues(evidence_, quick_.get(), *options_, bins_);
      const Fit before = quick_->fit(one);
      if (same(before, alone)) continue;
      for (const Fault* second : all_faults()) {
        if (second == first || second->name == "angle_float32") continue;  // `tried` adds that to every candidate
        for (Engine& both : variations_of(*second, one, clues)) {
          const Fit fit = quick_->fit(both, 3.0 * best + 1e-9);
          if (!std::isfinite(fit.rms) || same(fit, before) || same(fit, alone)) continue;
          best = std::min(best, fit.rms);
          near.emplace_back(fit.rms, std::move(both));
        }
      }
    }
  }
  return settled(std::move(near), kTriedWhole);
}

std::vector<Engine> Searcher::hidden(const Engine& engine) const {
  std::vector<Engine> result;
  const Fit base = quick_->fit(engine);
  const double limit = std::max(1.3 * base.rms, evidence_->floor());
  const Clues usual(*options_, std::nullopt);
  for (const Fault* fault : all_faults()) {
    for (Engine& other : variations_of(*fault, engine, usual)) {
      const Fit fit = quick_->fit(other, 2.0 * limit + 1e-9);
      if (fit.rms > limit || !fit.exact()) continue;
      const Fit more = middle_->fit(other);
      if (more.rms > std::max(1.3 * middle_->fit(engine).rms, evidence_->floor()) || !more.exact()) continue;
      result.push_back(std::move(other));
      break;
    }
  }
  return result;
}

std::optional<std::int64_t> first_difference(const Engine& a, const Engine& b, const Evidence& evidence) {
  if (!std::holds_alternative<Rotary>(a.spec) || !std::holds_alternative<Rotary>(b.spec)) return std::nullopt;
  const HeadPlan& one = plan_of(a, evidence.head_dim());
  const HeadPlan& other = plan_of(b, evidence.head_dim());
  if (one.columns != other.columns) return 1;
  const double tolerance = 4.0 * evidence.tolerance().rounding;
  std::vector<double> cos_a(static_cast<std::size_t>(one.columns)), sin_a(cos_a), cos_b(cos_a), sin_b(cos_a);
  const auto differs_at = [&](std::int64_t p) {
    double position[8];
    std::fill(std::begin(position), std::end(position), static_cast<double>(p));
    fill_turns(a, one, p, position, cos_a.data(), sin_a.data());
    fill_turns(b, other, p, position, cos_b.data(), sin_b.data());
    for (std::size_t c = 0; c < cos_a.size(); ++c) {
      if (std::abs(cos_a[c] - cos_b[c]) > tolerance || std::abs(sin_a[c] - sin_b[c]) > tolerance) return true;
    }
    return false;
  };
  // Powers of two are exact in every type; the odd number before each shows rounding.
  const auto differs = [&](std::int64_t p) { return differs_at(p) || differs_at(p - 1); };
  if (one.outputs != other.outputs && one.columns > 1) return 1;
  std::int64_t low = 0, high = 1;
  while (high < (std::int64_t{1} << 24) && !differs(high)) {
    low = high;
    high *= 2;
  }
  if (!differs(high)) return std::nullopt;
  while (low + 1 < high) {
    const std::int64_t middle = (low + high) / 2;
    (differs(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace posenc::diagnosis
