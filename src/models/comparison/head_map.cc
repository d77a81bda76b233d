#include "models/comparison/head_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/rotation/channel_head.h"

namespace posenc::comparison {
namespace {

bool stands_still(const TurningPair& pair, const Limits& limits) {
  const Phasor still{.inv_freq = std::vector<double>(pair.first.inv_freq.size(), 0.0)};
  return pair.growth == 0.0 && same_turn(pair.first, still, limits) && same_turn(pair.second, still, limits);
}

Phasor turn_of(const RotarySchedule& schedule, std::int64_t column, double sign) {
  Phasor turn;
  for (std::int64_t axis = 0; axis < schedule.axes; ++axis) {
    turn.inv_freq.push_back(sign * schedule.inv_freq[static_cast<std::size_t>(axis * schedule.columns() + column)]);
  }
  return turn;
}

void negate(Phasor& turn) {
  for (double& frequency : turn.inv_freq) frequency = -frequency;
}

// Rotating backwards equals rotating with the two channels swapped; use the form with a positive frequency.
void turn_forwards(TurningPair& pair) {
  const auto& frequencies = pair.first.inv_freq;
  const auto leading = std::find_if(frequencies.begin(), frequencies.end(), [](double f) { return f != 0.0; });
  if (leading == frequencies.end() || *leading > 0.0) return;
  std::swap(pair.first, pair.second);
  negate(pair.first);
  negate(pair.second);
  std::swap(pair.read_first, pair.read_second);
  std::swap(pair.write_first, pair.write_second);
}

TurningPair pair_of(const RotarySchedule& schedule, std::int64_t i, std::int64_t start) {
  const std::int64_t parts = schedule.layout == Layout::half_per_axis ? schedule.axes : 1;
  const rotation::ChannelPair at = rotation::channel_pair(schedule.layout, schedule.pairs(), parts, i);
  const bool rotation = is_rotation(schedule.layout);
  const double sign = schedule.layout == Layout::half_negative ? -1.0 : 1.0;
  TurningPair pair{.index = i,
                   .first = turn_of(schedule, rotation ? i : at.write_first, sign),
                   .second = turn_of(schedule, rotation ? i : at.write_second, sign),
                   .read_first = start + at.read_first,
                   .read_second = start + at.read_second,
                   .write_first = start + at.write_first,
                   .write_second = start + at.write_second};
  turn_forwards(pair);
  return pair;
}

bool same_angles(const TurningPair& a, const TurningPair& b, const Limits& limits) {
  const double most = static_cast<double>(limits.positions) * (a.growth - b.growth);
  return most <= limits.tolerance && -most <= limits.tolerance && same_turn(a.first, b.first, limits) &&
         same_turn(a.second, b.second, limits);
}

bool same_channels(const TurningPair& a, const TurningPair& b) {
  return a.read_first == b.read_first && a.read_second == b.read_second;
}

// Matches every pair of a with one of b, first those of the same channels, then those of the same index, so that
// nothing moves unnecessarily.
class PairMatcher {
 public:
  PairMatcher(const HeadMap& a, const HeadMap& b, const Limits& limits)
      : a_(a), b_(b), limits_(limits), partner_(a.pairs.size(), kNone), taken_(b.pairs.size(), false) {}

