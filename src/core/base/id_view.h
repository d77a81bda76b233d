// Integers in views: what masks, token ids, bounds and position ids share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "posenc/view.h"

namespace posenc::base {

// [N] as [1, N]; [B, N] as it is.
template <class Void>
BasicView<Void> as_rows(const BasicView<Void>& view) {
  if (view.rank != 1) return view;
  BasicView<Void> rows{view.data, view.dtype, 2, {}, {}};
  rows.shape = {1, view.shape[0]};
  rows.strides = {0, view.strides[0]};
  return rows;
}

// Element n of a view of one axis; element (b, n) of one of two.
std::int64_t id_at(const ConstView& view, std::int64_t n) noexcept;
std::int64_t id_at(const ConstView& view, std::int64_t b, std::int64_t n) noexcept;
void set_id(const View& view, std::int64_t n, std::int64_t id) noexcept;
void set_id(const View& view, std::int64_t b, std::int64_t n, std::int64_t id) noexcept;

// A view in a message: "[positions_from_mask] mask must ...".
struct Named {
  std::string_view function;
  std::string_view name;

  std::string opening() const { return "[" + std::string(function) + "] " + std::string(name) + " "; }
};

enum class Ranks { one, two, one_or_two };

// Integers to read: u8 too where `bytes` says so.
void check_integers(const ConstView& view, const Named& named, Ranks ranks, bool bytes);
// Integers to write, i32 or i64, whatever their strides, but no two at one address.
void check_writable(const View& view, const Named& named, Ranks ranks);
// Nothing is written to what is still read.
void check_apart(const View& out, const Named& named, const ConstView& in, std::string_view in_name);
// `out` must have the shape of `in`.
void check_same_shape(const View& out, const Named& named, const ConstView& in, std::string_view in_name);

// A number that becomes an id, or a part of one: within +-kMaxPosition. Then it fits into i32, and sums of a few stay
// far from the end of i64.
void check_id(std::int64_t id, const Named& named);

}  // namespace posenc::base
