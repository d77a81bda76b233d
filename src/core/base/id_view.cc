#include "core/base/id_view.h"

#include <string>

#include "posenc/position.h"

namespace posenc::base {
namespace {

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

void check_id(std::int64_t id, std::string_view where, std::string_view name) {
  if (id >= -kMaxPosition && id <= kMaxPosition) return;
  refuse_input(where, name, " must be from -2147483647 to 2147483647 but got ", id);
}

void check_mask_values(const ConstView& mask, std::string_view where) {
  const ConstView rows = with_axes(mask, 2);
  for (std::int64_t b = 0; b < rows.shape[0]; ++b) {
    for (std::int64_t n = 0; n < rows.shape[1]; ++n) {
      const std::int64_t value = id_at(rows, b, n);
      if (value == 0 || value == 1) continue;
      const std::string row = mask.rank == 2 ? text::message("row ", b, ", ") : "";
      refuse_input(where, "mask must be 0 or 1 but ", row, "column ", n, " is ", value);
    }
  }
}

}  // namespace posenc::base
