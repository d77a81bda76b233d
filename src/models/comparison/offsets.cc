#include "models/comparison/offsets.h"

#include <algorithm>
#include <vector>

#include "models/comparison/head_map.h"

namespace posenc::comparison {
namespace {

// The smallest distance at which the rows differ; keys behind come before keys ahead.
std::optional<std::int64_t> first_offset(const OffsetRule& a, const OffsetRule& b, std::int64_t reach, bool ahead) {
  for (std::int64_t distance = 0; distance <= reach; ++distance) {
    if (a.row(-distance) != b.row(-distance)) return -distance;
    if (ahead && a.row(distance) != b.row(distance)) return distance;
  }
  return std::nullopt;
}

// Row r of a is row result[r] of b. Rows that no offset uses are assigned to the rows that remain.
std::optional<std::vector<std::int64_t>> row_order(const OffsetRule& a, const OffsetRule& b, std::int64_t reach) {
  if (a.rows != b.rows) return std::nullopt;
  std::vector<std::int64_t> to(static_cast<std::size_t>(a.rows), -1), from(static_cast<std::size_t>(b.rows), -1);
  for (std::int64_t offset = -reach; offset <= reach; ++offset) {
    const std::int64_t one = a.row(offset), other = b.row(offset);
    if ((one < 0) != (other < 0)) return std::nullopt;
    if (one < 0) continue;
    std::int64_t &forth = to[static_cast<std::size_t>(one)], &back = from[static_cast<std::size_t>(other)];
    if (forth == -1 && back == -1) {
      forth = other;
      back = one;
    }
    if (forth != other || back != one) return std::nullopt;
  }
  auto free = std::find(from.begin(), from.end(), -1);
  for (std::int64_t& row : to) {
    if (row != -1) continue;
    row = free - from.begin();
    free = std::find(free + 1, from.end(), -1);
  }
  return to;
}

}  // namespace

Comparison compare_offsets(const OffsetRule& a, const OffsetRule& b, std::int64_t reach, const Limits& limits,
                           const OffsetWords& words) {
  const std::optional<std::int64_t> all = first_offset(a, b, reach, true);
  if (!all && a.rows == b.rows) return same_if(limits, words.condition);
  const auto order = row_order(a, b, reach);
  if (order) {
    Comparison result =
        same(Agreement::equal_up_to_permutation, limits, "row r of A's table is row permutation[r] of B's");
    result.permutation = or_nothing(*order);
    result.condition = "if the tables are the same up to this permutation";
    return result;
  }
  const std::optional<std::int64_t> behind = first_offset(a, b, reach, false);
  if (!behind) {
    Comparison result =
        same(Agreement::equal_in_scores, limits,
             "keys behind the query have the same " + words.what + ", and a causal mask hides those ahead");
    result.condition = "under a causal mask, " + words.condition;
    return result;
  }
  Comparison result = different(limits, std::abs(*all), {words.what, "offset", *all, a.row(*all), b.row(*all)},
                                "the offset is the position of the key minus that of the query");
  return result;
}

}  // namespace posenc::comparison