  bool run() {
    if (a_.pairs.size() != b_.pairs.size()) return false;
    match([](const TurningPair& a, const TurningPair& b) { return same_channels(a, b); });
    match([](const TurningPair& a, const TurningPair& b) { return a.index == b.index; });
    match([](const TurningPair&, const TurningPair&) { return true; });
    return std::find(partner_.begin(), partner_.end(), kNone) == partner_.end();
  }
  const TurningPair& partner(std::size_t i) const { return b_.pairs[partner_[i]]; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  template <class Prefer>
  void match(const Prefer& prefer) {
    for (std::size_t i = 0; i < partner_.size(); ++i) {
      for (std::size_t j = 0; partner_[i] == kNone && j < taken_.size(); ++j) {
        if (taken_[j] || !prefer(a_.pairs[i], b_.pairs[j]) || !same_angles(a_.pairs[i], b_.pairs[j], limits_)) continue;
        partner_[i] = j;
        taken_[j] = true;
      }
    }
  }

  const HeadMap& a_;
  const HeadMap& b_;
  Limits limits_;
  std::vector<std::size_t> partner_;
  std::vector<bool> taken_;
};

// Matches channels without rotation by their factor in scores.
bool match_passing(const HeadMap& a, const HeadMap& b, double tolerance, HeadMatch& match) {
  if (a.passing.size() != b.passing.size()) return false;
  std::vector<bool> taken(b.passing.size(), false), done(a.passing.size(), false);
  const auto pass = [&](bool same_place) {
    for (std::size_t i = 0; i < done.size(); ++i) {
      for (std::size_t j = 0; !done[i] && j < taken.size(); ++j) {
        const Passing &one = a.passing[i], &other = b.passing[j];
        if (taken[j] || (same_place && one.read != other.read)) continue;
        if (!same_factor(a.in_scores(one.factor), b.in_scores(other.factor), tolerance)) continue;
        match.read[static_cast<std::size_t>(one.read)] = other.read;
        match.write[static_cast<std::size_t>(one.write)] = other.write;
        done[i] = taken[j] = true;
      }
    }
  };
  pass(true);
  pass(false);
  return std::all_of(done.begin(), done.end(), [](bool d) { return d; });
}

}  // namespace

HeadMap head_map(const RotarySchedule& schedule, const Limits& limits, const HeadOptions& options) {
  HeadMap map{.head_dim = options.before + schedule.head_dim,
              .table_factor = schedule.table_factor(),
              .query_factor = schedule.query_factor(),
              .softmax_factor = schedule.softmax_factor()};
  const std::int64_t start = options.before + schedule.first_channel;
  for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
    TurningPair pair = pair_of(schedule, i, start);
    if (!options.growth.empty()) pair.growth = options.growth[static_cast<std::size_t>(i)];
    if (!stands_still(pair, limits)) {
      map.pairs.push_back(pair);
      continue;
    }
    map.passing.push_back({pair.read_first, pair.write_first, map.table_factor});
    map.passing.push_back({pair.read_second, pair.write_second, map.table_factor});
  }
  for (std::int64_t c = 0; c < map.head_dim; ++c) {
    if (c < start || c >= start + schedule.rotary_dim) map.passing.push_back({c, c, 1.0});
  }
  return map;
}

std::optional<HeadMatch> match_heads(const HeadMap& a, const HeadMap& b, const Limits& limits) {
  if (a.head_dim != b.head_dim) return std::nullopt;
  HeadMatch match{std::vector<std::int64_t>(static_cast<std::size_t>(a.head_dim)),
                  std::vector<std::int64_t>(static_cast<std::size_t>(a.head_dim)),
                  {}};
  if (!match_passing(a, b, limits.tolerance, match)) return std::nullopt;
  PairMatcher pairs(a, b, limits);
  if (!pairs.run()) return std::nullopt;
  if (!a.pairs.empty() && !same_factor(a.in_scores(a.table_factor), b.in_scores(b.table_factor), limits.tolerance)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < a.pairs.size(); ++i) {
    const TurningPair &one = a.pairs[i], &other = pairs.partner(i);
    match.read[static_cast<std::size_t>(one.read_first)] = other.read_first;
    match.read[static_cast<std::size_t>(one.read_second)] = other.read_second;
    match.write[static_cast<std::size_t>(one.write_first)] = other.write_first;
    match.write[static_cast<std::size_t>(one.write_second)] = other.write_second;
    const std::optional<Gap> gap = first_gap(one.first, other.first, limits.tolerance);
    if (gap && (!match.drift || gap->position < *match.drift)) match.drift = gap->position;
  }
  return match;
}

std::vector<std::int64_t> or_nothing(std::vector<std::int64_t> permutation) {
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<std::int64_t>(i)) return permutation;
  }
  return {};
}

}  // namespace posenc::comparison
