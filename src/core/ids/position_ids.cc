#include "posenc/position_ids.h"

#include <algorithm>

#include "core/base/id_view.h"

namespace posenc {

Pads Pads::id(std::int64_t id) noexcept { return {Rule::id, id}; }
Pads Pads::previous() noexcept { return {Rule::previous, 0}; }
Pads Pads::counted() noexcept { return {Rule::counted, 0}; }

namespace {

using base::id_at;
using base::set_id;

// The counts of one row, or the largest counts of all rows.
struct Counts {
  std::int64_t columns = 0;
  std::int64_t real = 0;
};

void check_rule(const IdRule& rule, std::string_view where) {
  base::check_id(rule.first, where, "first");
  base::check_id(rule.past, where, "past");
  base::require(rule.past >= 0, where, "past must not be negative but got ", rule.past,
                ": it is the number of tokens in the cache");
  if (rule.pads.rule() == Pads::Rule::id) base::check_id(rule.pads.id(), where, "the id of pads");
}

// Checks the largest id that counting will produce, before any id is written.
void check_reach(const IdRule& rule, const Counts& longest, std::string_view where) {
  const std::int64_t counted = rule.pads.rule() == Pads::Rule::counted ? longest.columns : longest.real;
  const std::int64_t start = rule.first + rule.past;
  const std::int64_t last = start + std::max<std::int64_t>(counted, 1) - 1;
  if (start >= -kMaxPosition && last <= kMaxPosition) return;
  base::refuse_input(where, "ids must be from -2147483647 to 2147483647 but ", counted, " tokens from first ",
                     rule.first, " + past ", rule.past, " reach ", last);
}

void check_views(const ConstView& source, std::string_view name, const View& ids, std::string_view where) {
  base::check_view(source, base::rows_to_read(), where, name);
  const std::string reason = "the shape of " + std::string(name) + " or fewer columns";
  base::check_view(ids, base::ids_to_write(base::shape_of(source).with_last("N"), reason), where, "ids");
  const auto last = static_cast<std::size_t>(source.rank) - 1;
  if (ids.shape[last] > source.shape[last]) {
    base::refuse(where, "ids must be ", shape_text(source), ", ", reason, ", but is ", shape_text(ids));
  }
  base::check_apart({"ids", ids}, {name, source}, where);
}

template <class IsReal>
Counts longest_row(const ConstView& source, const IsReal& is_real) {
  Counts longest{source.shape[1], 0};
  for (std::int64_t b = 0; b < source.shape[0]; ++b) {
    std::int64_t real = 0;
    for (std::int64_t n = 0; n < source.shape[1]; ++n) real += is_real(b, n) ? 1 : 0;
    longest.real = std::max(longest.real, real);
  }
  return longest;
}

// The id of column n, with `before` real tokens to its left.
std::int64_t id_of(const IdRule& rule, std::int64_t n, std::int64_t before, bool real) {
  const std::int64_t start = rule.first + rule.past;
  if (rule.pads.rule() == Pads::Rule::counted) return start + n;
  if (real) return start + before;
  if (rule.pads.rule() == Pads::Rule::id) return rule.pads.id();
  return start + std::max<std::int64_t>(before, 1) - 1;
}

template <class IsReal>
void write_ids(const ConstView& source, const IdRule& rule, const IsReal& is_real, const View& ids) {
  const std::int64_t columns = source.shape[1];
  const std::int64_t skipped = columns - ids.shape[1];
  for (std::int64_t b = 0; b < source.shape[0]; ++b) {
    std::int64_t before = 0;
    for (std::int64_t n = 0; n < columns; ++n) {
      const bool real = is_real(b, n);
      if (n >= skipped) set_id(ids, b, n - skipped, id_of(rule, n, before, real));
      before += real ? 1 : 0;
    }
  }
}

}  // namespace

void positions_from_mask(const ConstView& mask, const IdRule& rule, const View& ids) {
  constexpr std::string_view kWhere = "positions_from_mask";
  check_views(mask, "mask", ids, kWhere);
  check_rule(rule, kWhere);
  const ConstView rows = base::with_axes(mask, 2);
  base::check_mask_values(mask, kWhere);
  const auto is_real = [&](std::int64_t b, std::int64_t n) { return id_at(rows, b, n) == 1; };
  check_reach(rule, longest_row(rows, is_real), kWhere);
  write_ids(rows, rule, is_real, base::with_axes(ids, 2));
}

void positions_from_tokens(const ConstView& tokens, std::int64_t pad_token, const IdRule& rule, const View& ids) {
  constexpr std::string_view kWhere = "positions_from_tokens";
  check_views(tokens, "tokens", ids, kWhere);
  check_rule(rule, kWhere);
  const ConstView rows = base::with_axes(tokens, 2);
  const auto is_real = [&](std::int64_t b, std::int64_t n) { return id_at(rows, b, n) != pad_token; };
  check_reach(rule, longest_row(rows, is_real), kWhere);
  write_ids(rows, rule, is_real, base::with_axes(ids, 2));
}

void positions_after(const ConstView& lengths, const View& ids) {
  constexpr std::string_view kWhere = "positions_after";
  base::check_view(lengths, base::ids_to_read({"B"}), kWhere, "lengths");
  base::check_view(ids, base::ids_to_write({lengths.shape[0], "N"}, "a row per length"), kWhere, "ids");
  base::check_apart({"ids", ids}, {"lengths", lengths}, kWhere);
  for (std::int64_t b = 0; b < ids.shape[0]; ++b) {
    const std::int64_t length = id_at(lengths, b);
    // Compared without forming the sum, which could overflow.
    if (length >= 0 && length <= kMaxPosition && ids.shape[1] <= kMaxPosition + 1 - length) continue;
    base::refuse_input(kWhere, "lengths must not be negative, and the ", ids.shape[1],
                       " ids that follow must not exceed 2147483647, but row ", b, " is ", length);
  }
  for (std::int64_t b = 0; b < ids.shape[0]; ++b) {
    const std::int64_t length = id_at(lengths, b);
    for (std::int64_t n = 0; n < ids.shape[1]; ++n) set_id(ids, b, n, length + n);
  }
}

PositionView position_view(const ConstView& ids) {
  base::check_view(ids, base::ids_to_read({"B", "N"}, base::Batch::optional, base::kIds | DType::f64), "position_view",
                   "ids");
  const ConstView rows = base::with_axes(ids, 2);
  PositionView view;
  view.source = ids.dtype == DType::i32 ? PositionView::Source::i32 : PositionView::Source::i64;
  if (ids.dtype == DType::f64) view.source = PositionView::Source::f64;
  view.data = ids.data;
  view.batch = rows.shape[0];
  view.count = rows.shape[1];
  view.batch_stride = rows.strides[0];
  view.token_stride = rows.strides[1];
  return view;
}

}  // namespace posenc
