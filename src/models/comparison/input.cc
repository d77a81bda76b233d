// Encodings at the input: rows of sines and cosines, and learned tables.
#include <algorithm>
#include <cmath>

#include "models/comparison/columns.h"
#include "models/comparison/head_map.h"
#include "models/comparison/rule.h"

namespace posenc::comparison {
namespace {

constexpr const char* kIfTables = "if the learned tables are the same";

struct ColumnGap {
  std::int64_t position;
  Difference difference;
};

// The first difference between two columns in the same place.
std::optional<ColumnGap> gap_of(const Column& a, const Column& b, std::int64_t channel, const Limits& limits) {
  const auto word = [](ColumnKind kind) {
    const char* words[] = {"zero", "a sine", "a cosine", "a learned number"};
    return Json(words[static_cast<std::size_t>(kind)]);
  };
  if (a.kind != b.kind) {
    // A sine at angle 0 is the same as zero.
    const bool vanishes = (a.kind == ColumnKind::zero && b.kind == ColumnKind::sine && b.turn.offset == 0.0) ||
                          (b.kind == ColumnKind::zero && a.kind == ColumnKind::sine && a.turn.offset == 0.0);
    return ColumnGap{vanishes ? 1 : 0, {"what it holds,", "channel", channel, word(a.kind), word(b.kind)}};
  }
  const bool wave = a.kind == ColumnKind::sine || a.kind == ColumnKind::cosine;
  const std::optional<Gap> gap = wave ? first_gap(a.turn, b.turn, limits.tolerance) : std::nullopt;
  if (!gap || gap->position >= limits.positions) return std::nullopt;
  if (!nearly_same(a.turn.inv_freq[gap->axis], b.turn.inv_freq[gap->axis])) {
    return ColumnGap{gap->position,
                     {"inv_freq", "channel", channel, a.turn.inv_freq[gap->axis], b.turn.inv_freq[gap->axis]}};
  }
  const bool shifted = same_factor(a.turn.magnitude, b.turn.magnitude, limits.tolerance);
  const double one = shifted ? a.turn.offset : a.turn.magnitude, other = shifted ? b.turn.offset : b.turn.magnitude;
  return ColumnGap{gap->position, {shifted ? "the angle at position 0" : "multiplier", "channel", channel, one, other}};
}

Comparison rows_differ(const std::vector<Column>& a, const std::vector<Column>& b, const Limits& limits) {
  std::optional<ColumnGap> first;
  std::int64_t count = 0;
  double largest = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const std::optional<ColumnGap> gap = gap_of(a[c], b[c], static_cast<std::int64_t>(c), limits);
    if (!gap) continue;
    ++count;
    if (a[c].kind == b[c].kind) largest = std::max(largest, largest_gap(a[c].turn, b[c].turn, limits.positions));
    if (!first || gap->position < first->position) first = gap;
  }
  if (!first) {  // only the position whose row is zero can still differ
    for (std::size_t c = 0; c < a.size(); ++c) {
      if (a[c].zero_position == b[c].zero_position) continue;
      const auto value = [](const auto& zero) { return zero ? Json(*zero) : Json(); };
      const std::int64_t at =
          std::min(a[c].zero_position.value_or(limits.positions), b[c].zero_position.value_or(limits.positions));
      return different(limits, std::max<std::int64_t>(at, 0),
                       {"zero_position", "", 0, value(a[c].zero_position), value(b[c].zero_position)},
                       "only at that position");
    }
  }
  Comparison result = different(
      limits, first->position, first->difference,
      std::to_string(count) + " of " + std::to_string(a.size()) + " channels differ within " + positions_text(limits));
  result.difference = largest;
  return result;
}

Comparison compare_rows(const Spec& a, const Spec& b, const Limits& limits) {
  const std::vector<Column> one = columns_of(a), other = columns_of(b);
  if (axes_of(a) != axes_of(b)) return different(limits, 1, {"axes", "", 0, axes_of(a), axes_of(b)});
  if (one.size() != other.size()) {
    return different(limits, 0,
                     {"width", "", 0, static_cast<std::int64_t>(one.size()), static_cast<std::int64_t>(other.size())});
  }
  const auto order = match_columns(one, other, limits);
  if (!order) return rows_differ(one, other, limits);
  const std::vector<std::int64_t> permutation = or_nothing(*order);
  Comparison result = permutation.empty() ? same(Agreement::equal, limits)
                                          : same(Agreement::equal_up_to_permutation, limits,
                                                 "channel c of A is channel permutation[c] of B, in every row");
  result.permutation = permutation;
  return result;
}

// Whether two fields contradict each other. 0 means that the table decides, so it contradicts nothing.
bool conflict(std::int64_t a, std::int64_t b) { return a != 0 && b != 0 && a != b; }

std::optional<Comparison> tables_read_differently(const Learned& a, const Learned& b, const Limits& limits) {
  if (conflict(a.width, b.width)) return different(limits, 0, {"width", "", 0, a.width, b.width});
  if (a.first != b.first) {
    return different(limits, 0, {"first", "", 0, a.first, b.first},
                     "equal if the tables have the same rows, shifted by first");
  }
  if (!same_factor(a.multiplier, b.multiplier, limits.tolerance)) {
    return different(limits, 0, {"multiplier", "", 0, a.multiplier, b.multiplier});
  }
  return std::nullopt;
}

Comparison compare_tables(const Learned& a, const Learned& b, const Limits& limits) {
  if (auto result = tables_read_differently(a, b, limits)) return *result;
  Learned one = a, other = b;
  one.width = other.width = one.rows = other.rows = 0;
  one.padding_row = other.padding_row = {};
  if (conflict(a.rows, b.rows)) {
    return different(limits, std::min(a.rows, b.rows) - a.first, {"rows", "", 0, a.rows, b.rows});
  }
  const std::optional<Difference> field = first_field(one, other);
  if (!field) return same_if(limits, kIfTables);
  const std::int64_t rows = std::max(a.rows, b.rows);
  const bool beyond =
      field->what == "past_end" && rows > 0 && a.past_end != PastEnd::interpolate && b.past_end != PastEnd::interpolate;
  return different(limits, beyond ? rows - a.first : 0, *field, beyond ? "past the last row" : "");
}

Comparison worse(Comparison a, Comparison b) { return a.verdict >= b.verdict ? a : b; }

}  // namespace

