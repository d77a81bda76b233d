// Biases on scores, and masks.
#include "posenc/bias.h"

#include <algorithm>
#include <cmath>

#include "models/comparison/offsets.h"
#include "models/comparison/rule.h"
#include "posenc/view.h"

namespace posenc::comparison {
namespace {

// Longer rows of a bias take too long to compare.
constexpr std::int64_t kMostKeys = 65536;

// The biases of one query: [heads][keys].
std::vector<double> row_of(const Bias& bias, std::int64_t query, std::int64_t keys) {
  std::vector<double> values(static_cast<std::size_t>(bias.heads() * keys));
  fill_bias(bias, PositionView::range(query, 1), PositionView::range(0, keys),
            make_view(values.data(), {bias.heads(), 1, keys}));
  return values;
}

struct BiasGap {
  std::int64_t distance;
  std::int64_t head;
  double a, b;
};

// The comparison of one query's biases, with all keys on the same side of it.
struct RowComparison {
  std::optional<BiasGap> first;  // the nearest key whose bias differs
  double largest = 0.0;
  bool shifted = true;  // whether all keys of a head differ by the same number
};

RowComparison compare_row(const Bias& a, const Bias& b, std::int64_t query, std::int64_t keys, double tolerance) {
  const std::vector<double> one = row_of(a, query, keys), other = row_of(b, query, keys);
  RowComparison result;
  for (std::int64_t h = 0; h < a.heads(); ++h) {
    const auto at = [&](std::int64_t key) { return static_cast<std::size_t>(h * keys + key); };
    const double shift = one[at(0)] - other[at(0)];
    for (std::int64_t k = 0; k < keys; ++k) {
      const double difference = one[at(k)] - other[at(k)], distance = std::fabs(difference);
      result.shifted = result.shifted && std::fabs(difference - shift) <= tolerance;
      result.largest = std::max(result.largest, distance);
      const std::int64_t away = std::abs(query - k);
      if (distance <= tolerance) continue;
      if (!result.first || away < result.first->distance) result.first = {away, h, one[at(k)], other[at(k)]};
    }
  }
  return result;
}

Comparison bias_differs(const RowComparison& row, const Limits& limits) {
  Comparison result =
      different(limits, row.first->distance, {"bias", "head", row.first->head, row.first->a, row.first->b},
                "the position is the distance of a key behind its query");
  result.difference = row.largest;
  return result;
}

// Compares biases without learned numbers by evaluating them, for keys behind and ahead of the query.
Comparison compare_values(const Spec& a, const Spec& b, const Limits& limits) {
  const Bias one(a), other(b);
  const std::int64_t keys = std::min(limits.positions, kMostKeys);
  const RowComparison behind = compare_row(one, other, keys - 1, keys, limits.tolerance);
  const RowComparison ahead = compare_row(one, other, 0, keys, limits.tolerance);
  if (!behind.first && !ahead.first) return same(Agreement::equal, limits);
  if (!behind.first) {
    Comparison result = same(Agreement::equal_in_scores, limits,
                             "keys behind the query have the same bias, and a causal mask hides those ahead");
    result.condition = "under a causal mask";
    return result;
  }
  const bool shifted = behind.shifted && compare_row(one, other, keys / 2, keys / 2 + 1, limits.tolerance).shifted;
  if (!shifted) return bias_differs(behind, limits);
  Comparison result = same(Agreement::equal_in_scores, limits,
                           "the biases of all visible keys differ by the same number, which softmax cancels");
  result.condition = "under a causal mask";
  return result;
}

std::optional<Comparison> heads_differ(const Spec& a, const Spec& b, const Limits& limits) {
  const BiasSchedule one = make_bias_schedule(a), other = make_bias_schedule(b);
  if (one.heads != other.heads) return different(limits, 0, {"heads", "", 0, one.heads, other.heads});
  if (one.added == other.added) return std::nullopt;
  const auto word = [](Added added) { return Json(added == Added::after_scale ? "after_scale" : "before_scale"); };
  return different(limits, 0, {"added", "", 0, word(one.added), word(other.added)}, "equal if the softmax scale is 1");
}

Comparison compare_slopes(const Spec& a, const Spec& b, const Limits& limits) {
  const auto slopes_of = [](const Spec& spec) { return std::get<LinearBias>(make_bias_schedule(spec).shape).slopes; };
  const std::vector<double> one = slopes_of(a), other = slopes_of(b);
  Comparison result = compare_values(a, b, limits);
  if (result.verdict != Agreement::different) return result;
  for (std::size_t h = 0; h < one.size(); ++h) {
    if (nearly_same(one[h], other[h])) continue;
    const auto head = static_cast<std::int64_t>(h);
    Comparison slopes = different(limits, *result.first_position, {"slope", "head", head, one[h], other[h]},
                                  "the position is the distance of a key behind its query");
    slopes.difference = result.difference;
    return slopes;
  }
  return result;
}

OffsetRule rule_of(const TableBias& table) {
  const auto last = static_cast<std::int64_t>(table.rows.size()) - 1;
  return {[&table, last](std::int64_t offset) {
            const std::int64_t at = std::clamp<std::int64_t>(offset - table.first, 0, last);
            return static_cast<std::int64_t>(table.rows[static_cast<std::size_t>(at)]);
          },
          table.table_rows};
}

Comparison compare_tables(const TableBias& first, const TableBias& second, const char* row, const Limits& limits) {
  std::int64_t reach = 1;
  for (const TableBias* table : {&first, &second}) {
    reach = std::max({reach, -table->first, table->first + static_cast<std::int64_t>(table->rows.size())});
  }
  return compare_offsets(rule_of(first), rule_of(second), reach, limits, {row, "if the tables are the same"});
}

// For kinds with learned numbers: compares only their rules.
Comparison compare_fields(const Spec& a, const Spec& b, const Limits& limits) {
  const std::optional<Difference> field = first_field(a, b);
  if (!field) return same_if(limits, "if the learned numbers are the same");
  if (field->what != "direction") return different(limits, 0, *field);
  Comparison result = same(Agreement::equal_in_scores, limits,
                           "keys behind the query have the same bias, and a causal mask hides those ahead");
  result.condition = "under a causal mask, if the learned numbers are the same";
  return result;
}

Json limit_of(const std::optional<std::int64_t>& side) { return side ? Json(*side) : Json(); }

Comparison compare_windows(const Window& a, const Window& b, const Limits& limits) {
  if (a.left != b.left) {
    const std::int64_t nearer = std::min(a.left.value_or(limits.positions), b.left.value_or(limits.positions));
    if (nearer + 1 < limits.positions) {
      return different(limits, nearer + 1, {"left", "", 0, limit_of(a.left), limit_of(b.left)},
                       "from there on only one of them sees the first key");
    }
  }
  const std::int64_t ahead = std::min(a.right.value_or(limits.positions), b.right.value_or(limits.positions));
  if (a.right == b.right || ahead + 1 >= limits.positions) return same(Agreement::equal, limits);
  Comparison result = same(Agreement::equal_in_scores, limits, "they differ only in keys ahead of the query");
  result.condition = "under a causal mask";
  return result;
}

Comparison compare_chunks(const Chunked& a, const Chunked& b, const Limits& limits) {
  const std::int64_t end = std::min(a.size, b.size);
  if (a.size != b.size && end < limits.positions) {
    return different(limits, end, {"size", "", 0, a.size, b.size}, "only one of them starts a chunk there");
  }
  if (a.direction == b.direction) return same(Agreement::equal, limits);
  Comparison result = same(Agreement::equal_in_scores, limits, "they differ only in keys ahead of the query");
  result.condition = "under a causal mask";
  return result;
}

}  // namespace

Comparison compare_bias(const Spec& a, const Spec& b, const Limits& limits) {
  if (const auto* window = std::get_if<Window>(&a)) return compare_windows(*window, std::get<Window>(b), limits);
  if (const auto* chunked = std::get_if<Chunked>(&a)) return compare_chunks(*chunked, std::get<Chunked>(b), limits);
  if (auto result = heads_differ(a, b, limits)) return *result;
  const BiasSchedule one = make_bias_schedule(a), other = make_bias_schedule(b);
  if (std::holds_alternative<LinearBias>(one.shape)) return compare_slopes(a, b, limits);
  const auto *table = std::get_if<TableBias>(&one.shape), *second = std::get_if<TableBias>(&other.shape);
  if (table != nullptr)
    return compare_tables(*table, *second, std::holds_alternative<T5>(a) ? "bucket" : "row", limits);
  if (parameters_of(a).empty()) return compare_values(a, b, limits);
  return compare_fields(a, b, limits);
}

}  // namespace posenc::comparison
