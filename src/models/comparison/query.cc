// Encodings of queries and keys other than plain rotations: PoPE, xPos, a factor on queries.
#include <algorithm>
#include <cmath>

#include "models/comparison/rotation.h"
#include "models/comparison/rule.h"
#include "posenc/pope.h"
#include "posenc/query_temperature.h"
#include "posenc/xpos.h"

namespace posenc::comparison {
namespace {

// PoPE rotates channels one by one: each is a pair that reads and writes its own place. The growth of 1 keeps head_map
// from treating slow pairs as copied.
HeadMap pope_map(const Pope& spec, const Limits& limits) {
  const RotarySchedule schedule = make_schedule(spec);
  HeadMap map{.head_dim = spec.head_dim, .pairs = {}, .passing = {}};
  for (const TurningPair& pair :
       head_map(schedule, limits, {.growth = std::vector<double>(static_cast<std::size_t>(schedule.pairs()), 1.0)})
           .pairs) {
    TurningPair channel = pair;
    channel.read_first = channel.read_second = channel.write_first = channel.write_second = pair.index;
    map.pairs.push_back(channel);
  }
  for (std::int64_t c = schedule.pairs(); c < spec.head_dim; ++c) map.passing.push_back({c, c, 1.0});
  return map;
}

HeadMap xpos_map(const XposSchedule& schedule, const Limits& limits) {
  HeadOptions options;
  for (const double zeta : schedule.zeta) options.growth.push_back(std::log(zeta) / schedule.scale_base);
  return head_map(schedule.rotation, limits, options);
}

}  // namespace

Comparison compare_pope(const Pope& a, const Pope& b, const Limits& limits) {
  if (axes_of(Spec(a)) != axes_of(Spec(b))) return different(limits, 1, {"axes", "", 0, a.axes, b.axes});
  if (a.magnitude != b.magnitude)
    return different(limits, 0, *first_field(Pope{.magnitude = a.magnitude}, Pope{.magnitude = b.magnitude}));
  Comparison result = compare_heads(pope_map(a, limits), pope_map(b, limits), limits, {});
  if (result.verdict == Agreement::equal && a.order != b.order) {
    result = same(Agreement::equal_in_scores, limits,
                  "cosines and sines are written in another order, the same for queries and keys");
  }
  if (result.verdict != Agreement::different) {
    result.condition = a.delta_clamp == b.delta_clamp ? "if the learned angles are the same"
                                                      : "if the learned angles are the same, within -2 pi to 0";
  }
  return result;
}

Comparison compare_xpos(const Xpos& a, const Xpos& b, const Limits& limits) {
  const XposSchedule one = make_schedule(a), other = make_schedule(b);
  Comparison result =
      compare_heads(xpos_map(one, limits), xpos_map(other, limits), limits, {"", "the logarithm of its factor"});
  const bool moved = std::fabs(one.center - other.center) > limits.tolerance;
  if (!moved || result.verdict == Agreement::different) return result;
  Comparison scores =
      same(Agreement::equal_in_scores, limits, "the center differs, but cancels between queries and keys");
  scores.permutation = result.permutation;
  scores.differs = Difference{"center", "", 0, one.center, other.center};
  return scores;
}

Comparison compare_temperature(const QueryTemperature& a, const QueryTemperature& b, const Limits& limits) {
  if (!first_field(a, b)) return same(Agreement::equal, limits);
  std::optional<std::int64_t> first;
  double largest = 0.0;
  for (std::int64_t p = std::max<std::int64_t>({0, -a.first, -b.first}); p < limits.positions; ++p) {
    const double one = query_factor(a, static_cast<double>(p)), other = query_factor(b, static_cast<double>(p));
    if (!first && !same_factor(one, other, limits.tolerance)) first = p;
    largest = std::max(largest, std::fabs(one - other));
  }
  if (!first) {
    Comparison result = same(Agreement::equal, limits);
    result.notes.push_back("the rules differ, but not at the compared positions");
    return result;
  }
  const auto at = static_cast<double>(*first);
  Comparison result =
      different(limits, *first, {"factor", "position", *first, query_factor(a, at), query_factor(b, at)});
  result.difference = largest;
  return result;
}

}  // namespace posenc::comparison