Comparison compare_input(const Spec& a, const Spec& b, const Limits& limits) {
  if (const auto* learned = std::get_if<Learned>(&a)) return compare_tables(*learned, std::get<Learned>(b), limits);
  if (const auto* hybrid = std::get_if<Hybrid>(&a)) {
    const auto& other = std::get<Hybrid>(b);
    Comparison rows = compare_rows(hybrid->fixed, other.fixed, limits);
    if (rows.verdict == Agreement::equal_up_to_permutation)
      rows.condition = "if the learned columns are permuted in the same way";
    return worse(compare_tables(hybrid->learned, other.learned, limits), std::move(rows));
  }
  Comparison result = compare_rows(a, b, limits);
  const auto *concat = std::get_if<Concat>(&a), *other_concat = std::get_if<Concat>(&b);
  if (concat == nullptr || other_concat == nullptr || result.verdict == Agreement::different) return result;
  const auto& parts = other_concat->parts;
  for (std::size_t i = 0; i < std::min(concat->parts.size(), parts.size()); ++i) {
    const auto* one = std::get_if<Learned>(&concat->parts[i].encoding);
    const auto* other = std::get_if<Learned>(&parts[i].encoding);
    if (one == nullptr || other == nullptr) continue;
    if (concat->parts[i].axis != parts[i].axis) {
      return different(limits, 1, {"axis", "part", static_cast<std::int64_t>(i), concat->parts[i].axis, parts[i].axis});
    }
    result = worse(compare_tables(*one, *other, limits), std::move(result));
  }
  return result;
}

}  // namespace posenc::comparison
