// Copies past the caches: for outputs that are larger than those, so that a line is not read before it is written.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// What addresses and sizes must be multiples of, in bytes.
constexpr std::int64_t kStreamAlignment = 64;

// `to` and `count` floats must fit kStreamAlignment. The bytes are other threads' after finish_stream.
void stream_row(const float* from, std::int64_t count, float* to) noexcept;
void finish_stream() noexcept;

}  // namespace posenc::kernels
