// The memory of a table: it starts at a cache line, and copies of the table share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "core/base/check_view.h"

namespace posenc::rows {

inline std::shared_ptr<std::byte> table_memory(std::int64_t rows, std::int64_t width, DType dtype,
                                               std::string_view where) {
  constexpr std::align_val_t kAlignment{64};
  std::int64_t bytes = 0;
  base::require(!__builtin_mul_overflow(rows, width, &bytes) && !__builtin_mul_overflow(bytes, size_of(dtype), &bytes),
                where, rows, " rows of width ", width, " need more than 2^63 bytes");
  auto* memory = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), kAlignment));
  return {memory, [](std::byte* p) { ::operator delete(p, kAlignment); }};
}

}  // namespace posenc::rows
