// Access to integers in views: masks, token ids, bounds and position ids.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/check_view.h"
#include "core/base/with_axes.h"
#include "posenc/view.h"

namespace posenc::base {

// Element n of a view of one axis; element (b, n) of one of two.
std::int64_t id_at(const ConstView& view, std::int64_t n) noexcept;
std::int64_t id_at(const ConstView& view, std::int64_t b, std::int64_t n) noexcept;
void set_id(const View& view, std::int64_t n, std::int64_t id) noexcept;
void set_id(const View& view, std::int64_t b, std::int64_t n, std::int64_t id) noexcept;

// Rules for integers of any strides, to read and to write.
inline ViewRule ids_to_read(const Shape& shape, Batch batch = Batch::as_given, DTypes dtypes = kIds) {
  return {.dtypes = dtypes, .shape = shape, .batch = batch, .channels = Channels::any};
}
inline ViewRule ids_to_write(const Shape& shape, std::string_view reason = {}) {
  return {.dtypes = kIds, .shape = shape, .channels = Channels::any, .use = Use::write, .reason = reason};
}
// [N] or [B, N] of u8, i32 or i64.
inline ViewRule rows_to_read() { return ids_to_read({"B", "N"}, Batch::optional, kIntegers); }

// Throws unless `id`, which is an id or a term of a sum that gives one, is within +-kMaxPosition. Such a number fits in
// i32, and sums of a few of them cannot overflow i64.
void check_id(std::int64_t id, std::string_view where, std::string_view name);

// Throws unless all numbers of a mask, [N] or [B, N], are 0 or 1.
void check_mask_values(const ConstView& mask, std::string_view where);

}  // namespace posenc::base
