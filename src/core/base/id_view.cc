#include "core/base/id_view.h"

#include <algorithm>

#include "core/base/memory_overlap.h"
#include "posenc/error.h"
#include "posenc/position.h"

namespace posenc::base {
namespace {

bool is_empty(const ConstView& view) {
  return std::any_of(view.shape.begin(), view.shape.begin() + view.rank, [](std::int64_t n) { return n == 0; });
}

void check_shape(const ConstView& view, const Named& named, Ranks ranks) {
  const bool fits = ranks == Ranks::one   ? view.rank == 1
                    : ranks == Ranks::two ? view.rank == 2
                                          : view.rank == 1 || view.rank == 2;
  if (!fits) {
    const char* axes = ranks == Ranks::one ? "one axis" : ranks == Ranks::two ? "two axes" : "one or two axes";
    fail(ErrorKind::usage, named.opening() + "must have " + axes + " but has shape " + shape_text(view));
  }
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[static_cast<std::size_t>(axis)] >= 0) continue;
    fail(ErrorKind::usage, named.opening() + "must have no negative length but has shape " + shape_text(view));
  }
  if (view.data == nullptr && !is_empty(view)) {
    fail(ErrorKind::usage, named.opening() + "must not be null but has shape " + shape_text(view));
  }
}

std::int64_t read(const ConstView& view, std::int64_t offset) noexcept {
  if (view.dtype == DType::i64) return view.as<std::int64_t>()[offset];
  if (view.dtype == DType::i32) return view.as<std::int32_t>()[offset];
  return view.as<std::uint8_t>()[offset];
}

void write(const View& view, std::int64_t offset, std::int64_t id) noexcept {
  if (view.dtype == DType::i64) {
    view.as<std::int64_t>()[offset] = id;
  } else {
    view.as<std::int32_t>()[offset] = static_cast<std::int32_t>(id);
  }
}

}  // namespace

std::int64_t id_at(const ConstView& view, std::int64_t n) noexcept { return read(view, n * view.strides[0]); }

std::int64_t id_at(const ConstView& view, std::int64_t b, std::int64_t n) noexcept {
  return read(view, b * view.strides[0] + n * view.strides[1]);
}

void set_id(const View& view, std::int64_t n, std::int64_t id) noexcept { write(view, n * view.strides[0], id); }

void set_id(const View& view, std::int64_t b, std::int64_t n, std::int64_t id) noexcept {
  write(view, b * view.strides[0] + n * view.strides[1], id);
}

void check_integers(const ConstView& view, const Named& named, Ranks ranks, bool bytes) {
  const bool wide = view.dtype == DType::i32 || view.dtype == DType::i64;
  if (!wide && !(bytes && view.dtype == DType::u8)) {
    fail(ErrorKind::usage, named.opening() + "must be " + (bytes ? "u8, i32 or i64" : "i32 or i64") + " but is " +
                               std::string(to_text(view.dtype)));
  }
  check_shape(view, named, ranks);
}

void check_writable(const View& view, const Named& named, Ranks ranks) {
  check_integers(view, named, ranks, /*bytes=*/false);
  if (is_empty(view) || !overlaps_itself(view)) return;
  fail(ErrorKind::usage, named.opening() + "must not overlap itself but two indices of " + shape_text(view) +
                             " share an address: check its strides");
}

void check_apart(const View& out, const Named& named, const ConstView& in, std::string_view in_name) {
  if (!share_memory(out, in)) return;
  fail(ErrorKind::usage,
       named.opening() + "must not overlap " + std::string(in_name) + ": it would change while it is read");
}

void check_same_shape(const View& out, const Named& named, const ConstView& in, std::string_view in_name) {
  if (out.rank == in.rank && out.shape[0] == in.shape[0] && (out.rank == 1 || out.shape[1] == in.shape[1])) return;
  fail(ErrorKind::usage, named.opening() + "must have the shape of " + std::string(in_name) + ", " + shape_text(in) +
                             ", but has shape " + shape_text(out));
}

void check_id(std::int64_t id, const Named& named) {
  if (id >= -kMaxPosition && id <= kMaxPosition) return;
  fail(ErrorKind::bad_input, named.opening() + "must lie within +-2147483647 but got " + std::to_string(id));
}

}  // namespace posenc::base
