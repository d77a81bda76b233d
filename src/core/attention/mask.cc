#include "posenc/mask.h"

#include <string>

#include "core/attention/mask_rows.h"
#include "core/base/check_view.h"
#include "core/base/id_view.h"
#include "posenc/position.h"

namespace posenc {
namespace {

struct Checker {
  const MaskGrid& grid;
  std::string_view where;

  void reach(const std::optional<std::int64_t>& value, const char* name) const {
    if (!value || (*value >= 0 && *value <= kMaxPosition)) return;
    base::refuse(where, name, " must be at least 0 and below 2^31 but got ", *value);
  }
  void count(std::int64_t value, const char* name) const { reach(std::optional(value), name); }

  // Checks a view, if given; any strides.
  void view(const ConstView& view, base::DTypes dtypes, const base::Shape& shape, const char* name) const {
    if (view.data == nullptr) return;
    const auto batch = shape.rank == 1 ? base::Batch::as_given : base::Batch::optional;
    base::check_view(view, {.dtypes = dtypes, .shape = shape, .batch = batch, .channels = base::Channels::any}, where,
                     name);
  }

  // Checks that bounds are within the range of positions, so that sums of a few cannot overflow.
  void per_row(const ConstView& ids, const char* name) const {
    view(ids, base::kIds, {grid.batch}, name);
    if (ids.data == nullptr) return;
    for (std::int64_t b = 0; b < grid.batch; ++b) {
      const std::int64_t id = base::id_at(ids, b);
      if (id >= -kMaxPosition && id <= kMaxPosition) continue;
      base::refuse(where, name, " must be from -2147483647 to 2147483647 but row ", b, " has ", id);
    }
  }
};

}  // namespace

std::int64_t first_beside(const Mask& mask, const MaskGrid& grid) noexcept {
  return mask.query_offset.value_or(mask.causal == Causal::start ? 0 : grid.keys - grid.queries);
}

void check_mask(const Mask& mask, const MaskGrid& grid, std::string_view where) {
  const Checker check{grid, where};
  base::require(grid.batch >= 0 && grid.queries >= 0 && grid.keys >= 0 && grid.queries <= kMaxPosition &&
                    grid.keys <= kMaxPosition,
                where, "mask must have counts from 0 to 2^31 - 1 but there are ", grid.queries, " queries and ",
                grid.keys, " keys");
  const int causal = static_cast<int>(mask.causal);
  base::require(causal >= 0 && causal <= static_cast<int>(Causal::start), where,
                "mask causal must be none, end or start but got ", causal);
  check.reach(mask.left, "mask left");
  check.reach(mask.right, "mask right");
  check.count(mask.sink_keys, "mask sink_keys");
  check.count(mask.chunk, "mask chunk");
  if (mask.query_offset && (*mask.query_offset < -kMaxPosition || *mask.query_offset > kMaxPosition)) {
    base::refuse(where, "mask query_offset must be from -2147483647 to 2147483647 but got ", *mask.query_offset);
  }
  check.per_row(mask.starts, "mask starts");
  check.per_row(mask.ends, "mask ends");
  check.view(mask.documents, base::kIds, {grid.batch, grid.keys}, "mask documents");
  check.view(mask.keys, DType::u8, {grid.batch, grid.keys}, "mask keys");
  check.view(mask.pairs, DType::u8, {grid.batch, grid.queries, grid.keys}, "mask pairs");
}

namespace {

void check_index(std::int64_t index, std::int64_t count, const char* name, const char* where) {
  if (index >= 0 && index < count) return;
  base::refuse(where, name, " must be 0 to ", count - 1, " but got ", index);
}

}  // namespace

KeyRange key_range(const Mask& mask, const MaskGrid& grid, std::int64_t b, std::int64_t n) {
  check_mask(mask, grid, "key_range");
  check_index(b, grid.batch, "b", "key_range");
  check_index(n, grid.queries, "n", "key_range");
  return attention::MaskRows(mask, grid).range(b, n);
}

bool sees(const Mask& mask, const MaskGrid& grid, std::int64_t b, std::int64_t n, std::int64_t s) {
  check_mask(mask, grid, "sees");
  check_index(b, grid.batch, "b", "sees");
  check_index(n, grid.queries, "n", "sees");
  check_index(s, grid.keys, "s", "sees");
  const attention::MaskRows rows(mask, grid);
  const KeyRange range = rows.range(b, n);
  const bool inside = (s >= range.first && s < range.sinks) || (s >= range.resume && s < range.last);
  return inside && rows.shown(b, n, s);
}

}  // namespace posenc
