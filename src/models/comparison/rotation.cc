#include "models/comparison/rotation.h"

#include <algorithm>
#include <cmath>

#include "models/comparison/rule.h"

namespace posenc::comparison {
namespace {

// The pair with this index, or one without rotation if there is none.
TurningPair pair_number(const HeadMap& map, std::int64_t index, std::size_t axes) {
  for (const TurningPair& pair : map.pairs) {
    if (pair.index == index) return pair;
  }
  TurningPair still{.index = index};
  still.first.inv_freq.assign(axes, 0.0);
  still.second = still.first;
  return still;
}

struct PairGap {
  std::int64_t position;
  Difference difference;
};

std::optional<PairGap> gap_of(const TurningPair& a, const TurningPair& b, const Limits& limits) {
  std::optional<PairGap> result;
  const auto take = [&](const Phasor& one, const Phasor& other) {
    const std::optional<Gap> gap = first_gap(one, other, limits.tolerance);
    if (!gap || (result && result->position <= gap->position)) return;
    result = PairGap{gap->position, {"inv_freq", "pair", a.index, one.inv_freq[gap->axis], other.inv_freq[gap->axis]}};
  };
  take(a.first, b.first);
  take(a.second, b.second);
  return result;
}

std::size_t axes_of(const HeadMap& a, const HeadMap& b) {
  const HeadMap& map = a.pairs.empty() ? b : a;
  return map.pairs.empty() ? 0 : map.pairs.front().first.inv_freq.size();
}

std::int64_t pairs_of(const HeadMap& map) { return map.pairs.empty() ? 0 : map.pairs.back().index + 1; }

// Compares the pairs of two maps that have the same index.
struct PairSurvey {
  std::optional<PairGap> first;  // of all pairs; at equal positions the lowest index
  std::int64_t count = 0;        // of pairs that differ within the compared positions
  std::int64_t pairs = 0;
  double largest = 0.0;

  PairSurvey(const HeadMap& a, const HeadMap& b, const Limits& limits) : pairs(std::max(pairs_of(a), pairs_of(b))) {
    const std::size_t axes = axes_of(a, b);
    for (std::int64_t i = 0; i < pairs; ++i) {
      TurningPair one = pair_number(a, i, axes), other = pair_number(b, i, axes);
      const std::optional<PairGap> gap = gap_of(one, other, limits);
      if (gap && (!first || gap->position < first->position)) first = gap;
      if (gap && gap->position < limits.positions) ++count;
      for (Phasor* turn : {&one.first, &one.second}) turn->magnitude = a.table_factor;
      for (Phasor* turn : {&other.first, &other.second}) turn->magnitude = b.table_factor;
      largest = std::max({largest, largest_gap(one.first, other.first, limits.positions),
                          largest_gap(one.second, other.second, limits.positions)});
    }
  }
};

// The first factor that differs.
std::optional<Difference> factor_differs(const HeadMap& a, const HeadMap& b, double tolerance) {
  const auto apart = [&](const char* what, double one, double other) -> std::optional<Difference> {
    if (same_factor(one, other, tolerance)) return std::nullopt;
    return Difference{what, "", 0, one, other};
  };
  if (auto table = apart("factor on cos and sin", a.table_factor, b.table_factor)) return table;
  if (auto query = apart("factor on queries", a.query_factor, b.query_factor)) return query;
  return apart("factor on scores", a.softmax_factor, b.softmax_factor);
}

Comparison matched(const HeadMap& a, const HeadMap& b, const HeadMatch& match, const Limits& limits,
                   const RotationWords& words) {
  const std::vector<std::int64_t> read = or_nothing(match.read), write = or_nothing(match.write);
  Comparison result;
  if (const std::optional<Difference> factor = factor_differs(a, b, limits.tolerance)) {
    result = same(Agreement::equal_in_scores, limits,
                  "every score gets the same factor, but in another place: " + difference_text(*factor));
    result.differs = factor;
  } else if (!read.empty()) {
    result = same(Agreement::equal_up_to_permutation, limits,
                  "channel c of A is channel permutation[c] of B, in queries and keys" + words.layouts);
  } else if (!write.empty()) {
    result = same(Agreement::equal_in_scores, limits,
                  "channels are written in another order, the same for queries and keys" + words.layouts);
  } else {
    result = same(Agreement::equal, limits, "");
  }
  result.permutation = read;
  if (match.write != match.read) result.output_permutation = match.write;
  if (match.drift) {
    result.first_position = match.drift;
    result.notes.push_back(
        "beyond the compared positions, frequencies make a difference above the tolerance, from position " +
        std::to_string(*match.drift) + " on");
  }
  return result;
}

// Whether the contributions of pairs to a score differ in size.
bool scores_differ(const HeadMap& a, const HeadMap& b, double tolerance) {
  return !same_factor(a.in_scores(a.table_factor), b.in_scores(b.table_factor), tolerance);
}

Comparison factors_differ(const HeadMap& a, const HeadMap& b, const Limits& limits) {
  const bool beside = !scores_differ(a, b, limits.tolerance);
  const Difference none{"factor on channels without rotation", "", 0, a.table_factor, b.table_factor};
  return different(limits, 0, factor_differs(a, b, limits.tolerance).value_or(none),
                   beside ? "the factor on cos and sin does not reach the channels outside the rotated window" : "");
}

std::optional<Difference> growth_differs(const HeadMap& a, const HeadMap& b, const Limits& limits,
                                         const RotationWords& words) {
  for (std::size_t i = 0; i < std::min(a.pairs.size(), b.pairs.size()); ++i) {
    const double one = a.pairs[i].growth, other = b.pairs[i].growth;
    if (std::fabs(one - other) * static_cast<double>(limits.positions) <= limits.tolerance) continue;
    return Difference{words.growth, "pair", a.pairs[i].index, one, other};
  }
  return std::nullopt;
}

std::string survey_text(const PairSurvey& survey, const HeadMap& a, const HeadMap& b, const Limits& limits) {
  std::string text = std::to_string(survey.count) + " of " + std::to_string(survey.pairs) + " pairs differ within " +
                     positions_text(limits);
  if (pairs_of(a) != pairs_of(b)) {
    text += ", and " + std::to_string(pairs_of(a)) + " pairs rotate in A, " + std::to_string(pairs_of(b)) + " in B";
  }
  return text;
}

Comparison unmatched(const HeadMap& a, const HeadMap& b, const Limits& limits, const RotationWords& words) {
  if (a.head_dim != b.head_dim) return different(limits, 0, {"head_dim", "", 0, a.head_dim, b.head_dim});
  const PairSurvey survey(a, b, limits);
  const bool turns = survey.first && survey.first->position < limits.positions;
  Comparison result;
  if (scores_differ(a, b, limits.tolerance) || (!turns && !growth_differs(a, b, limits, words))) {
    result = factors_differ(a, b, limits);
    if (turns) result.notes.push_back("frequencies also differ: " + difference_text(survey.first->difference));
  } else if (turns) {
    result = different(limits, survey.first->position, survey.first->difference, survey_text(survey, a, b, limits));
  } else {
    const Difference growth = *growth_differs(a, b, limits, words);
    result = different(limits, 1, growth);
  }
  result.difference = survey.largest;
  return result;
}

}  // namespace

Comparison compare_heads(const HeadMap& a, const HeadMap& b, const Limits& limits, const RotationWords& words) {
  const std::optional<HeadMatch> match = match_heads(a, b, limits);
  return match ? matched(a, b, *match, limits, words) : unmatched(a, b, limits, words);
}

}  // namespace posenc::comparison
