#include "posenc/mask.h"

#include <string>

#include "core/attention/mask_rows.h"
#include "core/base/id_view.h"
#include "posenc/error.h"
#include "posenc/position.h"

namespace posenc {
namespace {

struct Checker {
  const Mask& mask;
  const MaskGrid& grid;
  std::string opening;  // "[attend] mask "

  [[noreturn]] void refuse(const std::string& message) const { fail(ErrorKind::usage, opening + message); }

  void reach(const std::optional<std::int64_t>& value, const char* name) const {
    if (!value || (*value >= 0 && *value <= kMaxPosition)) return;
    refuse(std::string(name) + " must be at least 0 and below 2^31 but got " + std::to_string(*value));
  }
  void count(std::int64_t value, const char* name) const { reach(std::optional(value), name); }

  void integers(const ConstView& view, const char* name, bool per_row) const {
    if (view.data == nullptr) return;
    const bool type = view.dtype == DType::i32 || view.dtype == DType::i64;
    const bool shape = per_row ? view.rank == 1 && view.shape[0] == grid.batch
                               : (view.rank == 1 && view.shape[0] == grid.keys) ||
                                     (view.rank == 2 && view.shape[0] == grid.batch && view.shape[1] == grid.keys);
    if (type && shape) {
      if (per_row) check_ids(view, name);
      return;
    }
    const std::string wanted = per_row ? "[" + std::to_string(grid.batch) + "]"
                                       : "[" + std::to_string(grid.keys) + "] or [" + std::to_string(grid.batch) +
                                             ", " + std::to_string(grid.keys) + "]";
    refuse(std::string(name) + " must be " + wanted + " of i32 or i64 but got " + shape_text(view) + " " +
           std::string(to_text(view.dtype)));
  }

  // Within the positions, so that sums of a few stay far from the end of 64 bits.
  void check_ids(const ConstView& view, const char* name) const {
    for (std::int64_t b = 0; b < grid.batch; ++b) {
      const std::int64_t id = base::id_at(view, b);
      if (id >= -kMaxPosition && id <= kMaxPosition) continue;
      refuse(std::string(name) + " must lie within +-(2^31 - 1) but row " + std::to_string(b) + " has " +
             std::to_string(id));
    }
  }

  void bytes(const ConstView& view, const char* name, bool pairs) const {
    if (view.data == nullptr) return;
    const int rank = pairs ? 2 : 1;
    bool fits =
        view.dtype == DType::u8 && (view.rank == rank || (view.rank == rank + 1 && view.shape[0] == grid.batch));
    const auto axis = static_cast<std::size_t>(view.rank);
    if (fits) fits = view.shape[axis - 1] == grid.keys && (!pairs || view.shape[axis - 2] == grid.queries);
    if (fits) return;
    const std::string one = (pairs ? std::to_string(grid.queries) + ", " : "") + std::to_string(grid.keys);
    refuse(std::string(name) + " must be [" + one + "] or [" + std::to_string(grid.batch) + ", " + one +
           "] of u8 but got " + shape_text(view) + " " + std::string(to_text(view.dtype)));
  }
};

}  // namespace

std::int64_t first_beside(const Mask& mask, const MaskGrid& grid) noexcept {
  return mask.query_offset.value_or(mask.causal == Causal::start ? 0 : grid.keys - grid.queries);
}

void check_mask(const Mask& mask, const MaskGrid& grid, std::string_view where) {
  const Checker check{mask, grid, "[" + std::string(where) + "] mask "};
  if (grid.batch < 0 || grid.queries < 0 || grid.keys < 0 || grid.queries > kMaxPosition || grid.keys > kMaxPosition) {
    check.refuse("must be of counts from 0 to 2^31 - 1 but there are " + std::to_string(grid.queries) +
                 " queries and " + std::to_string(grid.keys) + " keys");
  }
  const int causal = static_cast<int>(mask.causal);
  if (causal < 0 || causal > static_cast<int>(Causal::start)) {
    check.refuse("causal must be none, end or start but got " + std::to_string(causal));
  }
  check.reach(mask.left, "left");
  check.reach(mask.right, "right");
  check.count(mask.sink_keys, "sink_keys");
  check.count(mask.chunk, "chunk");
  if (mask.query_offset && (*mask.query_offset < -kMaxPosition || *mask.query_offset > kMaxPosition)) {
    check.refuse("query_offset must lie within +-(2^31 - 1) but got " + std::to_string(*mask.query_offset));
  }
  check.integers(mask.starts, "starts", true);
  check.integers(mask.ends, "ends", true);
  check.integers(mask.documents, "documents", false);
  check.bytes(mask.keys, "keys", false);
  check.bytes(mask.pairs, "pairs", true);
}

namespace {

void check_index(std::int64_t index, std::int64_t count, const char* name, const char* where) {
  if (index >= 0 && index < count) return;
  fail(ErrorKind::usage, "[" + std::string(where) + "] " + name + " must be below " + std::to_string(count) +
                             " and not negative but got " + std::to_string(index));
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
