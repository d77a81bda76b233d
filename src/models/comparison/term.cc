// Learned vectors per offset: Shaw and Transformer-XL.
#include <algorithm>

#include "models/comparison/offsets.h"
#include "models/comparison/rule.h"
#include "posenc/score_term.h"

namespace posenc::comparison {
namespace {

constexpr std::int64_t kRefused = -2;

OffsetRule rule_of(const Shaw& spec) {
  return {[&spec](std::int64_t offset) {
            const std::int64_t own = spec.offset == Offset::key_minus_query ? offset : -offset;
            const bool inside = own >= -spec.left && own <= spec.right;
            return inside || spec.past != PastTable::error ? shaw_row(spec, 0, offset) : kRefused;
          },
          spec.left + spec.right + 1};
}

Comparison compare_shaw(const Shaw& a, const Shaw& b, const Limits& limits) {
  if (a.head_dim != b.head_dim) return different(limits, 0, {"head_dim", "", 0, a.head_dim, b.head_dim});
  if (a.term != b.term) return different(limits, 0, *first_field(Shaw{.term = a.term}, Shaw{.term = b.term}));
  const std::int64_t reach = std::max({a.left, a.right, b.left, b.right}) + 1;
  return compare_offsets(rule_of(a), rule_of(b), reach, limits, {"row", "if the learned vectors are the same"});
}

Comparison compare_transformer_xl(const TransformerXl& a, const TransformerXl& b, const Limits& limits) {
  TransformerXl one = a, other = b;
  one.base = other.base;
  one.order = other.order;
  one.clamp_distance = other.clamp_distance;
  if (const std::optional<Difference> field = first_field(one, other)) return different(limits, 0, *field);
  const std::int64_t open = limits.positions, clamp_a = a.clamp_distance == 0 ? open : a.clamp_distance,
                     clamp_b = b.clamp_distance == 0 ? open : b.clamp_distance, nearer = std::min(clamp_a, clamp_b);
  if (clamp_a != clamp_b && nearer + 1 < limits.positions) {
    return different(limits, nearer + 1, {"clamp_distance", "", 0, a.clamp_distance, b.clamp_distance});
  }
  Comparison result = compare_input(Sinusoidal{.width = a.width, .base = a.base, .order = a.order},
                                    Sinusoidal{.width = b.width, .base = b.base, .order = b.order}, limits);
  if (result.verdict != Agreement::different) {
    result.condition = result.verdict == Agreement::equal
                           ? "if the learned numbers are the same"
                           : "if the learned numbers are the same, with the columns of position_weight permuted";
  }
  return result;
}

}  // namespace

Comparison compare_term(const Spec& a, const Spec& b, const Limits& limits) {
  if (const auto* shaw = std::get_if<Shaw>(&a)) return compare_shaw(*shaw, std::get<Shaw>(b), limits);
  return compare_transformer_xl(std::get<TransformerXl>(a), std::get<TransformerXl>(b), limits);
}

}  // namespace posenc::comparison
